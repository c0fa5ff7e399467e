"""JSON routes: notes, profiles with the notes they cite, summaries of channels."""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import QuerySet
from django.utils import timezone
from ninja import Query, Router
from pydantic import Field

from memoryhub.paging import Page, RowId, page
from notes import summaries
from notes.models import InteractionNote, Summary
from notes.schemas import (
    ChannelSummary,
    EntryOut,
    NoteDetail,
    NoteFilters,
    NoteOut,
    ProfileOut,
    SummaryOut,
)  # fmt: skip
from notes.telling import lines_told
from profiles.caller import Call, PathId, channel_of, member_of, one
from profiles.models import Channel, Guild, Member, ProfileEntry

router = Router(tags=["notes, profiles, summaries"])
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
    member = one(Member.objects.of(guild).select_related("guild", "profile"), "member", platform_id=member_id)
    profile = getattr(member, "profile", None)
    sections: dict[str, list[EntryOut]] = {name: [] for name in ProfileEntry.Section.values}
    for entry in lines_told([member], channel=channel_of(guild, channel) if channel else None):
        sections[entry.section].append(EntryOut.of(entry))
    return ProfileOut(
        sections=sections,
        summary=profile.summary if profile else "",
        updated_at=profile.updated_at if profile else None,
    )


@router.get("/guilds/{key}/channels/{path:channel_id}/summary", response=ChannelSummary)
def show_summary(request: Call, key: str, channel_id: PathId) -> ChannelSummary:
    """Show what a channel is about, lately and over time."""
    return _summary(channel_of(request.auth.guild(key), channel_id))


@router.post("/guilds/{key}/channels/{path:channel_id}/summarize", response=ChannelSummary)
def summarize_channel(request: Call, key: str, channel_id: PathId) -> ChannelSummary:
    """Write the channel's summary anew from its last talk; 503 when the language model gives no answer."""
    channel = channel_of(request.auth.guild(key), channel_id)
    summaries.summarize(channel, now=timezone.now())
    return _summary(channel)


def _summary(channel: Channel) -> ChannelSummary:
    written = {summary.kind: SummaryOut.of(summary) for summary in Summary.objects.filter(channel=channel)}
    return ChannelSummary(channel=channel.platform_id, rolling=written.get("rolling"), profile=written.get("profile"))


def _notes(guild: Guild) -> QuerySet[InteractionNote]:
    return InteractionNote.objects.of(guild).select_related("channel", "audience").prefetch_related("participants")


def _conditions(guild: Guild, filters: NoteFilters) -> dict[str, Any]:
    asked = {
        "kind": filters.kind,
        "participants": filters.member and member_of(guild, filters.member),
        "channel": filters.channel and channel_of(guild, filters.channel),
        "note_date__gte": filters.since,
        "note_date__lte": filters.until,
    }
    return {name: value for name, value in asked.items() if value}
