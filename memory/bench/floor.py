"""The floor: the least that SQLite and numpy need for the same, without models, scopes, sources or ranking."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memory.bench.measuring import Timing, timed
from memory.bench.world import MEMBERS, FakeEmbedder, sentence

BEST = 60  # rows that the word search returns, as many as a lane of recall
SHAPE = """
    PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
    CREATE TABLE fact (id INTEGER PRIMARY KEY, member INTEGER, text TEXT, said_at TEXT);
    CREATE UNIQUE INDEX fact_text ON fact (member, text, id);
    CREATE INDEX fact_member ON fact (member);
    CREATE TABLE vector (id INTEGER PRIMARY KEY, member INTEGER, embedding BLOB);
    CREATE INDEX vector_member ON vector (member);
    CREATE VIRTUAL TABLE word USING fts5 (text, tokenize="porter unicode61");
"""


class Floor:
    """A database of its own beside the hub's, and all embeddings in memory."""

    def __init__(self, path: Path, size: int) -> None:
        self.size, self._fake = size, FakeEmbedder()
        self._database = sqlite3.connect(path, isolation_level=None)
        self._database.executescript(SHAPE)
        chance = random.Random(size)  # noqa: S311
        texts = [sentence(chance) for _ in range(size)]
        self._embeddings = self._fake.passages(texts)
        self._database.execute("BEGIN")
        for number, text in enumerate(texts):
            self._store(number, text, self._embeddings[number].tobytes())
        self._database.execute("COMMIT")

    def timings(self, questions: Sequence[str]) -> list[Timing]:
        """Time adding one by one, a member's search, and one of everything."""
        added = list(enumerate(questions, self.size))
        return [
            timed("floor: add", self._add, added, facts=self.size),
            timed("floor: recall of a member", self._of_member, questions, facts=self.size),
            timed("floor: recall guild-wide", self._of_all, questions, facts=self.size),
        ]

    def _add(self, new: tuple[int, str]) -> None:
        number, text = new
        self._database.execute("BEGIN IMMEDIATE")
        self._store(number, text, self._fake.query(text).tobytes())
        self._database.execute("COMMIT")

    def _store(self, number: int, text: str, embedding: bytes) -> None:
        member = number % MEMBERS
        self._database.execute("INSERT INTO fact VALUES (?, ?, ?, '2026-01-01')", (number, member, text))
        self._database.execute("INSERT INTO vector VALUES (?, ?, ?)", (number, member, embedding))
        self._database.execute("INSERT INTO word (rowid, text) VALUES (?, ?)", (number, text))

    def _of_member(self, question: str) -> list[int]:
        rows = self._database.execute("SELECT id, embedding FROM vector WHERE member = ?", (len(question) % MEMBERS,))
        ids, blobs = zip(*rows, strict=True)
        near = np.frombuffer(b"".join(blobs), np.float32).reshape(len(ids), -1) @ self._fake.query(question)
        return [ids[place] for place in np.argsort(-near)[:10]]

    def _of_all(self, question: str) -> list[int]:
        sought = " OR ".join(f'"{word}"' for word in question.rstrip(".").split())
        by_words = self._database.execute(
            "SELECT rowid FROM word WHERE word MATCH ? ORDER BY bm25(word) LIMIT ?", (sought, BEST)
        ).fetchall()
        near = self._embeddings @ self._fake.query(question)
        best = [*(number for (number,) in by_words), *map(int, np.argpartition(-near, BEST)[:BEST])]
        marks = ", ".join("?" * len(best))
        return self._database.execute(f"SELECT * FROM fact WHERE id IN ({marks})", best).fetchall()[:10]  # noqa: S608
