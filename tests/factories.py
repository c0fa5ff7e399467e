"""Rows for tests with sensible defaults: plain functions, one for each table that a test needs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from memory.models import Evidence, Fact
from memoryhub.community import due_work
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.models import ApiKey
from notes.models import Arrangement, ChannelBuffer, InteractionNote, Message, Summary
from profiles.models import EntrySource, Profile, ProfileEntry

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
"""The moment around which the tests' world is arranged; tests pass times near it as `now`."""

_numbers = count(1)
_seconds = count(1)


def begin_at_noon() -> None:
    """Have the next test's messages begin again at noon: after half a day of them they would be of another day."""
    global _seconds
    _seconds = count(1)


def minutes(number: float) -> timedelta:
    """Return a stretch of time that reads well after NOON + or NOON -."""
    return timedelta(minutes=number)


def days(number: float) -> timedelta:
    """Return a stretch of days."""
    return timedelta(days=number)


def make_guild(key: str = "discord:1", **fields: Any) -> Guild:
    """Return the guild with this key, made if it is not there."""
    guild, new = Guild.objects.get_or_create(key=key, defaults={"name": "North", **fields})
    if new:
        due_work.mark(guild.pk)
    return guild


def make_channel(guild: Guild | None = None, name: str = "general", **fields: Any) -> Channel:
    """Return the guild's channel of this name, made if it is not there; `private=True` closes it to the guild."""
    guild = guild or make_guild()
    if fields.pop("private", False):
        fields["audience"] = Channel.Audience.CHANNEL
    platform_id = fields.pop("platform_id", f"c-{name}")
    channel, _ = Channel.objects.get_or_create(guild=guild, platform_id=platform_id, defaults={"name": name, **fields})
    return channel


def make_member(guild: Guild | None = None, name: str = "Alice", **fields: Any) -> Member:
    """Return the guild's member of this name, made if it is not there."""
    guild = guild or make_guild()
    platform_id = fields.pop("platform_id", f"u-{name.lower()}")
    defaults = {"name": name.lower(), "display_name": name, **fields}
    member, _ = Member.objects.get_or_create(guild=guild, platform_id=platform_id, defaults=defaults)
    return member


def make_message(
    text: str = "I moved to Toronto last spring.", *, channel: Channel | None = None, author: Member | None = None,
    **fields: Any,
) -> Message:  # fmt: skip
    """Return a new message; in a test each one without `sent_at` is sent a second after the one before it."""
    channel = channel or make_channel(author.guild if author else None)
    author = author or make_member(channel.guild)
    values = {"platform_id": f"m-{next(_numbers)}", "sent_at": NOON + timedelta(seconds=next(_seconds)), **fields}
    return Message.objects.create(guild=channel.guild, channel=channel, author=author, text=text, **values)


def make_buffer(channel: Channel | None = None, **fields: Any) -> ChannelBuffer:
    """Return a new open buffer of the channel."""
    channel = channel or make_channel()
    values = {"opened_at": NOON, "last_message_at": NOON, "due_at": NOON, **fields}
    return ChannelBuffer.objects.create(guild=channel.guild, channel=channel, **values)


def make_fact(
    text: str = "Lives in Toronto.", *, subject: Member | None = None, guild: Guild | None = None,
    evidence: list[Message] | None = None, **fields: Any,
) -> Fact:  # fmt: skip
    """Return a new active fact (lore without a subject) that rests on the messages given as evidence."""
    evidence = evidence or []
    guild = guild or (subject.guild if subject else make_guild())
    kind = Fact.Kind.OTHER if subject else Fact.Kind.LORE
    values = {"said_at": NOON, "kind": kind, "normalized": text.casefold().rstrip("."), **fields}
    fact = Fact.objects.create(guild=guild, subject=subject, text=text, **values)
    for message in evidence:
        make_evidence(fact, message)
    return fact


def make_evidence(fact: Fact, message: Message, quote: str | None = None) -> Evidence:
    """Return a new row of evidence: the message, its author and its words."""
    quote = message.text[:240] if quote is None else quote
    return Evidence.objects.create(
        fact=fact, message=message, speaker=message.author, quote=quote, said_at=message.sent_at
    )


def make_note(
    title: str = "Moving house", *, messages: list[Message] | None = None, participants: list[Member] | None = None,
    channel: Channel | None = None, **fields: Any,
) -> InteractionNote:  # fmt: skip
    """Return a new note of a conversation, with the messages it tells of and the members who took part."""
    messages = messages or []
    channel = channel or (messages[0].channel if messages else make_channel())
    start = messages[0].sent_at if messages else NOON
    end = messages[-1].sent_at if messages else NOON
    values = {
        "summary": "Alice told how she moved to Toronto.",
        "audience_id": channel.heard_by,
        "note_date": start.date(),
        "started_at": start,
        "ended_at": end,
        **fields,
    }
    note = InteractionNote.objects.create(guild=channel.guild, channel=channel, title=title, **values)
    note.messages.set(messages)
    note.participants.set(participants if participants is not None else {message.author for message in messages})
    return note


def make_arrangement(message: Message, text: str = "", **fields: Any) -> Arrangement:
    """Return what a message decides; with `due_at` a plan."""
    values = {"text": (text or message.text)[:300], "said_at": message.sent_at, "decided": "due_at" not in fields}
    values |= {"audience_id": message.channel.heard_by_at(message.sent_at), **fields}
    return Arrangement.objects.create(guild=message.guild, channel=message.channel, message=message, **values)


def make_summary(channel: Channel | None = None, text: str = "Moving houses and cats.", **fields: Any) -> Summary:
    """Return a new rolling summary of the channel."""
    channel = channel or make_channel()
    values = {"kind": Summary.Kind.ROLLING, "from_at": NOON, "to_at": NOON, **fields}
    return Summary.objects.create(guild=channel.guild, channel=channel, text=text, **values)


def make_profile(member: Member | None = None, **fields: Any) -> Profile:
    """Return the member's profile, made if it is not there."""
    profile, _ = Profile.objects.get_or_create(member=member or make_member(), defaults=fields)
    return profile


def make_entry(
    text: str = "Lives in Toronto", *, member: Member | None = None, notes: list[InteractionNote] | None = None,
    section: str = "bio", **fields: Any,
) -> ProfileEntry:  # fmt: skip
    """Return a new line of the member's profile that cites the notes."""
    values = {"normalized": text.casefold(), **fields}
    entry = ProfileEntry.objects.create(profile=make_profile(member), section=section, text=text, **values)
    EntrySource.objects.bulk_create(EntrySource(entry=entry, note=note) for note in notes or [])
    return entry


def make_api_key(guild: Guild | None = None, *, digest: str = "0" * 64, **fields: Any) -> ApiKey:
    """Return a new key row; what the key itself is, its digest says."""
    return ApiKey.objects.create(guild=guild, digest=digest, **{"name": "test", **fields})
