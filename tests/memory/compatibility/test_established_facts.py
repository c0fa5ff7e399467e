"""The slices of established facts as presets of a context."""

from xml.etree import ElementTree

import pytest

from memory.context.builder import Turn, build
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db


def told(preset="composer", form="xml", **fields):
    guild = make_guild()
    values = {"channel": make_channel(), "members": [make_member()], "text": "hello", "max_tokens": 8_000, **fields}
    context = build(Turn(guild=guild, preset=preset, format=form, now=NOON, **values))
    return context, [item.text for part in context.parts if part.name == "facts" for item in part.items]


def test_established_facts_come_before_observations_the_surer_and_newer_first():
    alice = make_member()
    for text, confidence, age in (
        ("Seems tired.", 0.5, 0), ("Knits.", 0.7, 5), ("Sails.", 0.7, 1), ("Lives in Porto.", 1.0, 90),
    ):  # fmt: skip
        make_fact(text, subject=alice, confidence=confidence, said_at=NOON - days(age))
    assert told()[1] == ["Lives in Porto.", "Sails.", "Knits.", "Seems tired."]


def test_the_composer_gets_at_most_20_facts_and_1500_characters():
    alice = make_member()
    for number in range(60):
        make_fact(f"Fact {number:02}.", subject=alice, confidence=0.9)
    assert len(told()[1]) == 20
    for number in range(60):
        make_fact(f"A much longer fact about the {'very ' * 12} long way number {number:02}.", subject=alice)
    longer = [text for text in told()[1] if "longer" in text]
    assert sum(len(text) for text in told()[1]) <= 1_500
    assert not longer


def test_without_a_composer_4000_characters_are_told():
    alice = make_member()
    for number in range(90):
        make_fact(f"Walks the {'long ' * 10} way number {number:02}.", subject=alice, confidence=0.9)
    facts = told("seed002")[1]
    assert 3_000 < sum(len(text) for text in facts) <= 4_000
    assert len(facts) > 20


def test_short_facts_fill_the_4000_characters_as_long_ones_do():
    alice = make_member()
    for number in range(120):
        make_fact(f"Met {number:03} 10/10.", subject=alice, confidence=0.9)
    context, facts = told("default", "user_memory")
    lines = sum(len(f"{text.rstrip('.')} (learned 2026-03-02). ") for text in facts)
    assert 3_950 < lines <= 4_000
    assert (context.notice, [part.dropped for part in context.parts]) == ("", [0])


def test_user_memory_takes_the_slice_of_established_facts_and_names_the_member():
    message = make_message("I love black coffee.")
    make_fact("Likes black coffee.", subject=message.author, evidence=[message], said_at=NOON)
    context, facts = told("default", "user_memory")
    root = ElementTree.fromstring(context.text)
    assert facts == ["Likes black coffee."]
    assert root.findtext("profile/name") == "Alice"
    assert root.findtext("profile/timezone") == "UTC"
    assert root.findtext("facts").strip() == "Likes black coffee (learned 2026-03-02)."
    assert [source.message_id for source in context.sources] == [message.platform_id]


def test_only_what_may_be_told_here_is_told():
    alice, crew = make_member(), make_channel(name="crew", private=True)
    make_fact("Plans a surprise.", subject=alice, audience=crew)
    make_fact("Lived in Oslo.", subject=alice, status="archived")
    make_fact("Lives in Rome.", subject=make_member(make_guild("discord:2"), "Charlie"))
    assert told()[1] == []
    assert told(channel=crew)[1] == ["Plans a surprise."]


@pytest.mark.parametrize("remember", [None, False])
def test_of_who_is_not_to_be_remembered_no_words_are_shown_as_a_source(remember):
    bob = make_member(name="Bob", remember=remember)
    make_fact("Sails.", subject=make_member(), evidence=[make_message("Alice sails.", author=bob)])
    context, facts = told()
    assert facts == ["Sails."]
    assert [source.author for source in context.sources] == ([] if remember is False else ["Bob"])


@pytest.mark.parametrize("off", ["guild", "channel", "member", "nobody"])
def test_nothing_is_told_where_nothing_may_be(off):
    alice = make_member()
    make_fact(subject=alice)
    channel = make_channel()
    if off == "guild":
        make_guild().__class__.objects.update(memory_on=False)
    channel.memory_on = off != "channel"
    alice.remember = None if off != "member" else False
    assert told(channel=channel, members=[] if off == "nobody" else [alice])[0].text == ""
