"""The presets `seed002` and `composer` of a context: the surest facts about one member, as many as fit."""

from __future__ import annotations

from memory.compatibility import confidence_ranking, user_memory
from memory.context.items import Collected, Item, Person
from memory.context.turn import Turn
from memory.models import Evidence, Fact
from memory.recall.results import Source
from memoryhub.community.consent import remembers
from memoryhub.community.querysets import heard

LIMITS = {
    "seed002": (confidence_ranking.CHARACTERS, None),
    "composer": (confidence_ranking.COMPOSER_CHARACTERS, confidence_ranking.COMPOSER_FACTS),
}


def collect(turn: Turn) -> Collected:
    """Return the facts about the first member that may be told in the channel, established ones before observations."""
    guild, member = turn.guild, turn.members[0] if turn.members else None
    if member is None or member.guild_id != guild.pk or not remembers(guild, member) or not turn.is_remembered:
        return Collected(parts={})
    known = Fact.objects.of(guild).heard_in(turn.channel).filter(subject=member)
    facts = list(known.believed_at(turn.as_of).worded_at(turn.as_of) if turn.as_of else known.active())
    for fact in facts:
        fact.text = getattr(fact, "text_then", None) or fact.text
    characters, most = LIMITS[turn.preset]
    chosen = confidence_ranking.selected(
        facts, line=lambda fact: user_memory.line("facts", Item(text=fact.text, at=fact.said_at)),
        characters=characters, most=most,
    )  # fmt: skip
    sources: dict[int, list[Source]] = {}
    evidence = Evidence.objects.filter(heard(guild, "speaker"), fact__in=chosen)
    for row in evidence.select_related("message", "speaker"):
        message = row.message.platform_id if row.message else None
        source = Source(message_id=message, quote=row.quote, author=str(row.speaker or ""), at=row.said_at)
        sources.setdefault(row.fact_id, []).append(source)
    items = [
        Item(
            text=fact.text, kind="fact", id=fact.pk, about=str(member), member=member.platform_id, at=fact.said_at,
            score=fact.confidence, scores={"confidence": fact.confidence}, sources=sources.get(fact.pk, []),
        )
        for fact in chosen
    ]  # fmt: skip
    return Collected(parts={"facts": items}, person=Person(name=str(member), time_zone=guild.time_zone), capped=False)
