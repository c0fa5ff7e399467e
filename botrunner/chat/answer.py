"""What talking needs of the database: a guild's manners, an answer, and the bot's own words kept for the transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from botrunner.actions import Caller, registered
from memory import pipeline
from memory.replies import responder
from memory.replies.responder import Answer, MessageToBot
from memoryhub.community.identity import Person, Place
from memoryhub.community.models import Guild
from notes.messages.schemas import GuildRef, IncomingMessage
from notes.models import Message


@dataclass(frozen=True)
class Manners:
    """Whether a guild wants answers, where to every message, and how many seconds apart."""

    on: bool = True
    channels: frozenset[str] = frozenset()
    seconds: int = 5


def manners(guild: GuildRef) -> Manners:
    """Return what a guild has set; what is not known yet has the defaults."""
    row = Guild.objects.filter(key=guild.key).first()
    return Manners(row.replies_on, frozenset(row.reply_channels), row.reply_seconds) if row else Manners()


def answer(caller: Caller, others: Sequence[Person], *, text: str, answered: str, now: datetime) -> Answer:
    """Return what the bot says; blocks while a model thinks, with no transaction open."""
    with transaction.atomic():
        guild, cache = registered(caller, now)
        channel = cache.channel(Place(**caller.channel.model_dump())) if caller.channel else None
        cache.load_members([person.id for person in others])
        speaker = cache.members[caller.person.id]
        company = [cache.members[person.id] for person in others if person.id in cache.members]
    return responder.answer(
        MessageToBot(
            guild=guild, channel=channel, speaker=speaker, others=company, text=text, answered=answered, now=now
        )
    )


@transaction.atomic
def keep(guild: GuildRef, items: Sequence[IncomingMessage], *, now: datetime) -> None:
    """Keep what the bot said where what it answers is kept: for the transcript, never to learn from (promise 7)."""
    place = Guild.objects.select_for_update().filter(key=guild.key).first()
    if place is None:
        return
    answered = Message.objects.of(place).filter(platform_id__in={item.reply_to for item in items}, deleted_at=None)
    kept = set(answered.values_list("platform_id", flat=True))
    items = [item for item in items if item.reply_to in kept]
    own = {item.author.id for item in items} - set(place.own_bots)
    if own:
        place.own_bots = sorted({*place.own_bots, *own})
        place.heard_bots = [name for name in place.heard_bots if name not in place.own_bots]
        place.save(update_fields=["own_bots", "heard_bots"])
    pipeline.receive_many(items, guild=guild, now=now)
