"""Applies retention limits: texts of messages, journals, archived facts and logs, by each guild's own settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.db.models.functions import Coalesce

from memory.index import writing
from memory.models import Action, Fact, ModelCall, Snapshot
from memory.records import snapshots
from memory.records.action_log import log
from memory.records.isolation import isolated
from memory.withdrawal import withdraw
from memoryhub import db
from memoryhub.community import outbox
from memoryhub.community.days import day_of
from memoryhub.community.models import Event, Guild
from memoryhub.db.guild_scope import in_its_guild
from notes.messages import message_store
from notes.models import ChannelBuffer, Journal, Message

REPORT = "retention"
MESSAGES_AT_ONCE = 200  # their facts, indexes and rows are one transaction: other writers wait no longer than a moment
ROWS_AT_ONCE = 1_000
KeepGoing = Callable[[], bool]

# One statement that answers for a guild of which nothing has to go, as for most of them on most days: it may say yes
# where all waits for something else, but never no. What is limited by nothing is compared with NULL.
# ruff: noqa: S608  (the tables' names are those of models; every value is a parameter)
ANY_OLD = " UNION ALL ".join(
    f"SELECT 1 WHERE EXISTS (SELECT 1 FROM {each})"
    for each in (
        f"{Journal._meta.db_table} WHERE guild_id = %(guild)s AND day < %(journals)s",
        f"{Fact._meta.db_table} WHERE guild_id = %(guild)s AND status = 'archived' AND said_at < %(archived)s",
        f"{ModelCall._meta.db_table} WHERE guild_id = %(guild)s AND at < %(calls)s",
        *(
            f"(SELECT at FROM {table} WHERE guild_id = %(guild)s ORDER BY id LIMIT 1) AS oldest WHERE at < %({name})s"
            for table, name in ((Action._meta.db_table, "actions"), (Event._meta.db_table, "events"))
        ),
        f"{Message._meta.db_table} WHERE guild_id = %(guild)s AND sent_at < %(messages)s"
        " AND deleted_at IS NULL AND let_go_at IS NULL",
    )
)


def apply_retention(*, now: datetime, keep_going: KeepGoing = lambda: True) -> int:
    """Apply every guild's limits, and the hub's to what belongs to no guild; return how many guilds are done."""
    done = 0
    for guild in Guild.objects.order_by("pk"):
        if not keep_going():
            break
        with isolated(REPORT, guild):
            apply_to_guild(guild, now=now, keep_going=keep_going)
            done += 1
    days = settings.MEMORYHUB_LOG_DAYS
    _drop(ModelCall.objects.filter(guild=None), days, now, keep_going)
    _drop(Action.objects.filter(guild=None), days, now, keep_going)
    return done


@in_its_guild
def apply_to_guild(guild: Guild, *, now: datetime, keep_going: KeepGoing = lambda: True) -> Counter[str]:
    """Delete what the guild keeps no longer, a little at a time; return the counts, which the action log keeps.

    Stopped or killed at any moment, the next run goes on; run twice, the second finds nothing. Where nothing is old
    enough, nothing is locked, marked or written.
    """
    if not _has_old(guild, now=now):
        return Counter()
    journals_before = None if guild.journal_days is None else now - timedelta(days=guild.journal_days)
    counts = Counter(
        {
            "journals": snapshots.drop_journals_before(guild, journals_before),
            "archived_facts": withdraw.erase_expired_archive(guild, now=now, keep_going=keep_going),
            "model_calls": _drop(ModelCall.objects.filter(guild=guild), guild.call_days, now, keep_going),
            "actions": _drop(Action.objects.filter(guild=guild), guild.action_days, now, keep_going),
            "events": _drop(Event.objects.of(guild), outbox.KEPT_DAYS, now, keep_going),
        }
    )
    rows = expired = expired_messages(guild, now=now)
    while keep_going() and (messages := list(rows[:MESSAGES_AT_ONCE])):
        counts.update(_empty_messages(guild, messages, now=now))
        rows = expired.filter(sent_at__gte=messages[-1].sent_at)  # what is done already is not walked again
    log(REPORT, guild=guild, actor=REPORT, now=now, counts={name: count for name, count in counts.items() if count})
    return counts


def _has_old(guild: Guild, *, now: datetime) -> bool:
    """Say whether something is as old as the guild keeps it, and so has to be looked at."""

    def before(days: int | None) -> Any:
        return None if days is None else db.to_column(now - timedelta(days=days))

    journals = None if guild.journal_days is None else day_of(guild, now - timedelta(days=guild.journal_days))
    limits = {
        "guild": guild.pk, "journals": journals, "archived": before(guild.archive_days),
        "calls": before(guild.call_days), "actions": before(guild.action_days), "events": before(outbox.KEPT_DAYS),
        "messages": before(guild.message_days),
    }  # fmt: skip
    return bool(db.select(f"{ANY_OLD} LIMIT 1", limits))


def last_report(guild: Guild) -> Action | None:
    """Return what the last run did for the guild, as the action log has it; None before the first."""
    return Action.objects.filter(guild=guild, kind=REPORT).first()


def expired_messages(guild: Guild, *, now: datetime) -> QuerySet[Message]:
    """Return the messages whose text the guild keeps no longer, the oldest first; parked and unread ones wait."""
    if guild.message_days is None:
        return Message.objects.none()
    before = now - timedelta(days=guild.message_days)
    digested = Message.objects.readable().alias(digested=Coalesce("buffer__digested_at", "buffer__closed_at"))
    over = Q(buffer=None) | Q(buffer__status=ChannelBuffer.Status.DONE, digested__lt=before)
    old = digested.filter(over, guild=guild, sent_at__lt=before, processed_at__lt=before)
    return old.order_by("sent_at", "pk")


@transaction.atomic
def _empty_messages(guild: Guild, messages: list[Message], *, now: datetime) -> Counter[str]:
    """Empty the messages and take them out of index and journals; what was learned from them stays with its quotes."""
    db.lock_guild(guild.pk)
    withdraw.drop_told(messages)
    facts = withdraw.erase_unsupported_facts(messages, quoted=guild.facts_outlive)
    writing.drop("message", [message.pk for message in messages], guild=guild.pk)
    message_store.let_go(messages, now=now)
    Snapshot.objects.filter(guild=guild, stale=False).update(stale=True)
    journals = snapshots.drop_journals(guild, {day_of(guild, message.sent_at) for message in messages})
    return Counter(messages=len(messages), facts=facts, journals=journals)


def _drop(rows: QuerySet[Any, Model], days: int | None, now: datetime, keep_going: KeepGoing) -> int:
    """Delete the rows older than so many days, some at a time."""
    if days is None:
        return 0
    gone = 0
    old = rows.filter(at__lt=now - timedelta(days=days)).order_by("pk")
    while keep_going() and (ids := list(old.values_list("pk", flat=True)[:ROWS_AT_ONCE])):
        gone += rows.model._default_manager.filter(pk__in=ids).delete()[0]
    return gone
