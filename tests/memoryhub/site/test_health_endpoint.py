from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django_q.models import OrmQ, Schedule

from memoryhub.site import health
from tests.api_client import Api
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def in_time():
    Schedule.objects.update(next_run=NOON)


def test_a_hub_whose_work_is_in_time_is_well():
    assert health.check(now=NOON).queue == "ok"


def test_a_task_that_waits_for_minutes_means_that_no_worker_runs():
    OrmQ.objects.create(key="memoryhub", payload="x", lock=NOON - timedelta(minutes=6))
    assert health.check(now=NOON).queue == "no worker"


def test_a_task_that_is_being_worked_on_does_not_wait():
    OrmQ.objects.create(key="memoryhub", payload="x", lock=NOON + timedelta(minutes=11))
    assert health.check(now=NOON).queue == "ok"


def test_a_schedule_that_is_overdue_means_that_no_worker_runs():
    Schedule.objects.create(func="memory.tasks.tick", next_run=NOON - timedelta(minutes=6), repeats=-1)
    assert health.check(now=NOON).queue == "no worker"


def test_a_model_is_named_by_its_provider_only(settings):
    settings.MEMORYHUB_MODEL, settings.OPENAI_API_KEY = "openai:gpt-secret", "sk-secret"
    assert health.check(now=NOON).model == "openai"


def test_a_model_setting_that_makes_no_sense_is_said(settings):
    settings.MEMORYHUB_MODEL = "nonsense"
    assert health.check(now=NOON).model == "wrong setting"


def test_a_database_that_is_away_makes_the_hub_unavailable(monkeypatch, caplog):
    def away():
        raise OperationalError("unable to open database file")

    monkeypatch.setattr(connection, "cursor", away)
    answer = Api(None).get("/api/v1/health")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "django.request" not in caplog.text
    assert answer.json() == {
        "status": "unavailable", "version": "0.1.0", "database": "away", "queue": "unknown", "vectors": "unknown",
        "model": "offline",
    }  # fmt: skip
