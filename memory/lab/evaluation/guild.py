"""Reads the chats of guilds that were written for measuring: questions, gold facts, traps, updates and deletions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from memory.lab.evaluation.beam import Update
from memory.lab.evaluation.locomo import Conversation, GoldFact, Question, rows
from notes.messages.schemas import IncomingAuthor

WORLDS = Path(__file__).parent / "guild_worlds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """A claim that must not become memory: a joke, a role, an advertisement, a lie; and where it was made."""

    kind: str
    claim: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Private:
    """A question asked in a channel whose readers may not know the messages that would answer it."""

    question: str
    channel: str
    secret: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """Messages that are deleted, or a member (the platform's id) who is erased, and words that nobody else said."""

    words: tuple[str, ...]
    messages: tuple[str, ...] = ()
    member: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arranged:
    """A message that tells of a plan or a decision: planned, moved, called_off, decided, or unsure; and its day."""

    message: str
    kind: str
    day: date | None = None


@dataclass(kw_only=True)
class GuildChat(Conversation):
    """A guild's chat with all that is known of it."""

    traps: list[Trap] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)
    private: list[Private] = field(default_factory=list)
    deletions: list[Deletion] = field(default_factory=list)
    arranged: list[Arranged] = field(default_factory=list)

    @property
    def asked(self) -> list[str]:
        """Return every text that is asked of it, once."""
        others = [*(each.question for each in self.updates), *(each.question for each in self.private)]
        return list(dict.fromkeys([*super().asked, *others]))

    def member(self, named: str) -> str:
        """Return the platform's id of whoever wrote under this id or this name; what nobody wrote under stays."""
        authors = [message.author for message in self.messages]
        by_name = {author.display_name: author.id for author in authors}
        return named if any(named == author.id for author in authors) else by_name.get(named, named)


def read(folder: Path | None, *, limit: int | None = None, only: str | None = None) -> list[GuildChat]:
    """Return the chats that the first `limit` questions are about (None: all), or one by name; raises DataMissing.

    Without a folder they are those that come with the hub. Messages and questions there must be; the rest may.
    """
    folder, found = folder or WORLDS, dict[str, GuildChat]()
    asked = [row for row in rows(folder / "questions.jsonl") if only in (None, row["conversation"])]
    for row in asked[:limit]:
        question = Question(
            text=row["question"], category=0, name=row["category_name"], evidence=frozenset(row["evidence"])
        )
        found.setdefault(row["conversation"], GuildChat(name=row["conversation"])).questions.append(question)
    for row in rows(folder / "messages.jsonl"):
        if row["conversation"] in found:
            found[row["conversation"]].add(row, author=_author(row))
    for name in ("facts", "traps", "updates", "private", "deletions", "arrangements"):
        for row in _optional(folder / f"{name}.jsonl"):
            if row["conversation"] in found:
                READ[name](found[row["conversation"]], row)
    return list(found.values())


def _author(row: dict[str, Any]) -> IncomingAuthor:
    known = row.get("author_id", row["author"].lower())
    return IncomingAuthor(id=known, name=known, display_name=row["author"], is_bot=row.get("bot", False))


def _optional(path: Path) -> Iterator[dict[str, Any]]:
    if path.exists():
        yield from rows(path)


def _fact(chat: GuildChat, row: dict[str, Any]) -> None:
    chat.facts.append(
        GoldFact(text=row["fact"], evidence=frozenset(row["evidence"]), member=chat.member(row.get("member", "")))
    )


def _trap(chat: GuildChat, row: dict[str, Any]) -> None:
    chat.traps.append(Trap(kind=row["kind"], claim=row["claim"], evidence=frozenset(row["evidence"])))


def _update(chat: GuildChat, row: dict[str, Any]) -> None:
    old, new = frozenset(row["old"]), frozenset(row["new"])
    chat.updates.append(Update(question=row["question"], name=row["name"], old=old, new=new - old))


def _private(chat: GuildChat, row: dict[str, Any]) -> None:
    chat.private.append(
        Private(question=row["question"], channel=row["channel"], secret=frozenset(row["secret"]))
    )  # fmt: skip


def _deletion(chat: GuildChat, row: dict[str, Any]) -> None:
    messages, member = tuple(row.get("messages", [])), chat.member(row.get("member", ""))
    chat.deletions.append(Deletion(words=tuple(row["words"]), messages=messages, member=member))


def _arrangement(chat: GuildChat, row: dict[str, Any]) -> None:
    day = date.fromisoformat(row["day"]) if "day" in row else None
    chat.arranged.append(Arranged(message=row["message"], kind=row["kind"], day=day))


READ = {
    "facts": _fact, "traps": _trap, "updates": _update, "private": _private, "deletions": _deletion,
    "arrangements": _arrangement,
}  # fmt: skip
