"""The floor: the same rows and the same searches by hand-written SQL and numpy, without models, rules or ranking."""

# ruff: noqa: S608  (the tables' names are made by the house; every value is a parameter)

from __future__ import annotations

import json
import uuid
from pathlib import Path

import numpy as np

from memory.lab.bench.benchmark_guild import NOW, FakeEmbedder
from memoryhub.community.models import Guild, Member
from memoryhub.db.sqlitevec.base import load_vectors
from memoryhub.db.sqlitevec.driver import Database
from memoryhub.search.keywords import fts5
from memoryhub.search.vectors import quantized, store
from memoryhub.search.vectors.vector_types import Vector, table_of

BEST = 10
BY_WORDS = 60  # rows that the word search returns, as many as a lane of recall
BY_CODES = 160  # codes whose embeddings are compared exactly: recall@10 is 0.99
PRAGMAS = ("foreign_keys = ON", "journal_mode = WAL", "synchronous = NORMAL", "busy_timeout = 20000")
STAMP = NOW.strftime("%Y-%m-%d %H:%M:%S")

FACT = """INSERT INTO memory_fact (guild_id, subject_id, kind, text, normalized, confidence, source_type,
    status, pinned, possible_conflict, said_at, reinforcements, junk_signs, created_at, updated_at)
    VALUES (?, ?, 'other', ?, ?, 1.0, 'explicit', 'active', 0, 0, ?, 0, '[]', ?, ?)"""
EVIDENCE = (
    "INSERT INTO memory_evidence (guild_id, fact_id, quote, said_at, batch, created_at) VALUES (?, ?, ?, ?, ?, ?)"
)
CHANGE = """INSERT INTO memory_factchange (guild_id, fact_id, action, before, batch, actor, at, undone)
    VALUES (?, ?, 'add', '{}', ?, 'bench', ?, 0)"""
MARK_SNAPSHOT = "UPDATE memory_snapshot SET stale = 1 WHERE guild_id = ?"
MARK_PROFILE = "UPDATE profiles_profile SET outdated = 1, revision = revision + 1 WHERE member_id = ?"
WORDS = "INSERT INTO {} (rowid, scope, text, before) VALUES (?, ?, ?, '')"
VECTOR = "INSERT INTO {} VALUES (?, ?, ?, 0, ?)"
CODE = "INSERT INTO {} (object_id, guild, subject, audience, code) VALUES (?, ?, ?, 0, vec_bit(?))"
ACTION = """INSERT INTO memory_action (guild_id, kind, actor, detail, at)
    VALUES (?, 'memory_remember', 'bench', ?, ?)"""


class Floor:
    """A connection of its own to the hub's database: the same tables, constraints, indexes and settings."""

    def __init__(self, path: Path, guild: Guild) -> None:
        self._guild, self._fake = guild.pk, FakeEmbedder()
        self._vectors = table_of("fact", self._fake.identity)
        self._codes = quantized.find(kind="fact", model=self._fake.identity, guild=guild.pk)
        self._words = fts5.table_of("fact")
        self._database = Database.connect(path, isolation_level=None)
        load_vectors(self._database)
        for pragma in PRAGMAS:
            self._database.execute(f"PRAGMA {pragma}")

    def add(self, new: tuple[str, Member]) -> int:
        """Look at what is known of the member, then write all that a fact is made of, in one transaction."""
        text, member = new
        embedding = self._fake.query(text)
        self._nearest(embedding, member, 3)
        return self._write(text, member, embedding)

    def write(self, new: tuple[str, Member]) -> int:
        """Write without a look at what is known."""
        return self._write(*new, self._fake.query(new[0]))

    def _write(self, text: str, member: Member, embedding: Vector) -> int:
        run, batch, guild = self._database.execute, uuid.uuid4().hex, self._guild
        run("BEGIN IMMEDIATE")
        values = (guild, member.pk, text, text.rstrip(".").casefold(), STAMP, STAMP, STAMP)
        fact = run(FACT, values).lastrowid or 0
        run(EVIDENCE, (guild, fact, text, STAMP, batch, STAMP))
        run(CHANGE, (guild, fact, batch, STAMP))
        run(MARK_SNAPSHOT, (guild,))
        run(MARK_PROFILE, (member.pk,))
        place = f"g{guild}a0 g{guild}s{member.pk} g{guild}a0s{member.pk}"
        run(WORDS.format(self._words), (fact, place, f"{member}: {text}".lower()))
        run(VECTOR.format(self._vectors), (fact, guild, member.pk, embedding.astype(store.STORED).tobytes()))
        if self._codes:
            run(CODE.format(self._codes.table), (fact, guild, member.pk, self._codes.of(embedding)))
        run(ACTION, (guild, json.dumps({"fact": fact}), STAMP))
        run("COMMIT")
        return fact

    def of_member(self, asked: tuple[str, Member]) -> list[tuple[object, ...]]:
        """Return the member's nearest facts."""
        question, member = asked
        return self._rows(self._nearest(self._fake.query(question), member, BEST))

    def of_guild(self, asked: tuple[str, Member]) -> list[tuple[object, ...]]:
        """Return facts of the guild that share words with the question or are near to it."""
        question = asked[0]
        sought = " OR ".join(f'"{word}"' for word in question.rstrip(".").lower().split())
        by_words = self._database.execute(
            f"SELECT rowid FROM {self._words} WHERE {self._words} MATCH ? ORDER BY bm25({self._words}) LIMIT ?",
            (f"scope : (g{self._guild}a0) AND text : ({sought})", BY_WORDS),
        )
        worded, half = [each for (each,) in by_words], BEST // 2
        return self._rows([*worded[:half], *self._near(self._fake.query(question)), *worded[half:]])[:BEST]

    def _near(self, query: Vector) -> list[int]:
        if self._codes is None:
            return self._best(query, "guild = ?", [self._guild], BY_WORDS)
        coded = self._database.execute(
            f"SELECT object_id FROM {self._codes.table} WHERE code MATCH vec_bit(?) AND k = ? AND guild = ?",
            (self._codes.of(query), BY_CODES, self._guild),
        )
        ids = [each for (each,) in coded]
        return self._best(query, f"object_id IN ({', '.join('?' * len(ids))})", ids, BY_WORDS)

    def _nearest(self, query: Vector, member: Member, limit: int) -> list[int]:
        return self._best(query, "guild = ? AND subject = ?", [self._guild, member.pk], limit)

    def _best(self, query: Vector, where: str, params: list[int], limit: int) -> list[int]:
        rows = self._database.execute(f"SELECT object_id, embedding FROM {self._vectors} WHERE {where}", params)
        found = rows.fetchall()
        if not found:
            return []
        stored = np.frombuffer(b"".join(blob for _, blob in found), store.STORED).reshape(len(found), -1)
        return [found[place][0] for place in np.argsort(-(stored.astype(np.float32) @ query))[:limit]]

    def _rows(self, ids: list[int]) -> list[tuple[object, ...]]:
        marks = ", ".join("?" * len(ids))
        found = self._database.execute(f"SELECT id, text, said_at FROM memory_fact WHERE id IN ({marks})", ids)
        rows: dict[int, tuple[object, ...]] = {row[0]: row for row in found}
        return [rows[each] for each in dict.fromkeys(ids)]
