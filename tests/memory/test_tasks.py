"""Where each message is learned from at once, a worker is called; nobody who speaks waits for it."""

import pytest

from memory import pipeline, tasks
from memory.models import Fact, JobRun
from memoryhub.server import queue_cluster
from notes.models import ChannelBuffer
from tests.factories import NOON, days, make_guild
from tests.incoming import north, say

pytestmark = pytest.mark.django_db


@pytest.fixture
def queued(monkeypatch):
    tasks = []
    monkeypatch.setattr("django_q.tasks.async_task", lambda name, *given: tasks.append(name))
    return tasks


def test_where_each_message_is_learned_from_a_worker_is_called_after_the_commit(
    queued, django_capture_on_commit_callbacks
):
    make_guild(extraction_mode="message")
    with django_capture_on_commit_callbacks(execute=True):
        say("I live in Toronto.")
        assert queued == []
    assert queued == ["memory.tasks.learn_at_once"]


@pytest.mark.parametrize(("mode", "bot"), [("batch", False), ("flush", False), ("message", True)])
def test_elsewhere_and_for_bots_nobody_is_called(queued, django_capture_on_commit_callbacks, mode, bot):
    make_guild(extraction_mode=mode)
    with django_capture_on_commit_callbacks(execute=True):
        say("I live in Toronto.", is_bot=bot)
    assert queued == []


@pytest.mark.parametrize(("conversations", "called"), [(8, 0), (9, 3)])
def test_where_much_waits_the_other_workers_digest_beside(queued, settings, conversations, called):
    settings.MEMORYHUB_PROCESSES = 4
    for number in range(conversations):
        say("I live in Toronto.", channel=f"room {number}")
    pipeline.tick(now=NOON + days(1))
    assert queued == ["memory.tasks.digest"] * called
    assert ChannelBuffer.objects.filter(status="done").count() == conversations


def test_who_is_called_to_help_digests_what_waits_and_a_second_one_nothing_more():
    for number in range(3):
        say("I live in Toronto.", channel=f"room {number}")
    ChannelBuffer.objects.update(status="closed")
    for _ in range(2):
        tasks.digest(north().pk)
    assert ChannelBuffer.objects.filter(status="done").count() == 3
    tasks.digest(north().pk + 1)  # a guild that is gone


def test_a_queue_that_is_away_costs_no_message(monkeypatch, django_capture_on_commit_callbacks):
    make_guild(extraction_mode="message")

    def away(*_):
        raise ConnectionError

    monkeypatch.setattr("django_q.tasks.async_task", away)
    with django_capture_on_commit_callbacks(execute=True):
        assert say("I live in Toronto.").status == "stored"


def test_the_called_worker_learns_at_once_and_a_second_call_adds_nothing():
    make_guild(extraction_mode="message")
    say("I live in Toronto.")
    for _ in range(2):
        tasks.learn_at_once(north().pk)
    assert [(fact.text, fact.reinforcements) for fact in Fact.objects.all()] == [("Lives in Toronto.", 0)]


def test_a_task_of_a_queue_that_was_told_to_stop_begins_nothing_further(monkeypatch):
    make_guild(extraction_mode="message")
    say("I live in Toronto.")
    monkeypatch.setattr(queue_cluster._stopping, "value", True)
    tasks.learn_at_once(north().pk)
    assert not Fact.objects.exists()
    monkeypatch.undo()
    tasks.learn_at_once(north().pk)
    assert Fact.objects.count() == 1


def test_a_night_that_was_asked_for_in_a_guild_that_is_gone_is_over():
    guild = make_guild()
    gone = guild.pk
    guild.delete()
    tasks.consolidate(gone, "2026-03-02")
    assert not JobRun.objects.exists()
