"""Writes new rows of a model by SQL that is made once: making it anew for each row costs more than SQLite does."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models

# Values of these fields and types SQLite takes as they are; Django would look at each in four functions.
PLAIN = (
    models.CharField,
    models.TextField,
    models.BooleanField,
    models.IntegerField,
    models.FloatField,
    models.ForeignKey,
)
AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})


def insert(row: models.Model) -> None:
    """Store a new row and give it its id, as `save(force_insert=True)` does, but send no signals.

    Raises IntegrityError; the open transaction stays usable. For models with an automatic id and without parents.
    """
    # Itself, not Django's stand-in for it, which looks up the thread's connection each time it is touched.
    connection = connections[DEFAULT_DB_ALIAS]
    sql, fields = _statement(type(row))
    values = []
    for name, plain, field in fields:
        value = getattr(row, name)
        if not plain or type(value) not in AS_THEY_ARE:
            value = field.get_db_prep_save(field.pre_save(row, add=True), connection)
        values.append(value)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row.pk = cursor.lastrowid
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


@cache
def _statement(model: type[models.Model]) -> tuple[str, list[tuple[str, bool, models.Field[Any, Any]]]]:
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    columns, marks = ", ".join(f'"{field.column}"' for field in fields), ", ".join(["%s"] * len(fields))
    # The names are those of the house's own models; every value is a parameter.
    statement = f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({marks})'  # noqa: S608
    return statement, [(field.attname, isinstance(field, PLAIN), field) for field in fields]
