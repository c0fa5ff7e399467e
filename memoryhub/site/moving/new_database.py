"""What is done to the new database, in the process that has its settings."""

from __future__ import annotations

import json
from typing import Any

from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, connection, transaction

from memory.index.documents import KINDS
from memory.management.database import MOVE, migrate
from memoryhub import db
from memoryhub.search import keywords, vectors
from memoryhub.site.moving.stored_rows import AT_ONCE, add_up, fields, late_links, models, named, names

PREPARED = "tables"


class Refused(Exception):
    """The database can't be moved to; the text says why."""


class NewDatabase:
    """The new database. Each method that writes does it in one transaction, together with how far the move is."""

    def look(self) -> dict[str, tuple[Any, int]]:
        """Return what `prepare` would, and leave no trace: not even the file that SQLite makes when it is opened."""
        there = db.files()
        steps = self._steps()
        if not there:
            connection.close()
            for made in db.files():
                made.unlink()
        return steps

    def prepare(self) -> dict[str, tuple[Any, int]]:
        """Make the tables, and leave them empty; return for each step begun its last key and how many rows it has.

        Raises Refused when the database holds anything that no unfinished move has put there.
        """
        steps = self._steps()
        columns = "step varchar(200) PRIMARY KEY, last_key text NOT NULL, done bigint NOT NULL"
        db.run(f"CREATE TABLE IF NOT EXISTS {MOVE} ({columns})")
        if PREPARED not in steps:
            migrate()
            # What migrations wrote comes with the rows, under the ids that it has there.
            call_command("flush", interactive=False, inhibit_post_migrate=True, verbosity=0)
            self._note(PREPARED, None, 0)
        return steps

    def put_rows(self, label: str, rows: list[tuple[Any, ...]], last: Any) -> None:
        """Write rows of a table as they are; `last` is the key of the last one."""
        model: Any = named(label)
        made = [model.from_db(DEFAULT_DB_ALIAS, names(model), row) for row in rows]
        size = max(connection.ops.bulk_batch_size(fields(model), made), 1)
        with transaction.atomic():
            for start in range(0, len(made), size):
                # Not `bulk_create`: it fills in the times that say when a row was written.
                block = made[start : start + size]
                model._base_manager._insert(block, fields=fields(model), using=DEFAULT_DB_ALIAS, raw=True)
            self._note(label, last, len(rows))

    def put_links(self, step: str, label: str, rows: list[tuple[Any, ...]], last: Any) -> None:
        """Set the links that could not be set before all rows were there: each row is its id and its late links."""
        model: Any = named(label)
        links = late_links(model)
        linked = [model(pk=pk, **dict(zip(links, values, strict=True))) for pk, *values in rows]
        with transaction.atomic():
            model._base_manager.bulk_update(linked, [name.removesuffix("_id") for name in links], batch_size=100)
            self._note(step, last, len(rows))

    def put_vectors(self, step: str, kind: str, model: str, rows: list[Any]) -> None:
        """Keep embeddings as they were computed."""
        with transaction.atomic():
            vectors.put(kind=kind, model=model, rows=rows)
            self._note(step, (rows[-1].guild, rows[-1].id), len(rows))

    def put_words(self, step: str, kind: str, after: int) -> tuple[int, int] | None:
        """Index the words of the next rows of a kind; return the last id and how many there were, None at the end."""
        rows = list(KINDS[kind].rows().filter(pk__gt=after).order_by("pk")[:500])
        if not rows:
            return None
        with transaction.atomic():
            keywords.put(kind=kind, rows=KINDS[kind].words(rows))
            self._note(step, rows[-1].pk, len(rows))
        return rows[-1].pk, len(rows)

    def add_up(self, label: str) -> tuple[int, str]:
        """Return how many rows a table has, and the sum of what they hold."""
        model: Any = named(label)
        return add_up(model._base_manager.values_list(*names(model)).iterator(AT_ONCE))

    def finish(self, sets: list[tuple[str, str]]) -> None:
        """Have new rows get ids that are free, build what is derived from the vectors, and end the move."""
        for kind, model in sets:
            vectors.rebuild(kind=kind, model=model)
        with transaction.atomic():
            for statement in connection.ops.sequence_reset_sql(no_style(), list(models())):
                db.run(statement)
            db.run(f"DROP TABLE {MOVE}")
        db.settle()

    def _steps(self) -> dict[str, tuple[Any, int]]:
        if db.has_table(MOVE):
            return {step: (json.loads(last), done) for step, last, done in db.select(f"SELECT * FROM {MOVE}")}  # noqa: S608
        if connection.introspection.table_names():
            raise Refused("The new database is not empty. Name an empty one: nothing in it is overwritten.")
        return {}

    def _note(self, step: str, last: Any, rows: int) -> None:
        db.run(
            f"INSERT INTO {MOVE} (step, last_key, done) VALUES (%s, %s, %s) ON CONFLICT (step) "  # noqa: S608
            f"DO UPDATE SET last_key = excluded.last_key, done = {MOVE}.done + excluded.done",
            [step, json.dumps(last, default=str), rows],
        )
