"""Who asks and where, and which rows they may be shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db.models import Q, QuerySet

from botrunner.capture import convert
from botrunner.capture.handlers import unwanted
from memory.curation.browse import with_evidence
from memory.models import Fact, FactQuerySet
from memory.withdrawal.close_channel import change_audience
from memoryhub.community import consent
from memoryhub.community.identity import CommunityCache, Person, ensure_guild, of_key
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from notes.messages.schemas import GuildRef, IncomingChannel
from notes.models import InteractionNote
from profiles.models import ProfileEntry

ONLY_PEOPLE = "Only what a person wrote can be remembered. `/memory remember` takes your own words."
SETTING = "Server managers can change that in the dashboard's settings."
LEFT_OUT = {
    "private_thread": f"In this server nothing of private threads is remembered. {SETTING}",
    "nsfw": f"In this server nothing of age-restricted channels is remembered. {SETTING}",
    "no_entry": "The message bears 🚫 or ⛔, which says not to remember it. Take the sign out, then ask again.",
    "proxied": ONLY_PEOPLE,
}
"""What is answered to somebody who wants kept what the guild's settings leave out."""


@dataclass(frozen=True)
class Caller:
    """Who asks, where, and which channels they can read: nobody is told what was said where they could not be.

    `needs` is what the guild must want for what is said there to be kept (see `capture.filters`).
    """

    guild: GuildRef
    person: Person
    channel: IncomingChannel | None = None
    readable: frozenset[str] = frozenset()
    needs: tuple[str, ...] = ()

    @property
    def actor(self) -> str:
        """Return how changes to their own memory are signed."""
        return f"member:{self.person.id}"

    @property
    def moderator(self) -> str:
        """Return how what they do for the guild is signed."""
        return f"moderator:{self.person.id}"

    def can_read(self) -> Q:
        """Return the condition that a row came from where they can read."""
        return Q(audience=None) | Q(audience__platform_id__in=self.readable)


def load_caller(caller: Caller, now: datetime) -> tuple[Guild, CommunityCache]:
    """Return the guild and a cache that holds the caller, and their channel if it is known; makes what is new."""
    channel = caller.channel
    direct = channel is not None and channel.kind == "direct"
    guild = ensure_guild(key=caller.guild.key, name=caller.guild.name, direct=direct)
    cache = new_cache(guild, now=now)
    cache.load(channels=channel.ids if channel else (), members=[caller.person.id])
    cache.member(caller.person, seen_at=now)
    return guild, cache


def new_cache(guild: Guild, *, now: datetime) -> CommunityCache:
    """Return an empty cache of the guild."""
    return CommunityCache(guild, move=partial(change_audience, now=now))


def guild_of(caller: Caller) -> Guild | None:
    """Return the guild if anything is known of it."""
    return of_key(caller.guild.key)


def channel_of(caller: Caller) -> Channel | None:
    """Return the channel in which they ask if anything is known of it."""
    rows = Channel.objects.filter(guild__key=caller.guild.key).select_related("guild", "parent")
    return rows.filter(platform_id=caller.channel.id).first() if caller.channel else None


def readable_rows(caller: Caller, guild: Guild) -> frozenset[int]:
    """Return the row ids of the channels that they can read: for their eyes only; in a direct chat that chat."""
    rows, here = Channel.objects.of(guild).filter(platform_id__in=caller.readable), channel_of(caller)
    return frozenset([*rows.values_list("pk", flat=True), *([here.pk] if here else ())])


def member_of(caller: Caller, person_id: str = "") -> Member | None:
    """Return the caller, or another member of their guild, if anything is known of them."""
    rows = Member.objects.filter(guild__key=caller.guild.key).select_related("guild")
    return rows.filter(platform_id=person_id or caller.person.id).first()


def in_names(caller: Caller, text: str) -> str:
    """Return what the caller typed with names in place of the ids that Discord puts in for members and channels."""

    def name_of(sigil: str, number: int) -> str:
        if sigil == "@&":
            return "@unknown"
        rows, sign = (Channel.objects, "#") if sigil == "#" else (Member.objects, "@")
        row = rows.filter(guild__key=caller.guild.key, platform_id=str(number)).first()
        return f"{sign}{row.name if isinstance(row, Channel) else row or 'unknown'}"

    return convert.in_words(text, name_of)


def may_store(caller: Caller) -> bool:
    """Tell whether something new of the caller may be stored where they ask; somebody never seen has made no choice."""
    guild, channel = guild_of(caller), channel_of(caller)
    on = guild is None or (guild.memory_on and (channel is None or channel.listens))
    return on and not left_out(caller) and (guild is None or consent.remembers_account(guild, caller.person.id))


def left_out(caller: Caller) -> str:
    """Return in words why the guild keeps nothing of what is said where they ask, by its settings; "" if it does.

    Whoever asks the bot has addressed it.
    """
    needs = [name for name in caller.needs if name != "unaddressed"]
    return LEFT_OUT.get(unwanted(guild_of(caller) or Guild(key=caller.guild.key), needs), "")


# --- What a caller may be shown of a member -------------------------------------------------------------------------


def facts_of(caller: Caller, *, of: str = "") -> FactQuerySet:
    """Return the active facts about the caller, or another member, that came from where the caller can read."""
    return with_evidence(all_facts_of(caller, of=of).filter(status=Fact.Status.ACTIVE))


def all_facts_of(caller: Caller, *, of: str = "") -> FactQuerySet:
    """Return these facts whatever their status."""
    rows = Fact.objects.filter(guild__key=caller.guild.key, subject__platform_id=of or caller.person.id)
    return rows.filter(caller.can_read(), _may_be_shown(caller, "subject__", of=of))


def entries_of(caller: Caller, *, of: str = "") -> QuerySet[ProfileEntry]:
    """Return the shown entries of a profile that came from where the caller can read."""
    return all_entries_of(caller, of=of).filter(status=ProfileEntry.Status.SHOWN)


def all_entries_of(caller: Caller, *, of: str = "") -> QuerySet[ProfileEntry]:
    """Return these entries with those that were taken out."""
    whose = Q(profile__member__guild__key=caller.guild.key, profile__member__platform_id=of or caller.person.id)
    rows = ProfileEntry.objects.filter(whose, caller.can_read(), _may_be_shown(caller, "profile__member__", of=of))
    return rows.select_related("profile__member__guild", "audience").order_by("section", "position", "pk")


def notes_of(caller: Caller, *, of: str = "") -> QuerySet[InteractionNote]:
    """Return the notes of what the member took part in, that the caller could have heard."""
    guild = guild_of(caller)
    rows = InteractionNote.objects.told(guild) if guild else InteractionNote.objects.none()
    rows = rows.filter(caller.can_read(), participants__platform_id=of or caller.person.id)
    return rows.select_related("guild", "channel", "audience").order_by("-ended_at", "-pk")


def _may_be_shown(caller: Caller, who: str, *, of: str) -> Q:
    """Return the condition that something of another is shown at all; of oneself everything is."""
    guild = guild_of(caller)
    return remembered(guild, who) if of and guild else Q()
