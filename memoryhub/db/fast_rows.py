"""Reads and writes rows of a model by SQL that is made once: to make it anew each time costs more than to run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, models

from memoryhub.db.backend import dialect
from memoryhub.db.guild_scope import COLUMN, is_of_a_guild

Row = TypeVar("Row", bound=models.Model)
Writers = dict[type, Callable[[Any], Any] | None]
Written = list[tuple[str, Writers, Any]]
"""The columns of a statement: the name of the value, how it is written by its type, and the field."""

# Values of these fields and types the database takes as they are; Django would look at each in four functions.
PLAIN = (
    models.CharField,
    models.TextField,
    models.BooleanField,
    models.IntegerField,
    models.FloatField,
    models.ForeignKey,
)
RETURNING, OR_NOTHING = " RETURNING id", " ON CONFLICT DO NOTHING"
AT_ONCE = 250  # rows of one statement; an older SQLite takes 32,766 values
AS_THEY_ARE: Writers = dict.fromkeys((str, int, float, bool, type(None)))


def read(
    model: type[Row], rest: str, params: Sequence[Any] | Mapping[str, Any], *, joined: Sequence[str] = ()
) -> list[Row]:  # fmt: skip
    """Return rows of a model as its querysets do; `rest` is the statement behind the name of the table.

    Who writes it names the guild, and puts nothing into it but names of the house's own. `joined` names foreign keys,
    each to another table, whose rows come with each row, as by `select_related`.
    """
    others = [(name, *_joined(model, name)) for name in joined]
    columns = ", ".join([_columns(model)[1], *(_columns(other)[1] for _, other, _ in others)])
    source = " ".join([f'"{model._meta.db_table}"', *(join for *_, join in others)])
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"SELECT {columns} FROM {source} {rest}", params)  # noqa: S608  as above
        found = cursor.fetchall()
    if not others:
        return [_made(model, values) for values in found]
    rows, width = [], len(_columns(model)[0])
    for values in found:
        row, start = _made(model, values[:width]), width
        for name, other, _ in others:
            end = start + len(_columns(other)[0])
            setattr(row, name, None if values[start] is None else _made(other, values[start:end]))
            start = end
        rows.append(row)
    return rows


def read_beside(
    tables: Mapping[str, type[models.Model]], also: str, rest: str, params: Mapping[str, Any]
) -> tuple[list[Any], tuple[Any, ...]] | None:
    """Return the row of each table that one statement finds, in order, and what `also` selects; None for no row.

    None, too, where the database plans such a statement longer than it runs several: then each table is to be asked.
    `tables` are the models by their aliases in `rest`, the statement behind its columns; a table that is joined and has
    no row there gives None in its place. Who writes it names the guild, as in `read`.
    """
    if not dialect().JOINS_CHEAPLY:
        return None
    columns = ", ".join(_aliased(model, alias) for alias, model in tables.items())
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"SELECT {columns}, {also} {rest}", params)
        values = cursor.fetchone()
    if values is None:
        return None
    rows, start = list[Any](), 0
    for model in tables.values():
        end = start + len(_columns(model)[0])
        rows.append(None if values[start] is None else _made(model, values[start:end]))
        start = end
    return rows, tuple(values[start:])


@cache
def _aliased(model: type[models.Model], alias: str) -> str:
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.local_concrete_fields)


def keep_related(row: models.Model, name: str, related: Sequence[models.Model]) -> None:
    """Have the relation of a row, such as `sources`, hand out these rows, as `prefetch_related` does."""
    queryset = getattr(type(row), name).rel.related_model._default_manager.all()
    queryset._result_cache, queryset._prefetch_done = list(related), True
    row.__dict__.setdefault("_prefetched_objects_cache", {})[name] = queryset


@cache
def _joined(model: type[models.Model], name: str) -> tuple[type[models.Model], str]:
    """Return the model that a foreign key leads to, and the join that brings its row."""
    field: Any = model._meta.get_field(name)
    other: type[models.Model] = field.related_model
    source, table = f'"{model._meta.db_table}"', f'"{other._meta.db_table}"'
    same = f' AND {table}."{COLUMN}" = {source}."{COLUMN}"' if is_of_a_guild(other) else ""
    return other, f'LEFT JOIN {table} ON {table}."id" = {source}."{field.attname}"{same}'


def _made(model: type[Row], values: Sequence[Any]) -> Row:
    connection, cells = connections[DEFAULT_DB_ALIAS], list(values)
    names, _, converters = _columns(model)
    for place, column, convert in converters:
        if cells[place] is not None:
            cells[place] = convert(cells[place], column, connection)
    return model.from_db(DEFAULT_DB_ALIAS, names, cells)


def insert(row: models.Model) -> None:
    """Store a new row and give it its id, as `save(force_insert=True)` does, but send no signals.

    For models with an automatic id and without parents. Raises IntegrityError; inside `trying` the open transaction
    goes on.
    """
    _insert(row, "")


def insert_if_new(row: models.Model) -> bool:
    """Do the same, or say False where a unique constraint is in its way: the open transaction goes on."""
    return _insert(row, OR_NOTHING)


def _insert(row: models.Model, rest: str) -> bool:
    # Itself, not Django's stand-in for it, which looks up the thread's connection each time it is touched.
    connection = connections[DEFAULT_DB_ALIAS]
    sql, fields = _insertion(type(row))
    returning = dialect().TAKES_RETURNING
    with connection.cursor() as cursor:
        cursor.execute(f"{sql}{rest}{RETURNING if returning else ''}", _values(row, fields, connection, new=True))
        found = cursor.fetchone() if returning else (cursor.lastrowid,) if cursor.rowcount else None
    if found is None:
        return False
    row.pk = found[0]
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    return True


def insert_all(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model, in order, as `insert` does, with one statement for many of them."""
    for start in range(0, len(rows), AT_ONCE):
        _insert_together(rows[start : start + AT_ONCE])


def append(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model, as `insert_all` does, but nobody learns their ids: they may go with others."""
    connection = connections[DEFAULT_DB_ALIAS]
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        dialect().write(*_for_many(*_insertion(type(part[0])), part, connection))


def _insert_together(rows: Sequence[models.Model]) -> None:
    connection = connections[DEFAULT_DB_ALIAS]
    sql, values = _for_many(*_insertion(type(rows[0])), rows, connection)
    with connection.cursor() as cursor:
        if dialect().TAKES_RETURNING:
            cursor.execute(sql + RETURNING, values)
            ids = [each for (each,) in cursor.fetchall()]
        else:
            cursor.execute(sql, values)  # nobody else writes meanwhile: they count up
            ids = list(range(cursor.lastrowid - len(rows) + 1, cursor.lastrowid + 1))
    for row, pk in zip(rows, ids, strict=True):
        row.pk = pk
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def reserve_ids(model: type[models.Model], count: int) -> list[int]:
    """Return ids, in order, under which `insert_numbered` can store new rows later in the open transaction.

    Whoever reserves holds the lock for writing, and stores no row of the model in another way meanwhile.
    """
    return dialect().reserve_ids(model._meta.db_table, count)


def insert_numbered(rows: Sequence[models.Model]) -> None:
    """Store new rows of one model under reserved ids, as `insert_all` does; they may go with others."""
    connection = connections[DEFAULT_DB_ALIAS]
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        dialect().write(*_for_many(*_insertion(type(part[0]), numbered=True), part, connection))
        for row in part:
            row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def update(rows: Sequence[models.Model], *names: str) -> None:
    """Write these fields of stored rows of one model, as `save(update_fields=names)` does, but send no signals.

    A foreign key is named by its column. Raises IntegrityError, and DatabaseError where a row is gone; inside `trying`
    the open transaction goes on.
    """
    if not rows:
        return
    connection = connections[DEFAULT_DB_ALIAS]
    sql, fields, found_by = _change(type(rows[0]), names)
    changes = [
        [*_values(row, fields, connection, new=False), *(getattr(row, column) for column in found_by)] for row in rows
    ]
    with connection.cursor() as cursor:
        if len(changes) == 1:
            cursor.execute(sql, changes[0])
        else:
            cursor.executemany(sql, changes)
        if cursor.rowcount != len(changes):
            raise DatabaseError("A row that was to be changed is gone.")


def _values(row: models.Model, fields: Written, connection: Any, *, new: bool) -> list[Any]:
    values = []
    for name, writers, field in fields:
        value = getattr(row, name)
        if type(value) in writers:
            write = writers[type(value)]
            value = write(value) if write else value
        else:
            value = field.get_db_prep_save(field.pre_save(row, add=new), connection)
        values.append(value)
    return values


@cache
def _columns(model: type[models.Model]) -> tuple[list[str], str, list[tuple[int, Any, Callable[..., Any]]]]:
    """Return the names of a model's fields, its columns, and what makes values of those that need it, by place."""
    connection = connections[DEFAULT_DB_ALIAS]
    fields = model._meta.local_concrete_fields
    table = model._meta.db_table
    converters = []
    for place, field in enumerate(fields):
        column: Any = field.cached_col
        each = [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)]
        converters += [(place, column, convert) for convert in each]
    columns = ", ".join(f'"{table}"."{field.column}"' for field in fields)
    return [field.attname for field in fields], columns, converters


def _for_many(sql: str, fields: Written, rows: Sequence[models.Model], connection: Any) -> tuple[str, list[Any]]:
    """Return the statement that inserts one row for several, and its values."""
    if len(rows) == 1:
        return sql, _values(rows[0], fields, connection, new=True)
    head, _, marks = sql.partition(" VALUES ")
    cells = [_values(row, fields, connection, new=True) for row in rows]
    if dialect().TAKES_COLUMNS:  # the same statement for any number of rows, whose columns come as lists
        types = ", ".join(f"%s::{_type(field)}[]" for _, _, field in fields)
        return f"{head} SELECT * FROM unnest({types})", list(map(list, zip(*cells, strict=True)))  # noqa: S608
    return f"{head} VALUES {', '.join([marks] * len(rows))}", [value for row in cells for value in row]


@cache
def _type(field: models.Field[Any, Any]) -> str:
    """Return the SQL type of a column, without the length that a text may have: what is longer is refused, not cut."""
    return str(field.db_type(connections[DEFAULT_DB_ALIAS])).split("(")[0]


@cache
def _insertion(model: type[models.Model], *, numbered: bool = False) -> tuple[str, Written]:
    fields = [field for field in model._meta.local_concrete_fields if numbered or not field.primary_key]
    columns, marks = ", ".join(f'"{field.column}"' for field in fields), ", ".join(["%s"] * len(fields))
    # The names are those of the house's own models; every value is a parameter.
    statement = f'INSERT INTO "{model._meta.db_table}" ({columns}) VALUES ({marks})'  # noqa: S608
    return statement, [_written(field) for field in fields]


@cache
def _change(model: type[models.Model], names: Sequence[str]) -> tuple[str, Written, list[str]]:
    """Return the statement, its fields, and the names of what a row is found by: its guild too, if it has one."""
    by_column = {field.attname: field for field in model._meta.local_concrete_fields}
    fields, found_by = [by_column[name] for name in names], ["id", COLUMN] if is_of_a_guild(model) else ["id"]
    columns = ", ".join(f'"{field.column}" = %s' for field in fields)
    row = " AND ".join(f'"{column}" = %s' for column in found_by)
    statement = f'UPDATE "{model._meta.db_table}" SET {columns} WHERE {row}'  # noqa: S608  as above
    return statement, [_written(field) for field in fields], found_by


def _written(field: models.Field[Any, Any]) -> tuple[str, Writers, models.Field[Any, Any]]:
    """Return how a field's values are written by their type; Django writes others, and what it fills in itself."""
    by_django = any(getattr(field, name, None) for name in ("auto_now", "auto_now_add", "encoder"))
    writers = AS_THEY_ARE if isinstance(field, PLAIN) else {} if by_django else dialect().WRITERS.get(type(field), {})
    if isinstance(field, models.ForeignKey) and type(field).pre_save is not models.ForeignKey.pre_save:
        writers = {int: None}  # it fills itself in where nothing is given
    return field.attname, writers, field
