"""Archives what memory has outgrown: facts nobody reviewed, stale observations, and facts beyond the limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, F, Max, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from memory.facts import confidence
from memory.facts.changes import Action, Batch, Unwritten
from memory.models import Fact
from memoryhub import db
from memoryhub.community.models import Guild, Member
from memoryhub.db.guild_scope import in_its_guild

UNREVIEWED = 180  # days that a fact waits for a person
AT_ONCE = 200  # facts that one transaction archives, or erases
ALONGSIDE = 20  # facts about one subject that may be stored while another one is
LAST_SAID = Coalesce("last_reinforced_at", "said_at")

# Written out, since every new fact asks it: the index that keeps facts unique answers without a look at their rows.
# ruff: noqa: S608  (the table's name is the model's; every value is a parameter)
BEYOND = f"""SELECT whose.value FROM {db.listed(alias="whose")} WHERE EXISTS (
    SELECT 1 FROM {Fact._meta.db_table} {db.by_index("one_active_fact_per_statement")}
    WHERE guild_id = %s AND COALESCE(subject_id, 0) = whose.value AND status = 'active' LIMIT 1 OFFSET %s)"""


@in_its_guild
def archive_outgrown(guild: Guild, *, now: datetime) -> dict[str, int]:
    """Archive what nobody reviewed, stale observations, then what is over each member's limit and the lore's; count."""
    return {reason: _archive(guild, ids, now=now) for reason, ids in _outgrown(guild, now=now)}


def next_to_archive(guild: Guild) -> datetime | None:
    """Return when the next fact will have grown too old, None if none grows old."""
    ages = (
        (_waiting(guild).annotate(last=Max("changes__at")).aggregate(at=Min("last"))["at"], UNREVIEWED),
        (_unsure(guild).aggregate(at=Min(LAST_SAID))["at"], guild.stale_days),
    )
    return min((since + timedelta(days=days) for since, days in ages if since), default=None)


def facts_to_archive(guild: Guild, *, now: datetime) -> list[Fact]:
    """Return the facts that the next run would archive."""
    ids = dict.fromkeys(pk for _, some in _outgrown(guild, now=now) for pk in some)
    facts = Fact.objects.of(guild).select_related("subject").in_bulk(list(ids))
    return [facts[pk] for pk in ids if pk in facts]


def has_outgrown(guild: Guild, *, now: datetime) -> bool:
    """Say whether the next run would archive anything."""
    return any(ids for _, ids in _outgrown(guild, now=now))


@in_its_guild
def enforce_limits(guild: Guild, subjects: Iterable[Member | None], *, now: datetime) -> int:
    """Archive at once what these subjects have beyond their limit; None is the lore. Return how many facts.

    Call it after what was learned is committed: of two who learn at once, the later one sees the facts of both.
    """
    by_limit: dict[int, dict[int, Member | None]] = defaultdict(dict)
    for subject in subjects:
        by_limit[_limit(guild, subject)][subject.pk if subject else 0] = subject
    crowded = [
        (members[pk], limit)
        for limit, members in by_limit.items()
        for (pk,) in db.select(BEYOND, [db.id_list(members), guild.pk, limit])
    ]
    return _archive_beyond(guild, crowded, now=now) if crowded else 0


def may_be_beyond(guild: Guild, subject: Member | None, *, before: int | None) -> bool:
    """Say whether one fact more can have brought the subject over the limit, by how many there were shortly before.

    Far from the limit the answer is no without a look; more than twenty that others store meanwhile find the night.
    """
    return before is None or before + ALONGSIDE > _limit(guild, subject)


def _limit(guild: Guild, subject: Member | None) -> int:
    return guild.lore_facts if subject is None else guild.facts_a_member


@db.retrying
@transaction.atomic
def _archive_beyond(guild: Guild, limits: Iterable[tuple[Member | None, int]], *, now: datetime) -> int:
    db.lock_guild(guild.pk)  # or two who learn at once would both put the same facts aside
    return _archive(guild, [pk for subject, limit in limits for pk in _beyond(guild, subject, limit)], now=now)


def _outgrown(guild: Guild, *, now: datetime) -> Iterator[tuple[str, list[int]]]:
    """Yield reasons with the ids of their facts; each is asked once the one before is dealt with."""
    unreviewed = _waiting(guild).annotate(last=Max("changes__at")).filter(last__lt=now - timedelta(days=UNREVIEWED))
    yield "unreviewed", list(unreviewed.values_list("pk", flat=True))
    stale = _unsure(guild).annotate(last_said=LAST_SAID).filter(last_said__lt=now - timedelta(days=guild.stale_days))
    yield "stale", list(stale.values_list("pk", flat=True))
    active = Count("facts", filter=Q(facts__status=Fact.Status.ACTIVE))
    crowded = Member.objects.of(guild).annotate(active=active).filter(active__gt=guild.facts_a_member)
    limits = [*((member, guild.facts_a_member) for member in crowded), (None, guild.lore_facts)]
    yield "over_limit", [pk for subject, limit in limits for pk in _beyond(guild, subject, limit)]


def _waiting(guild: Guild) -> QuerySet[Fact]:
    return Fact.objects.of(guild).filter(status=Fact.Status.PENDING)


def _unsure(guild: Guild) -> QuerySet[Fact]:
    return Fact.objects.of(guild).active().filter(confidence__lt=confidence.ESTABLISHED, pinned=False)


def _beyond(guild: Guild, subject: Member | None, limit: int) -> list[int]:
    """Return ids beyond a limit: of a member the least sure and oldest, pinned and explicit ones last."""
    rows = Fact.objects.of(guild).active().about(subject)
    surest = () if subject is None else (F("source_type"), "-confidence")  # of the lore the newest stay
    ranked = rows.annotate(last_said=LAST_SAID).order_by("-pinned", *surest, "-last_said", "-pk")
    return list(ranked.values_list("pk", flat=True)[limit:])


def _archive(guild: Guild, ids: Sequence[int], *, now: datetime) -> int:
    return sum(_archive_together(guild, ids[start : start + AT_ONCE], now=now) for start in range(0, len(ids), AT_ONCE))


@db.retrying
@transaction.atomic
def _archive_together(guild: Guild, ids: Sequence[int], *, now: datetime) -> int:
    """Archive each by a decision of its own, so that each is undone by itself; what stands beside them at once.

    Return how many: what was ended since somebody looked is left alone.
    """
    db.lock_guild(guild.pk)
    unwritten, here = Unwritten(), (Fact.Status.ACTIVE, Fact.Status.PENDING)
    facts = list(Fact.objects.of(guild).filter(pk__in=ids, status__in=here).select_related("subject"))
    for fact in facts:
        batch = Batch(actor="retention", now=now, unwritten=unwritten)
        batch.change(fact, Action.ARCHIVE, status=Fact.Status.ARCHIVED)
    unwritten.write()
    return len(facts)
