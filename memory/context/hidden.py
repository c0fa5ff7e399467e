"""What must not be told in a channel although it fits the turn: for operators only, who may see everything."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from memory.context.items import Item, LeftOut, Why
from memory.models import Fact
from memory.recall import retrieval
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.search.scope import Scope

MOST = 10


def withheld(guild: Guild, *, channel: Channel | None, present: Sequence[Member], text: str) -> list[LeftOut]:
    """Return facts of other audiences that the words find, or that are about those present."""
    elsewhere = Channel.objects.of(guild).filter(Q(audience=Channel.Audience.CHANNEL) | Q(open_since__isnull=False))
    if channel is not None:
        elsewhere = elsewhere.exclude(pk__in=[pk for pk in (channel.pk, channel.parent_id) if pk])
    closed = list(elsewhere.values_list("pk", flat=True))
    if not closed:
        return []
    scope = Scope(guild=guild.pk, audiences=closed)
    found = retrieval.find(retrieval.probe(text), kind="fact", scope=scope) if text.strip() else {}
    rows = Fact.objects.of(guild).active().filter(Q(pk__in=found) | Q(subject__in=present), audience__in=closed)
    told = rows.filter(Q(subject=None) | remembered(guild, "subject__"))
    return [_left_out(fact) for fact in told.select_related("subject", "audience")[:MOST]]


def _left_out(fact: Fact) -> LeftOut:
    item = Item(
        text=fact.text, kind="fact", id=fact.pk, about=str(fact.subject or ""), at=fact.said_at,
        member=fact.subject.platform_id if fact.subject else "",
    )  # fmt: skip
    because = f"It was said in {fact.audience}, which not everybody here can read."
    return LeftOut(part="facts", item=item, why=Why.AUDIENCE, because=because)
