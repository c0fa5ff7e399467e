"""Messages as tasks see them."""

from __future__ import annotations

from collections.abc import Iterable

from memoryhub.ai import Line
from memoryhub.community import tombstones
from memoryhub.community.models import Guild
from notes.models import Message


def as_line(message: Message) -> Line:
    """Return the message as one line of a prompt; its author should be loaded."""
    who = message.author
    return Line(message=message.pk, author=who.pk, name=str(who), text=message.text, sent_at=message.sent_at)


def as_lines(messages: Iterable[Message]) -> list[Line]:
    """Return the messages as lines, in the order given."""
    return [as_line(message) for message in messages]


def lines_to_tell(guild: Guild, messages: Iterable[Message]) -> list[Line]:
    """Return the lines that notes and summaries are written from: without the names of those who were erased."""
    hidden = tombstones.unnamed(guild)
    return [line.model_copy(update={"text": hidden(line.text)}) for line in as_lines(messages)]
