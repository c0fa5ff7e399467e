"""Finds what was said right before a message: a line is found better with the one that it answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta

from memoryhub import db
from notes.messages.conversations import OLDEST
from notes.models import Message

# Written out, since every message that comes in asks it: the one before, and the one after.
# ruff: noqa: S608  (every value is a parameter)
SAID_BY_SOMEBODY = f"""SELECT said.id FROM notes_message AS said WHERE said.channel_id = %s
    AND {db.unindexed("said.guild_id")} = %s AND said.deleted_at IS NULL AND said.let_go_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM community_member AS author WHERE author.id = said.author_id
        AND author.guild_id = said.guild_id AND author.is_bot)
    AND said.sent_at BETWEEN %s AND %s"""
AROUND = f"""WHERE notes_message.id IN (
    ({SAID_BY_SOMEBODY} AND (said.sent_at < %s OR (said.sent_at = %s AND said.id < %s))
        ORDER BY said.sent_at DESC, said.id DESC LIMIT 1),
    ({SAID_BY_SOMEBODY} AND (said.sent_at > %s OR (said.sent_at = %s AND said.id > %s))
        ORDER BY said.sent_at, said.id LIMIT 1)) AND {db.unindexed("notes_message.guild_id")} = %s"""

BESIDE = f"""SELECT id FROM ({SAID_BY_SOMEBODY} AND said.sent_at < %s
        ORDER BY said.sent_at DESC, said.id DESC LIMIT 1) AS before
    UNION ALL SELECT id FROM ({SAID_BY_SOMEBODY} AND NOT {db.among("said.id")} LIMIT %s) AS between_them
    UNION ALL SELECT id FROM ({SAID_BY_SOMEBODY} AND said.sent_at > %s
        ORDER BY said.sent_at, said.id LIMIT 1) AS after"""
# What others said in a stretch that is read whole; of more, only the message before each and the one after it is read.
MOST_BETWEEN = 200
BY_ID = f"WHERE {db.among('notes_message.id')} AND {db.unindexed('notes_message.guild_id')} = %s"


def line(message: Message | None) -> str:
    """Return "author: text"; nothing for no message."""
    return f"{message.author}: {message.text}" if message else ""


def with_the_one_before(
    messages: Sequence[Message], *, without: Collection[int] = ()
) -> list[tuple[Message, Message | None]]:
    """Return the messages and those right after them, each with the one before it in the same conversation.

    Messages of bots, those without words (deleted, let go) and those of `without` (row ids) are neither returned nor
    stand before another one.
    """
    if not messages:
        return []
    quiet = timedelta(minutes=messages[0].guild.quiet_minutes)
    ids = {message.pk for message in messages}
    pairs: list[tuple[Message, Message | None]] = []
    for run in _runs(messages, 2 * quiet):
        last, touched = None, False
        for message in _around(run, quiet):
            if _is_silent(message) or message.pk in without:
                touched = True
                continue
            if touched or message.pk in ids:
                # Only a pause may lie between them: what was said between, and went, may have held them together.
                buffers = {last.buffer_id, message.buffer_id} - {None} if last else set[int | None]()
                near = last is not None and len(buffers) < 2 and message.sent_at - last.sent_at <= quiet
                pairs.append((message, last if near else None))
            last, touched = message, message.pk in ids
    return pairs


def _runs(messages: Iterable[Message], gap: timedelta) -> list[list[Message]]:
    """Return stretches of one channel without a longer silence: each is one short read, however old it is."""
    runs: list[list[Message]] = []
    for message in sorted(messages, key=lambda message: (message.channel_id, message.sent_at)):
        last = runs[-1][-1] if runs else None
        if last and last.channel_id == message.channel_id and message.sent_at - last.sent_at <= gap:
            runs[-1].append(message)
        else:
            runs.append([message])
    return runs


def _around(run: Sequence[Message], quiet: timedelta) -> list[Message]:
    """Return the stretch with what else was said in it, the one message before it and the one after it.

    A busy channel is not read whole, nor what is at hand read again: where much was said between, only what is right
    before and right after each is returned with it.
    """
    if len(run) == 1:
        return _around_one(run[0], quiet)
    place, (first, last) = [run[0].channel_id, run[0].guild_id], (run[0].sent_at, run[-1].sent_at)
    begin, start, end, until = map(db.to_column, (first - quiet, first, last, last + max(quiet, OLDEST)))
    ids = db.id_list(message.pk for message in run)
    between = [*place, start, end, ids, MOST_BETWEEN + 1]
    found = db.select(BESIDE, [*place, begin, start, start, *between, *place, end, until, end])
    if len(found) > MOST_BETWEEN:
        beside_each = {each.pk: each for message in run for each in _around_one(message, quiet)}
        return _in_order((beside_each | {message.pk: message for message in run}).values())
    beside = db.id_list(pk for (pk,) in found)
    rows = db.read(Message, BY_ID, [beside, run[0].guild_id], joined=("author",)) if found else []
    return _in_order([*rows, *run])


def _around_one(message: Message, quiet: timedelta) -> list[Message]:
    """Do the same for one message, as chat comes in: it need not be read itself."""
    place = [message.channel_id, message.guild_id]
    begin, at, end = map(db.to_column, (message.sent_at - quiet, message.sent_at, message.sent_at + max(quiet, OLDEST)))
    sides = [*place, begin, at, at, at, message.pk, *place, at, end, at, at, message.pk]
    rows = db.read(Message, AROUND, [*sides, message.guild_id], joined=("author",))
    return _in_order([*rows, message])


def _in_order(messages: Iterable[Message]) -> list[Message]:
    return sorted(messages, key=lambda each: (each.sent_at, each.pk))


def _is_silent(message: Message) -> bool:
    return bool(message.deleted_at or message.let_go_at or message.author.is_bot)
