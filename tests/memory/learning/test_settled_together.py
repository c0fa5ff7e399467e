"""What one reading brought is stored in one transaction by the rules, just as each fact by itself would be."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from memory import pipeline
from memory.facts.proposal import Proposal
from memory.learning import consolidation
from memory.models import Evidence, Fact, FactChange
from memoryhub.community.models import Guild
from memoryhub.search import keywords
from memoryhub.search.scope import Scope
from notes.models import Message
from profiles.models import ProfileEntry
from tests.factories import NOON, make_channel, make_member, make_message, minutes
from tests.incoming import NORTH, SOUTH, incoming
from tests.scripted import OFFLINE

pytestmark = pytest.mark.django_db
TALK = (
    ("Alice", "I live in Toronto and I work as a nurse."),
    ("Bob", "I love hiking. I have two cats."),
    ("Alice", "I moved to Montreal last week."),
    ("Bob", "I love hiking!"),
    ("Alice", "I work as a teacher now. I love hiking in the mountains."),
    ("Bob", "Alice lives in Toronto."),
    ("Alice", "I hate coriander. I have a dog called Rex."),
    ("Bob", "We always meet at the harbour on Fridays. I don't love hiking any more."),
    ("Alice", "I live in Montreal."),
)
LATER = NOON + minutes(90)


def known(ref) -> list[object]:
    """Return all that a guild knows after the talk, without the numbers of rows."""
    messages = [
        incoming(text, author, id=f"{number}", at=NOON + minutes(number)) for number, (author, text) in enumerate(TALK)
    ]
    pipeline.receive_many(messages, guild=ref, now=LATER)
    guild = Guild.objects.get(key=ref.key)
    pipeline.digest(guild, now=LATER)
    fields = ("text", "status", "confidence", "reinforcements", "valid_until", "junk", "replaced_by__text")
    facts = Fact.objects.of(guild).order_by("pk")
    scope = Scope(guild=guild.pk, audiences=[0])
    found = keywords.search(kind="fact", query=" ".join(text for _, text in TALK), scope=scope, limit=99)
    return [
        list(facts.values_list("subject__label", *fields)),
        list(Evidence.objects.filter(guild=guild).order_by("fact", "pk").values_list("quote", "message__platform_id")),
        list(FactChange.objects.filter(guild=guild).order_by("pk").values_list("fact__text", "action", "before__text")),
        sorted(facts.get(pk=match.id).text for match in found),
        list(ProfileEntry.objects.filter(guild=guild).order_by("profile__member", "position").values_list("text")),
    ]


def test_together_the_same_is_stored_as_one_by_one():
    together = known(NORTH)
    with patch(OFFLINE, return_value=False):
        one_by_one = known(SOUTH)
    assert together == one_by_one
    assert {action for _, action, _ in together[2]} >= {"add", "invalidate", "reinforce"}


def test_where_a_message_went_meanwhile_the_others_still_teach():
    alice, channel = make_member(), make_channel()
    said = [make_message(text, author=alice, channel=channel) for text in ("I have boats.", "I have cats.")]
    proposals = [
        Proposal(
            guild=alice.guild, subject=alice, text=message.text.replace("I have", "Has"), kind="profile",
            confidence=0.5,
            explicit=True, said_at=NOON, quote=message.text, messages=[message],
        )
        for message in said
    ]  # fmt: skip
    Message.objects.filter(pk=said[0].pk).update(text="", deleted_at=NOON)
    gone, kept = consolidation.settle_all(proposals, actor="test", now=NOON)
    assert (gone, kept and kept.text) == (None, "Has cats.")


def test_all_of_a_reading_is_one_transaction():
    alice, channel = make_member(), make_channel()
    proposals = [
        Proposal(
            guild=alice.guild, subject=alice, text=f"Has {number} boats.", kind="profile", confidence=0.5,
            explicit=True,
            said_at=NOON, quote="boats", messages=[make_message("I have boats.", author=alice, channel=channel)],
        )
        for number in range(3)
    ]  # fmt: skip
    real = consolidation.junk.score

    def score(text, **given):
        if "2" in text:
            raise RuntimeError
        return real(text, **given)

    with patch.object(consolidation.junk, "score", score), pytest.raises(RuntimeError):
        consolidation.settle_all(proposals, actor="test", now=NOON)
    assert not Fact.objects.exists()
    assert not keywords.held(kind="fact")
