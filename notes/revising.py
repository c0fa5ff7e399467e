"""Keeps a member's profile: entries by section, each with the notes it rests on, one audience at a time (seed 001)."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from memoryhub.ai import ModelFailed, ask
from notes.models import EntrySource, InteractionNote
from profiles import offline, review
from profiles.models import Member, Profile, ProfileEntry
from profiles.prompts import REVISION, Entry, Learned, NewNote, Revision, RevisionInput

Status = ProfileEntry.Status


def revise(
    member: Member, *, audience: int | None, facts: list[Learned], note: InteractionNote | None, now: datetime
) -> bool:
    """Write the member's profile for one audience anew from what is known now; False if it was left dirty.

    `facts` are the member's active facts of this audience. An answer that breaks a rule is not written.
    """
    profile, _ = Profile.objects.get_or_create(member=member)
    given = _given(profile, audience, facts, note)
    try:
        answer = review.accept(given, ask(REVISION, given, guild=member.guild_id))
    except (ModelFailed, review.RefusedRevisionError):
        Profile.objects.filter(pk=profile.pk).update(dirty=True)
        return False
    _write(profile, audience, answer, now=now)
    return True


def rebuild(member: Member, *, audience: int | None, facts: list[Learned], now: datetime) -> None:
    """Write the profile by the rules alone: what no longer has a source goes at once, whatever the models do."""
    profile, _ = Profile.objects.get_or_create(member=member)
    _write(profile, audience, offline.revise(_given(profile, audience, facts, None)), now=now)


def _given(profile: Profile, audience: int | None, facts: list[Learned], note: InteractionNote | None) -> RevisionInput:
    rows = list(profile.entries.filter(audience=audience).prefetch_related("sources"))
    shown = [row for row in rows if row.status == Status.SHOWN]
    return RevisionInput(
        member=str(profile.member),
        entries=[_as_entry(row) for row in shown],
        note=NewNote(id=note.pk, title=note.title, summary=note.summary) if note else None,
        facts=facts,
        refused=[row.text for row in rows if row.status == Status.REFUSED],
    )


def _as_entry(row: ProfileEntry) -> Entry:
    sources = [source.note_id for source in row.sources.all()]
    return Entry.model_validate(
        {"id": row.pk, "section": row.section, "text": row.text, "notes": sources, "pinned": row.pinned}
    )


@transaction.atomic
def _write(profile: Profile, audience: int | None, answer: Revision, *, now: datetime) -> None:
    kept = [entry.id for entry in answer.entries if entry.id is not None]
    profile.entries.filter(audience=audience, status=Status.SHOWN).exclude(pk__in=kept).delete()
    known = set(
        InteractionNote.objects.filter(pk__in=[n for e in answer.entries for n in e.notes]).values_list("pk", flat=True)
    )
    for position, entry in enumerate(answer.entries):
        row = _store(profile, audience, entry, position)
        row.sources.exclude(note__in=entry.notes).delete()
        sources = [EntrySource(entry=row, note_id=note) for note in entry.notes if note in known]
        EntrySource.objects.bulk_create(sources, ignore_conflicts=True)
    if audience is None:
        profile.summary = answer.summary
    profile.dirty, profile.updated_at = False, now
    profile.save(update_fields=["summary", "dirty", "updated_at"])


def _store(profile: Profile, audience: int | None, entry: Entry, position: int) -> ProfileEntry:
    fields = {"section": entry.section, "text": entry.text, "position": position}
    if entry.id is not None:
        profile.entries.filter(pk=entry.id).update(normalized=_folded(entry.text), **fields)
        return profile.entries.get(pk=entry.id)
    row, _ = profile.entries.update_or_create(
        normalized=_folded(entry.text), audience_id=audience, defaults={**fields, "status": Status.SHOWN}
    )
    return row


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
