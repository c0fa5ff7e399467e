"""The whole story: messages come in, conversations end and are digested into memory, each night is consolidated."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from itertools import takewhile
from typing import Literal

from django.db import transaction

from memory.index import embeddings, reindexing, writing
from memory.jobs import due_days, nightly, profile_rebuilds, profile_updates  # fmt: skip
from memory.jobs.digest_steps import DigestReport, digest_buffer, learn
from memory.jobs.nightly import Night, PhaseReport
from memory.jobs.nightly_phases import PHASES
from memory.learning import batches
from memory.models import LeftOut
from memory.records import job_runs, skipped, snapshots
from memory.records.action_log import log
from memory.records.clock import ticking
from memory.withdrawal import close_channel_index, redact_notes, sensitive_rescan, withdraw
from memory.withdrawal.close_channel import change_audience
from memoryhub.ai import ModelFailed
from memoryhub.community.consent import counts_as_bot, is_blocked, remembers
from memoryhub.community.identity import CommunityCache, Person, Place, ensure_guild
from memoryhub.community.models import Channel, Guild
from notes.messages import conversations, message_store, rate_cap
from notes.messages.conversations import OpenBuffers
from notes.messages.schemas import GuildRef, IncomingAuthor, IncomingChannel, IncomingMessage
from notes.models import ChannelBuffer, InteractionNote, Message
from notes.summaries import due, summarize
from profiles.relationships import count

logger = logging.getLogger(__name__)


# --- Messages come in --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Received:
    """What became of a message: stored, known already, or left out and why."""

    id: str
    status: Literal["stored", "duplicate", "ignored"]
    reason: str = ""


def receive(message: IncomingMessage, *, guild: GuildRef, now: datetime) -> Received:
    """Take one message in; once this returns, the message survives whatever is killed (promise 1)."""
    return receive_many([message], guild=guild, now=now)[0]


@transaction.atomic
def receive_many(messages: Sequence[IncomingMessage], *, guild: GuildRef, now: datetime) -> list[Received]:
    """Take messages in, in order, in one transaction: consent, identity, intake. No model is asked."""
    place = ensure_guild(key=guild.key, name=guild.name, direct=bool(messages) and messages[0].channel.kind == "direct")
    cache, turns = CommunityCache(place, move=partial(change_audience, now=now)), OpenBuffers(place, now)
    cache.load(
        channels={name for m in messages for name in (m.channel.id, m.channel.parent_id) if name},
        members={m.author.id for m in messages},
    )
    turns.load(cache.channels.values())
    known = message_store.stored_ids(place, [m.message_id for m in messages])
    answers, rows, budget = [], [], rate_cap.Budget(cache.guild)
    for message in messages:
        answer = _judge(message, cache, known)
        answers.append(answer)
        if answer.status == "stored":
            rows.append(_row(message, cache, turns, budget, now))
            known.add(message.message_id)
    writing.index_messages(message_store.store(rows))
    turns.save()
    cache.save()
    summarize.mark_new(rows)
    _learn_at_once(cache.guild, rows)
    _tell_of_floods(budget, now)
    return answers


def _learn_at_once(guild: Guild, rows: Sequence[Message]) -> None:
    """Have a worker read what came in, where each message is to be learned from at once (000, 004).

    The minute's tick reads what is left waiting, also when the queue is away.
    """
    if guild.extraction_mode != Guild.ExtractionMode.MESSAGE or all(row.processed_at for row in rows):
        return
    from django_q.tasks import async_task

    transaction.on_commit(lambda: async_task("memory.tasks.learn_at_once"), robust=True)


def _tell_of_floods(budget: rate_cap.Budget, now: datetime) -> None:
    """Count what nobody reads, and name once an hour in the action log whose it is."""
    if budget.over:
        skipped.add_counts(budget.guild, kind=LeftOut.Kind.MESSAGE, reasons={"flood": budget.over}, now=now)
    for member in budget.first:
        log("flood", guild=budget.guild, now=now, member=member.pk, read=budget.guild.member_hourly)


def _judge(message: IncomingMessage, cache: CommunityCache, known: set[str]) -> Received:
    """Decide before anything is stored whether the message may be."""
    if message.message_id in known:
        return Received(message.message_id, "duplicate")
    reasons = {
        "memory_off": not cache.guild.memory_on,
        "channel_off": _off(message.channel, cache),
        "blocked": is_blocked(cache.guild, message.author.id),
        "opted_out": _said_no(message, cache),
        "erased": _was_erased(message, cache),
        "empty": not message.text.strip(),
    }
    reason = next((name for name, holds in reasons.items() if holds), "")
    return Received(message.message_id, "ignored" if reason else "stored", reason)


def _said_no(message: IncomingMessage, cache: CommunityCache) -> bool:
    member = message.author.id
    return cache.said_no(member) or not remembers(cache.guild, cache.members.get(member))


def _was_erased(message: IncomingMessage, cache: CommunityCache) -> bool:
    """Tell whether it was said before its author was erased: no import and no history brings it back."""
    erased_at = cache.erased_at(message.author.id)
    return erased_at is not None and message.sent_at <= erased_at


def _off(place: IncomingChannel, cache: CommunityCache) -> bool:
    """Tell whether memory is off in the channel, or in the one that its thread hangs on."""
    known = [row for name in (place.id, place.parent_id) if name and (row := cache.channels.get(name))]
    return any(not (row.memory_on if place.parent_id else row.listens) for row in known)


def _row(
    message: IncomingMessage, cache: CommunityCache, turns: OpenBuffers, budget: rate_cap.Budget, now: datetime
) -> Message:
    """Put the message in its channel and conversation; what bots say, and what is too much, is never digested.

    An import brings what was said long ago, and somebody waits for all of it.
    """
    sent_at = min(message.sent_at, now)
    channel = cache.channel(Place(**message.channel.model_dump()))
    author = cache.member(_person(message.author, cache), seen_at=sent_at)
    read = not author.is_bot and (message.source == "import" or budget.allows(author, sent_at))
    buffer = turns.buffer_for(channel, sent_at) if read else None
    return message_store.new_message(message, channel=channel, author=author, buffer=buffer, now=now)


def _person(author: IncomingAuthor, cache: CommunityCache) -> Person:
    """Return who speaks; a bot that is handed this memory is known as such from its first reply on."""
    guild, known = cache.guild, cache.members.get(author.id)
    if author.is_own_bot and author.id not in guild.own_bots:
        guild.own_bots = [*guild.own_bots, author.id]
        guild.save(update_fields=["own_bots"])
    bot = author.is_bot or (known is not None and known.is_bot)
    return Person(
        id=author.id, name=author.name, display_name=author.display_name,
        is_bot=counts_as_bot(guild, author.id, is_bot=bot),
    )  # fmt: skip


@transaction.atomic
def edit(guild: Guild, *, message_id: str, text: str, now: datetime) -> Message:
    """Put the new text in place of the old; what rested on the old one is withdrawn and derived again.

    Raises MessageUnknown, also for a deleted message: a late edit brings no text back. The edit of somebody who is no
    longer remembered, or where memory was switched off, deletes.
    """
    message = message_store.find_said(guild, message_id)
    if not text.strip() or not _may_be_kept(message):
        delete(guild, message_ids=[message_id], now=now)
    elif text != message.text:
        withdraw.withdraw_message_text([message], now=now)
        message_store.rewrite(message, text=text, now=now)
        writing.index_messages([message])
        _retell(guild, [message], now=now)
    message.refresh_from_db()
    return message


def _may_be_kept(message: Message) -> bool:
    """Tell whether a new text of this message may be stored: a choice or a switch may have come since."""
    on = message.guild.memory_on and message.channel.listens
    return on and remembers(message.guild, message.author)


@transaction.atomic
def delete(guild: Guild, *, message_ids: Sequence[str], now: datetime, follow: bool = True) -> int:
    """Empty messages and withdraw what stood on them alone (promise 5); returns how many were there. Idempotent.

    Who deletes thousands, a part at a time, has profiles and the snapshot `follow` once, at the end.
    """
    rows = Message.objects.of(guild).filter(platform_id__in=message_ids, deleted_at=None)
    messages = list(rows.select_related("author"))
    withdraw.withdraw_message_text(messages, now=now)
    message_store.empty(messages, now=now)
    writing.drop("message", [m.pk for m in messages])
    _retell(guild, messages, now=now, follow=follow)
    return len(messages)


def _retell(guild: Guild, messages: list[Message], *, now: datetime, follow: bool = True) -> None:
    """Take back what retold these messages, and have their conversations digested once more."""
    notes = list(InteractionNote.objects.filter(messages__in=messages).distinct())
    kept = redact_notes.redact_authors(notes, without=messages)
    withdraw.drop_notes([note for note in notes if note not in kept])
    summarize.withdraw(messages)
    count.recount(messages)
    if follow:
        profile_updates.follow_messages(messages, now=now)
    snapshots.rerender(guild, messages=messages, now=now, snapshots=follow)
    conversations.reopen({message.buffer_id for message in messages if message.buffer_id}, now=now)


# --- Conversations end and become memory -------------------------------------------------------------------------


def flush(channel: Channel, *, now: datetime) -> bool:
    """End the channel's conversation now; True if one was open. Its digest is the worker's next work."""
    return bool(conversations.close_all(guild=channel.guild, channel=channel, now=now))


def digest(
    guild: Guild | None, *, now: datetime, progress: Callable[[ChannelBuffer], None] | None = None
) -> DigestReport:
    """Close every open conversation and digest until nothing is left."""
    conversations.close_all(guild=guild, now=now)
    return digest_closed(guild, now=now, progress=progress)


def digest_closed(
    guild: Guild | None,
    *,
    now: datetime,
    progress: Callable[[ChannelBuffer], None] | None = None,
    keep_going: Callable[[], bool] = lambda: True,
) -> DigestReport:
    """Digest the closed conversations, oldest first, while told to go on; one that fails waits, the others go on."""
    report, clock = DigestReport(), ticking(now)
    while keep_going() and (buffer := conversations.claim(now=clock(), guild=guild)):
        digest_buffer(buffer, report, clock=clock)
        if progress:
            progress(buffer)
    return report


# --- Each few minutes, and each night ----------------------------------------------------------------------------


def learn_waiting(mode: Guild.ExtractionMode, *, now: datetime) -> int:
    """Read waiting messages for facts, a channel's batch at a time; one bad batch never blocks another member."""
    facts = 0
    for batch in batches.waiting(mode, now=now):
        try:
            facts += learn(batch, now=now)
        except ModelFailed as error:
            logger.warning("a batch waits for another try", extra={"channel": batch.channel.pk, "reason": error.reason})
    return facts


RENAMED_A_TICK = 5000  # facts and messages: a few seconds
EMBEDDED_A_TICK = 500  # facts and notes: ten seconds of the embedded embedder


def tick(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> DigestReport:
    """Do what a minute brings: end conversations, digest them, summarise channels, refresh what is out of date."""
    report = DigestReport()
    conversations.close_due(now=now)
    with _apart("narrowing"):
        close_channel_index.update_indexes(keep_going=keep_going)
    with _apart("rescan"):
        sensitive_rescan.continue_rescans(now=now, keep_going=keep_going)
    with _apart("learn"):
        learn_waiting(Guild.ExtractionMode.MESSAGE, now=now)
    with _apart("digest"):
        report = digest_closed(None, now=now, keep_going=keep_going)
    with _apart("summaries"):
        due.summarize_due(now=now, keep_going=keep_going)
    with _apart("profiles"):
        profile_updates.follow_facts(now=now)
        profile_rebuilds.rebuild_dirty(now=now)
    with _apart("papers"):
        snapshots.refresh_stale(now=now)
    with _apart("names"):
        reindexing.follow_names(RENAMED_A_TICK)
    with _apart("embeddings"):
        embeddings.embed_missing(EMBEDDED_A_TICK)
    return report


@contextmanager
def _apart(chore: str) -> Iterator[None]:
    """Let the failure of one chore stop no other; the next minute tries again."""
    try:
        yield
    except ModelFailed as error:
        logger.warning("a chore of the minute waits for a model", extra={"chore": chore, "reason": error.reason})
    except Exception:
        logger.exception("a chore of the minute failed", extra={"chore": chore})


def consolidate(
    guild: Guild, *, day: date, now: datetime, dry_run: bool = False, force: bool = False, by_hand: bool = True,
    keep_going: Callable[[], bool] = lambda: True, progress: nightly.Progress = lambda what, done, total: None,
) -> list[PhaseReport]:  # fmt: skip
    """Consolidate one day: topics, profiles, decay, papers; what is done is skipped, what fails stops no other phase.

    `force` does again what is done; not `by_hand`, what failed waits for its time, and what is parked is left alone.
    """
    if force and not dry_run:
        job_runs.forget(guild, day)
    night = Night(
        clock=ticking(now), dry_run=dry_run, force=force, by_hand=by_hand, keep_going=keep_going, progress=progress
    )
    return [nightly.run_phase(phase, guild, day=day, night=night) for phase in PHASES]


def consolidate_due(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Consolidate every day that ended since the last run, oldest first; return how many were worked on."""
    done = 0
    for guild in due_days.guilds():
        with _apart("night"):
            for day in takewhile(lambda _: keep_going(), due_days.days_due(guild, now=now)):
                consolidate(guild, day=day, now=now, by_hand=False, keep_going=keep_going)
                done += 1
    return done
