"""The slices of seed 002: what is known for sure of one member, whatever was asked, within so many characters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory.compatibility import confidence_ranking
from memory.context import render_user_memory
from memory.context.items import Item, Offered, Person
from memory.models import Evidence, Fact, FactQuerySet
from memory.recall.results import Source
from memoryhub.community.consent import remembers
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import heard

LIMITS = {
    "seed002": (confidence_ranking.CHARACTERS, None),
    "composer": (confidence_ranking.COMPOSER_CHARACTERS, confidence_ranking.COMPOSER_FACTS),
}


def offered(
    guild: Guild, *, channel: Channel | None, members: Sequence[Member], preset: str, as_of: datetime | None = None
) -> Offered:
    """Return the facts about the first member that may be told in the channel, established ones before observations."""
    member = members[0] if members else None
    silent = not guild.memory_on or (channel is not None and not channel.listens)
    if member is None or member.guild_id != guild.pk or not remembers(guild, member) or silent:
        return Offered(parts={})
    characters, most = LIMITS[preset]
    theirs = Fact.objects.of(guild).heard_in(channel).filter(subject=member)
    known = theirs.believed_at(as_of) if as_of else theirs.active()
    chosen = confidence_ranking.selected(_worded(known, as_of), line=_line, characters=characters, most=most)
    sources = _sources(guild, chosen)
    items = [
        Item(
            text=fact.text, kind="fact", id=fact.pk, about=str(member), member=member.platform_id, at=fact.said_at,
            score=fact.confidence, scores={"confidence": fact.confidence}, sources=sources.get(fact.pk, []),
        )
        for fact in chosen
    ]  # fmt: skip
    return Offered(parts={"facts": items}, person=Person(name=str(member), time_zone=guild.time_zone))


def _worded(known: FactQuerySet, as_of: datetime | None) -> list[Fact]:
    """Return the facts with the words they had then."""
    if as_of is None:
        return list(known)
    facts = list(known.worded_at(as_of))
    for fact in facts:
        fact.text = getattr(fact, "text_then", None) or fact.text
    return facts


def _line(fact: Fact) -> str:
    return render_user_memory.line("facts", Item(text=fact.text, at=fact.said_at))


def _sources(guild: Guild, facts: Sequence[Fact]) -> dict[int, list[Source]]:
    found: dict[int, list[Source]] = {}
    rows = Evidence.objects.filter(heard(guild, "speaker"), fact__in=facts)
    for each in rows.select_related("message", "speaker"):
        message = each.message.platform_id if each.message else None
        source = Source(message_id=message, quote=each.quote, author=str(each.speaker or ""), at=each.said_at)
        found.setdefault(each.fact_id, []).append(source)
    return found
