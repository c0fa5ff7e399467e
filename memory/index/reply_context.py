"""Finds what was said right before a message: a line is found better with the one that it answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import groupby

from django.db.models import Q

from notes.messages.conversations import OLDEST
from notes.models import Message

COLUMNS = (
    "guild_id", "channel_id", "buffer_id", "text", "sent_at", "deleted_at", "let_go_at",
    "author__display_name", "author__name", "author__platform_id", "author__is_bot",
)  # fmt: skip


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
    silent = {message.pk for message in messages if _says_nothing(message)}
    return [
        pair for run in _runs(messages, 2 * quiet) for pair in _pairs(_around(run, quiet, silent), ids, without, quiet)
    ]


def _runs(messages: Iterable[Message], gap: timedelta) -> Iterator[list[Message]]:
    """Yield stretches of one channel without a longer silence: each is one short read, however old its messages are."""
    ordered = sorted(messages, key=lambda message: (message.channel_id, message.sent_at))
    for _, said in groupby(ordered, key=lambda message: message.channel_id):
        run: list[Message] = []
        for message in said:
            if run and message.sent_at - run[-1].sent_at > gap:
                yield run
                run = []
            run.append(message)
        yield run


def _around(run: Sequence[Message], quiet: timedelta, silent: Collection[int]) -> list[Message]:
    """Return the stretch with the one message before it and the one after it: a busy channel is not read whole."""
    first, last = run[0].sent_at, run[-1].sent_at
    wanted = Q(deleted_at=None, let_go_at=None, author__is_bot=False) | Q(pk__in=silent)
    said = Message.objects.filter(wanted, channel=run[0].channel_id).select_related("author").only(*COLUMNS)
    earlier, later, between = Q(sent_at__lt=first), Q(sent_at__gt=last), said.filter(sent_at__range=(first, last))
    if len(run) == 1:  # as chat comes in: the message itself need not be read, only what else was said that moment
        earlier |= Q(sent_at=first, pk__lt=run[0].pk)
        later |= Q(sent_at=last, pk__gt=run[0].pk)
    before = said.filter(earlier, sent_at__range=(first - quiet, first)).order_by("-sent_at", "-pk")[:1]
    after = said.filter(later, sent_at__range=(last, last + max(quiet, OLDEST))).order_by("sent_at", "pk")[:1]
    return [*before, *(run if len(run) == 1 else between.order_by("sent_at", "pk")), *after]


def _pairs(
    around: Iterable[Message], ids: Collection[int], without: Collection[int], quiet: timedelta
) -> Iterator[tuple[Message, Message | None]]:
    last: Message | None = None
    touched = False
    for message in around:
        if _says_nothing(message) or message.pk in without:
            touched = True
            continue
        if touched or message.pk in ids:
            yield message, last if last and _one_conversation(last, message, quiet) else None
        touched = message.pk in ids
        last = message


def _says_nothing(message: Message) -> bool:
    return bool(message.deleted_at or message.let_go_at or message.author.is_bot)


def _one_conversation(first: Message, second: Message, quiet: timedelta) -> bool:
    """Tell whether only a pause lies between them: what was said between, and went, may have held them together."""
    apart = bool(first.buffer_id and second.buffer_id) and first.buffer_id != second.buffer_id
    return not apart and second.sent_at - first.sent_at <= quiet
