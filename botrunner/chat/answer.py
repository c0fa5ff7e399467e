"""What chatting needs of the database: a guild's settings for replies, an answer, and the bot's own words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from botrunner.actions import Caller, load_caller
from botrunner.actions.caller import left_out
from botrunner.actions.escape import quoted
from botrunner.capture.handlers import add_own_bots
from memory import pipeline
from memory.replies import responder
from memory.replies.responder import Answer, MessageToBot
from memoryhub import db
from memoryhub.community.identity import Person, of_key
from memoryhub.community.models import Guild
from notes.messages.schemas import GuildRef, IncomingMessage
from notes.models import Message


def settings_of(guild: GuildRef) -> Guild:
    """Return the guild with what it has set; one that is not known yet has the defaults."""
    return of_key(guild.key) or Guild(key=guild.key)


def answer(caller: Caller, others: Sequence[Person], *, text: str, answered: str, now: datetime) -> Answer:
    """Return what the bot says; blocks while a model thinks, with no transaction open."""
    with transaction.atomic():
        guild, cache = load_caller(caller, now)
        channel = cache.channel(caller.channel.place) if caller.channel else None
        cache.load_members([person.id for person in others])
        speaker = cache.members[caller.person.id]
        members = [cache.members[person.id] for person in others if person.id in cache.members]
    return responder.answer(
        MessageToBot(
            guild=guild, channel=channel, speaker=speaker, others=members, text=text, answered=answered,
            left_out=left_out(caller), quoted=quoted, now=now,
        )
    )  # fmt: skip


@transaction.atomic
def store_replies(guild: GuildRef, replies: Sequence[IncomingMessage], *, now: datetime) -> None:
    """Keep what the bot said where what it answers is kept: for the transcript, never to learn from."""
    row = of_key(guild.key) if db.lock_guild_of_key(guild.key) else None
    if row is None:
        return
    answered = {reply.reply_to for reply in replies}
    rows = Message.objects.of(row).filter(platform_id__in=answered, deleted_at=None)
    kept = set(rows.values_list("platform_id", flat=True))
    replies = [reply for reply in replies if reply.reply_to in kept]
    add_own_bots(row, [reply.author.id for reply in replies])
    pipeline.receive_many(replies, guild=guild, now=now)
