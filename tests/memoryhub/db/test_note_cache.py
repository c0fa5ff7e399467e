"""What all hosts are to see, kept in the database: added once, gone in time, and never worth an error."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import caches
from django.db import OperationalError, connection

from memoryhub.models import SharedNote

pytestmark = pytest.mark.django_db


@pytest.fixture
def notes():
    return caches["shared"]


def test_of_two_who_add_a_note_one_does(notes):
    assert [notes.add("x", 1, 60), notes.add("x", 2, 60)] == [True, False]
    assert notes.get("x") == 1


def test_a_note_is_gone_when_its_time_is_over_and_may_be_added_again(notes):
    notes.set("x", 1, 60)
    SharedNote.objects.update(expires=datetime.now(UTC) - timedelta(seconds=2))
    assert notes.get("x") is None
    assert notes.add("x", 2, 60)


def test_a_note_that_is_deleted_is_gone(notes):
    notes.set("x", 1, 60)
    notes.delete_many(["x", "never-there"])
    assert notes.get("x") is None


def test_without_the_database_there_is_no_note_and_no_error(notes, monkeypatch):
    def away(*_args):
        raise OperationalError("unable to open database file")

    monkeypatch.setattr(connection, "cursor", away)
    notes.set("x", 1, 60)
    notes.delete("x")
    assert (notes.get("x"), notes.add("x", 1, 60)) == (None, False)
