"""What a change of settings would take away, told before it is made: counts of what would go, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Model, QuerySet

from memory.models import Action, ModelCall
from memory.recaps import recap_periods
from memory.withdrawal import retention, withdraw
from memory.withdrawal.fact_limits import facts_to_archive
from memoryhub.community.consent import remembers
from memoryhub.community.days import day_of
from memoryhub.community.models import SENSITIVE, Guild, Member
from memoryhub.db.guild_scope import in_its_guild
from notes.models import Journal
from profiles.models import RelationshipDay

HowMany = Callable[[Guild, datetime], int]


@in_its_guild
def consequences(guild: Guild, changes: Mapping[str, Any], *, now: datetime) -> list[str]:
    """Return a sentence for each thing of what is stored that these settings would take away; empty: nothing goes."""
    changed = {name for name, value in changes.items() if getattr(guild, name) != value}
    after = copy(guild)
    for name in changed:
        setattr(after, name, changes[name])
    return list(_sentences(guild, after, changed, now))


def _sentences(before: Guild, after: Guild, changed: set[str], now: datetime) -> Iterator[str]:
    if "memory_on" in changed and not after.memory_on:
        yield "Nothing new would be stored. What is known stays, and is not told while memory is off."
    for names, count, one, many, rest in COUNTED:
        if names & changed and (number := count(after, now) - count(before, now)) > 0:
            yield f"{number:,} {one if number == 1 else many} {rest}"
    posts = after.recap != Guild.Recaps.OFF and after.recap_as == Guild.RecapAs.POST
    if posts and {"recap", "recap_as", "recap_channel"} & changed:
        yield _next_recap(after, now)
    for kind, word in sorted(SENSITIVE.items()):
        if f"keep_{kind}" in changed and not getattr(after, f"keep_{kind}"):
            yield f"What was learned of {word} would be looked for in the background and put away."


def _next_recap(guild: Guild, now: datetime) -> str:
    due_at = recap_periods.next_time(guild, now=now) or now
    at = due_at.astimezone(ZoneInfo(guild.time_zone))
    return f"The next recap would be posted on {at:%-d %B %Y at %H:%M}, and no person reads it first."


def _messages(guild: Guild, now: datetime) -> int:
    return retention.expired_messages(guild, now=now).count()


def _facts_with_messages(guild: Guild, now: datetime) -> int:
    """Count the messages that go and take memories along, where these don't outlive them."""
    return 0 if guild.facts_outlive else _messages(guild, now)


def _journals(guild: Guild, now: datetime) -> int:
    if guild.journal_days is None:
        return 0
    edge = now - timedelta(days=guild.journal_days)
    return Journal.objects.of(guild).filter(day__lt=day_of(guild, edge), generated_at__lt=edge).count()


def _archive(guild: Guild, now: datetime) -> int:
    return withdraw.expired_archive(guild, now=now).count()


def _older(rows: QuerySet[Any, Model], days: int | None, now: datetime) -> int:
    return 0 if days is None else rows.filter(at__lt=now - timedelta(days=days)).count()


def _calls(guild: Guild, now: datetime) -> int:
    return _older(ModelCall.objects.filter(guild=guild), guild.call_days, now)


def _actions(guild: Guild, now: datetime) -> int:
    return _older(Action.objects.filter(guild=guild), guild.action_days, now)


def _outgrown(guild: Guild, now: datetime) -> int:
    return len(facts_to_archive(guild, now=now))


def _interactions(guild: Guild, _now: datetime) -> int:
    return 0 if guild.relationships_on else RelationshipDay.objects.of(guild).count()


def _not_remembered(guild: Guild, _now: datetime) -> int:
    """Look at the members one by one, as the rule is code."""
    members = Member.objects.of(guild).filter(is_bot=False).only("platform_id", "remember")
    return sum(not remembers(guild, member) for member in members.iterator())


NEXT_DAY = "would go with the next daily run."
COUNTED: tuple[tuple[frozenset[str], HowMany, str, str, str], ...] = (
    (
        frozenset({"consent_mode", "blocked"}), _not_remembered, "member", "members",
        "would be left out of what is told, and conversations with them written anew without them.",
    ),
    (frozenset({"message_days"}), _messages, "message", "messages", NEXT_DAY),
    (
        frozenset({"message_days", "facts_outlive"}), _facts_with_messages, "message", "messages",
        "would take along the memories that rest on nothing else.",
    ),
    (frozenset({"journal_days"}), _journals, "journal", "journals", NEXT_DAY),
    (frozenset({"archive_days"}), _archive, "archived memory", "archived memories", "would be deleted for good."),
    (frozenset({"call_days"}), _calls, "recorded model call", "recorded model calls", NEXT_DAY),
    (frozenset({"action_days"}), _actions, "line of the action log", "lines of the action log", NEXT_DAY),
    (
        frozenset({"facts_a_member", "lore_facts", "stale_days"}), _outgrown, "memory", "memories",
        "would be archived with the next nightly run; each can be restored.",
    ),
    (
        frozenset({"relationships_on"}), _interactions, "day of who interacts with whom",
        "days of who interacts with whom", "would be deleted now.",
    ),
)  # fmt: skip
"""By the settings that matter: what counts what would go, its name for one and for many, and what happens to it."""
