"""Who may be remembered: whom the operator did not block, by their own choice, else the guild's mode; who is found."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from memoryhub import db
from memoryhub.community import tombstones
from memoryhub.community.models import ConsentChoice, Guild, Member

NOT_REMEMBERED = "This member is not to be remembered. Nothing was stored. Their consent decides that."


def remembers(guild: Guild, member: Member | None) -> bool:
    """Tell whether what this member says may be stored; somebody never seen has made no choice."""
    if member is not None and is_blocked(guild, member.platform_id):
        return False
    if member is not None and member.remember is not None:
        return member.remember
    return guild.consent_mode == Guild.ConsentMode.OPT_OUT


def is_heard(guild: Guild, member: Member | None) -> bool:
    """Tell whether words may be used and told: those of nobody, of a bot, of a member who may be remembered.

    As `querysets.heard` asks it of many.
    """
    if member is None or (member.is_bot and member.remember is not False):
        return True
    return remembers(guild, member)


def remembers_account(guild: Guild, platform_id: str) -> bool:
    """Tell the same of an account that may have no row: the no of somebody who was erased outlives them.

    The guild may have none either, as long as nothing was said there.
    """
    if is_blocked(guild, platform_id):
        return False
    if guild.pk is None:
        return remembers(guild, None)
    member = Member.objects.of(guild).filter(platform_id=platform_id).first()
    stone = None if member else tombstones.find(guild, [platform_id]).get(platform_id)
    return (stone is None or stone.remember is not False) and remembers(guild, member)


def is_blocked(guild: Guild, platform_id: str) -> bool:
    """Tell whether the operator blocked this account; it need never have been seen, and stays blocked when erased."""
    return platform_id in guild.blocked


def counts_as_bot(guild: Guild, platform_id: str, *, is_bot: bool) -> bool:
    """Tell whether this account's words are kept for the transcript only and never learned from.

    A bot or webhook on the guild's list counts as a person; a bot that is handed this memory never does.
    """
    return platform_id in guild.own_bots or (is_bot and platform_id not in guild.heard_bots)


@transaction.atomic
def block(guild: Guild, *, platform_id: str, blocked: bool) -> None:
    """Take no more messages of this account, or take them again; what is stored already stays until it is forgotten."""
    db.lock_guild(guild.pk)
    fresh = Guild.objects.get(pk=guild.pk)
    others = [known for known in fresh.blocked if known != platform_id]
    guild.blocked = [*others, platform_id] if blocked else others
    guild.save(update_fields=["blocked"])


@transaction.atomic
def choose(member: Member, *, remember: bool, actor: str, now: datetime) -> None:
    """Record the choice, which holds from now on; what is already stored stays, untold, until it is forgotten."""
    db.lock_guild(member.guild_id)
    ConsentChoice.objects.create(member=member, remember=remember, actor=actor, chosen_at=now)
    member.remember = remember
    member.save(update_fields=["remember"])


@transaction.atomic
def let_be_found(member: Member, *, findable: bool, actor: str, now: datetime) -> None:
    """Record whether who asks who knows about something is told of them; what is remembered of them stays."""
    db.lock_guild(member.guild_id)
    ConsentChoice.objects.create(member=member, findable=findable, actor=actor, chosen_at=now)
    member.findable = findable
    member.save(update_fields=["findable"])
