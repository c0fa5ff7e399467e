"""JSON routes: the lines of a profile are listed, added, worded, moved, pinned, refused, brought back."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import ConfigDict, Field, model_validator

from memory.api.insisting import Insist, may_insist
from memory.curation import entries
from memoryhub import db
from memoryhub.common.api_scope import Call, PathId, PathRowId, channel_of, member_of, one
from memoryhub.common.etags import refuse_stale, tagged
from memoryhub.common.pagination import Page, Window, page
from memoryhub.community.models import Guild
from notes.messages.schemas import PlatformId, Strict, Text
from profiles.api.schemas import EntryOut
from profiles.models import EntrySource, ProfileEntry
from profiles.revision.schemas import ENTRY_CHARS, Section

router = Router(tags=["notes, profiles, summaries"])
LINES = "/guilds/{key}/members/{path:member_id}/profile/entries"
ONE_LINE = LINES + "/{entry_id}"
Words = Annotated[str, Text, Field(min_length=1, max_length=ENTRY_CHARS)]


class EntryFilters(Window):
    """Narrows a list of lines."""

    status: Literal["shown", "refused", "all"] = "shown"


class NewEntry(Strict):
    """A line in a person's own words; without a section, the words decide."""

    text: Words
    section: Section | None = None
    channel: PlatformId | None = Field(default=None, description="where it was written; decides who may hear it")
    insist: Insist = False


class EntryChanges(Strict):
    """What to change: new words or another section pin the line; `"status": "shown"` brings a refused one back."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"properties": {"pinned": {"enum": [True, None]}}},
                {"properties": {"text": {"type": "null"}, "section": {"type": "null"}}},
            ]
        }
    )

    text: Words | None = None
    section: Section | None = None
    pinned: bool | None = None
    status: Literal["shown"] | None = None
    insist: Insist = False

    @model_validator(mode="after")
    def _pinned_when_worded(self) -> Self:
        if self.pinned is False and (self.text is not None or self.section is not None):
            raise ValueError("A line in a person's own words stays pinned: leave pinned out.")
        return self


@router.get(LINES, response=Page[EntryOut])
def list_entries(request: Call, key: str, member_id: PathId, filters: Query[EntryFilters]) -> Page[EntryOut]:
    """List the lines of every audience, the newest first; refused ones when asked for."""
    rows = _lines(request.auth.guild(key), member_id)
    if filters.status != "all":
        rows = rows.filter(status=filters.status)
    return page(rows, window=filters, show=EntryOut.of)


@router.post(LINES, response={201: EntryOut})
def add_entry(request: Call, key: str, member_id: PathId, body: NewEntry) -> Status[EntryOut]:
    """Add a line in a person's own words; it is pinned."""
    guild = request.auth.guild(key)
    member = member_of(guild, member_id)
    audience = channel_of(guild, body.channel) if body.channel else None
    entry = entries.add_entry(
        member, text=body.text, section=body.section, audience=audience, actor=request.auth.actor, now=timezone.now(),
        insist=may_insist(request, wanted=body.insist),
    )  # fmt: skip
    return Status(201, EntryOut.of(_one(guild, member_id, entry.pk)))


@router.get(ONE_LINE, response=EntryOut)
def show_entry(request: Call, response: HttpResponse, key: str, member_id: PathId, entry_id: PathRowId) -> EntryOut:
    """Show one line with the notes that it rests on."""
    return tagged(response, EntryOut.of(_one(request.auth.guild(key), member_id, entry_id)))


@router.patch(ONE_LINE, response=EntryOut)
def change_entry(
    request: Call, response: HttpResponse, key: str, member_id: PathId, entry_id: PathRowId, body: EntryChanges
) -> EntryOut:
    """Word, move, pin or free a line, or bring a refused one back; all of it, or nothing."""
    guild, actor, now = request.auth.guild(key), request.auth.actor, timezone.now()
    insist = may_insist(request, wanted=body.insist)
    if body.text is not None:
        entries.validated_text(body.text, guild, insist=insist)  # what a text means is looked at before the lock
    with transaction.atomic():
        db.lock_guild(guild.pk)
        entry = _one(guild, member_id, entry_id)
        refuse_stale(request, EntryOut.of(entry))
        if body.status and entry.status != body.status:
            entries.restore_entry(entry, actor=actor, now=now)
        if body.text is not None or body.section is not None:
            entries.edit_entry(entry, text=body.text, section=body.section, actor=actor, now=now, insist=insist)
        elif body.pinned is not None:
            entries.pin_entry(entry, pinned=body.pinned, actor=actor, now=now)
    return tagged(response, EntryOut.of(_one(guild, member_id, entry_id)))


@router.delete(ONE_LINE, response={204: None})
def refuse_entry(request: Call, key: str, member_id: PathId, entry_id: PathRowId) -> Status[None]:
    """Refuse a line: it comes back only if it is said again later; what says the same is put aside."""
    with transaction.atomic():
        guild = request.auth.guild(key)
        db.lock_guild(guild.pk)
        entry = _one(guild, member_id, entry_id)
        refuse_stale(request, EntryOut.of(entry))
        entries.refuse_entry(entry, actor=request.auth.actor, now=timezone.now())
    return Status(204, None)


def _lines(guild: Guild, member_id: str) -> QuerySet[ProfileEntry]:
    rows = ProfileEntry.objects.filter(profile__member=member_of(guild, member_id))
    # As the list of notes does, they name no note of somebody who is not to be remembered.
    told = EntrySource.objects.told(guild)
    return rows.select_related("audience", "profile__member__guild").prefetch_related(
        Prefetch("sources", told.select_related("note", "message"))
    )


def _one(guild: Guild, member_id: str, entry_id: int) -> ProfileEntry:
    return one(_lines(guild, member_id), "line of this profile", pk=entry_id)
