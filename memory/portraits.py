"""Brings a member's facts to their profile: which facts, resting on which notes, of which audience."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Prefetch, Q

from memory.models import Evidence, Fact
from notes import revising
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import Member, Profile
from profiles.prompts import Learned

CONVERSATION = InteractionNote.Kind.CONVERSATION


def revise_participants(buffer: ChannelBuffer, *, now: datetime) -> dict[str, int]:
    """Revise everybody who spoke, or was spoken of, in the conversation; one member's failure stops nobody else."""
    note = InteractionNote.objects.filter(buffer=buffer).first()
    audience = buffer.channel.heard_by
    done = [
        revising.revise(member, audience=audience, facts=learned(member, audience), note=note, now=now)
        for member in _concerned(buffer)
    ]
    return {"revised": sum(done), "dirty": len(done) - sum(done)}


def _concerned(buffer: ChannelBuffer) -> Iterable[Member]:
    """Return the people of the conversation about whom there is, or was, something to write."""
    spoke, told_of = Q(messages__buffer=buffer), Q(facts__evidence__message__buffer=buffer)
    there = Q(facts__isnull=False) | Q(profile__isnull=False)
    return Member.objects.filter(spoke | told_of, there, guild=buffer.guild, is_bot=False).distinct()


def rebuild_authors(messages: list[Message], *, now: datetime) -> None:
    """Rebuild, by the rules and at once, the profiles of those whose words went or changed."""
    authors = [message.author_id for message in messages]
    Profile.objects.filter(member__in=authors).update(dirty=True)
    revise_dirty(now=now, limit=len(authors))


def revise_dirty(*, now: datetime, limit: int = 50) -> int:
    """Rebuild the profiles whose facts changed outside a digest, for every audience they have; return how many."""
    rows = list(Profile.objects.filter(dirty=True).select_related("member__guild").order_by("updated_at")[:limit])
    for profile in rows:
        for audience in _audiences(profile):
            revising.rebuild(profile.member, audience=audience, facts=learned(profile.member, audience), now=now)
    return len(rows)


def _audiences(profile: Profile) -> set[int | None]:
    facts = Fact.objects.active().filter(subject=profile.member).values_list("audience", flat=True)
    return {None, *facts, *profile.entries.values_list("audience", flat=True)}


def learned(member: Member, audience: int | None) -> list[Learned]:
    """Return the member's active facts of one audience, oldest first, with the conversation notes they rest on."""
    notes = Prefetch("message__notes", InteractionNote.objects.filter(kind=CONVERSATION).only("pk"), to_attr="told_in")
    rows = Fact.objects.active().filter(subject=member, audience=audience).order_by("said_at", "pk")
    evidence = Prefetch("evidence", Evidence.objects.select_related("message").prefetch_related(notes))
    return [
        Learned(text=fact.text, notes=_notes(fact), kind=fact.kind, confidence=fact.confidence)
        for fact in rows.prefetch_related(evidence)
    ]


def _notes(fact: Fact) -> list[int]:
    found = [note.pk for row in fact.evidence.all() if row.message for note in row.message.told_in]  # type: ignore[attr-defined]
    return list(dict.fromkeys(found))
