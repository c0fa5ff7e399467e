"""Writes new rows of a model by SQL that is made once: making it anew for each row costs more than to write it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models

from memoryhub.db.backend import dialect

Writers = dict[type, Callable[[Any], Any] | None]

# Values of these fields and types the database takes as they are; Django would look at each in four functions.
PLAIN = (
    models.CharField,
    models.TextField,
    models.BooleanField,
    models.IntegerField,
    models.FloatField,
    models.ForeignKey,
)
AS_THEY_ARE: Writers = dict.fromkeys((str, int, float, bool, type(None)))


def insert(row: models.Model) -> None:
    """Store a new row and give it its id, as `save(force_insert=True)` does, but send no signals.

    For models with an automatic id and without parents. Raises IntegrityError; inside `trying` the open transaction
    goes on.
    """
    # Itself, not Django's stand-in for it, which looks up the thread's connection each time it is touched.
    connection = connections[DEFAULT_DB_ALIAS]
    sql, fields = _statement(type(row))
    values = []
    for name, writers, field in fields:
        value = getattr(row, name)
        if type(value) in writers:
            write = writers[type(value)]
            value = write(value) if write else value
        else:
            value = field.get_db_prep_save(field.pre_save(row, add=True), connection)
        values.append(value)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row.pk = cursor.fetchone()[0] if dialect().TAKES_RETURNING else cursor.lastrowid
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


@cache
def _statement(model: type[models.Model]) -> tuple[str, list[tuple[str, Writers, models.Field[Any, Any]]]]:
    """Return the statement, and for each field how values are written by their type.

    Django writes the other types, and what it fills in itself.
    """
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    columns, marks = ", ".join(f'"{field.column}"' for field in fields), ", ".join(["%s"] * len(fields))
    # The names are those of the house's own models; every value is a parameter.
    statement = f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({marks})'  # noqa: S608
    if dialect().TAKES_RETURNING:
        statement += " RETURNING id"
    written: list[tuple[str, Writers, models.Field[Any, Any]]] = []
    for field in fields:
        by_django = any(getattr(field, name, None) for name in ("auto_now", "auto_now_add", "encoder"))
        writers = (
            AS_THEY_ARE if isinstance(field, PLAIN) else {} if by_django else dialect().WRITERS.get(type(field), {})
        )
        if isinstance(field, models.ForeignKey) and type(field).pre_save is not models.ForeignKey.pre_save:
            writers = {int: None}  # it fills itself in where nothing is given
        written.append((field.attname, writers, field))
    return statement, written
