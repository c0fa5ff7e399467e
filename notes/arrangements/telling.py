"""What is told of a decision or a plan: what it is, how it stands, and the messages that say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db.models import Prefetch, Q

from memoryhub.community.days import begin_of, day_of
from memoryhub.community.models import Guild
from memoryhub.community.querysets import heard
from notes.models import Arrangement, ArrangementQuerySet, Message

Status = Literal["planned", "moved", "called_off", "past"]
STATUSES: tuple[Status, ...] = ("planned", "moved", "called_off", "past")
_SAID = ("message__author", "message__channel", "message__guild")
_LOADED = ("guild", "channel", "audience", *_SAID)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A plan as it stands; `what` are the words that name it, `news` those of its last change ("": there was none).

    `due` is None where it was put off and nobody said to when; `was_due` is the moment before it was moved.
    """

    row: Arrangement
    what: str
    news: str
    due: datetime | None
    all_day: bool
    was_due: datetime | None
    was_all_day: bool
    status: Status
    messages: Sequence[Message]


def standing_of(guild: Guild) -> ArrangementQuerySet:
    """Return the guild's decisions and plans that nothing later stands for, ready to be told."""
    return _told(guild).standing().select_related(*_LOADED)


def decisions(guild: Guild) -> ArrangementQuerySet:
    """Return the guild's decisions, ready to be told; also those that a later one stands for."""
    return _told(guild).decisions().select_related(*_LOADED, "replaced_by")


def plans(guild: Guild) -> ArrangementQuerySet:
    """Return the guild's plans as they stand, ready for `plan_of`; what was put aside is not among them."""
    rows = _told(guild).plans().select_related(*_LOADED)
    earlier = Arrangement.objects.of(guild).select_related("guild", *_SAID)
    return rows.prefetch_related(Prefetch("replaces", earlier.order_by("said_at", "pk")))


def _told(guild: Guild) -> ArrangementQuerySet:
    return Arrangement.objects.of(guild).shown().filter(heard(guild, "message__author"))


def of_words(rows: ArrangementQuerySet, text: str) -> ArrangementQuerySet:
    """Return the rows that hold these words, themselves or in what they stand for."""
    words = text.split()
    for word in words:
        rows = rows.filter(Q(text__icontains=word) | Q(replaces__text__icontains=word))
    return rows.distinct() if words else rows


def plan_of(row: Arrangement, *, now: datetime) -> Plan:
    """Return a row of `plans` with what it stands for."""
    chain = [*row.replaces.all(), row]
    chain.sort(key=lambda each: (each.said_at, each.pk))
    every = [each for each in chain if each.due_at]
    dated = [each for each in every if each.said_at <= row.said_at] or every  # what only repeats it came later
    last, put_off = dated[-1], row.change == Arrangement.Change.MOVED and row.due_at is None
    was = last if put_off else next((each for each in reversed(dated) if _moved(each, to=last)), None)
    named = next((each for each in chain if not each.change), row) if row.change else row
    return Plan(
        row=row, what=named.text, news=row.text if named is not row else "",
        due=None if put_off else last.due_at, all_day=last.all_day,
        was_due=was.due_at if was else None, was_all_day=bool(was and was.all_day),
        status=_status(row, last, moved=was is not None, now=now),
        messages=[each.message for each in chain if each.message.deleted_at is None],
    )  # fmt: skip


def _moved(row: Arrangement, *, to: Arrangement) -> bool:
    """Tell whether a plan was moved from one row's day or time to another's; a time may only have been added."""
    days = [day_of(each.guild, each.due_at) for each in (row, to) if each.due_at]
    return days[0] != days[1] or (not row.all_day and row.due_at != to.due_at)


def _status(row: Arrangement, last: Arrangement, *, moved: bool, now: datetime) -> Status:
    if row.change == Arrangement.Change.CALLED_OFF:
        return "called_off"
    assert last.due_at
    over = begin_of(row.guild, day_of(row.guild, now)) if last.all_day else now
    if last.due_at < over:
        return "past"
    return "moved" if moved else "planned"
