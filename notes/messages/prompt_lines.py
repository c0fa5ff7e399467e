"""Messages as tasks see them, and which of them notes and summaries may be written from."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from memoryhub.ai import Line
from memoryhub.community import tombstones
from memoryhub.community.models import Guild
from memoryhub.community.querysets import remembered
from notes.models import Message


def as_lines(messages: Iterable[Message]) -> list[Line]:
    """Return the messages as lines of a prompt, in the order given; their authors should be loaded."""
    rows = list(messages)
    numbers = {message.platform_id: message.pk for message in rows}
    return [
        Line(
            message=message.pk, author=message.author.pk, name=str(message.author), text=message.text,
            sent_at=message.sent_at, answers=numbers.get(message.reply_to),
        )
        for message in rows
    ]  # fmt: skip


def lines_to_tell(guild: Guild, messages: Iterable[Message]) -> list[Line]:
    """Return the lines that notes and summaries are written from: without the names of those who were erased."""
    hidden = tombstones.name_hider(guild)
    return [line.model_copy(update={"text": hidden(line.text)}) for line in as_lines(messages)]


def messages_to_tell(guild: Guild) -> QuerySet[Message]:
    """Return what notes and summaries may be written from: people's words, but not of those who are not remembered."""
    return Message.objects.said().filter(remembered(guild, "author__")).select_related("author")
