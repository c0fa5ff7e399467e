"""The whole story: messages come in, conversations end and are digested into memory, each night is consolidated."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from itertools import takewhile
from typing import Literal

from django.conf import settings
from django.db import transaction

from memory.curation import figures
from memory.events import webhooks
from memory.index import embeddings, reindexing, writing
from memory.jobs import due_days, minute_work, nightly, profile_rebuilds, profile_updates
from memory.jobs.digest_steps import BUSY, DigestReport, digest_buffer
from memory.jobs.nightly import PHASES, Night, PhaseReport
from memory.learning import batches, extraction
from memory.models import ClientData, Evidence, JobRun, LeftOut
from memory.recaps import recap_writing
from memory.records import item_vectors, skipped, snapshots
from memory.records.action_log import log
from memory.records.isolation import isolated
from memory.withdrawal import close_channel, redact_notes, sensitive_rescan, withdraw
from memory.withdrawal.close_channel import change_audience
from memoryhub import db
from memoryhub.ai import ModelFailed
from memoryhub.common.long_work import Progress, untold
from memoryhub.community import due_work
from memoryhub.community.consent import counts_as_bot, is_blocked, remembers
from memoryhub.community.due_work import Work
from memoryhub.community.identity import CommunityCache, Person, ensure_guild
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db.guild_scope import in_its_guild, inside
from memoryhub.db.leases import ticking
from memoryhub.server import instruments
from notes.messages import conversations, message_store, rate_cap
from notes.messages.arriving import Arriving
from notes.messages.conversations import OpenBuffers
from notes.messages.schemas import GuildRef, IncomingMessage
from notes.models import ChannelBuffer, InteractionNote, Message
from notes.summaries import due, summarize
from profiles.relationships import count

logger = logging.getLogger(__name__)
FORGOTTEN_AT_ONCE = 500  # messages of one account, in one transaction


# --- Messages come in --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Received:
    """What became of a message: stored, known already, or left out and why."""

    id: str
    status: Literal["stored", "duplicate", "ignored"]
    reason: str = ""


def receive(message: IncomingMessage, *, guild: GuildRef, now: datetime) -> Received:
    """Take one message in; once this returns, the message survives whatever process is killed."""
    return receive_many([message], guild=guild, now=now)[0]


@db.retrying
@transaction.atomic
def receive_many(messages: Sequence[IncomingMessage], *, guild: GuildRef, now: datetime) -> list[Received]:
    """Take messages in, in order, in one transaction: consent, identity, storage. No model is asked."""
    direct = bool(messages) and messages[0].channel.kind == "direct"
    arriving = Arriving(messages, now)
    place = ensure_guild(key=guild.key, name=guild.name, direct=direct, find=arriving.guild)
    return _receive(place, arriving, now=now)


@in_its_guild
def _receive(place: Guild, arriving: Arriving, *, now: datetime) -> list[Received]:
    cache, buffers = CommunityCache(place, move=partial(change_audience, now=now)), OpenBuffers(place, now)
    answers, rows, budget = [], [], rate_cap.Budget(cache.guild)
    known = arriving.hand_on(cache, buffers, budget)
    for message in arriving.messages:
        if message.message_id in known:
            answers.append(Received(message.message_id, "duplicate"))
        elif reason := _refusal(message, cache):
            answers.append(Received(message.message_id, "ignored", reason))
        else:
            answers.append(Received(message.message_id, "stored"))
            rows.append(_new_row(message, cache, buffers, budget, now))
            known.add(message.message_id)
    writing.index_new_messages(message_store.store(rows))
    buffers.save()
    cache.save()
    summarize.mark_new(rows)
    if cache.guild.extraction_mode == Guild.ExtractionMode.MESSAGE and not all(row.processed_at for row in rows):
        # A worker reads them now; what the queue does not get is read by the next minute's tick.
        from django_q.tasks import async_task

        transaction.on_commit(lambda: async_task("memory.tasks.learn_at_once", place.pk), robust=True)
    if budget.over:
        skipped.add_counts(budget.guild, kind=LeftOut.Kind.MESSAGE, reasons={"flood": budget.over}, now=now)
    for member in budget.first:  # once an hour
        log("flood", guild=budget.guild, now=now, member=member.pk, read=budget.guild.member_hourly)
    for outcome, number in Counter((each.status, each.reason) for each in answers).items():
        instruments.counted().messages.labels(*outcome).inc(number)
    return answers


def _refusal(message: IncomingMessage, cache: CommunityCache) -> str:
    """Return why the message may not be stored, empty if it may; decided before anything of it is written."""
    guild, author, channel = cache.guild, message.author.id, message.channel
    known = [row for name in channel.ids if (row := cache.channels.get(name))]
    erased_at = cache.erased_at(author)
    reasons = {
        "memory_off": not guild.memory_on,
        "channel_off": any(not (row.memory_on if channel.parent_id else row.listens) for row in known),
        "blocked": is_blocked(guild, author),
        "opted_out": cache.said_no(author) or not remembers(guild, cache.members.get(author)),
        # No import and no history brings back what was said before its author was erased.
        "erased": erased_at is not None and message.sent_at <= erased_at,
        "empty": not message.text.strip(),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _new_row(
    message: IncomingMessage, cache: CommunityCache, buffers: OpenBuffers, budget: rate_cap.Budget, now: datetime
) -> Message:
    """Put the message in its channel and conversation; what bots say, and what is too much, is never digested.

    An import brings what was said long ago, and somebody waits for all of it. A bot that is handed this memory is
    known as such from its first reply on.
    """
    guild, author, sent_at = cache.guild, message.author, min(message.sent_at, now)
    channel = cache.channel(message.channel.place)
    if author.is_own_bot and author.id not in guild.own_bots:
        guild.own_bots = [*guild.own_bots, author.id]
        guild.save(update_fields=["own_bots"])
    known = cache.members.get(author.id)
    bot = counts_as_bot(guild, author.id, is_bot=author.is_bot or (known is not None and known.is_bot))
    person = Person(id=author.id, name=author.name, display_name=author.display_name, is_bot=bot)
    member = cache.member(person, seen_at=sent_at)
    read = not member.is_bot and (message.source == "import" or budget.allows(member, sent_at))
    buffer = buffers.buffer_for(channel, sent_at) if read else None
    return message_store.new_message(message, channel=channel, author=member, buffer=buffer, now=now)


@db.retrying
@transaction.atomic
@in_its_guild
def edit(guild: Guild, *, message_id: str, text: str, now: datetime) -> Message:
    """Put the new text in place of the old; what rested on the old one is withdrawn and derived again.

    Raises MessageUnknown, also for a deleted message: a late edit brings no text back. The edit of somebody who is no
    longer remembered, or where memory was switched off, deletes.
    """
    db.lock_guild(guild.pk)
    message = message_store.find_said(guild, message_id)
    listens = message.guild.memory_on and message.channel.listens
    if not (text.strip() and listens and remembers(message.guild, message.author)):
        delete(guild, message_ids=[message_id], now=now)
    elif text != message.text:
        withdraw.withdraw_message_text([message], now=now)
        message_store.rewrite(message, text=text, now=now)
        _retell(guild, [message], now=now)
        writing.index_messages([message])
    message.refresh_from_db()
    return message


@db.retrying
@transaction.atomic
@in_its_guild
def delete(guild: Guild, *, message_ids: Sequence[str], now: datetime) -> int:
    """Empty messages and withdraw what stood on them alone; returns how many were there. Idempotent."""
    db.lock_guild(guild.pk)
    rows = Message.objects.of(guild).filter(platform_id__in=message_ids, deleted_at=None)
    messages = list(rows.select_related("author"))
    withdraw.withdraw_message_text(messages, now=now)
    ClientData.objects.of(guild).filter(message__in=messages).delete()
    message_store.empty(messages, now=now)
    _retell(guild, messages, now=now)  # most notes on them go, and need not be indexed without them first
    writing.drop("message", [m.pk for m in messages], guild=guild.pk)
    return len(messages)


def forget_said(member: Member, *, actor: str, now: datetime) -> int:
    """Empty all that an account said, and withdraw what stood on it, or on what it told the hub, alone.

    Returns how many messages. Idempotent.

    For a spammer or who took another's name: what others said stays, and all that is known of the one whose name it
    was. Done in parts, each whole by itself; asked again, it goes on. Block the account first, or it says more.
    """
    said = Message.objects.of(member.guild).filter(author=member, deleted_at=None).order_by("pk")
    total = 0
    while ids := list(said.values_list("platform_id", flat=True)[:FORGOTTEN_AT_ONCE]):
        total += delete(member.guild, message_ids=ids, now=now)
    with inside(member), transaction.atomic():
        db.lock_guild(member.guild_id)
        withdraw.withdraw_evidence(Evidence.objects.filter(speaker=member, message=None), now=now)
    log("member_disowned", guild=member.guild, actor=actor, now=now, member=member.pk, messages=total)
    return total


def unlearn_bots(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> None:
    """Take back what was learned from bots before they were known as that; what they said stays to be read.

    In parts, while told to go on; called again, it goes on.
    """
    waiting = Member.objects.filter(unlearned_to__isnull=False).select_related("guild")
    while keep_going() and (bot := waiting.first()):
        with inside(bot), transaction.atomic():
            db.lock_guild(bot.guild_id)
            rows = Message.objects.of(bot.guild).filter(author=bot, deleted_at=None, pk__gt=bot.unlearned_to)
            said = list(rows.order_by("pk")[:FORGOTTEN_AT_ONCE])
            withdraw.withdraw_message_text(said, now=now)
            _retell(bot.guild, said, now=now)
            writing.drop("message", ids := [message.pk for message in said], guild=bot.guild_id)
            Message.objects.filter(pk__in=ids).update(buffer=None, processed_at=now)
            unchanged = Member.objects.filter(pk=bot.pk, unlearned_to=bot.unlearned_to)
            unchanged.update(unlearned_to=ids[-1] if ids else None)


def _retell(guild: Guild, messages: list[Message], *, now: datetime) -> None:
    """Take back what retold these messages, and have their conversations digested once more."""
    notes = list(InteractionNote.objects.filter(messages__in=messages).distinct())
    kept = redact_notes.redact_lost(notes, without=messages)
    withdraw.drop_notes([note for note in notes if note not in kept])
    summarize.withdraw(messages)
    count.recount(messages)
    profile_updates.follow_messages(messages, now=now)
    snapshots.rerender(guild, messages=messages, now=now)
    conversations.reopen({message.buffer_id for message in messages if message.buffer_id}, now=now)


# --- Conversations end and become memory -------------------------------------------------------------------------


@in_its_guild
def flush(channel: Channel, *, now: datetime) -> bool:
    """End the channel's conversation now; True if one was open. Its digest is the worker's next work."""
    return bool(conversations.close_all(guild=channel.guild, channel=channel, now=now))


@in_its_guild
def digest(
    guild: Guild | None, *, now: datetime, progress: Callable[[ChannelBuffer], None] | None = None
) -> DigestReport:
    """Close every open conversation, digest until nothing is left, and read what tools found."""
    unlearn_bots(now=now)
    conversations.close_all(guild=guild, now=now)
    report, clock = digest_closed(guild, now=now, progress=progress), ticking(now)
    while report.busy:
        report.busy = 0
        time.sleep(BUSY.total_seconds())
        digest_closed(guild, now=clock(), progress=progress, report=report)
    report.facts += _learn(batches.of_tools(guild, now=now), now=now)
    return report


@in_its_guild
def digest_closed(
    guild: Guild | None,
    *,
    now: datetime,
    progress: Callable[[ChannelBuffer], None] | None = None,
    keep_going: Callable[[], bool] = lambda: True,
    report: DigestReport | None = None,
) -> DigestReport:
    """Digest the closed conversations, oldest first, while told to go on; one that fails waits, the others go on."""
    report, clock, recovered = report or DigestReport(), ticking(now), False
    while keep_going() and (buffer := conversations.claim(now=clock(), guild=guild, recovered=recovered)):
        recovered = True
        with inside(buffer), due_work.marked_already():
            digest_buffer(buffer, report, clock=clock)
        if progress:
            progress(buffer)
    return report


# --- Each few minutes, and each night ----------------------------------------------------------------------------


def learn_due(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Read for facts what waits in the guilds in which somebody spoke; return how many facts came."""
    facts = 0
    for row in due_work.taken(Work.LEARN, now=now, keep_going=keep_going):
        with inside(row), isolated("learn"):
            facts += learn_waiting(Guild.ExtractionMode.BATCH, now=now, keep_going=keep_going)
            if not Message.objects.unread().exists():  # of this guild; by its index all that was said would be asked
                due_work.put_off(row, None)
    return facts


def learn_waiting(mode: Guild.ExtractionMode, *, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Read waiting messages for facts, a channel's batch at a time; return how many facts came.

    Of the guild in which this thread works, of all where it works in none.
    """
    return _learn(batches.waiting(mode, now=now), now=now, keep_going=keep_going)


def _learn(found: Sequence[batches.Batch], *, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Learn from each batch, while told to go on; one that fails never blocks another member."""
    facts = 0
    for batch in takewhile(lambda _: keep_going(), found):
        try:
            with inside(batch):
                facts += extraction.learn(batch, now=now)["facts"]
        except ModelFailed as error:
            logger.warning("a batch waits for another try", extra={"channel": batch.channel.pk, "reason": error.reason})
    return facts


HANDFUL = 8  # conversations: the rules take a second for them
RENAMED_A_TICK = 5000  # facts and messages of a guild: a few seconds
EMBEDDED_A_TICK = 500  # rows of a guild: ten to twenty seconds of the embedded embedder


def tick(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> DigestReport:
    """Do what a minute brings to the guilds in which something was written; return what was digested."""
    report = DigestReport()
    for row in due_work.taken(Work.MINUTE, now=now, keep_going=keep_going):
        with inside(row), due_work.marked_already(), isolated("minute"):
            embedded, again = _look_after(row.guild, report, now=now, keep_going=keep_going), None
            with isolated("figures"):
                again = figures.count(row.guild, now=now)
            times = again, minute_work.next_look(row.guild, now=now, embedded=embedded)
            due_work.put_off(row, min((at for at in times if at), default=None))
    return report


def _call_for_help(guild: Guild) -> None:
    """Have the queue's other workers digest beside this one where much waits: each takes what nobody has claimed."""
    if conversations.more_wait_than(HANDFUL, guild=guild):
        from django_q.tasks import async_task

        for _ in range(settings.MEMORYHUB_PROCESSES - 1):
            async_task("memory.tasks.digest", guild.pk)


def _look_after(guild: Guild, report: DigestReport, *, now: datetime, keep_going: Callable[[], bool]) -> bool:
    """End a guild's conversations, digest them, summarise its channels, refresh what is out of date.

    True if all that was there when the rest was done is embedded.
    """
    embedded = False
    conversations.close_due(now=now)
    with isolated("bots"):
        unlearn_bots(now=now, keep_going=keep_going)
    with isolated("narrowing"):
        close_channel.update_indexes(keep_going=keep_going)
    with isolated("rescan"):
        sensitive_rescan.continue_rescan(guild, now=now, keep_going=keep_going)
    with isolated("learn"):
        learn_waiting(Guild.ExtractionMode.MESSAGE, now=now, keep_going=keep_going)
    with isolated("help"):
        _call_for_help(guild)
    with isolated("digest"):
        digest_closed(guild, now=now, keep_going=keep_going, report=report)
    with isolated("summaries"):
        due.summarize_due(now=now, keep_going=keep_going)
    with isolated("profiles"):
        profile_updates.follow_facts(now=now)
        profile_rebuilds.rebuild_dirty(now=now, keep_going=keep_going)
    with isolated("papers"):
        snapshots.refresh_stale(guild, now=now)
    with isolated("recaps"):
        recap_writing.write_due(guild, now=now)
    with isolated("webhooks"):
        webhooks.queue_due(guild, now=now)
    with isolated("names"):
        reindexing.follow_names(RENAMED_A_TICK)
    with isolated("embeddings"):
        embedded = embeddings.embed_all_missing(EMBEDDED_A_TICK, keep_going=keep_going)
    with isolated("items"):
        item_vectors.embed_missing(EMBEDDED_A_TICK, keep_going=keep_going)
    return embedded


@in_its_guild
def consolidate(
    guild: Guild, *, day: date, now: datetime, dry_run: bool = False, force: bool = False, by_hand: bool = True,
    keep_going: Callable[[], bool] = lambda: True, progress: Progress = untold,
) -> list[PhaseReport]:  # fmt: skip
    """Consolidate one day: topics, profiles, decay, papers; what is done is skipped, what fails stops no other phase.

    `force` does again what is done; not `by_hand`, what failed waits for its time, and what is parked is left alone.
    """
    if force and not dry_run:
        JobRun.objects.of(guild).filter(day=day).delete()  # whoever works on it now stops at the next piece
    night = Night(
        clock=ticking(now), dry_run=dry_run, force=force, by_hand=by_hand, keep_going=keep_going, progress=progress
    )
    return [nightly.run_phase(phase, guild, day=day, night=night) for phase in PHASES]


def consolidate_due(*, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Consolidate every day that ended since the last run, oldest first; return how many were worked on."""
    done = 0
    for row in due_work.taken(Work.NIGHT, now=now, keep_going=keep_going):
        with inside(row), isolated("night"):
            days = due_days.days_due(row.guild, now=now) if row.guild.memory_on else []
            for day in takewhile(lambda _: keep_going(), days):
                consolidate(row.guild, day=day, now=now, by_hand=False, keep_going=keep_going)
                done += 1
            due_work.put_off(row, due_days.next_look(row.guild, now=now, none_due=not days))
            with isolated("figures"):
                figures.count(row.guild, now=now)  # in one that has been silent since, days may be missed
        if not keep_going():
            due_work.to_the_end(row)
    return done
