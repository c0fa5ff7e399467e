from django.db import migrations

from memoryhub.db.backend import prepare


class Migration(migrations.Migration):

    initial = True

    # Django's own first tables come after it: a server that can't be used is refused while it is empty.
    run_before = [("contenttypes", "0001_initial")]

    operations = [
        migrations.RunPython(prepare, migrations.RunPython.noop),
    ]
