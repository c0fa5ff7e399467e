"""Messages that can't hold a fact are told by reason without a model; whatever may hold one passes."""

import pytest

from memory import pipeline
from memory.learning.prefilter import skip_reason
from memory.models import Action, LeftOut
from notes.models import Message
from tests.factories import NOON, days, minutes
from tests.incoming import north, say
from tests.memory.learning.conftest import BATCH
from tests.scripted import scripted


@pytest.mark.parametrize(
    ("reason", "texts"),
    [
        ("greeting", ["hi", "Hi Alice!", "heyyyy :)", "good morning everyone", "thanks so much!!", "hahaha", "привет"]),
        ("greeting", ["ありがとう", "Buenos días", "ok, thanks 👍", "<@123> hello", "same", "hm https://example.org/x"]),
        ("link", ["https://example.org/a?b=c", "<https://example.org> www.example.org", "👀 https://example.org"]),
        ("command", ["!play despacito", "/roll 2d6", ".help", "+rep"]),
        ("code", ["```py\nx = 1\n```", "`cargo run`", "$ ls -la", ">>> 1 + 1"]),
        ("emoji", ["😂😂", "<:party:123> <a:wave:4>", ":tada:", "...", "?!", ":D", "^"]),
    ],
)  # fmt: skip
def test_what_cant_hold_a_fact_is_told_by_its_reason(reason, texts):
    assert [skip_reason(text) for text in texts] == [reason] * len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Toronto", "vegan", "yes, vegan", "no I am allergic to nuts", "42", "東京に住んでいます", "из Омска",
        "/me moved to Toronto", "look what I built: https://example.org", "hi, I'm a nurse from Leeds",
        "```py\nx = 1\n``` I wrote this for my thesis", "...and then we moved to Rome", ".NET developer here",
        "/etc/fstab is what I teach on Mondays", "Thanks, my daughter Mia loved it", "+1 for tea, I hate coffee",
    ],
)  # fmt: skip
def test_what_may_hold_a_fact_passes(text):
    assert skip_reason(text) is None


@pytest.mark.django_db
def test_what_is_left_out_is_read_without_a_call_counted_and_shown():
    for number, text in enumerate(["hi", "hello all", "https://example.org", "!play x"]):
        say(text, at=NOON + minutes(number))
    with scripted() as model:
        pipeline.learn_waiting(BATCH, now=NOON + days(1))
    assert model.asked == []
    assert not Message.objects.filter(processed_at=None).exists()
    counts = {row.reason: row.count for row in LeftOut.objects.filter(guild=north(), kind="message")}
    assert counts == {"greeting": 2, "link": 1, "command": 1}
    told = Action.objects.get(kind="memory_fact").detail["counts"]
    assert told == {"left_out_greeting": 2, "left_out_link": 1, "left_out_command": 1}


@pytest.mark.django_db
def test_the_counts_of_a_day_add_up():
    for number in range(3):
        say("hi", at=NOON + minutes(number))
        pipeline.learn_waiting(BATCH, now=NOON + minutes(number))
    assert LeftOut.objects.get().count == 3


@pytest.mark.django_db
def test_what_is_left_out_stays_context_for_what_is_read():
    say("good morning", "Bob")
    say("I live in Toronto.", "Alice", at=NOON + minutes(1))
    with scripted() as model:
        pipeline.learn_waiting(BATCH, now=NOON + days(1))
    [(_, given)] = model.asked
    assert [line.text for line in given.lines] == ["good morning", "I live in Toronto."]
    assert len(given.learn_from) == 1
