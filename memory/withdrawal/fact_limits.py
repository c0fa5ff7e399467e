"""Puts aside what memory has outgrown: stale observations (seed 002) and facts beyond the limits (seed 000)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Q
from django.db.models.functions import Coalesce

from memory.facts import confidence
from memory.facts.changes import Action, Batch
from memory.models import Fact
from memoryhub.community.models import Guild, Member

UNREVIEWED = 180  # days that a fact waits for a person


def archive_outgrown(guild: Guild, *, now: datetime) -> dict[str, int]:
    """Archive what nobody reviewed, stale observations, then what is over each member's limit and the lore's; count."""
    return {
        "unreviewed": _archive(_unreviewed(guild, now=now), now=now),
        "stale": _archive(_stale(guild, now=now), now=now),
        "over_limit": _archive(_over_limit(guild), now=now),
    }


def enforce_limits(guild: Guild, subjects: Iterable[Member | None], *, now: datetime) -> int:
    """Archive at once what these subjects have beyond their limit (000: after each message); None is the lore."""
    counted = [(subject, guild.lore_facts if subject is None else guild.facts_a_member) for subject in subjects]
    facts = [fact for subject, limit in counted for fact in _beyond(guild, subject, limit)]
    return _archive(facts, now=now)


def facts_to_archive(guild: Guild, *, now: datetime) -> list[Fact]:
    """Return the facts that the next run would put aside."""
    found = (*_unreviewed(guild, now=now), *_stale(guild, now=now), *_over_limit(guild))
    return list({fact.pk: fact for fact in found}.values())


def _unreviewed(guild: Guild, *, now: datetime) -> list[Fact]:
    """Return what waited half a year for a person and was not said again."""
    rows = Fact.objects.of(guild).filter(status=Fact.Status.PENDING).annotate(last=Max("changes__at"))
    return list(rows.filter(last__lt=now - timedelta(days=UNREVIEWED)).select_related("subject"))


def _stale(guild: Guild, *, now: datetime) -> list[Fact]:
    last_said = Coalesce("last_reinforced_at", "said_at")
    rows = Fact.objects.of(guild).active().filter(confidence__lt=confidence.ESTABLISHED, pinned=False)
    return list(
        rows.annotate(last_said=last_said)
        .filter(last_said__lt=now - timedelta(days=guild.stale_days))
        .select_related("subject")
    )


def _over_limit(guild: Guild) -> list[Fact]:
    """Return what is beyond the limits: of a member the least sure and oldest, pinned and explicit ones last."""
    active = Count("facts", filter=Q(facts__status=Fact.Status.ACTIVE))
    crowded = Member.objects.of(guild).annotate(active=active).filter(active__gt=guild.facts_a_member)
    limits = [*((member, guild.facts_a_member) for member in crowded), (None, guild.lore_facts)]
    return [fact for subject, limit in limits for fact in _beyond(guild, subject, limit)]


def _beyond(guild: Guild, subject: Member | None, limit: int) -> list[Fact]:
    rows = Fact.objects.of(guild).active().about(subject)
    surest = () if subject is None else (F("source_type"), "-confidence")  # of the lore the newest stay
    last_said = Coalesce("last_reinforced_at", "said_at")
    return list(rows.annotate(last_said=last_said).order_by("-pinned", *surest, "-last_said", "-pk")[limit:])


def _archive(facts: list[Fact], *, now: datetime) -> int:
    for fact in facts:
        Batch(actor="retention", now=now).change(fact, Action.ARCHIVE, status=Fact.Status.ARCHIVED)
    return len(facts)
