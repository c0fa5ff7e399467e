"""Reads memories of other systems (mem0's exports, a LangGraph store in SQLite) and takes them over as told facts."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db import transaction
from pydantic import ValidationError

from memory.curation.refusals import WordsRefused
from memory.importing.open_file import Unreadable, open_source
from memory.importing.schemas import reason
from memory.mem0 import adding
from memory.mem0.schemas import AddIn
from memory.models import ClientData
from memoryhub.community.models import Guild
from memoryhub.db.guild_scope import inside
from memoryhub.errors import Conflict, Refused

WORDS = ("memory", "text", "content", "data", "value", "fact")
"""Under which of these names a memory's words are found, whichever comes first."""
LISTS = ("results", "memories", "data", "items")
SHOWN = 20  # refused memories that are told one by one
ENTITIES = ("user_id", "agent_id", "app_id", "run_id")


@dataclass(frozen=True)
class Foreign:
    """A memory of another system: its id there, and what to keep; or where it stands and why it can't be kept."""

    id: str
    body: AddIn | None
    why: str = ""


def read_mem0(path: str) -> Iterator[Foreign]:
    """Yield the memories of an export: a list, an object that holds one, or one object a line. Raises Unreadable."""
    with open_source(path) as source:
        content = source.read()
    try:
        rows = _rows(content)
    except (ValueError, RecursionError) as error:
        raise Unreadable("is no JSON, and no JSON line by line.") from error
    for number, row in enumerate(rows, 1):
        where = f"memory {number}"
        if not isinstance(row, dict):
            yield Foreign(where, None, "is no object")
            continue
        given = {name: row.get(name) for name in (*ENTITIES, "metadata", "categories", "expiration_date")}
        given["run_id"] = given["run_id"] or row.get("session_id")
        at = row.get("created_at") or row.get("timestamp")
        yield _foreign(str(row.get("id") or where), where, _words(row), at, given)


def _rows(content: bytes) -> list[Any]:
    try:
        whole = json.loads(content)
    except ValueError:
        return [json.loads(line) for line in content.splitlines() if line.strip()]
    if isinstance(whole, dict):
        held = next((whole[name] for name in LISTS if isinstance(whole.get(name), list)), None)
        return [whole] if held is None else held
    return whole if isinstance(whole, list) else [whole]


def read_langgraph(path: str) -> Iterator[Foreign]:
    """Yield the items of a store; the last part of a namespace says whom they are about. Raises Unreadable."""
    if not Path(path).is_file():
        raise Unreadable("is no file." if Path(path).exists() else "is not there.")
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as store:
            rows = store.execute("SELECT prefix, key, value, created_at FROM store ORDER BY created_at, prefix, key")
            for prefix, key, value, at in rows:
                where = f"{prefix} / {key}"
                try:
                    item = json.loads(value)
                except (ValueError, TypeError, RecursionError):  # a column of SQLite holds anything
                    yield Foreign(where, None, "its value is no JSON")
                    continue
                spaces = str(prefix).split(".")
                # A namespace of one word, as ("memories",), names nobody: what is in it is the guild's.
                given = {"user_id": spaces[-1] if len(spaces) > 1 else None, "app_id": ".".join(spaces[:-1]) or prefix}
                yield _foreign(f"{prefix}/{key}", where, _words(item), str(at) if at else None, given)
    except sqlite3.DatabaseError as error:
        raise Unreadable("is no LangGraph store in SQLite: it has no table `store`.") from error


READERS: Mapping[str, Callable[[str], Iterator[Foreign]]] = {"mem0": read_mem0, "langgraph": read_langgraph}


def _words(value: Any) -> str:
    """Return the words of an item, however deep its words stand; "" where it has none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    return next((words for name in WORDS if (words := _words(value.get(name)))), "")


def _foreign(number: str, where: str, words: str, at: Any, given: dict[str, Any]) -> Foreign:
    if not words.strip():
        return Foreign(where, None, "holds no words")
    fields = {name: value for name, value in given.items() if value not in (None, "", [], {})}
    try:
        return Foreign(number, AddIn(messages=words, infer=False, timestamp=at, **fields))  # type: ignore[arg-type]
    except ValidationError as error:
        return Foreign(where, None, reason(error))


@dataclass
class Taking:
    """Takes memories into a guild; a dry run goes the same way and stores nothing.

    `insist`: also what reads like an order, code or a question, as much of what a hub itself learned may.
    """

    guild: Guild
    system: str
    now: datetime
    dry_run: bool = False
    insist: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    refused_at: list[str] = field(default_factory=list)

    def take(self, memory: Foreign) -> None:
        """Take one over: what was taken over before is left as it is, whatever was made of it since."""
        with inside(self.guild):
            if memory.body is None:
                self._refuse(memory.id, memory.why)
                return
            event = uuid5(NAMESPACE_URL, f"{self.system}:{self.guild.key}:{memory.id}")
            if ClientData.objects.of(self.guild).filter(event=event).exists():
                self.counts["duplicate"] += 1
                return
            try:
                told = self._tell(memory.body, event)
            except (Refused, Conflict) as error:
                self._refuse(memory.id, str(error))
            else:
                self.counts["stored" if told.new else "known"] += 1

    def _tell(self, body: AddIn, event: UUID, *, insist: bool = False) -> adding.ToldFact:
        try:
            with transaction.atomic():
                # What was told in one run alone is so here, also where its channel was opened since.
                given: dict[str, Any] = {"actor": f"imported:{self.system}", "now": self.now, "closed": True}
                _, (told, *_) = adding.tell(self.guild, body, event=event, insist=insist, **given)
                transaction.set_rollback(self.dry_run)
        except WordsRefused as error:
            if insist or not (self.insist and error.insistable):
                raise
            return self._tell(body, event, insist=True)
        return told

    def _refuse(self, where: str, why: str) -> None:
        self.counts["refused"] += 1
        if len(self.refused_at) < SHOWN:
            self.refused_at.append(f"{where}: {why}")
