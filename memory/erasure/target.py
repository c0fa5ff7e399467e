"""What an erasure is about: a member, a channel with its threads, or a guild; and where its words may stand."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from django.conf import settings
from django.db.models import Q, QuerySet

from memory.erasure.fingerprints import Kind, Needles, telling, telling_ids
from memory.models import Fact
from memoryhub.community import tombstones
from memoryhub.community.models import Channel, Guild, Member
from notes.models import InteractionNote, Message

NOTHING = r"(?!)"  # matches no text


@dataclass(frozen=True, kw_only=True)
class Target:
    """One member, one channel or one whole guild."""

    guild: Guild
    member: Member | None = None
    channel: Channel | None = None
    names: list[str] = field(default_factory=list)
    """How others name the member, as far as that can mean nobody else; account ids included."""

    @property
    def kind(self) -> Kind:
        """Return which of the three it is."""
        return "member" if self.member else "channel" if self.channel else "guild"

    @property
    def digest(self) -> str:
        """Return the keyed hash under which the erasure is found again."""
        row = self.member or self.channel
        return digest(self.guild, self.kind, row.platform_id if row else "")

    @property
    def naming(self) -> str:
        """Return a regular expression for texts that name the member."""
        spelled = {form for name in self.names for form in (name, json.dumps(name)[1:-1])}  # as in a column of JSON
        longest = sorted(map(re.escape, spelled), key=len, reverse=True)
        return rf"(?i)(?<!\w)(?:{'|'.join(longest)})(?!\w)" if longest else NOTHING

    @property
    def channels(self) -> list[int]:
        """Return the channel and its threads."""
        own = Q(pk=self.channel.pk) | Q(parent=self.channel.pk) if self.channel else Q(pk=None)
        return list(Channel.objects.of(self.guild).filter(own).values_list("pk", flat=True))

    def messages(self) -> QuerySet[Message]:
        """Return the messages that go."""
        rows = Message.objects.of(self.guild).select_related("author", "guild", "channel")
        if self.member:
            return rows.filter(author=self.member)
        return rows.filter(channel__in=self.channels) if self.channel else rows

    def answers(self) -> QuerySet[Message]:
        """Return what bots said to the member or of them: it retells what is to be forgotten."""
        if self.member is None:
            return Message.objects.none()
        bots = Member.objects.of(self.guild).filter(is_bot=True).exclude(pk=self.member.pk)
        rows = Message.objects.filter(author__in=list(bots)).select_related("author", "guild", "channel")
        asked = Message.objects.filter(author=self.member).values("platform_id")
        return rows.filter(Q(reply_to__in=asked) | self.mentioning() | Q(text__regex=self.naming))

    def mentioning(self) -> Q:
        """Return the condition for messages that hold the member's account id."""
        account = re.escape(self.member.platform_id) if self.member else NOTHING
        return Q(mentions__regex=rf'"{account}"') | Q(text__regex=rf"<@!?{account}>")

    def facts(self) -> QuerySet[Fact]:
        """Return the facts that go: about the member or naming them, told in the channel, or all of the guild."""
        rows = Fact.objects.of(self.guild)
        if self.member:
            return rows.filter(Q(subject=self.member) | Q(text__regex=self.naming))
        if self.channel:
            here = self.channels
            elsewhere = Fact.objects.filter(evidence__message__isnull=False).exclude(
                evidence__message__channel__in=here
            )
            return rows.filter(Q(audience__in=here) | Q(channel__in=here)).exclude(pk__in=elsewhere.values("pk"))
        return rows

    def notes(self) -> QuerySet[InteractionNote]:
        """Return the notes that go, or are written anew without the member."""
        rows = InteractionNote.objects.of(self.guild)
        if self.member:
            named = Q(title__regex=self.naming) | Q(summary__regex=self.naming)
            return rows.filter(Q(participants=self.member) | Q(messages__author=self.member) | named).distinct()
        return rows.filter(Q(channel__in=self.channels) | Q(audience__in=self.channels)) if self.channel else rows

    @property
    def needles_file(self) -> Path:
        """Return where what is looked for lies while the erasure runs."""
        return folder() / f"{self.digest}.npz"

    @cached_property
    def needles(self) -> Needles:
        """Return what must be gone afterwards; what a killed run had noted is kept."""
        found = Needles.load(self.needles_file) if self.needles_file.exists() else Needles(kind=self.kind)
        found.guild, found.member = self.guild.pk, self.member.pk if self.member else 0
        found.channel = self.channel.pk if self.channel else 0
        found.names = list(dict.fromkeys([*found.names, *(name for name in self.names if not _is_id(self, name))]))
        found.ids = list(dict.fromkeys([*found.ids, *telling_ids([self.member.platform_id] if self.member else [])]))
        found.add(
            said=self.messages().exclude(text="").values_list("text", flat=True).iterator(2000),
            told=self.facts().values_list("text", flat=True).iterator(2000),
        )
        return found


def _is_id(target: Target, name: str) -> bool:
    return target.member is not None and name == target.member.platform_id


def digest(guild: Guild, kind: str, platform_id: str) -> str:
    """Return the keyed hash of what is erased."""
    return tombstones.digest(guild, kind, platform_id)


def folder() -> Path:
    """Return where open erasures keep what they look for; empty while none runs."""
    return Path(settings.DATA_DIR) / "erasures"


def of_member(member: Member) -> Target:
    """Return the erasure of a member."""
    others = Member.objects.of(member.guild).exclude(pk=member.pk).values_list("name", "display_name")
    borne = {name for pair in others.iterator(2000) for name in pair if name}
    names = telling([member.display_name, member.name], others=borne)
    return Target(guild=member.guild, member=member, names=[*names, *telling_ids([member.platform_id])])


def of_channel(channel: Channel) -> Target:
    """Return the erasure of a channel and its threads."""
    return Target(guild=channel.guild, channel=channel)


def of_guild(guild: Guild) -> Target:
    """Return the erasure of a guild."""
    return Target(guild=guild)
