import django.db.models.deletion
from django.db import migrations, models


def drop_counts_without_a_channel(apps, schema_editor):
    """The old rows don't say where; what can be told nowhere safely goes. Digests count anew."""
    apps.get_model("profiles", "RelationshipDay").objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('profiles', '0004_guild_heard_bots_and_blocked'),
    ]

    operations = [
        migrations.RunPython(drop_counts_without_a_channel, migrations.RunPython.noop),
        migrations.RemoveConstraint(
            model_name='relationshipday',
            name='one_relationship_row_per_day',
        ),
        migrations.AddField(
            model_name='relationshipday',
            name='channel',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='relationship_days', to='profiles.channel'),
        ),
        migrations.AlterField(
            model_name='relationshipday',
            name='day',
            field=models.DateField(help_text="In the guild's time zone."),
        ),
        migrations.AddIndex(
            model_name='relationshipday',
            index=models.Index(fields=['channel', 'day'], name='relationship_channel_day'),
        ),
        migrations.AddConstraint(
            model_name='relationshipday',
            constraint=models.UniqueConstraint(fields=('source', 'target', 'day', 'channel'), name='one_relationship_row_per_day'),
        ),
    ]
