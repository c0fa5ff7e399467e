"""What must be known to take one message in is read by one statement, and as it is now."""

from __future__ import annotations

import pytest

from memory import pipeline
from memoryhub.community import identity
from memoryhub.community.models import Channel, Guild, Member
from notes.messages import arriving, rate_cap
from notes.models import ChannelBuffer, Message
from tests.factories import NOON, minutes
from tests.incoming import NORTH, incoming, north
from tests.verification.statements import recorded

pytestmark = pytest.mark.django_db
LATER = NOON + minutes(30)


def received(text: str = "Hello there.", **fields) -> tuple[str, str]:
    answer = pipeline.receive(incoming(text, **fields), guild=NORTH, now=LATER)
    return answer.status, answer.reason


on_sqlite = pytest.mark.sqlite_only("PostgreSQL is asked for each table: to plan such a join costs more")


@on_sqlite
def test_one_statement_reads_the_guild_channel_parent_conversation_and_author():
    thread = {"id": "thread", "kind": "thread", "parent_id": "general"}
    received(id="1", channel=thread)
    with recorded() as kept:
        assert received(id="2", channel=thread) == ("stored", "")
    reads = [each for each in kept if each.startswith("SELECT")]
    assert len(reads) == 2  # it, and what was said before
    assert ChannelBuffer.objects.get().message_count == 2
    assert Channel.objects.get(platform_id="thread").parent.platform_id == "general"


def test_a_message_that_is_stored_is_known_again():
    received(id="1")
    assert received(id="1") == ("duplicate", "")
    assert Message.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda: Member.objects.update(remember=False), "opted_out"),
        (lambda: Guild.objects.update(blocked=["u-alice"]), "blocked"),
        (lambda: Guild.objects.update(memory_on=False), "memory_off"),
        (lambda: Channel.objects.update(memory_on=False), "channel_off"),
    ],
)
def test_what_was_changed_since_the_last_message_holds_at_once(change, reason):
    received(id="1")
    change()
    assert received(id="2") == ("ignored", reason)


def test_what_is_too_much_in_an_hour_is_left_out():
    received(id="1")
    Guild.objects.update(member_hourly=1)
    received(id="2")
    first, second = Message.objects.order_by("pk")
    assert (first.buffer, second.buffer) == (ChannelBuffer.objects.get(), None)


@on_sqlite
def test_where_more_is_allowed_than_is_counted_along_it_is_counted_by_itself():
    received(id="1")
    alone = arriving.Arriving([incoming("More.", id="2")], LATER)
    place = alone.guild(NORTH.key)
    alone.said, budget = arriving.MOST_COUNTED, rate_cap.Budget(place)
    assert alone.hand_on(identity.CommunityCache(place, None), arriving.OpenBuffers(place, LATER), budget) == set()
    assert budget.said == {}
    assert budget.allows(next(iter(alone.members.values())), NOON)


def test_a_guild_that_has_another_row_now_is_found_by_its_key(monkeypatch):
    received(id="1")
    monkeypatch.setitem(identity._ids, NORTH.key, north().pk + 1)
    assert received(id="2") == ("stored", "")
    assert identity.kept_id(NORTH.key) == north().pk
