"""The queue's schedules equal the list of periodic jobs after each migration that reaches its table."""

import pytest
from django_q.models import Schedule

from memory.schedules import PERIODIC, declare
from tests.verification.hub import Hub


def test_only_some_apps_of_an_empty_database_can_be_migrated(tmp_path):
    ran = Hub(tmp_path).manage("migrate", "profiles", "0001")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.django_db
def test_each_job_has_one_schedule_and_a_job_that_is_gone_has_none():
    Schedule.objects.create(name="old", func="memory.tasks.gone")
    Schedule.objects.filter(name="night").delete()
    declare()
    assert sorted(Schedule.objects.values_list("name", flat=True)) == sorted(job.name for job in PERIODIC)


@pytest.mark.django_db
def test_an_interval_that_an_operator_changed_survives_a_migration():
    Schedule.objects.filter(name="night").update(minutes=240, func="memory.tasks.renamed")
    Schedule.objects.filter(name="learn").update(schedule_type=Schedule.CRON, cron="*/20 * * * *")
    declare()
    night, learn = (Schedule.objects.get(name=name) for name in ("night", "learn"))
    assert (night.minutes, night.func) == (240, "memory.tasks.consolidate_due")
    assert (learn.schedule_type, learn.cron) == (Schedule.CRON, "*/20 * * * *")
