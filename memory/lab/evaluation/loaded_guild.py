"""Imports a conversation as a guild of its own through the pipeline, digests it, and embeds what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memory import pipeline
from memory.index import embeddings
from memory.lab.evaluation.locomo import Conversation
from memory.models import Fact
from memoryhub.common.long_work import Progress
from memoryhub.community.identity import find_guild
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer, InteractionNote, Message

LATER = timedelta(days=1)
BATCH = 500
HOURS = 8  # in which all five tries of what a model fails at come due
EMBEDDED_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class LoadedGuild:
    """A conversation as it was imported, and the moment at which questions are asked."""

    conversation: Conversation
    guild: Guild
    now: datetime


def load(conversation: Conversation, *, progress: Progress) -> LoadedGuild:
    """Import and digest one conversation; `progress` is called at each step."""
    messages, now = conversation.messages, conversation.messages[-1].sent_at + LATER
    for start in range(0, len(messages), BATCH):
        pipeline.receive_many(messages[start : start + BATCH], guild=conversation.guild, now=now)
        progress(f"{conversation.name}: messages", min(start + BATCH, len(messages)), len(messages))
    guild = find_guild(conversation.guild.key)
    name, total = f"{conversation.name}: digest", guild.buffers.count()
    digested = iter(range(1, total + 1))
    pipeline.digest(guild, now=now, progress=lambda _buffer: progress(name, next(digested, total), total))
    _wait_for_models(guild, now=now)
    total, done = Fact.objects.of(guild).active().count() + InteractionNote.objects.of(guild).count(), 0
    while embedded := embeddings.embed_missing(EMBEDDED_AT_ONCE):
        done += embedded
        progress(f"{conversation.name}: embeddings", min(done, total), total)
    return LoadedGuild(conversation, guild, now)


def _wait_for_models(guild: Guild, *, now: datetime) -> None:
    """Let hours pass in which what a model failed at is tried again, until it is done or given up."""
    left = (
        guild.buffers.filter(status=ChannelBuffer.Status.CLOSED),
        Message.objects.of(guild).unread().filter(attempts__gt=0),
    )
    for hour in range(1, HOURS + 1):
        if not any(rows.exists() for rows in left):
            return
        pipeline.digest(guild, now=now + timedelta(hours=hour))
        pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=now + timedelta(hours=hour))
