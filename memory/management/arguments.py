"""From what an operator types to rows: a guild's key, the platform's ids of a channel and of members."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from django.core.management.base import CommandError

from memoryhub.community.identity import GuildUnknown, find_guild
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import bears

KNOWN = 12  # guilds, or ids, that are listed to who named another
AS_OF = "what was believed then: 2026-03-02, or 2026-03-02T12:00+01:00 (without an offset: UTC)"


def number_from(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return what reads a whole number within bounds that an operator typed; it raises what argparse shows."""
    wanted = f"of {least:,} or more" if most is None else f"from {least:,} to {most:,}"

    def parse(text: str) -> int:
        """Return the number."""
        number = int(text) if text.strip().lstrip("-").isdecimal() else None
        if number is None or number < least or (most is not None and number > most):
            raise ArgumentTypeError(f"{text!r} is no whole number {wanted}.")
        return number

    return parse


def parse_words(text: str) -> str:
    """Return the words that an operator typed; raises what argparse shows where there are none."""
    if not text.strip():
        raise ArgumentTypeError("it is empty; write what you want to know.")
    return text


def file_to_write(text: str) -> Path:
    """Return the file that an operator named, before minutes of work are lost on it; raises what argparse shows."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise ArgumentTypeError(f"{text!r} can't be written; name a file in a folder that is there.")
    return path


def parse_day(text: str) -> date:
    """Return the day that an operator typed; raises what argparse shows."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no day; write 2026-03-02.") from None
    _refuse_unmeant(text, datetime.combine(found, time.min, UTC))
    return found


def parse_moment(text: str) -> datetime:
    """Return the moment that an operator typed; a day is meant to its end. Raises what argparse shows."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no time; write 2026-03-02, or 2026-03-02T12:00+01:00.") from None
    if len(text) == len("2026-03-02"):
        found += timedelta(days=1, microseconds=-1)
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    _refuse_unmeant(text, found)
    return found


def _refuse_unmeant(text: str, moment: datetime) -> None:
    from notes.messages.schemas import in_history  # its pydantic is slow to come, and few questions name a time

    try:
        in_history(moment)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} can't be meant. {error}") from None


def guild_of(key: str) -> Guild:
    """Return the guild; raises CommandError, which names those that are known."""
    try:
        return find_guild(key)
    except GuildUnknown as error:
        raise CommandError(f"{error} {_known_guilds()}") from error


def _known_guilds() -> str:
    keys = list(Guild.objects.order_by("key").values_list("key", flat=True)[: KNOWN + 1])
    if not keys:
        return "No guild is known yet; `manage.py demo --no-serve` loads one to look at."
    return f"Known guilds: {', '.join(keys[:KNOWN])}{' and more.' if len(keys) > KNOWN else '.'}"


def channel_of(guild: Guild, channel_id: str | None) -> Channel | None:
    """Return the guild's channel, None for none; raises CommandError."""
    if channel_id is None:
        return None
    found = Channel.objects.of(guild).filter(platform_id=channel_id).select_related("parent").first()
    if found is None:
        called = Channel.objects.of(guild).filter(name__iexact=channel_id.removeprefix("#"))
        raise CommandError(_unknown("channel", channel_id, guild, called.values_list("platform_id", flat=True)))
    return found


def members_of(guild: Guild, member_ids: Iterable[str]) -> list[Member]:
    """Return the guild's members in the order given; raises CommandError."""
    wanted = list(member_ids)
    found = {member.platform_id: member for member in Member.objects.of(guild).filter(platform_id__in=wanted)}
    if missing := [each for each in wanted if each not in found]:
        raise unknown_member(guild, missing[0])
    return [found[each] for each in wanted]


def unknown_member(guild: Guild, given: str) -> CommandError:
    """Return what to say of what is no member's id; who gave a name is told whose it is."""
    name = given.removeprefix("@")
    called = Member.objects.of(guild).filter(bears(name))
    return CommandError(_unknown("member", given, guild, called.values_list("platform_id", flat=True)))


def _unknown(kind: str, given: str, guild: Guild, called: Iterable[str]) -> str:
    ids = list(called)[:KNOWN]
    hint = f"Give the id: {' or '.join(ids)} is called so." if ids else "Give the platform's id, not a name."
    return f"The guild {guild.key} has no {kind} {given}. {hint}"
