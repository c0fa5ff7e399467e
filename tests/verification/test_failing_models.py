"""Failing models: a model that fails stops nobody else, loses no message, and is parked where the operator sees it."""

from __future__ import annotations

import pytest

from memory import pipeline
from memory.curation.statistics import overview
from memory.learning import extraction
from memory.models import Action, Fact
from memoryhub.ai import ModelFailed
from memoryhub.community.models import Channel, Member
from notes.models import ChannelBuffer, InteractionNote, Message, Summary
from notes.summaries import due
from profiles.models import Profile, ProfileEntry
from tests.factories import NOON, minutes
from tests.incoming import north, say
from tests.scripted import ASKED, OFFLINE, ScriptedModel, scripted
from tests.verification.portrait import oddities

pytestmark = pytest.mark.django_db
TODAY = NOON + minutes(60)
PAUSE = minutes(24 * 60)  # longer than any back-off
EXTRACTION, NOTE = "extraction", "note"
POISON = "Xyzzy plugh frobnicates every schema that reads it"


class FailingFor(ScriptedModel):
    """A model whose answers are unusable whenever it is to read one member's messages."""

    def __init__(self, member: str) -> None:
        super().__init__()
        self.member = member

    def __call__(self, task, given, *, guild):
        wanted = set(getattr(given, "learn_from", []))
        if wanted and self.member in {line.name for line in given.lines if line.message in wanted}:
            raise ModelFailed("bad_answer")
        return super().__call__(task, given, guild=guild)


def talk() -> None:
    say("I live in Lisbon and I work at the city library, down by the river.", "Alice", at=NOON)
    say("I moved to Toronto last spring, and I love rainy mornings. They are quiet!", "Bob", at=NOON + minutes(1))


def test_a_model_that_fails_for_one_member_does_not_stop_another(monkeypatch):
    talk()
    monkeypatch.setattr(extraction, "ask", FailingFor("Alice"))
    pipeline.learn_waiting(north().extraction_mode, now=TODAY)
    assert {fact.subject.display_name for fact in Fact.objects.all()} == {"Bob"}
    waiting = Message.objects.get(processed_at=None)
    assert (str(waiting.author), waiting.parked_at, waiting.attempts) == ("Alice", None, 1)


def test_when_the_model_is_back_what_waited_is_learned(monkeypatch):
    talk()
    with monkeypatch.context() as broken:
        broken.setattr(extraction, "ask", FailingFor("Alice"))
        pipeline.learn_waiting(north().extraction_mode, now=TODAY)
    pipeline.learn_waiting(north().extraction_mode, now=TODAY + PAUSE)
    assert {fact.subject.display_name for fact in Fact.objects.all()} == {"Alice", "Bob"}


def test_after_five_attempts_a_batch_is_parked_where_the_operator_sees_it(monkeypatch):
    talk()
    monkeypatch.setattr(extraction, "ask", FailingFor("Alice"))
    for day in range(Message.policy.most_attempts):
        assert not Message.objects.exclude(parked_at=None).exists()
        pipeline.learn_waiting(north().extraction_mode, now=TODAY + PAUSE * day)
    parked = Message.objects.exclude(parked_at=None).get()
    assert (str(parked.author), parked.text[:16]) == ("Alice", "I live in Lisbon")
    assert parked.last_error
    assert Action.objects.filter(kind="memory_extract_error").count() == Message.policy.most_attempts


def test_after_five_attempts_a_conversation_is_parked_with_all_its_messages():
    talk()
    with scripted() as model:
        model.fail(NOTE, times=ChannelBuffer.policy.most_attempts)
        for day in range(ChannelBuffer.policy.most_attempts):
            assert pipeline.digest(None, now=TODAY + PAUSE * day).failed == 1
        assert pipeline.digest(None, now=TODAY + PAUSE * 9).failed == 0
    buffer = ChannelBuffer.objects.get()
    assert (buffer.status, buffer.step, buffer.messages.count()) == ("parked", "note", 2)
    assert buffer.last_error
    assert not oddities(north())
    assert overview(north(), now=TODAY + PAUSE * 9)


class Upset(ScriptedModel):
    """A model that can do nothing with what it reads, or repeats it, once one member's words are among it."""

    def __init__(self, *, raw: bool = False) -> None:
        super().__init__()
        self.raw = raw

    def __call__(self, task, given, *, guild):
        lines = getattr(given, "lines", [])
        if POISON not in given.model_dump_json() or task.purpose == EXTRACTION:
            return super().__call__(task, given, guild=guild)
        if self.raw and lines and "summary" in task.answer.model_fields:
            return task.offline(given).model_copy(update={"summary": " ".join(line.text for line in lines)})
        raise ModelFailed("bad_answer")


def poisoned() -> None:
    talk()
    for number, author in enumerate(("Bob", "Mallory", "Alice", "Bob", "Alice") * 3):
        words = POISON if author == "Mallory" else "The harbour festival needs more lamps along the eastern quay"
        say(f"{words}, number {number}.", author, at=NOON + minutes(2 + number))


@pytest.mark.parametrize("raw", [False, True])
def test_words_that_upset_every_answer_keep_no_conversation_from_its_note_and_its_profiles(monkeypatch, raw):
    poisoned()
    monkeypatch.setattr(ASKED, Upset(raw=raw))
    monkeypatch.setattr(OFFLINE, lambda *_, **__: False)
    for day in range(2):
        pipeline.digest(None, now=TODAY + PAUSE * day)
    assert ChannelBuffer.objects.get().status == "done"
    assert "harbour festival" in InteractionNote.objects.get().summary
    for day in range(2, 4):
        pipeline.tick(now=TODAY + PAUSE * day)
    for name, told in (("Alice", "Lisbon"), ("Bob", "Toronto")):
        assert ProfileEntry.objects.filter(profile__member__display_name=name, text__contains=told).exists()
    assert not Profile.objects.filter(dirty=True).exists()


@pytest.mark.parametrize("raw", [False, True])
def test_words_that_upset_every_answer_keep_no_channel_from_its_summary(monkeypatch, raw):
    poisoned()
    monkeypatch.setattr(ASKED, Upset(raw=raw))
    monkeypatch.setattr(OFFLINE, lambda *_, **__: False)
    for day in range(2):
        due.summarize_due(now=NOON + minutes(120) + PAUSE * day, waiting=False)
    assert Summary.objects.filter(kind="rolling").exists()
    assert not Channel.objects.exclude(last_error="").exists()


def test_words_that_upset_every_answer_keep_no_night_from_its_topics(monkeypatch):
    for hour in range(3):
        for number, author in enumerate(("Alice", "Bob", "Mallory") * 2):
            words = POISON if author == "Mallory" else "The harbour festival needs more lamps along the eastern quay"
            say(f"{words}, number {number}.", author, at=NOON + minutes(120 * hour + number))
        pipeline.digest(None, now=NOON + minutes(120 * hour + 90))
    InteractionNote.objects.update(summary=POISON)
    monkeypatch.setattr(ASKED, Upset())
    monkeypatch.setattr(OFFLINE, lambda *_, **__: False)
    nights = [pipeline.consolidate(north(), day=NOON.date(), now=TODAY + PAUSE * day) for day in (1, 2)]
    assert [night[0].status for night in nights] == ["failed", "done"]


def test_a_conversation_that_failed_goes_on_at_the_step_that_failed():
    talk()
    with scripted() as model:
        model.fail(NOTE)
        pipeline.digest(None, now=TODAY)
        asked = [purpose for purpose, _ in model.asked].count(EXTRACTION)
        pipeline.digest(None, now=TODAY + PAUSE)
        assert [purpose for purpose, _ in model.asked].count(EXTRACTION) == asked > 0
    assert InteractionNote.objects.count() == 1


def test_a_failing_model_never_keeps_a_message_out():
    with scripted() as model:
        model.fail(EXTRACTION, 9).fail(NOTE, 9)
        assert [say(f"I live in Lisbon, number {n}.", at=NOON + minutes(n)).status for n in range(3)] == ["stored"] * 3
        pipeline.tick(now=TODAY)
    assert Message.objects.count() == 3
    assert Member.objects.count() == 1


@pytest.mark.parametrize("purpose", ["extraction", "note", "profile", "summary", "consolidation", "channel_profile"])
def test_a_minute_in_which_a_model_fails_ends_well(purpose):
    talk()
    with scripted() as model:
        model.fail(purpose, 50)
        pipeline.tick(now=TODAY)
    assert Message.objects.exclude(text="").count() == 2
