"""JSON routes: notes."""

from __future__ import annotations

from django.db.models import QuerySet
from ninja import Query, Router

from memoryhub.common.api_scope import Call, PathRowId, channel_of, member_of, one
from memoryhub.common.pagination import Page, page
from memoryhub.community.models import Guild
from notes.api.schemas import NoteDetail, NoteFilters, NoteOut
from notes.models import InteractionNote

router = Router(tags=["notes"])


@router.get("/guilds/{key}/notes", response=Page[NoteOut])
def list_notes(request: Call, key: str, filters: Query[NoteFilters]) -> Page[NoteOut]:
    """List the notes of every audience, the newest first."""
    guild = request.auth.guild(key)
    conditions = {
        "kind": filters.kind,
        "participants": filters.member and member_of(guild, filters.member),
        "channel": filters.channel and channel_of(guild, filters.channel),
        "note_date__gte": filters.since,
        "note_date__lte": filters.until,
    }
    rows = _notes(guild).filter(**{name: value for name, value in conditions.items() if value})
    return page(rows, window=filters, show=NoteOut.of)


@router.get("/guilds/{key}/notes/{note_id}", response=NoteDetail)
def show_note(request: Call, key: str, note_id: PathRowId) -> NoteDetail:
    """Show one note with the ids of what it rests on."""
    note = one(_notes(request.auth.guild(key)), "note", pk=note_id)
    messages = note.messages.order_by("sent_at").values_list("platform_id", flat=True)
    notes = [str(pk) for pk in note.notes.order_by("pk").values_list("pk", flat=True)]
    return NoteDetail(**NoteOut.of(note).model_dump(), messages=list(messages), notes=notes)


def _notes(guild: Guild) -> QuerySet[InteractionNote]:
    return InteractionNote.objects.told(guild).select_related("channel", "audience").prefetch_related("participants")
