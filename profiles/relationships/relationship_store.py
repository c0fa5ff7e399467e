"""Keeps what members did towards each other by day and channel, and what an operator says of two of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from django.db import transaction
from django.db.models import Q

from memoryhub import db
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.errors import Refused
from profiles.models import Relationship, RelationshipDay
from profiles.relationships.strength import Counts

COUNTED = ("replies", "mentions", "together", "voice_minutes")


class RelationshipRefused(Refused):
    """No level can be set for these two."""


@transaction.atomic
def set_day(channel: Channel, *, day: date, counts: Mapping[tuple[int, int], Counts]) -> None:
    """Put these counts, by (source, target) row ids, in place of the day's; two workers may do so at once."""
    db.lock_guild(channel.guild_id)
    stored = RelationshipDay.objects.filter(channel=channel, day=day)
    there = {(row.source_id, row.target_id): row for row in stored}
    if gone := [row.pk for pair, row in there.items() if pair not in counts]:
        RelationshipDay.objects.filter(pk__in=gone).delete()
    place = {"guild_id": channel.guild_id, "channel": channel, "day": day}
    new, changed = list[RelationshipDay](), list[RelationshipDay]()
    for (source, target), count in counts.items():
        row, counted = there.get((source, target)), {name: getattr(count, name) for name in COUNTED}
        if row is None:
            new.append(RelationshipDay(source_id=source, target_id=target, **place, **counted))
        elif any(getattr(row, name) != number for name, number in counted.items()):
            vars(row).update(counted)
            changed.append(row)
    db.insert_all(new)
    db.update(changed, *COUNTED)


@in_its_guild
def set_level(one: Member, other: Member, *, level: float, actor: str, now: datetime) -> Relationship:
    """Say how close two members of a guild are, 0 to 1; it wins over what is counted until it is cleared.

    Raises RelationshipRefused for one member twice, for bots, and for members of two guilds.
    """
    if one.pk == other.pk or one.guild_id != other.guild_id or one.is_bot or other.is_bot:
        raise RelationshipRefused("A relationship is between two different people of one guild.")
    first, second = sorted((one, other), key=lambda member: member.pk)
    row, _ = Relationship.objects.update_or_create(
        first=first, second=second, defaults={"level": level, "actor": actor, "set_at": now}
    )
    return row


@in_its_guild
def clear_level(one: Member, other: Member) -> bool:
    """Let what is counted stand again; False if no level was set."""
    pair = Relationship.objects.filter(first=min(one.pk, other.pk), second=max(one.pk, other.pk))
    return bool(pair.delete()[0])


@transaction.atomic
def switch(guild: Guild, *, on: bool) -> None:
    """Turn the guild's graph on or off; off, what was counted goes. On, it counts from the next conversation's end."""
    db.lock_guild(guild.pk)
    guild.relationships_on = on
    guild.save(update_fields=["relationships_on"])
    if not on:
        RelationshipDay.objects.of(guild).delete()


def drop(member: Member) -> None:
    """Take the member out of the graph: they said that they are not to be remembered."""
    RelationshipDay.objects.filter(Q(source=member) | Q(target=member)).delete()
    Relationship.objects.filter(Q(first=member) | Q(second=member)).delete()
