"""Counts the calls of models that a conversation would cost in each way of learning, by replaying it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory import pipeline
from memory.importing.schemas import ReadMessage
from memoryhub.ai.call_counter import counting
from memoryhub.common.long_work import Progress
from memoryhub.community.identity import ensure_guild
from memoryhub.community.models import Guild
from memoryhub.community.options import Options
from notes.models import ChannelBuffer, Message

STEP = timedelta(minutes=5)
A_DAY = timedelta(days=1)
Mode = Options.ExtractionMode


@dataclass(frozen=True)
class Cost:
    """What the calls for so many messages came to, by purpose."""

    messages: int
    calls: Counter[str]
    tokens_in: int
    tokens_out: int

    def per_thousand(self, purpose: str = "") -> float:
        """Return the calls for one purpose, or all, that 1,000 messages cost."""
        calls = self.calls[purpose] if purpose else self.calls.total()
        return round(1000 * calls / max(1, self.messages), 1)


def count(said: Sequence[ReadMessage], *, mode: Mode, progress: Progress) -> Cost:
    """Replay the conversations with the rules in a model's place: every five minutes the worker does what is due.

    The database must be a scratch one without these conversations.
    """
    ordered = sorted(said, key=lambda each: each.message.sent_at)
    for ref in {each.guild.key: each.guild for each in ordered}.values():
        ensure_guild(key=ref.key, name=ref.name)
    # Where each message is learned from, receiving calls a worker: here that is done by hand, and no queue is touched.
    Guild.objects.update(extraction_mode=Mode.FLUSH if mode == Mode.MESSAGE else mode)
    with counting() as questions:
        _replay(ordered, mode, progress)
    asked = list(questions)
    return Cost(
        messages=len(ordered), calls=Counter(each.purpose for each in asked),
        tokens_in=sum(each.tokens_in for each in asked), tokens_out=sum(each.tokens_out for each in asked),
    )  # fmt: skip


def _replay(ordered: Sequence[ReadMessage], mode: Mode, progress: Progress) -> None:
    now = ordered[0].message.sent_at if ordered else None
    for number, each in enumerate(ordered, start=1):
        at = each.message.sent_at
        while now and now + STEP <= at and _something_waits():
            now = _work(now + STEP)
        if now and at.date() > now.date():
            pipeline.consolidate_due(now=min(at, now + A_DAY))  # the nights of a silence have nothing to do
        now = at - (at - now) % STEP if now else at
        pipeline.receive(each.message, guild=each.guild, now=at)
        if mode == Mode.MESSAGE:
            Guild.objects.update(extraction_mode=Mode.MESSAGE)
            pipeline.learn_waiting(Mode.MESSAGE, now=at)
            Guild.objects.update(extraction_mode=Mode.FLUSH)
        progress(f"{mode.label}: messages", number, len(ordered))
    while now and _something_waits():
        now = _work(now + STEP)
    if now:
        pipeline.consolidate_due(now=now + A_DAY)


def _something_waits() -> bool:
    unread = Message.objects.said().filter(processed_at=None, parked_at=None)
    return unread.exists() or ChannelBuffer.objects.filter(status__in=["open", "closed"]).exists()


def _work(now: datetime) -> datetime:
    pipeline.learn_waiting(Mode.BATCH, now=now)
    pipeline.tick(now=now)
    return now
