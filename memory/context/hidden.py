"""What must not be told in a channel although it fits the turn: for operators only, who may see everything."""

from __future__ import annotations

from django.db.models import Q

from memory.context.items import Item, LeftOut, Why
from memory.context.turn import Turn
from memory.models import Fact
from memory.recall.retrieval import embedded_query, retrieve
from memoryhub.community.models import Channel
from memoryhub.community.querysets import remembered
from memoryhub.search.scope import Scope

MOST = 10


def withheld(turn: Turn) -> list[LeftOut]:
    """Return facts of other audiences that the words find, or that are about those present."""
    guild, channel = turn.guild, turn.channel
    elsewhere = Channel.objects.of(guild).filter(Q(audience=Channel.Audience.CHANNEL) | Q(open_since__isnull=False))
    if channel is not None:
        elsewhere = elsewhere.exclude(pk__in=[pk for pk in (channel.pk, channel.parent_id) if pk])
    closed = list(elsewhere.values_list("pk", flat=True))
    if not closed:
        return []
    scope = Scope(guild=guild.pk, audiences=closed)
    hits = retrieve(embedded_query(turn.text), kind="fact", scope=scope) if turn.text.strip() else {}
    facts = Fact.objects.of(guild).active().filter(Q(pk__in=hits) | Q(subject__in=turn.members), audience__in=closed)
    allowed = facts.filter(Q(subject=None) | remembered(guild, "subject__"))
    return [
        LeftOut(
            part="facts", why=Why.AUDIENCE,
            because=f"It was said in {fact.audience}, which not everybody here can read.",
            item=Item(
                text=fact.text, kind="fact", id=fact.pk, about=str(fact.subject or ""), at=fact.said_at,
                member=fact.subject.platform_id if fact.subject else "",
            ),
        )
        for fact in allowed.select_related("subject", "audience")[:MOST]
    ]  # fmt: skip
