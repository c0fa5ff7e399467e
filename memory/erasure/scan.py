"""Looks through every table, index and file for what must be gone, and counts what it finds: no text leaves it."""

# ruff: noqa: S608  (the tables' names are SQLite's own; every value is a parameter)

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from django.apps import apps
from django.conf import settings
from django.db.models import CharField, ForeignKey, JSONField, ManyToManyField, Model, TextField

from memory.erasure.fingerprints import NONE, WINDOW, Marks, Needles
from memory.erasure.guild_path import of_guild, path
from memory.erasure.target import folder
from memoryhub import db
from memoryhub.community.models import Guild, Member
from memoryhub.search import keywords

WORDED = (CharField, TextField, JSONField)
BLOCK = 4 * 1024 * 1024
ROWS = 2000
OTHERS_WORDS = {
    "notes.Message.text", "memory.Evidence.quote", "notes.Journal.text", "memory.Snapshot.text",
    "community.Member.name", "community.Member.display_name",
}  # fmt: skip
"""Where others' own words stand, or are quoted: a name in them is theirs, and so is a text that they said, too."""
OTHERS_TABLES = ("notes_message", "memory_evidence", "notes_journal", "memory_snapshot", "memoryhub_words_v1_message_")
KEPT = {
    "community.Guild.key", "community.Guild.name", "community.Guild.blocked", "community.Guild.heard_bots",
    "community.Guild.own_bots", "community.Channel.name", "community.Channel.platform_id", "memoryhub.ApiKey.name",
}  # fmt: skip
"""What operators or the platform named and set: a block outlives an erasure, or it could be got round by one."""
SECRET = ("secret_key",)


@dataclass
class Found:
    """What a scan saw, by place, and how much it looked through."""

    traces: Counter[str] = field(default_factory=Counter)
    others: int = 0
    kept: int = 0
    looked: Counter[str] = field(default_factory=Counter)

    def as_receipt(self, *, cleared: bool, rewritten: bool) -> dict[str, Any]:
        """Return the scan as it stands in a receipt."""
        return {
            "traces": self.traces.total(),
            "found_in": dict(sorted(self.traces.items())),
            "in_words_of_others": self.others,
            "kept_by_operators": self.kept,
            "tables": self.looked["tables"],
            "rows": self.looked["rows"],
            "files": self.looked["files"],
            "bytes": self.looked["bytes"],
            "pages_cleared": cleared,
            "file_rewritten": rewritten,
        }


def scan(needles: Needles) -> Found:
    """Look through tables and files; `traces` counts what should not be there."""
    found = Found()
    _references(needles, found)
    _named(needles, found)
    _files(needles, found, known=_told(needles, found))
    found.traces += Counter()  # without zeros
    return found


# --- Ids in columns that point at the member or the guild --------------------------------------------------------


def _references(needles: Needles, found: Found) -> None:
    wanted = {"member": (Member, needles.member), "guild": (Guild, needles.guild)}.get(needles.kind)
    if wanted is None or not wanted[1]:
        return
    table, row = wanted
    for model in apps.get_models(include_auto_created=True):
        for link in _links(model, table):
            found.traces[f"{model._meta.label}.{link}"] += model._default_manager.filter(**{link: row}).count()
    for name, column in _columns_of_indexes(needles.kind):
        found.traces[name] += db.select(f"SELECT count(*) FROM {name} WHERE {column} = %s", [row])[0][0]


def _links(model: type[Model], table: type[Model]) -> Iterator[str]:
    fields = [*model._meta.concrete_fields, *model._meta.many_to_many]
    for each in fields:
        if isinstance(each, ForeignKey | ManyToManyField) and each.related_model is table:
            yield each.name


def _columns_of_indexes(kind: str) -> Iterator[tuple[str, str]]:
    """Yield the tables of the vector index, codes included, with the column that says whose a row is."""
    column = "subject" if kind == "member" else "guild"
    rows = db.select("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name LIKE 'memoryhub_vector%'")
    for name, sql in rows:
        if "object_id" in str(sql) and column in str(sql):
            yield name, column


# --- Names and account ids, in the rows of the guild -------------------------------------------------------------


def _named(needles: Needles, found: Found) -> None:
    if not (needles.names or needles.ids):
        return
    for model in apps.get_models():
        columns = [
            each.name for each in model._meta.concrete_fields if isinstance(each, CharField | TextField | JSONField)
        ]
        if columns and not model._meta.proxy:
            _named_in(model, columns, needles, found)


def _named_in(model: type[Model], columns: list[str], needles: Needles, found: Found) -> None:
    rows = of_guild(model, needles.guild)
    everywhere = path(model) is None
    for values in rows.values_list(*columns).iterator(ROWS):
        for column, value in zip(columns, values, strict=True):
            text = value if isinstance(value, str) else repr(value)
            ids = needles.ids_in(text)
            names = 0 if everywhere else needles.names_in(text)
            if ids or names:
                _sort(f"{model._meta.label}.{column}", ids, names, found)


def _sort(place: str, ids: int, names: int, found: Found) -> None:
    if place in KEPT:
        found.kept += ids + names
    elif place in OTHERS_WORDS:
        found.others += names
        found.traces[place] += ids
    else:
        found.traces[place] += ids + names


# --- Texts, in every table there is: those of the indexes, too ---------------------------------------------------


def _told(needles: Needles, found: Found) -> Marks:
    """Return which fingerprints stand in rows at all; count those of the member's texts that are not others' words."""
    live, theirs, elsewhere = NONE, NONE, dict[str, Marks]()
    for table in _tables():
        if (
            table == f"{keywords.fts5.table_of('message')}_content"
        ):  # beside its own words a row has those said before it
            elsewhere[f"{table}, what was said before"] = before = _marks_in(table, needles, found, columns="c2")
            live, own = np.union1d(live, before), "id, c0, c1"
        else:
            own = "*"
        marks = _marks_in(table, needles, found, columns=own)
        live = np.union1d(live, marks)
        if table.startswith(OTHERS_TABLES):
            theirs = np.union1d(theirs, marks)
        else:
            elsewhere[table] = marks
    for table, marks in elsewhere.items():
        if left := len(np.setdiff1d(np.intersect1d(marks, needles.said), theirs)):
            found.traces[table] += left
    return live


def _tables() -> list[str]:
    rows = db.select("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%%'")
    return [name for (name,) in rows]


def _marks_in(table: str, needles: Needles, found: Found, *, columns: str) -> Marks:
    marks = NONE
    found.looked["tables"] += 1
    for block in db.select_blocks(f'SELECT {columns} FROM "{table}"', [], ROWS):
        found.looked["rows"] += len(block)
        data = b"\0".join(_bytes(value) for row in block for value in row if isinstance(value, str | bytes))
        marks = np.union1d(marks, needles.found_in(data))
    return marks


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode(errors="replace")


# --- Files -------------------------------------------------------------------------------------------------------


def _files(needles: Needles, found: Found, *, known: Marks) -> None:
    """Look through the database's own pages, free ones and the log of changes included, and all of the data folder."""
    own = {each.resolve() for each in db.files()}
    for each in own:
        marks = np.setdiff1d(_marks_in_file(db.blocks_of(each, BLOCK), needles, found), known)
        if len(marks):
            found.traces[f"pages of {each.name.rpartition('.')[2]}"] += len(marks)
    for each in sorted(Path(settings.DATA_DIR).rglob("*")):
        if each.is_file() and each.resolve() not in own and folder() not in each.parents and each.name not in SECRET:
            _file(each, needles, found, known=known)


def _file(path: Path, needles: Needles, found: Found, *, known: Marks) -> None:
    marks = np.setdiff1d(np.intersect1d(_marks_in_file(_blocks_of(path), needles, found), needles.said), known)
    place = f"files in {path.relative_to(settings.DATA_DIR).parts[0]}"
    if len(marks):
        found.traces[place] += len(marks)
    paper = path.parent.name == str(needles.guild) and path.suffix == ".md"
    if paper:
        text = path.read_text(encoding="utf-8", errors="replace")
        found.others += needles.names_in(text)
        if ids := needles.ids_in(text):
            found.traces[place] += ids


def _marks_in_file(blocks: Iterator[bytes], needles: Needles, found: Found) -> Marks:
    marks, rest = NONE, b""
    found.looked["files"] += 1
    for block in blocks:
        found.looked["bytes"] += len(block)
        marks = np.union1d(marks, needles.found_in(rest + block))
        rest = block[1 - WINDOW :]
    return marks


def _blocks_of(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                yield block
    except OSError:
        return  # it went while it was looked for
