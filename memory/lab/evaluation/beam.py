"""Reads a folder of conversations in which statements are updated or contradicted, in the form of the BEAM data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory.lab.evaluation.locomo import Conversation, rows
from notes.messages.schemas import IncomingAuthor, IncomingChannel, IncomingMessage

ASSISTANT = "assistant"
ROLES = {
    "knowledge_update": ("original_info", "updated_info"),
    "contradiction_resolution": ("first_statement", "second_statement"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A question whose answer changed: the messages that said the old thing, and those that said the new one later."""

    question: str
    name: str
    old: frozenset[str]
    new: frozenset[str]


@dataclass(kw_only=True)
class Changing:
    """One conversation of a person with an assistant, and what changes in it."""

    conversation: Conversation
    updates: list[Update] = field(default_factory=list)


def read(folder: Path, *, limit: int | None = None) -> list[Changing]:
    """Return the conversations that the first `limit` updates are about (None: all), in order; raises DataMissing.

    Left out are updates whose two statements stand in the same message: neither is older.
    """
    found: dict[str, Changing] = {}
    asked = ((row["conversation"], _update(row)) for row in rows(folder / "questions.jsonl"))
    for name, update in [(name, update) for name, update in asked if update][:limit]:
        found.setdefault(name, Changing(conversation=Conversation(name=name))).updates.append(update)
    for row in rows(folder / "messages.jsonl"):
        if row["conversation"] in found:
            found[row["conversation"]].conversation.add(_message(row), session=row["session"])
    return list(found.values())


def _update(row: dict[str, Any]) -> Update | None:
    roles = ROLES.get(row["category_name"])
    if roles is None:
        return None
    # Ids count the messages. Which statement is named first says nothing about which was made first.
    old, new = sorted((row["evidence_roles"].get(role, []) for role in roles), key=lambda ids: min(ids, default=-1))
    if not old or not set(new) - set(old):
        return None
    return Update(question=row["question"], name=row["category_name"], old=_ids(old), new=_ids(set(new) - set(old)))


def _ids(numbers: Sequence[int] | set[int]) -> frozenset[str]:
    return frozenset(str(number) for number in numbers)


def _message(row: dict[str, Any]) -> IncomingMessage:
    author, bot = row["author"], row["author"] == ASSISTANT
    return IncomingMessage(
        message_id=row["message_id"],
        channel=IncomingChannel(id=row["conversation"], name=row["conversation"], audience="guild"),
        author=IncomingAuthor(id=author, name=author, display_name=author.capitalize(), is_bot=bot),
        text=row["text"],
        sent_at=datetime.fromisoformat(row["timestamp"]).replace(tzinfo=UTC),
        source="import",
    )
