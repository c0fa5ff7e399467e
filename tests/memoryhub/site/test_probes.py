"""Liveness and readiness: what each looks at, and that nothing before them refuses."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from memoryhub.site import probes

pytestmark = pytest.mark.django_db


@pytest.fixture
def away(monkeypatch):
    def cursor():
        raise OperationalError("unable to open database file")

    monkeypatch.setattr(connection, "cursor", cursor)


@pytest.mark.parametrize("path", [probes.LIVE, probes.READY])
@pytest.mark.parametrize("method", ["get", "head"])
def test_a_hub_that_is_well_says_so_to_whoever_asks_by_whatever_name(path, method):
    answer = getattr(Client(), method)(path, headers={"host": "10.0.0.7:8000"})
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert method == "head" or answer.json() == {"status": "ok"}


def test_without_its_database_a_process_lives_and_is_not_ready(away, caplog):
    assert Client().get(probes.LIVE).status_code == 200
    answer = Client().get(probes.READY)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "django.request" not in caplog.text
    assert answer.json()["detail"] == "The database does not answer, or was never migrated."


def test_while_migrations_wait_it_is_not_ready(monkeypatch):
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [("memory", "0002_new")])
    assert Client().get(probes.READY).json()["detail"] == "Migrations wait: run manage.py migrate."


def test_a_probe_takes_no_other_method():
    assert Client().post(probes.READY).status_code == 404
