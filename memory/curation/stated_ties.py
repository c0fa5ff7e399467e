"""Finds the facts by which members told who they are to each other: those about one that name another."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import reduce
from operator import or_

from django.db.models import Prefetch, Q

from memory.models import Evidence, Fact, FactQuerySet
from memoryhub.community.consent import remembers
from memoryhub.community.labels import plain_name
from memoryhub.community.models import Guild, Member
from memoryhub.community.querysets import remembered
from profiles.relationships import tie_lines
from profiles.relationships.stated import StatedTie

PEOPLE = 300  # who were seen last are looked for by name
LOOKED_AT = 2_000  # facts, the newest
SHORTEST = 2  # letters of a name
_OF_NOBODY = re.compile(r"\b(?:named|called)\b")  # "a dog named Bob" is not the member Bob


def read(guild: Guild, as_of: datetime | None, touching: Sequence[Member] | None) -> list[StatedTie]:
    """Return the ties of a guild, or those in which all of these members are; the newest first.

    A tie is a fact of the kind "relationship", or one with a word such as "sister", that names somebody: its word is
    the one that bots are told, where a line has such a shape. A name that two bear means nobody, as for bots.
    """
    from memory.curation import browse  # it brings much, and this module is imported at every start

    people = Member.objects.of(guild).filter(remembered(guild), is_bot=False).order_by("-last_seen_at", "-pk")
    asked = [member for member in touching or () if remembers(guild, member)]
    known = {member.pk: member for member in (*people[:PEOPLE], *asked)}
    by_name = _by_name(known.values())
    if len(set(by_name.values())) < 2:
        return []
    needed, names = {member.pk for member in touching or ()}, _any_of_names(by_name)
    rows = _candidates(guild, as_of, touching).values_list("pk", "subject", "kind", "text")
    told: list[tuple[int, Member, Member, str]] = []
    for pk, about, kind, text in rows[:LOOKED_AT]:
        word, meant = _tie_told(kind, text, by_name, names)
        subject, others = known.get(about), dict.fromkeys(by_name.get(name.casefold()) for name in meant)
        told += [
            (pk, subject, other, word)
            for other in others
            if subject and other and other != subject and needed <= {subject.pk, other.pk}
        ]
    facts = _facts(guild, {pk for pk, *_ in told})
    if as_of and facts:
        browse.worded_as_of(list(facts.values()), as_of)
    return [_tie(facts[pk], subject, other, word) for pk, subject, other, word in told if pk in facts]


def _tie_told(kind: str, text: str, by_name: Collection[str], names: re.Pattern[str]) -> tuple[str, Sequence[str]]:
    """Return the word of the tie that a fact tells, "" for one without, and the names with whom; none: no tie."""
    from profiles.revision.sections import tie_in  # it brings much, and this module is imported at every start

    strict = tie_lines.read(text.rstrip("."))
    word = strict[0] if strict else tie_in(text)
    if not word and (kind != Fact.Kind.RELATIONSHIP or _OF_NOBODY.search(text)):
        return "", []
    return word, [strict[1]] if strict and strict[1].casefold() in by_name else names.findall(text)


def _by_name(people: Iterable[Member]) -> dict[str, Member]:
    """Return whom each name means, in lower case; a name that two bear is left out."""
    bearers: defaultdict[str, list[Member]] = defaultdict(list)
    for member in people:
        for name in tie_lines.forms(member):
            bearers[name].append(member)
    return {name: each[0] for name, each in bearers.items() if len(each) == 1 and len(name) >= SHORTEST}


def _any_of_names(by_name: Mapping[str, Member]) -> re.Pattern[str]:
    """Return what finds the names of members in a text, the longest where one begins another."""
    spoken = {name for member in by_name.values() for name in _spoken(member) if name in by_name}
    alternatives = "|".join(map(re.escape, sorted(spoken, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.I)


def _spoken(member: Member) -> set[str]:
    """Return the names that a text says; an account's own name may be any word ("cat"), and counts in a tie's shape."""
    return {str(member).casefold(), plain_name(str(member)).casefold()}


def _candidates(guild: Guild, as_of: datetime | None, touching: Sequence[Member] | None) -> FactQuerySet:
    facts = Fact.objects.of(guild).filter(subject__isnull=False)
    facts = facts.believed_at(as_of) if as_of else facts.active()
    for member in touching or ():
        named = [Q(text__icontains=name) for name in sorted(tie_lines.forms(member)) if len(name) >= SHORTEST]
        facts = facts.filter(reduce(or_, named, Q(subject=member)))
    return facts.order_by("-said_at", "-pk")


def _facts(guild: Guild, wanted: Collection[int]) -> dict[int, Fact]:
    """Return these facts with who said them; nothing is asked for none."""
    if not wanted:
        return {}
    speakers = Prefetch("evidence", Evidence.objects.select_related("speaker"))
    return Fact.objects.of(guild).select_related("guild", "audience").prefetch_related(speakers).in_bulk(wanted)


def _tie(fact: Fact, subject: Member, other: Member, word: str) -> StatedTie:
    said_by = next((source.told_speaker for source in fact.evidence.all() if source.told_speaker), None)
    return StatedTie(
        subject=subject, other=other, word=word, text=fact.text, fact=fact.pk, said_by=said_by, said_at=fact.said_at,
        audience=fact.audience,
    )  # fmt: skip
