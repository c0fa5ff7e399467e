"""A message as a task sees it, and the fence that keeps chat from instructing a model."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, ConfigDict

from memoryhub.language.clip import flat

INSTRUCTION = "wrote an instruction to the bot"
"""What notes and summaries say of who tries to order a model about: the words themselves are told to nobody."""


class Line(BaseModel):
    """One message handed to a task: ids are the hub's own row numbers, so an answer can cite them.

    `sent_at` is by the guild's clock, so that "tomorrow" is its day. `answers` is the line that this one replies to,
    None where that is not among them.
    """

    model_config = ConfigDict(frozen=True)

    message: int
    author: int
    name: str
    text: str
    sent_at: datetime
    answers: int | None = None

    def after(self, earlier: Line) -> timedelta:
        """Return how long after another line it was sent; Python's minus is wrong where a zone's clocks change."""
        return self.sent_at.astimezone(UTC) - earlier.sent_at.astimezone(UTC)


def fence(lines: Sequence[Line]) -> str:
    """Return the lines as data for a prompt, `[message] time name: text`; no text can close the fence."""
    rows = ["<chat>"]
    for line in lines:
        whom = f" (answers {line.answers})" if line.answers else ""
        rows.append(f"[{line.message}] {line.sent_at:%Y-%m-%d %H:%M} {flat(line.name)}{whom}: {flat(line.text)}")
    return "\n".join([*rows, "</chat>"])
