"""JSON routes: notes, profiles with the notes they cite."""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import QuerySet
from ninja import Query, Router
from pydantic import Field

from memoryhub.paging import Page, RowId, page
from notes.models import InteractionNote
from notes.schemas import (
    EntryOut,
    NoteDetail,
    NoteFilters,
    NoteOut,
    ProfileOut,
)  # fmt: skip
from notes.telling import lines_told
from profiles.caller import Call, PathId, channel_of, member_of, one
from profiles.consent import remembers
from profiles.models import Guild, Member, ProfileEntry

router = Router(tags=["notes and profiles"])
ChannelId = Annotated[str | None, Field(max_length=200, description="in which channel it is to be used")]


@router.get("/guilds/{key}/notes", response=Page[NoteOut])
def list_notes(request: Call, key: str, filters: Query[NoteFilters]) -> Page[NoteOut]:
    """List the notes of every audience, the newest first."""
    guild = request.auth.guild(key)
    rows = _notes(guild).filter(**_conditions(guild, filters))
    return page(rows, window=filters, show=NoteOut.of)


@router.get("/guilds/{key}/notes/{note_id}", response=NoteDetail)
def show_note(request: Call, key: str, note_id: RowId) -> NoteDetail:
    """Show one note with the ids of what it rests on."""
    note = one(_notes(request.auth.guild(key)), "note", pk=note_id)
    messages = note.messages.order_by("sent_at").values_list("platform_id", flat=True)
    notes = [str(pk) for pk in note.notes.order_by("pk").values_list("pk", flat=True)]
    return NoteDetail(**NoteOut.of(note).model_dump(), messages=list(messages), notes=notes)


@router.get("/guilds/{key}/members/{path:member_id}/profile", response=ProfileOut)
def show_profile(request: Call, key: str, member_id: PathId, channel: ChannelId = None) -> ProfileOut:
    """Show what a member is like, with sources: what may be said in the channel, or everywhere in the guild."""
    guild = request.auth.guild(key)
    member = one(Member.objects.of(guild).select_related("profile"), "member", platform_id=member_id)
    profile = getattr(member, "profile", None)
    sections: dict[str, list[EntryOut]] = {name: [] for name in ProfileEntry.Section.values}
    for entry in lines_told(guild, [member], channel=channel_of(guild, channel) if channel else None):
        sections[entry.section].append(EntryOut.of(entry))
    return ProfileOut(
        sections=sections,
        summary=profile.summary if profile and remembers(guild, member) else "",
        updated_at=profile.updated_at if profile else None,
    )


def _notes(guild: Guild) -> QuerySet[InteractionNote]:
    return InteractionNote.objects.told(guild).select_related("channel", "audience").prefetch_related("participants")


def _conditions(guild: Guild, filters: NoteFilters) -> dict[str, Any]:
    asked = {
        "kind": filters.kind,
        "participants": filters.member and member_of(guild, filters.member),
        "channel": filters.channel and channel_of(guild, filters.channel),
        "note_date__gte": filters.since,
        "note_date__lte": filters.until,
    }
    return {name: value for name, value in asked.items() if value}
