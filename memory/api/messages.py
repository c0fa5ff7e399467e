"""JSON routes: messages come in, are edited and deleted; what was derived from one; a conversation is ended."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated

from django.db import transaction
from django.http import Http404, HttpResponse
from django.utils import timezone
from ninja import Router, Status
from pydantic import AfterValidator, BaseModel, Field

from memory import pipeline
from memory.api.schemas.messages import Batch, BatchOut, DerivedOut, Edit, MessageOut, ReceivedOut
from memory.facts.lineage import derived_from
from memoryhub import db
from memoryhub.common.api_scope import Call, PathId, channel_of, one
from memoryhub.common.etags import refuse_stale, tagged
from notes.messages import message_store
from notes.messages.schemas import A_GUILD_KEY, GuildRef, IncomingMessage
from notes.models import Message

router = Router(tags=["messages"])
ONE_MESSAGE = "/guilds/{key}/messages/{path:message_id}"
KEY = r"^[a-z][a-z0-9_-]{0,31}:[^\s\x00-\x1f\x7f]+$"


def _guild_key(value: str) -> str:
    if not re.fullmatch(KEY, value):
        raise ValueError(f"Must be {A_GUILD_KEY}.")
    return value


GuildKey = Annotated[str, Field(max_length=232, json_schema_extra={"pattern": KEY}), AfterValidator(_guild_key)]
"""As `GuildRef` has it, since the first message makes the guild."""


class Flushed(BaseModel):
    """Whether a conversation was open; its digest is the worker's next work."""

    channel: str
    closed: bool


@router.post("/guilds/{key}/messages", response={201: ReceivedOut, 200: ReceivedOut}, exclude_none=True)
def receive_message(request: Call, key: GuildKey, body: IncomingMessage) -> Status[ReceivedOut]:
    """Take a message in. 201: it is stored and will not be lost; 200: a duplicate, or ignored with the reason.

    A key for all guilds makes a guild with its first message.
    """
    received = pipeline.receive(body, guild=GuildRef(key=key), now=timezone.now())
    return Status(201 if received.status == "stored" else 200, ReceivedOut.of(received))


@router.post("/guilds/{key}/messages/batch", response=BatchOut, exclude_none=True)
def receive_batch(request: Call, key: GuildKey, body: Batch) -> BatchOut:
    """Take up to 1,000 messages in, in order; if one of them is invalid, none is stored."""
    results = pipeline.receive_many(body.messages, guild=GuildRef(key=key), now=timezone.now())
    counts = Counter(result.status for result in results)
    return BatchOut(
        stored=counts["stored"], duplicate=counts["duplicate"], ignored=counts["ignored"],
        results=[ReceivedOut.of(result) for result in results],
    )  # fmt: skip


@router.get(f"{ONE_MESSAGE}/derived", response=DerivedOut)
def show_derived(request: Call, key: str, message_id: PathId) -> DerivedOut:
    """Show the facts, notes, lines of profiles, summaries, questions and counts that rest on a message."""
    rows = Message.objects.of(request.auth.guild(key)).select_related("guild", "channel")
    message = one(rows, "message", platform_id=message_id)
    return DerivedOut.show(message, derived_from(message))


@router.get(ONE_MESSAGE, response=MessageOut)
def show_message(request: Call, response: HttpResponse, key: str, message_id: PathId) -> MessageOut:
    """Show one message as it is kept; a deleted one has no text."""
    return tagged(response, MessageOut.of(message_store.find(request.auth.guild(key), message_id)))


@router.patch(ONE_MESSAGE, response=MessageOut)
def edit_message(request: Call, response: HttpResponse, key: str, message_id: PathId, body: Edit) -> MessageOut:
    """Put a new text in place of the old one; what was learned from the old one alone goes."""
    guild = request.auth.guild(key)
    with transaction.atomic():
        db.lock_guild(guild.pk)
        message = message_store.find(guild, message_id)
        if message.deleted_at:
            raise Http404("This message was deleted.")  # an edit that comes late brings nothing back
        refuse_stale(request, MessageOut.of(message))
        pipeline.edit(guild, message_id=message_id, text=body.text, now=timezone.now())
    return tagged(response, MessageOut.of(message_store.find(guild, message_id)))


@router.delete(ONE_MESSAGE, response={204: None})
def delete_message(request: Call, key: str, message_id: PathId) -> Status[None]:
    """Take a message's text away for good, with what was learned from it alone. Doing it twice is fine."""
    guild = request.auth.guild(key)
    with transaction.atomic():
        db.lock_guild(guild.pk)
        refuse_stale(request, MessageOut.of(message_store.find(guild, message_id)))
        pipeline.delete(guild, message_ids=[message_id], now=timezone.now())
    return Status(204, None)


@router.post("/guilds/{key}/channels/{path:channel_id}/flush", response=Flushed)
def flush_channel(request: Call, key: str, channel_id: PathId) -> Flushed:
    """End the channel's open conversation now, so that notes and memories are made of it next."""
    channel = channel_of(request.auth.guild(key), channel_id)
    return Flushed(channel=channel_id, closed=pipeline.flush(channel, now=timezone.now()))
