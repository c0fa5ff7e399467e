"""Which memories a reply used, by its own words."""

from __future__ import annotations

import pytest

from memory.context.items import Item
from memory.models import Fact
from memory.replies import responder, used_memories
from memory.replies.responder import MessageToBot
from memory.replies.used_memories import Used, used
from tests.factories import NOON, make_channel, make_fact, make_member


def item(text, number=1, kind="fact"):
    return Item(text=text, kind=kind, id=number)


def test_what_the_reply_says_was_used_and_what_it_does_not_say_was_not():
    handed = [item("Lives in Toronto."), item("Plays the cello.", 2)]
    assert used("You live in Toronto, as far as I know.", handed) == [Used("fact", 1)]


def test_a_memory_named_by_its_number_was_used():
    assert used("Changed: #12 Lives in Toronto.", []) == [Used("fact", 12)]


def test_of_a_note_one_sentence_is_enough():
    note = item("Bob baked bread. The lantern festival moves to June. Carol left.", 3, "note")
    assert used("The lantern festival moves to June.", [note]) == [Used("note", 3)]


def test_what_has_no_source_of_its_own_is_left_out():
    assert used("Lives in Toronto.", [item("Lives in Toronto.", kind="summary"), item("Lives in Toronto.", None)]) == []


def test_no_more_are_named_than_fit_below_a_reply():
    handed = [item("Lives in Toronto.", number) for number in range(9)]
    assert len(used("Lives in Toronto. #77", handed)) == used_memories.MOST


@pytest.mark.django_db
def test_a_reply_by_rules_says_which_memories_it_is_from():
    alice = make_member()
    make_fact("Lives in Toronto.", subject=alice)
    message = MessageToBot(
        guild=alice.guild, channel=make_channel(), speaker=alice, text="what do you know about me?", now=NOON
    )
    assert responder.answer(message).used == [Used("fact", Fact.objects.get().pk)]


@pytest.mark.django_db
def test_a_reply_that_remembers_nothing_used_nothing():
    alice = make_member()
    message = MessageToBot(guild=alice.guild, channel=make_channel(), speaker=alice, text="lovely weather", now=NOON)
    assert responder.answer(message).used == []
