"""Moves the embeddings of the first release into tables of half the size; where there are none it does nothing."""

from django.db import migrations

from memoryhub import vectors


def take_over(apps, schema_editor):
    vectors.upgrade()


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_facts_without_idle_indexes")]
    operations = [migrations.RunPython(take_over, migrations.RunPython.noop)]
