"""Applies at once who may be remembered: a member's choice, an operator's block, a guild's mode. No model is needed."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from memoryhub import db
from memoryhub.community import consent
from memoryhub.community.models import Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.db.guild_scope import in_its_guild
from notes.arrangements import keeping as arrangements
from notes.messages import conversations
from notes.models import ChannelBuffer, Journal
from notes.summaries import questions, summarize
from profiles.relationships import relationship_store


@transaction.atomic
@in_its_guild
def choose(member: Member, *, remember: bool, actor: str, now: datetime) -> None:
    """Record the choice; somebody who says no leaves the graph, open conversations, and what holds their words."""
    db.lock_guild(member.guild_id)
    consent.choose(member, remember=remember, actor=actor, now=now)
    them = Member.objects.filter(pk=member.pk)
    _mark_journals(member.guild)
    if not remember:
        relationship_store.drop(member)
        take_out(member.guild, them, now=now)


@transaction.atomic
def block(guild: Guild, *, platform_id: str, blocked: bool, now: datetime) -> None:
    """Take no more messages of this account, and tell nothing of it, or undo that."""
    db.lock_guild(guild.pk)
    consent.block(guild, platform_id=platform_id, blocked=blocked)
    _mark_journals(guild)
    if blocked:
        take_out(guild, Member.objects.of(guild).filter(platform_id=platform_id), now=now)


@transaction.atomic
@in_its_guild
def follow_mode(guild: Guild, *, now: datetime) -> None:
    """Apply the guild's mode to those who have not chosen; what was counted of them comes back with another mode."""
    db.lock_guild(guild.pk)
    _mark_journals(guild)
    take_out(guild, Member.objects.of(guild).filter(~remembered(guild)), now=now)


@in_its_guild
def take_out(guild: Guild, members: QuerySet[Member], *, now: datetime) -> None:
    """Take members out of what retells their words and can be made anew without them.

    Whatever else tells of them is left out where it is read: facts, profiles, notes. Their notes are written anew by
    the worker, without them, where the words of the others are still there.
    """
    conversations.drop_messages_of(guild, members, now=now)
    told = ChannelBuffer.objects.of(guild).filter(note__participants__in=members)
    whole = told.exclude(pk__in=told.filter(messages__let_go_at__isnull=False).values("pk"))
    conversations.reopen(list(whole.values_list("pk", flat=True).distinct()), now=now)
    summarize.leave_out(members)
    questions.leave_out(members)
    arrangements.leave_out(members)


def _mark_journals(guild: Guild) -> None:
    """Have the guild's journals rendered anew before anybody reads them again."""
    Journal.objects.of(guild).filter(~Q(stale=True)).update(stale=True)
