"""Reads what must be known to take messages in: for one, as chat goes on, by one statement, for many by one a kind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memoryhub import db
from memoryhub.community import identity
from memoryhub.community.identity import CommunityCache
from memoryhub.community.models import Channel, Guild, Member
from notes.messages import message_store, rate_cap
from notes.messages.conversations import OpenBuffers
from notes.messages.schemas import IncomingMessage
from notes.models import ChannelBuffer, Message

MOST_COUNTED = 1_000  # messages of an hour; a guild that allows more has them counted by themselves
# ruff: noqa: S608  (the tables' names are those of models; every value is a parameter)
TABLES = {"guild": Guild, "place": Channel, "parent": Channel, "talk": ChannelBuffer, "author": Member}
SAID = Message._meta.db_table
KNOWN = f"""EXISTS (SELECT 1 FROM {SAID} AS twin WHERE twin.guild_id = %(guild)s AND twin.platform_id = %(message)s),
    (SELECT count(*) FROM (SELECT 1 FROM {SAID} AS said WHERE said.author_id = author.id
        AND {db.unindexed("said.guild_id")} = %(guild)s AND said.sent_at >= %(begin)s AND said.sent_at < %(end)s
        LIMIT {MOST_COUNTED}) AS counted)"""
FOUND = f"""FROM {Guild._meta.db_table} AS guild
    LEFT JOIN {Channel._meta.db_table} AS place ON place.guild_id = %(guild)s AND place.platform_id = %(channel)s
    LEFT JOIN {Channel._meta.db_table} AS parent ON parent.guild_id = %(guild)s AND parent.platform_id = %(parent)s
    LEFT JOIN {ChannelBuffer._meta.db_table} AS talk
        ON talk.channel_id = place.id AND talk.guild_id = %(guild)s AND talk.status = 'open'
    LEFT JOIN {Member._meta.db_table} AS author ON author.guild_id = %(guild)s AND author.platform_id = %(author)s
    WHERE guild.id = %(guild)s AND guild.key = %(key)s"""


@dataclass
class Arriving:
    """Messages of one guild, and what is known where one by itself arrives, once `guild` has read it."""

    messages: Sequence[IncomingMessage]
    now: datetime
    channels: dict[str, Channel] | None = None
    members: dict[str, Member] | None = None
    talk: ChannelBuffer | None = None
    is_known: bool = False
    said: int = 0

    def guild(self, key: str) -> Guild | None:
        """Return the guild as it is now; for one message, all else is read with it where its row id was met before."""
        number = identity.kept_id(key)
        return (self._read(key, number) if number and len(self.messages) == 1 else None) or identity.of_key(key)

    def _read(self, key: str, number: int) -> Guild | None:
        message, sent_at = self.messages[0], min(self.messages[0].sent_at, self.now)
        hour = rate_cap.hour_of(sent_at)
        values = {
            "guild": number, "key": key, "channel": message.channel.id, "parent": message.channel.parent_id or "",
            "author": message.author.id, "message": message.message_id, "begin": db.to_column(hour),
            "end": db.to_column(hour + rate_cap.HOUR),
        }  # fmt: skip
        found = db.read_beside(TABLES, KNOWN, FOUND, values)
        if found is None:
            return None
        guild: Guild
        (guild, place, parent, self.talk, author), (is_known, self.said) = found
        self.is_known = bool(is_known)
        if place and parent and place.parent_id == parent.pk:
            place.parent = parent
        self.channels = {row.platform_id: row for row in (place, parent) if row}
        self.members = {author.platform_id: author} if author else {}
        return guild

    def hand_on(self, cache: CommunityCache, buffers: OpenBuffers, budget: rate_cap.Budget) -> set[str]:
        """Give it to who asks for it, reading what is not read yet; return the ids that are stored already."""
        if self.channels is None or self.members is None:
            return self._load(cache, buffers, budget)
        (message,) = self.messages
        cache.take(self.channels.values(), self.members.values(), asked={message.author.id})
        buffers.open = {self.talk.channel_id: self.talk} if self.talk else {}
        for author in self.members.values():
            if self.said < MOST_COUNTED:
                budget.take(author, min(message.sent_at, self.now), said=self.said)
        return {message.message_id} if self.is_known else set()

    def _load(self, cache: CommunityCache, buffers: OpenBuffers, budget: rate_cap.Budget) -> set[str]:
        cache.load(
            channels={name for message in self.messages for name in message.channel.ids},
            members={m.author.id for m in self.messages},
        )
        buffers.load(cache.channels.values())
        known = message_store.stored_ids(cache.guild, [m.message_id for m in self.messages])
        if len(self.messages) > 1:
            budget.load(self._said_by_members(cache, known))
        return known

    def _said_by_members(self, cache: CommunityCache, known: Collection[str]) -> Iterator[tuple[Member, datetime]]:
        """Yield whose budget will be asked for, and when."""
        for message in self.messages:
            member = cache.members.get(message.author.id)
            if member and not member.is_bot and message.source != "import" and message.message_id not in known:
                yield member, min(message.sent_at, self.now)
