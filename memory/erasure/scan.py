"""Looks through every table, index and file for what must be gone, and counts what it finds: no text leaves it."""

# ruff: noqa: S608  (the tables' names are the database's own; every value is a parameter)

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from django.apps import apps
from django.conf import settings
from django.db.models import CharField, ForeignKey, JSONField, ManyToManyField, TextField

from memory.erasure.fingerprints import NONE, WINDOW, Marks, Needles
from memory.erasure.target import BETWEEN, TextBlock, path_to_guild, rows_of_guild, text_blocks
from memoryhub import db
from memoryhub.community.models import Guild, Member
from memoryhub.search.keywords import fts5

BLOCK = 4 * 1024 * 1024
ROWS = 2000
OTHERS_WORDS = {
    "notes.Message.text", "memory.Evidence.quote", "notes.Journal.text", "memory.Snapshot.text",
    "community.Member.name", "community.Member.display_name", "community.Member.label", "community.Member.look",
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
class ScanResult:
    """What a scan saw, by place, and how much it looked through."""

    traces: Counter[str] = field(default_factory=Counter)
    others: int = 0
    kept: int = 0
    looked: Counter[str] = field(default_factory=Counter)
    checkpoint: Callable[[], None] = lambda: None

    def add_names(self, place: str, *, ids: int, names: int) -> None:
        """Count ids and names that stand in a column: only what operators named and others' own words may hold them."""
        if place in KEPT:
            self.kept += ids + names
        elif place in OTHERS_WORDS:
            self.others += names
            self.traces[place] += ids
        else:
            self.traces[place] += ids + names

    def as_receipt(self, *, cleared: bool, rewritten: bool) -> dict[str, Any]:
        """Return the scan as it stands in a receipt."""
        return {
            "traces": self.traces.total(),
            "found_in": dict(sorted(self.traces.items())),
            "in_words_of_others": self.others,
            "kept_by_operators": self.kept,
            **{name: self.looked[name] for name in ("tables", "rows", "files", "bytes")},
            "pages_cleared": cleared,
            "file_rewritten": rewritten and bool(db.files()),  # a server's files are never rewritten
            "not_seen": db.unseen(),
        }


def scan(needles: Needles, checkpoint: Callable[[], None] = lambda: None) -> ScanResult:
    """Look through tables and files; `traces` counts what should not be there.

    `checkpoint` is called now and then, and may raise to end it.
    """
    result = ScanResult(checkpoint=checkpoint)
    _scan_references(needles, result)
    if needles.names or needles.ids:
        _scan_names(needles, result)
    _scan_files(needles, result, in_rows=_scan_texts(needles, result))
    result.traces += Counter()  # without zeros
    return result


def _scan_references(needles: Needles, result: ScanResult) -> None:
    """Count the ids of the member or the guild in columns that point at them, those of the vector index included."""
    if needles.kind == "channel":
        return
    table, row, column = (Member, needles.member, "subject") if needles.kind == "member" else (
        Guild, needles.guild, "guild",
    )  # fmt: skip
    if not row:
        return
    for model in apps.get_models(include_auto_created=True):
        for link in (*model._meta.concrete_fields, *model._meta.many_to_many):
            if isinstance(link, ForeignKey | ManyToManyField) and link.related_model is table:
                count = model._default_manager.filter(**{link.name: row}).count()
                result.traces[f"{model._meta.label}.{link.name}"] += count
    for name in db.tables_with(column):
        result.traces[name] += db.select(f"SELECT count(*) FROM {name} WHERE {column} = %s", [row])[0][0]


def _scan_names(needles: Needles, result: ScanResult) -> None:
    """Count names and account ids in the guild's rows; in tables that know no guild, ids only."""
    for model in apps.get_models():
        fields = model._meta.concrete_fields
        columns = [column.name for column in fields if isinstance(column, CharField | TextField | JSONField)]
        if not columns or model._meta.proxy:
            continue
        result.checkpoint()
        everywhere = path_to_guild(model) is None
        for texts in _rows_that_may_name(needles, text_blocks(rows_of_guild(model, needles.guild), *columns)):
            for column, text in zip(columns, texts, strict=True):
                ids = needles.ids_in(text)
                names = 0 if everywhere else needles.names_in(text)
                if ids or names:
                    result.add_names(f"{model._meta.label}.{column}", ids=ids, names=names)


def _rows_that_may_name(needles: Needles, blocks: Iterator[TextBlock]) -> Iterator[list[str]]:
    for block in blocks:
        rows = [(BETWEEN.join(texts), texts) for _, texts in block]
        if needles.may_name(BETWEEN.join(whole for whole, _ in rows)):  # nearly none has one
            yield from (texts for whole, texts in rows if needles.may_name(whole))


def _scan_texts(needles: Needles, result: ScanResult) -> Marks:
    """Return which fingerprints stand in rows at all; count those of the member's texts that are not others' words.

    A message's row in the word index has, beside its own words, those that were said before it.
    """
    in_rows, others = NONE, NONE
    to_judge: dict[str, Marks] = {}
    message_index = f"{fts5.table_of('message')}_content"
    for table in db.tables():
        columns = ", ".join(db.columns_with_text(table)) or "1"  # its rows are counted, too
        if table == message_index:
            to_judge[f"{table}, what was said before"] = before = _marks_in(table, needles, result, columns="c2")
            in_rows, columns = np.union1d(in_rows, before), "c0, c1"
        marks = _marks_in(table, needles, result, columns=columns)
        in_rows = np.union1d(in_rows, marks)
        if table.startswith(OTHERS_TABLES):
            others = np.union1d(others, marks)
        else:
            to_judge[table] = marks
    for place, marks in to_judge.items():
        if left := len(np.setdiff1d(np.intersect1d(marks, needles.messages), others)):
            result.traces[place] += left
    return in_rows


def _marks_in(table: str, needles: Needles, result: ScanResult, *, columns: str) -> Marks:
    marks = NONE
    result.looked["tables"] += 1
    for block in db.select_blocks(f'SELECT {columns} FROM "{table}"', [], ROWS):
        result.checkpoint()
        result.looked["rows"] += len(block)
        # Nearly all the work of an erasure.
        values = [value for row in block for value in row if value]
        texts = "\0".join([value for value in values if type(value) is str])
        data = [value for value in values if type(value) is bytes]
        marks = np.union1d(marks, needles.found_in(b"\0".join([texts.encode(errors="replace"), *data])))
    return marks


def _scan_files(needles: Needles, result: ScanResult, *, in_rows: Marks) -> None:
    """Look through the database's own pages, free ones and the log of changes included, and all of the data folder."""
    database = {path.resolve() for path in db.files()}
    for path in database:
        marks = np.setdiff1d(_marks_in_file(db.read_blocks(path, BLOCK), needles, result), in_rows)
        if len(marks):
            result.traces[f"pages of {path.name.rpartition('.')[2]}"] += len(marks)
    for path in sorted(Path(settings.DATA_DIR).rglob("*")):
        ours = path.resolve() in database or path.name in SECRET
        if not path.is_file() or ours:
            continue
        place = f"files in {path.relative_to(settings.DATA_DIR).parts[0]}"
        marks = np.intersect1d(_marks_in_file(_blocks_of(path), needles, result), needles.messages)
        if left := len(np.setdiff1d(marks, in_rows)):
            result.traces[place] += left
        if path.parent.name == str(needles.guild) and path.suffix == ".md":  # a journal or a snapshot
            text = path.read_text(encoding="utf-8", errors="replace")
            result.others += needles.names_in(text)
            if ids := needles.ids_in(text):
                result.traces[place] += ids


def _marks_in_file(blocks: Iterator[bytes], needles: Needles, result: ScanResult) -> Marks:
    marks, rest = NONE, b""
    result.looked["files"] += 1
    for block in blocks:
        result.checkpoint()
        result.looked["bytes"] += len(block)
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
