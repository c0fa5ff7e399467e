"""What spoils an answer is found and waits alone: nobody else's words wait with it, and none are asked about twice."""

import pytest

from memory import pipeline, rules
from memory.learning import extraction
from memory.models import Fact
from memoryhub.ai import ModelFailed
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer, InteractionNote, Message
from tests.factories import NOON, make_guild, minutes
from tests.incoming import say
from tests.memory.learning.conftest import BATCH, LATER
from tests.scripted import scripted

pytestmark = pytest.mark.django_db
POISON = "I live in Poison."
TALK = "The workshop is down by the river, behind the old mill, and the boat lies at the bridge all winter long."


class Spoiled:
    """A model whose answer is unusable as soon as it is shown the poison, wherever it stands."""

    def __init__(self, monkeypatch, reason="bad_answer"):
        self.asked, self.reason = [], reason
        monkeypatch.setattr(extraction, "ask", self)

    def __call__(self, task, given, *, guild):
        self.asked.append(list(given.learn_from))
        if any("Poison" in text for text in [*(x.text for x in given.lines), *(x.text for x in given.known)]):
            raise ModelFailed(self.reason)
        return task.offline(given)


def learn(later=0):
    return pipeline.learn_waiting(BATCH, now=LATER + minutes(later))


def unread():
    return list(Message.objects.filter(processed_at=None).values_list("text", flat=True))


def known():
    return set(Fact.objects.values_list("subject__display_name", "text"))


def test_poison_that_is_only_context_keeps_nobody_waiting(monkeypatch):
    say(POISON, "Mallory")
    Message.objects.update(processed_at=NOON)
    say("I live in Rome.", "Bob", at=NOON + minutes(1))
    model = Spoiled(monkeypatch)
    learn()
    assert (known(), unread(), len(model.asked)) == ({("Bob", "Lives in Rome.")}, [], 2)


def test_a_known_fact_that_spoils_the_answer_keeps_nobody_waiting(monkeypatch):
    say("I live in Rome.", "Bob")
    learn()
    Fact.objects.update(text="Likes Poison.")
    say("I play the cello.", "Bob", at=NOON + minutes(1))
    Spoiled(monkeypatch)
    learn()
    assert unread() == []


def test_of_fifty_messages_only_the_one_that_spoils_the_answer_waits(monkeypatch):
    for number in range(49):
        say(f"I own the boat number {number}.", f"Member {number % 7}", at=NOON + minutes(number / 10))
    say(POISON, "Member 3", at=NOON + minutes(2))
    model = Spoiled(monkeypatch)
    learn()
    assert unread() == [POISON]
    assert len(model.asked) <= 14
    assert Message.objects.get(processed_at=None).attempts == 1


def test_the_culprit_alone_is_parked_after_five_tries_and_is_no_context_any_more(monkeypatch):
    say("I live in Rome.", "Bob")
    say(POISON, "Mallory", at=NOON + minutes(1))
    model = Spoiled(monkeypatch)
    for hour in range(6):
        learn(60 * hour)
    assert list(Message.objects.exclude(parked_at=None).values_list("text", flat=True)) == [POISON]
    model.asked.clear()
    say("I play the cello.", "Bob", at=NOON + minutes(2))
    learn(600)
    assert (unread(), len(model.asked)) == ([POISON], 1)


def test_a_model_that_never_answers_well_is_not_asked_about_each_message(monkeypatch):
    for number in range(40):
        say(f"I live in Poison, house {number}.", f"Member {number}", at=NOON + minutes(number / 10))
    model = Spoiled(monkeypatch)
    learn()
    assert (len(unread()), len(model.asked)) == (40, 8)
    assert set(Message.objects.values_list("attempts", flat=True)) == {1}


def test_a_provider_that_goes_away_meanwhile_is_asked_no_further(monkeypatch):
    for number in range(4):
        say(f"I live in Poison, house {number}.", f"Member {number}", at=NOON + minutes(number / 10))
    model = Spoiled(monkeypatch, "unavailable")
    learn()
    assert (len(unread()), len(model.asked)) == (4, 1)


def test_words_that_break_the_rules_keep_nobody_waiting(monkeypatch):
    say("I live in Rome.", "Bob")
    say(POISON, "Mallory", at=NOON + minutes(1))
    say("I live in Oslo.", "Alice", at=NOON + minutes(2), channel="fjord")
    real = rules.extractor.assertion_filter.without_quotes
    monkeypatch.setattr(
        rules.extractor.assertion_filter, "without_quotes", lambda text: {}[text] if text == POISON else real(text)
    )
    learn()
    assert (unread(), len(known())) == ([POISON], 2)
    assert Message.objects.get(processed_at=None).last_error == "Reading it failed: KeyError. The log says where."
    assert "Poison" not in Message.objects.get(processed_at=None).last_error


def test_a_conversation_is_digested_around_the_message_that_spoils_its_facts(monkeypatch):
    Guild.objects.filter(pk=make_guild().pk).update(extraction_mode="flush")
    say("I live in Rome.", "Bob")
    say(f"{TALK} {TALK}", "Alice", at=NOON + minutes(1))
    say(POISON, "Mallory", at=NOON + minutes(2))
    Spoiled(monkeypatch)
    report = pipeline.digest(None, now=LATER)
    assert (report.failed, report.notes, ChannelBuffer.objects.get().status) == (0, 1, "done")
    assert (unread(), InteractionNote.objects.count()) == ([POISON], 1)
    monkeypatch.undo()
    learn(60)
    assert (unread(), ("Mallory", "Lives in Poison.") in known()) == ([], True)


@pytest.mark.parametrize(("first", "second"), [("reading", "digest"), ("digest", "reading")])
def test_reading_and_digest_never_ask_about_the_same_message_at_once(first, second):
    say("I live in Rome.", "Bob")
    begin = {
        "reading": lambda: learn(),
        "digest": lambda: pipeline.digest_closed(None, now=LATER),
    }
    ChannelBuffer.objects.update(status="closed", closed_at=LATER)
    with scripted() as model:
        model.meanwhile("extraction", begin[second])
        begin[first]()
        pipeline.digest(None, now=LATER + minutes(1))
    assert [purpose for purpose, _ in model.asked].count("extraction") == 1
    assert ChannelBuffer.objects.get().status == "done"
    assert Fact.objects.get().reinforcements == 0
