"""Reads the chats of guilds that were written for measuring, with questions whose evidence is known."""

from __future__ import annotations

from pathlib import Path

from memory.lab.evaluation.locomo import Conversation, Question, rows
from notes.messages.schemas import IncomingAuthor

WORLDS = Path(__file__).parent / "guild_worlds"


def read(folder: Path | None, *, limit: int | None = None) -> list[Conversation]:
    """Return the chats that the first `limit` questions are about (None: all); raises DataMissing.

    Without a folder they are those that come with the hub.
    """
    folder, found = folder or WORLDS, dict[str, Conversation]()
    for row in list(rows(folder / "questions.jsonl"))[:limit]:
        question = Question(
            text=row["question"], category=0, name=row["category_name"], evidence=frozenset(row["evidence"])
        )
        found.setdefault(row["conversation"], Conversation(name=row["conversation"])).questions.append(question)
    for row in rows(folder / "messages.jsonl"):
        if row["conversation"] in found:
            author = IncomingAuthor(id=row["author"].lower(), name=row["author"], display_name=row["author"])
            found[row["conversation"]].add(row, author=author)
    return list(found.values())
