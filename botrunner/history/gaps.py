"""Keeps the book of what the bot may have missed: opened before anything new is written, closed channel by channel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import discord
from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Subquery

from botrunner.models import Gap, Heard
from memoryhub.community.models import Channel, Guild
from notes.messages.schemas import GuildRef
from notes.models import Message

EVERY_OTHER = ""
"""The entry for channels in which nothing is stored: they are read from the guild's last message on."""


CHAT = "discord-dm:"
CHATS = GuildRef(key=f"{CHAT}*")
"""All direct chats together: they are many and small, and one shard hears them."""
CHATS_SHARD = 0  # Discord's rule


@transaction.atomic
def open_all(ours: Callable[[int], bool]) -> None:
    """Note for each of our guilds what was heard last; an entry that is still open keeps its older mark."""
    for guild in [*_ours(ours), *(_places(CHATS) if ours(CHATS_SHARD) else ())]:
        Gap.objects.bulk_create(_marks(guild), ignore_conflicts=True)
    if not settings.DISCORD_DIRECT_MESSAGES:
        Gap.objects.filter(guild__key__startswith=CHAT).delete()  # what is written now is not to be read later


def open_in_turn(guild: GuildRef, opened: Sequence[list[int]], *, now: datetime) -> None:
    """Do the same for one guild, or for the chats, as an errand; put the new entries on the lists."""
    places = _places(guild)
    known = set(Gap.objects.filter(guild__in=places).values_list("pk", flat=True))
    Gap.objects.bulk_create([mark for place in places for mark in _marks(place)], ignore_conflicts=True)
    new = list(Gap.objects.filter(guild__in=places).exclude(pk__in=known).values_list("pk", flat=True))
    for entries in opened:
        entries.extend(new)


def strike_in_turn(guild: GuildRef, opened: Sequence[list[int]], *, now: datetime) -> None:
    """Strike out the entries on the lists, as an errand."""
    found = Gap.objects.filter(guild__in=_places(guild))
    found.filter(pk__in=[entry for entries in opened for entry in entries]).delete()


def hear_in_turn(_: GuildRef, heard: Sequence[tuple[int, int, int]], *, now: datetime) -> None:
    """Note how far everything was heard, as an errand: shard, of how many, and the message's id."""
    for shard, of, until in heard:
        row, _new = Heard.objects.get_or_create(shard=shard, of=of, defaults={"until": until})
        Heard.objects.filter(pk=row.pk, until__lt=until).update(until=until)


def _places(guild: GuildRef) -> list[Guild]:
    if guild.key != CHATS.key:
        return list(Guild.objects.filter(key=guild.key))
    wanted = settings.DISCORD_DIRECT_MESSAGES
    return list(Guild.objects.filter(key__startswith=CHAT)) if wanted else []


def chats() -> list[str]:
    """Return the keys of the direct chats with open entries."""
    keys = Gap.objects.filter(guild__in=_places(CHATS)).order_by("guild__key").values_list("guild__key", flat=True)
    return list(keys.distinct())


def guilds(ours: Callable[[int], bool]) -> list[str]:
    """Return the keys of our guilds, those that we may have left too."""
    return [guild.key for guild in _ours(ours)]


def _ours(ours: Callable[[int], bool]) -> Iterator[Guild]:
    for guild in Guild.objects.filter(key__startswith="discord:"):
        name = guild.key.partition(":")[2]
        if name.isdigit() and ours(int(name)):
            yield guild


def _marks(guild: Guild) -> list[Gap]:
    """Mark what was heard last; old history that was read says nothing of that.

    What was heard and not kept, while memory was off for example, was not missed.
    """
    newest = Message.objects.filter(channel=OuterRef("pk")).exclude(source="import").order_by("-sent_at", "-pk")
    last = Channel.objects.of(guild).annotate(last=Subquery(newest.values("pk")[:1])).values("last")
    marks = {
        message.channel.platform_id: _mark(message)
        for message in Message.objects.filter(pk__in=last).select_related("channel")
    }
    if marks:
        marks[EVERY_OTHER] = max(marks.values())
    heard = _heard_until(guild)
    return [Gap(guild=guild, channel_id=channel, after=max(after, heard)) for channel, after in marks.items()]


def _heard_until(guild: Guild) -> int:
    """Return up to which message all of a guild was heard, whatever became of it; 0 if that was not noted."""
    shown = 0 if guild.key.startswith(CHAT) else int(guild.key.partition(":")[2])
    return max((row.until for row in Heard.objects.all() if (shown >> 22) % row.of == row.shard), default=0)


def _mark(message: Message) -> int:
    """Return Discord's id of the message, or of its moment if it came by another door."""
    known = message.platform_id
    return int(known) if known.isdigit() and len(known) < 20 else discord.utils.time_snowflake(message.sent_at)


@dataclass(frozen=True)
class Passed:
    """The channels of a guild that need not be read, since nothing of them would be kept."""

    everything: bool = False
    nsfw: bool = True
    private_threads: bool = True
    channels: frozenset[str] = frozenset()


def passed_over(key: str) -> Passed:
    """Return what a guild's settings and the switches of its channels leave out."""
    guild = Guild.objects.get(key=key)
    off = Channel.objects.of(guild).filter(memory_on=False).values_list("platform_id", flat=True)
    return Passed(
        everything=not guild.memory_on, nsfw=not guild.hears_nsfw, private_threads=not guild.hears_private_threads,
        channels=frozenset(off),
    )  # fmt: skip


def of(key: str) -> dict[str, int]:
    """Return the open entries of a guild: after which message each channel is to be read."""
    return dict(Gap.objects.filter(guild__key=key).values_list("channel_id", "after"))


def move(key: str, channel_id: str, after: int) -> None:
    """Note how far a channel has been read."""
    guild = Guild.objects.get(key=key)
    Gap.objects.update_or_create(guild=guild, channel_id=channel_id, defaults={"after": after})


def close(keys: Iterable[str], channel_id: str | None = None) -> None:
    """Strike out a channel that has been read, or all of them."""
    entries = Gap.objects.filter(guild__key__in=list(keys))
    (entries if channel_id is None else entries.filter(channel_id=channel_id)).delete()
