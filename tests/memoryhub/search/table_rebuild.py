"""Does to a table what a migration does: on SQLite an altered column means a copy, a drop and a rename."""

from django.db import connection, models
from django.test.utils import isolate_apps


@isolate_apps("django.contrib.contenttypes")
def rebuild_a_table() -> None:
    """Make a table of a model, alter its column, and remove it."""

    class Scratch(models.Model):
        text = models.CharField(max_length=10)

        class Meta:
            app_label = "contenttypes"

        def __str__(self) -> str:
            return self.text

    longer = models.CharField(max_length=99)
    longer.set_attributes_from_name("text")
    with connection.schema_editor() as editor:
        editor.create_model(Scratch)
        editor.alter_field(Scratch, Scratch._meta.get_field("text"), longer)
        editor.delete_model(Scratch)
