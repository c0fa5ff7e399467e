"""Somebody who was erased: what they had said does not come back, and their no outlives them."""

from __future__ import annotations

import pytest

from memoryhub.community import tombstones
from memoryhub.community.models import Member, Tombstone
from notes.models import Message
from tests.factories import NOON, days, make_guild, make_member, minutes
from tests.incoming import say

pytestmark = pytest.mark.django_db


def erased(**fields) -> None:
    member = make_member(**fields)
    tombstones.record(member, now=NOON)
    member.delete()


def test_what_was_said_before_the_erasure_is_never_taken_in_again():
    erased()
    assert say("I moved to Toronto.", at=NOON - days(1)).reason == "erased"
    assert not Message.objects.exists()


def test_who_comes_back_is_remembered_from_then_on_and_no_earlier():
    erased()
    assert say("I moved to Oslo.", at=NOON + minutes(1)).status == "stored"
    assert say("I moved to Toronto.", at=NOON - days(1)).reason == "erased"
    assert Member.objects.get().erased_at == NOON


def test_who_had_said_no_is_not_heard_again_until_they_say_yes():
    erased(remember=False)
    assert say("I moved to Oslo.", at=NOON + minutes(1)).reason == "opted_out"
    assert not Member.objects.exists()


def test_a_yes_is_not_kept_for_who_was_erased():
    erased(remember=True)
    assert Tombstone.objects.get().remember is None


def test_a_tombstone_tells_neither_guild_nor_account_and_holds_in_one_guild_only():
    erased()
    stone = Tombstone.objects.get()
    assert "u-alice" not in stone.digest
    assert tombstones.find(make_guild("discord:2"), ["u-alice"]) == {}
    assert tombstones.find(make_guild(), ["u-alice"]) == {"u-alice": stone}


def test_the_names_of_the_erased_are_hidden_in_what_notes_are_written_from():
    alice = make_member(display_name="Alice Cooper")
    tombstones.record(alice, now=NOON, names=["Alice", "Alice Cooper"])
    hidden = tombstones.name_hider(alice.guild)
    assert hidden("Alice Cooper, Alice's boat; Alicia and malice") == "Alice Cooper, Alice's boat; Alicia and malice"
    alice.delete()
    hidden = tombstones.name_hider(make_guild())
    assert hidden("Alice Cooper, Alice's boat; Alicia and malice") == "somebody, somebody's boat; Alicia and malice"
    assert "Alice" not in str(Tombstone.objects.get().names)
    assert tombstones.name_hider(make_guild("discord:2"))("Alice Cooper") == "Alice Cooper"
