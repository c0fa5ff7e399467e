"""Keeps the gaps: channels of which the bot may have missed something. A gap is opened before anything new is written
and closed once its channel has been read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import discord
from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, Subquery

from botrunner.history.page import Readable
from botrunner.models import Gap, Heard
from memory import erasure
from memoryhub.community.identity import ensure_guild
from memoryhub.community.models import Channel, Guild
from memoryhub.db.guild_scope import in_its_guild
from notes.messages.schemas import GuildRef
from notes.models import Message

EVERY_OTHER = ""
"""The gap of channels in which nothing is stored: they are read from what was heard last in the guild on."""

CHAT = "discord-dm:"
CHATS = GuildRef(key=f"{CHAT}*")
"""All direct chats together: they are many and small, and one shard hears them."""
CHATS_SHARD = 0  # Discord's rule


@transaction.atomic
def open_all(ours: Callable[[int], bool]) -> list[Heard]:
    """Open a gap at what was heard last in each of our guilds; one that is still open keeps its older mark.

    Return how far each shard has heard everything until now.
    """
    for guild in [*_our_guilds(ours), *(_rows_of(CHATS) if ours(CHATS_SHARD) else ())]:
        Gap.objects.bulk_create(_new_gaps(guild), ignore_conflicts=True)
    if not settings.DISCORD_DIRECT_MESSAGES:
        Gap.objects.filter(guild__key__startswith=CHAT).delete()  # what is written now is not to be read later
    return all_heard()


def all_heard() -> list[Heard]:
    """Return how far each shard has heard everything until now."""
    return list(Heard.objects.all())


@transaction.atomic
def open_new(ref: GuildRef, joined: int, newest: int, before: Sequence[Heard]) -> None:
    """Open a gap in a guild that is not known yet, if something newer than what was heard of its shard was said there.

    Nothing is read where it was never noted what was heard, nor what was said before the invitation or before a purge.
    """
    guild = Guild(key=ref.key)
    if Guild.objects.filter(key=ref.key).exists() or not (heard := heard_until(guild, before)):
        return
    purged = erasure.purged_at(guild)
    after = max(joined, heard, discord.utils.time_snowflake(purged) if purged else 0)
    if after < newest:
        Gap.objects.create(guild=ensure_guild(key=ref.key, name=ref.name), channel_id=EVERY_OTHER, after=after)


def open_gaps(guild: GuildRef, opened: Sequence[list[int]], *, now: datetime) -> None:
    """Handler: open the gaps of one guild, or of all direct chats; add the new ones' ids to the lists."""
    guilds = _rows_of(guild)
    known = set(Gap.objects.filter(guild__in=guilds).values_list("pk", flat=True))
    Gap.objects.bulk_create([gap for row in guilds for gap in _new_gaps(row)], ignore_conflicts=True)
    new = list(Gap.objects.filter(guild__in=guilds).exclude(pk__in=known).values_list("pk", flat=True))
    for ids in opened:
        ids.extend(new)


def close_gaps(guild: GuildRef, opened: Sequence[list[int]], *, now: datetime) -> None:
    """Handler: close the gaps on the lists."""
    gaps = Gap.objects.filter(guild__in=_rows_of(guild))
    gaps.filter(pk__in=[pk for ids in opened for pk in ids]).delete()


def note_heard(_: GuildRef, heard: Sequence[tuple[int, int, int]], *, now: datetime) -> None:
    """Handler: note how far everything was heard: shard, of how many, and the message's id."""
    for shard, of, until in heard:
        row, _new = Heard.objects.get_or_create(shard=shard, of=of, defaults={"until": until})
        Heard.objects.filter(pk=row.pk, until__lt=until).update(until=until)


def _rows_of(guild: GuildRef) -> list[Guild]:
    if guild.key != CHATS.key:
        return list(Guild.objects.filter(key=guild.key))
    return list(Guild.objects.filter(key__startswith=CHAT)) if settings.DISCORD_DIRECT_MESSAGES else []


def chats_with_gaps() -> list[str]:
    """Return the keys of the direct chats with open gaps."""
    keys = Gap.objects.filter(guild__in=_rows_of(CHATS)).order_by("guild__key").values_list("guild__key", flat=True)
    return list(keys.distinct())


def guild_keys(ours: Callable[[int], bool]) -> list[str]:
    """Return the keys of our guilds, those that we may have left too."""
    return [guild.key for guild in _our_guilds(ours)]


def _our_guilds(ours: Callable[[int], bool]) -> Iterator[Guild]:
    for guild in Guild.objects.filter(key__startswith="discord:"):
        number = guild.key.partition(":")[2]
        if number.isdigit() and ours(int(number)):
            yield guild


@in_its_guild
def _new_gaps(guild: Guild) -> list[Gap]:
    """Make the gaps at what was heard last; old history that was read says nothing of that.

    What was heard and not kept, while memory was off for example, was not missed.
    """
    newest = Message.objects.filter(channel=OuterRef("pk")).exclude(source="import").order_by("-sent_at", "-pk")
    last = Channel.objects.of(guild).annotate(last=Subquery(newest.values("pk")[:1])).values("last")
    marks, heard = {}, heard_until(guild)
    for message in Message.objects.filter(pk__in=last).select_related("channel"):
        known = message.platform_id  # a message that came by another door has no id of Discord's: its moment makes one
        discords = known.isdigit() and len(known) < 20
        marks[message.channel.platform_id] = int(known) if discords else discord.utils.time_snowflake(message.sent_at)
    if newest_heard := max([heard, *marks.values()]):
        marks[EVERY_OTHER] = newest_heard
    return [Gap(guild=guild, channel_id=channel, after=max(after, heard)) for channel, after in marks.items()]


def heard_until(guild: Guild, heard: Iterable[Heard] | None = None) -> int:
    """Return up to which message all of a guild was heard, whatever became of it; 0 if that was not noted."""
    rows = Heard.objects.all() if heard is None else heard
    number = 0 if guild.key.startswith(CHAT) else int(guild.key.partition(":")[2])
    return max((row.until for row in rows if (number >> 22) % row.of == row.shard), default=0)


@dataclass(frozen=True)
class Skipped:
    """The channels of a guild that need not be read, since nothing of them would be kept."""

    everything: bool = False
    nsfw: bool = True
    private_threads: bool = True
    channels: frozenset[str] = frozenset()

    def has_id(self, channel_id: str) -> bool:
        """Tell whether the channel of this id is skipped, whatever kind it is."""
        return self.everything or channel_id in self.channels

    def has(self, channel: Readable | discord.ForumChannel) -> bool:
        """Tell whether a channel is skipped; a thread goes with its parent."""
        thread = channel if isinstance(channel, discord.Thread) else None
        if thread and (thread.parent is None or self.has_id(str(thread.parent_id))):
            return True
        if thread and self.private_threads and thread.is_private():
            return True
        return self.has_id(str(channel.id)) or (self.nsfw and channel.is_nsfw())


def skipped_channels(key: str) -> Skipped:
    """Return what a guild's settings and the switches of its channels leave out."""
    guild = Guild.objects.get(key=key)
    off = Channel.objects.of(guild).filter(memory_on=False).values_list("platform_id", flat=True)
    return Skipped(
        everything=not guild.memory_on, nsfw=not guild.hears_nsfw, private_threads=not guild.hears_private_threads,
        channels=frozenset(off),
    )  # fmt: skip


def gaps_of(key: str) -> dict[str, int]:
    """Return the open gaps of a guild: after which message each channel is to be read."""
    return dict(Gap.objects.filter(guild__key=key).values_list("channel_id", "after"))


def advance(key: str, channel_id: str, after: int) -> None:
    """Note how far a channel has been read."""
    guild = Guild.objects.get(key=key)
    Gap.objects.update_or_create(guild=guild, channel_id=channel_id, defaults={"after": after})


def close(keys: Iterable[str], channel_id: str | None = None) -> None:
    """Close the gap of a channel that has been read, or all of them."""
    gaps = Gap.objects.filter(guild__key__in=list(keys))
    (gaps if channel_id is None else gaps.filter(channel_id=channel_id)).delete()
