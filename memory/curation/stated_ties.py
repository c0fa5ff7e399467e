"""Finds the facts by which members told who they are to each other: those about one that name another."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import Prefetch, Q

from memory.models import Evidence, Fact, FactQuerySet
from memoryhub.community.models import Guild, Member
from memoryhub.community.querysets import remembered
from profiles.relationships.stated import StatedTie

PEOPLE = 300  # who were seen last are looked for by name
LOOKED_AT = 2_000  # facts, the newest
SHORTEST = 2  # letters of a name


def read(guild: Guild, as_of: datetime | None, touching: Sequence[Member] | None) -> list[StatedTie]:
    """Return the ties of a guild, or those in which all of these members are; the newest first.

    A tie is a fact of the kind "relationship", or one with a word such as "sister", that names somebody. Of two
    members of one name the one who was seen last is meant.
    """
    from memory.curation import browse  # both bring much, and this module is imported at every start
    from profiles.revision.sections import tie_in

    people = Member.objects.of(guild).filter(remembered(guild), is_bot=False).order_by("-last_seen_at", "-pk")
    known = {member.pk: member for member in people[:PEOPLE]} | {member.pk: member for member in touching or ()}
    by_name = {str(member).casefold(): member for member in reversed(known.values()) if len(str(member)) >= SHORTEST}
    if len(by_name) < 2:
        return []
    names = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(by_name, key=len, reverse=True)))})(?!\w)", re.I)
    needed = {member.pk for member in touching or ()}
    told: list[tuple[int, Member, Member, str]] = []
    rows = _candidates(guild, as_of, touching).values_list("pk", "subject", "kind", "text")
    for pk, about, kind, text in rows[:LOOKED_AT]:
        subject, word = known.get(about), tie_in(text)
        if subject is None or not (word or kind == Fact.Kind.RELATIONSHIP):
            continue
        for named in dict.fromkeys(name.casefold() for name in names.findall(text)):
            other = by_name.get(named)
            if other and other != subject and needed <= {subject.pk, other.pk}:
                told.append((pk, subject, other, word))
    facts = _facts(guild, {pk for pk, *_ in told})
    if as_of and facts:
        browse.worded_as_of(list(facts.values()), as_of)
    return [_tie(facts[pk], subject, other, word) for pk, subject, other, word in told if pk in facts]


def _candidates(guild: Guild, as_of: datetime | None, touching: Sequence[Member] | None) -> FactQuerySet:
    facts = Fact.objects.of(guild).filter(subject__isnull=False)
    facts = facts.believed_at(as_of) if as_of else facts.active()
    for member in touching or ():
        facts = facts.filter(Q(subject=member) | Q(text__icontains=str(member)))
    return facts.order_by("-said_at", "-pk")


def _facts(guild: Guild, wanted: Collection[int]) -> dict[int, Fact]:
    """Return these facts with who said them; nothing is asked for none."""
    if not wanted:
        return {}
    speakers = Prefetch("evidence", Evidence.objects.select_related("speaker"))
    return Fact.objects.of(guild).select_related("audience").prefetch_related(speakers).in_bulk(wanted)


def _tie(fact: Fact, subject: Member, other: Member, word: str) -> StatedTie:
    said_by = next((source.speaker for source in fact.evidence.all() if source.speaker), None)
    return StatedTie(
        subject=subject, other=other, word=word, text=fact.text, fact=fact.pk, said_by=said_by, said_at=fact.said_at,
        audience=fact.audience,
    )  # fmt: skip
