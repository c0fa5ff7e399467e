"""Names who told the hub what no message says, as far as the change that stored it is signed."""

from django.db import migrations


def name_tellers(apps, _schema_editor):
    Evidence, FactChange, Member = (
        apps.get_model(label) for label in ("memory.Evidence", "memory.FactChange", "community.Member")
    )
    told = Evidence.objects.filter(message=None, speaker=None, batch__isnull=False)
    for row, batch, guild in list(told.values_list("pk", "batch", "guild")):
        actors = FactChange.objects.filter(batch=batch, guild=guild).values_list("actor", flat=True)
        doors = (actor.partition(":") for actor in actors)
        accounts = [name for door, _, name in doors if door in ("member", "moderator")]
        teller = Member.objects.filter(guild=guild, platform_id__in=accounts).first()
        if teller:
            Evidence.objects.filter(pk=row, guild=guild).update(speaker=teller)


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0002_contradictions'),
    ]

    operations = [
        migrations.RunPython(name_tellers, migrations.RunPython.noop, elidable=True),
    ]
