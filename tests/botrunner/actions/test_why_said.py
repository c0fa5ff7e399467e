"""What a reply used is told where it was given, as far as it may be, whatever kind of memory it is."""

import pytest

from botrunner.actions import why_said
from botrunner.actions.caller import Caller
from memoryhub.community.identity import Person
from notes.messages.schemas import GuildRef, IncomingChannel
from tests.factories import NOON, make_channel, make_entry, make_fact, make_guild, make_member, make_message, make_note

pytestmark = pytest.mark.django_db


def used(kind, author, channel):
    """Have the author say something there that became a memory of this kind; return how a reply names it."""
    said = make_message(f"{author} sails.", channel=channel, author=author, platform_id=f"{author.pk}{channel.pk}")
    audience = channel if channel.audience == "channel" else None
    match kind:
        case "fact":
            return kind, make_fact("Sails.", subject=author, audience=audience, evidence=[said]).pk
        case "entry":
            return kind, make_entry("Sails", member=author, audience=audience).pk
        case "note":
            return kind, make_note(f"{author} sails", messages=[said]).pk
    return kind, int(said.platform_id)


def told(*memories, place="general"):
    """Return the lines that Eve is shown there."""
    caller = Caller(GuildRef(key=make_guild().key), Person(id="u-eve"), IncomingChannel(id=f"c-{place}"), frozenset())
    return [reason.line for reason in why_said.reasons(caller, memories)]


@pytest.mark.parametrize("kind", why_said.FINDERS)
def test_what_was_said_in_private_is_told_there_alone(kind):
    make_channel()
    memory = used(kind, make_member(), make_channel(name="crew", private=True))
    assert told(memory) == []
    assert len(told(memory, place="crew")) == 1


@pytest.mark.parametrize("kind", why_said.FINDERS)
def test_nothing_is_told_of_who_said_no(kind):
    alice, bob = make_member(), make_member(name="Bob")
    memories = [used(kind, member, make_channel()) for member in (alice, bob)]
    assert len(told(*memories)) == 2
    bob.remember = False
    bob.save()
    assert len(told(*memories)) == 1
    assert "Bob" not in str(told(*memories))


def test_the_words_of_who_said_no_are_no_source():
    room, bob = make_channel(platform_id="500"), make_member(name="Bob")
    said = make_message("Alice sails.", channel=room, author=bob, platform_id="77")
    memory = ("fact", make_fact("Sails.", subject=make_member(), evidence=[said]).pk)
    assert "/500/77" in told(memory)[0]
    bob.remember = False
    bob.save()
    assert "told directly" in told(memory)[0]


def test_a_deleted_message_is_no_reason():
    memory = used("message", make_member(), make_channel())
    assert len(told(memory)) == 1
    make_member().messages.update(text="", deleted_at=NOON)
    assert told(memory) == []
