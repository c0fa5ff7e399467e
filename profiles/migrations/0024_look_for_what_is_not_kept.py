from django.db import migrations, models


def look_once(apps, schema_editor):
    """Have each known guild looked at once: what was stored before a sensitive kind was off may still be there."""
    apps.get_model("profiles", "Guild").objects.update(rescan="facts 0")


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0023_members_without_reading_counts"),
    ]

    operations = [
        migrations.AddField(
            model_name="guild",
            name="rescan",
            field=models.CharField(
                blank=True,
                help_text="How far the look for what is not kept any more came; empty: done.",
                max_length=40,
            ),
        ),
        migrations.RunPython(look_once, migrations.RunPython.noop),
    ]
