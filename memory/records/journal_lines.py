"""Reads a journal's lines back: who said what, where and when, put together to talks, for a page to show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

PAUSE = timedelta(minutes=25)  # of a channel, after which another talk begins
LONGEST = 60  # lines, after which a talk is told as another one
_LINE = re.compile(r"- (\S+Z) \| (?:(.*?) \((\S+)\)|.*?) \| \[channel:(.*?)\](?: (.*))?")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>#|])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one message said; `account` and `channel` are the platform's ids, both empty names mean: not remembered."""

    at: datetime
    name: str
    account: str
    channel: str
    text: str


@dataclass(slots=True, kw_only=True)
class Talk:
    """What was said in one channel without a longer pause, or a part of it."""

    channel: str
    lines: list[Line] = field(default_factory=list)


def read_lines(text: str) -> list[Line]:
    """Return the lines of messages in a journal's text; what is none (its title, a person's own words) is left out."""
    return [_read(*found.groups(default="")) for row in text.splitlines() if (found := _LINE.fullmatch(row))]


def _read(at: str, name: str, account: str, channel: str, text: str) -> Line:
    return Line(at=datetime.fromisoformat(at), name=_plain(name), account=account, channel=channel, text=_plain(text))


def _plain(text: str) -> str:
    """Take back what keeps Markdown from reading the text as its own."""
    return _ESCAPED.sub(r"\1", text)


def talks(lines: Iterable[Line]) -> Sequence[Talk]:
    """Return the talks in the order in which they began; two channels may talk at the same time."""
    found: list[Talk] = []
    going_on: dict[str, Talk] = {}
    for line in lines:
        talk = going_on.get(line.channel)
        if talk is None or len(talk.lines) >= LONGEST or line.at - talk.lines[-1].at > PAUSE:
            talk = going_on[line.channel] = Talk(channel=line.channel)
            found.append(talk)
        talk.lines.append(line)
    return found
