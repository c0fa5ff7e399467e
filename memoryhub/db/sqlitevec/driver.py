"""Chooses the DB-API module: one that can load extensions when there is one, Python's own sqlite3 when not."""

from __future__ import annotations

import datetime
import decimal
import sqlite3
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from django.db.backends.sqlite3 import base as stock
from django.utils.dateparse import parse_date, parse_datetime, parse_time

__all__ = ["Database", "loads_extensions", "pick", "teach"]


def loads_extensions(module: ModuleType) -> bool:
    """Say whether the module was built with extension loading (many builds of Python leave it out)."""
    return hasattr(module.Connection, "enable_load_extension")


def pick() -> ModuleType:
    """Return `sqlite3` if it can load extensions, else `pysqlite3`, else `sqlite3` as it is."""
    found: ModuleType = sqlite3.dbapi2
    if not loads_extensions(found):
        with suppress(ImportError):
            found = import_module("pysqlite3.dbapi2")
    teach(found)
    return found


def teach(module: ModuleType) -> None:
    """Register Django's converters and adapters, which live in the driver, with our own way to read a moment."""
    for name, convert in CONVERTERS.items():
        module.register_converter(name, convert)
    module.register_adapter(decimal.Decimal, str)
    module.register_adapter(datetime.date, stock.adapt_date)
    module.register_adapter(datetime.datetime, stock.adapt_datetime)


def moment(column: bytes) -> datetime.datetime | None:
    """Return the moment that a column holds, in UTC, which Django leaves out; a zone put in later takes long."""
    try:
        return datetime.datetime.fromisoformat(f"{column.decode()}+00:00")
    except ValueError:  # not as Django writes it
        read = parse_datetime(column.decode())
        return read and (read if read.tzinfo else read.replace(tzinfo=datetime.UTC))


CONVERTERS = {
    "bool": b"1".__eq__,
    "date": stock.decoder(parse_date),
    "time": stock.decoder(parse_time),
    "datetime": moment,
    "timestamp": moment,
}

# The type checker sees Python's own module, whose shape both drivers share.
if TYPE_CHECKING:
    from sqlite3 import dbapi2 as Database  # noqa: N812
else:
    Database = pick()
