"""Reads a folder of conversations in which statements are updated or contradicted, in the form of the BEAM data set."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.lab.evaluation.locomo import Conversation, rows
from notes.messages.schemas import IncomingAuthor

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
class ChangingConversation:
    """One conversation of a person with an assistant, and what changes in it."""

    conversation: Conversation
    updates: list[Update] = field(default_factory=list)


def read(folder: Path, *, limit: int | None = None) -> list[ChangingConversation]:
    """Return the conversations that the first `limit` updates are about (None: all), in order; raises DataMissing.

    Left out are updates whose two statements stand in the same message: neither is older.
    """
    found: dict[str, ChangingConversation] = {}
    updates = [pair for row in rows(folder / "questions.jsonl") if (pair := _update(row))]
    for name, update in updates[:limit]:
        found.setdefault(name, ChangingConversation(conversation=Conversation(name=name))).updates.append(update)
    for row in rows(folder / "messages.jsonl"):
        if row["conversation"] in found:
            author = row["author"]
            sender = IncomingAuthor(
                id=author, name=author, display_name=author.capitalize(), is_bot=author == ASSISTANT
            )
            found[row["conversation"]].conversation.add(row, author=sender)
    return list(found.values())


def _update(row: dict[str, Any]) -> tuple[str, Update] | None:
    """Return a conversation's name and the update that a question is about, None if it is about none."""
    roles = ROLES.get(row["category_name"])
    if roles is None:
        return None
    # Ids count the messages. Which statement is named first says nothing about which was made first.
    old, new = sorted((row["evidence_roles"].get(role, []) for role in roles), key=lambda ids: min(ids, default=-1))
    if not old or not set(new) - set(old):
        return None
    return row["conversation"], Update(
        question=row["question"], name=row["category_name"], old=frozenset(map(str, old)),
        new=frozenset(map(str, set(new) - set(old))),
    )  # fmt: skip
