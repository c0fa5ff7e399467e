"""Reads a folder of conversations with questions whose evidence is known, in the form of the LoCoMo data set."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from notes.messages.schemas import MAX_TEXT, GuildRef, IncomingAuthor, IncomingChannel, IncomingMessage

ADVERSARIAL = 5  # the category whose questions have no answer


class DataMissing(Exception):
    """The folder lacks a file of the data set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and the ids of the messages that answer it."""

    text: str
    category: int
    name: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldFact:
    """A fact that a careful reader learnt, the messages it was learnt from, and whom it is about, where that is known.

    `member` is the platform's id.
    """

    text: str
    evidence: frozenset[str]
    member: str = ""


@dataclass(kw_only=True)
class Conversation:
    """One conversation, with the session of each message and a careful reader's summary of each session."""

    name: str
    messages: list[IncomingMessage] = field(default_factory=list)
    sessions: dict[str, int] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    facts: list[GoldFact] = field(default_factory=list)
    summaries: dict[int, str] = field(default_factory=dict)
    shortened: int = 0
    numbered: dict[tuple[str, str], int] = field(default_factory=dict)
    """Sessions by channel and day, where the data set itself has none."""

    def add(self, row: dict[str, Any], *, author: IncomingAuthor) -> None:
        """Add the next message, from a row of the data set; one that is too long for the hub is cut, and counted."""
        self.shortened += len(row["text"]) > MAX_TEXT
        channel = row.get("channel", row["conversation"])
        self.messages.append(
            IncomingMessage(
                message_id=row["message_id"],
                channel=IncomingChannel(id=channel, name=channel, audience=row.get("audience", "guild")),
                author=author,
                text=row["text"][:MAX_TEXT],
                sent_at=datetime.fromisoformat(row["timestamp"]).replace(tzinfo=UTC),
                reply_to=row.get("reply_to"),
                source="import",
            )
        )
        self.sessions[row["message_id"]] = row["session"]

    @property
    def asked(self) -> list[str]:
        """Return every text that is asked of it, once."""
        return list(dict.fromkeys(question.text for question in self.questions))

    @property
    def guild(self) -> GuildRef:
        """Return the guild that the conversation is imported into."""
        return GuildRef(key=f"evaluation:{self.name}", name=self.name)


def read(folder: Path, *, limit: int | None = None) -> list[Conversation]:
    """Return the conversations that the first `limit` questions are about (None: all), in order; raises DataMissing."""
    questions = [row for row in rows(folder / "questions.jsonl") if row["evidence"]][:limit]
    found = {row["conversation"]: Conversation(name=row["conversation"]) for row in questions}
    for row in questions:
        question = Question(
            text=row["question"], category=row["category"], name=row["category_name"],
            evidence=frozenset(row["evidence"]),
        )  # fmt: skip
        found[row["conversation"]].questions.append(question)
    for row in rows(folder / "messages.jsonl"):
        if row["conversation"] in found:
            author = IncomingAuthor(id=row["author"].lower(), name=row["author"], display_name=row["author"])
            found[row["conversation"]].add(row, author=author)
    for row in rows(folder / "facts.jsonl"):
        if row["conversation"] in found:
            gold = GoldFact(text=row["fact"], evidence=frozenset(row["evidence"]))
            found[row["conversation"]].facts.append(gold)
    for row in rows(folder / "session_summaries.jsonl"):
        if row["conversation"] in found:
            found[row["conversation"]].summaries[row["session"]] = row["summary"]
    return list(found.values())


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines; raises DataMissing."""
    try:
        with path.open(encoding="utf-8") as file:
            yield from map(json.loads, file)
    except FileNotFoundError:
        raise DataMissing(f"There is no {path.name} in {path.parent}.") from None
