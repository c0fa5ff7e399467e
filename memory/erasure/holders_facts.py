"""Takes out what was learned: facts with their evidence and history, profiles, relationships, choices."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from memory.erasure.holder import Holder
from memory.erasure.mask import Masks
from memory.erasure.target import Target
from memory.models import Evidence, Fact, FactChange
from memory.withdrawal import withdraw
from memoryhub.community.models import ConsentChoice, Member
from notes.models import InteractionNote
from profiles.models import Profile, ProfileEntry, Relationship, RelationshipDay
from profiles.relationships import relationship_store
from profiles.revision import lost_sources

CHUNK = 200
GONE = "[erased]"


# --- Facts -------------------------------------------------------------------------------------------------------


def _erase_facts(target: Target, now: datetime) -> None:
    """Erase the facts about them, whoever told them; facts about others lose what rests on the member's words."""
    while chunk := list(target.facts()[:CHUNK]):
        withdraw.erase_facts(chunk)
    if target.member:
        withdraw.withdraw_words_of(target.member, now=now)
        _unname_history(target)


def _unname_history(target: Target) -> None:
    """Take the name out of former wordings of facts about others."""
    for change in FactChange.objects.filter(fact__guild=target.guild, before__regex=target.naming).iterator(500):
        for column in ("text", "normalized"):
            change.before[column] = GONE
        change.save(update_fields=["before"])


def _export_facts(member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
    rows = _readable(Fact.objects.filter(subject=member), member).select_related("channel")
    for fact in rows.order_by("said_at", "pk").prefetch_related("evidence__message", "changes").iterator(200):
        yield {
            "id": fact.pk,
            "text": masks.hide(fact.text),
            "kind": fact.kind,
            "status": fact.status,
            "confidence": fact.confidence,
            "source_type": fact.source_type,
            "said_at": fact.said_at,
            "valid_from": fact.valid_from,
            "valid_until": fact.valid_until,
            "channel": str(fact.channel) if fact.channel else None,
            "evidence": [_evidence(row, member, masks) for row in fact.evidence.all()],
            "history": [_change(change, masks) for change in fact.changes.all()],
        }


def _evidence(row: Evidence, member: Member, masks: Masks) -> dict[str, Any]:
    quote = row.quote if row.speaker_id == member.pk else masks.hide(row.quote)
    said = row.message.platform_id if row.message else None
    return {"message": said, "said_by": masks.who(row.speaker_id), "said_at": row.said_at, "quote": quote}


def _change(change: FactChange, masks: Masks) -> dict[str, Any]:
    before = masks.hide(str(change.before.get("text", "")))
    return {"action": change.action, "at": change.at, "undone": change.undone, "text_before": before}


def _readable(facts: QuerySet[Fact], member: Member) -> QuerySet[Fact]:
    """Return what the member could have read: the rest was said in channels where they never spoke."""
    return facts.filter(Q(audience=None) | Q(audience__in=spoken_in(member)))


def spoken_in(member: Member) -> list[int]:
    """Return the channels in which the member spoke, and so could read."""
    return list(member.messages.order_by().values_list("channel", flat=True).distinct())


def withheld(member: Member) -> int:
    """Return how many facts about the member rest on channels where they never spoke."""
    about = Fact.objects.filter(subject=member)
    return about.count() - _readable(about, member).count()


FACTS = Holder(
    name="facts",
    holds="What is believed, or was, with the words it rests on and its history; in the word index and as a vector.",
    models=("memory.Fact", "memory.Evidence", "memory.FactChange"),
    count=lambda target: target.facts().count(),
    erase=_erase_facts,
    file="facts.json",
    export=_export_facts,
)


# --- Profiles ----------------------------------------------------------------------------------------------------


def _entries(target: Target) -> QuerySet[ProfileEntry]:
    rows = ProfileEntry.objects.filter(profile__member__guild=target.guild)
    if target.member:
        return rows.filter(Q(profile__member=target.member) | Q(text__regex=target.naming))
    return rows.filter(audience__in=target.channels) if target.channel else rows


def _erase_profiles(target: Target, _now: datetime) -> None:
    """Delete the member's profile, and lines of others' that name them."""
    with transaction.atomic():
        if target.member:
            Profile.objects.filter(member=target.member).delete()
        rows = list(_entries(target).values_list("pk", "profile"))
        ProfileEntry.objects.filter(pk__in=[pk for pk, _ in rows]).delete()
        named = Profile.objects.filter(member__guild=target.guild, summary__regex=target.naming)
        lost_sources.refresh_summaries({*(profile for _, profile in rows), *named.values_list("pk", flat=True)})


def _export_profile(member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
    readable = Q(audience=None) | Q(audience__in=spoken_in(member))
    for row in ProfileEntry.objects.filter(readable, profile__member=member).prefetch_related("sources__note"):
        yield {
            "section": row.section,
            "text": masks.hide(row.text),
            "status": row.status,
            "pinned": row.pinned,
            "written_by": row.written_by,
            "sources": [_source(each.note, masks) for each in row.sources.all()],
        }


def _source(note: InteractionNote, masks: Masks) -> dict[str, Any]:
    return {"note": masks.hide(note.title), "day": note.note_date}


PROFILES = Holder(
    name="profiles",
    holds="What somebody is like, line by line, with the notes each line rests on.",
    models=("profiles.Profile", "profiles.ProfileEntry"),
    count=lambda target: _entries(target).count(),
    erase=_erase_profiles,
    file="profile.json",
    export=_export_profile,
)


# --- Relationships and choices -----------------------------------------------------------------------------------


def _days(target: Target) -> QuerySet[RelationshipDay]:
    rows = RelationshipDay.objects.of(target.guild)
    if target.member:
        return rows.filter(Q(source=target.member) | Q(target=target.member))
    return rows.filter(channel__in=target.channels) if target.channel else rows


def _erase_relationships(target: Target, _now: datetime) -> None:
    if target.member:
        relationship_store.drop(target.member)
    _days(target).delete()


def _export_relationships(member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
    for row in RelationshipDay.objects.filter(source=member).select_related("channel").iterator(500):
        counted = {name: getattr(row, name) for name in relationship_store.COUNTED}
        yield {"with": masks.who(row.target_id), "day": row.day, "channel": str(row.channel), **counted}


RELATIONSHIPS = Holder(
    name="relationships",
    holds="Who answered, named or met whom, by day and channel, and what an operator says of two members.",
    models=("profiles.RelationshipDay", "profiles.Relationship"),
    count=lambda target: _days(target).count() + _levels(target).count(),
    erase=_erase_relationships,
    file="relationships.json",
    export=_export_relationships,
)


def _levels(target: Target) -> QuerySet[Relationship]:
    rows = Relationship.objects.filter(first__guild=target.guild)
    if target.member:
        return rows.filter(Q(first=target.member) | Q(second=target.member))
    return rows.none() if target.channel else rows


def _choices(target: Target) -> QuerySet[ConsentChoice]:
    rows = ConsentChoice.objects.filter(member__guild=target.guild)
    return rows.filter(member=target.member) if target.member else rows.none() if target.channel else rows


def _erase_choices(target: Target, _now: datetime) -> None:
    _choices(target).delete()


def _export_settings(member: Member, _masks: Masks) -> Iterator[dict[str, Any]]:
    yield {
        "guild": str(member.guild),
        "account": member.platform_id,
        "name": member.name,
        "display_name": member.display_name,
        "remember": member.remember,
        "first_seen_at": member.first_seen_at,
        "last_seen_at": member.last_seen_at,
        "choices": [{"remember": row.remember, "at": row.chosen_at} for row in member.consent_choices.all()],
    }


CHOICES = Holder(
    name="choices",
    holds="What a member chose about being remembered, and when; a no outlives an erasure as a keyed hash.",
    models=("community.ConsentChoice",),
    count=lambda target: _choices(target).count(),
    erase=_erase_choices,
    file="settings.json",
    export=_export_settings,
)
