"""Chooses the DB-API module: one that can load extensions when there is one, Python's own sqlite3 when not."""

from __future__ import annotations

import datetime
import decimal
import sqlite3
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
    if loads_extensions(sqlite3.dbapi2):
        return sqlite3.dbapi2
    try:
        found: ModuleType = import_module("pysqlite3.dbapi2")
    except ImportError:
        return sqlite3.dbapi2
    teach(found)
    return found


def teach(module: ModuleType) -> None:
    """Register Django's converters and adapters, which live in the driver and which Django gives to `sqlite3` only."""
    for name, convert in CONVERTERS.items():
        module.register_converter(name, convert)
    module.register_adapter(decimal.Decimal, str)
    module.register_adapter(datetime.date, stock.adapt_date)
    module.register_adapter(datetime.datetime, stock.adapt_datetime)


CONVERTERS = {
    "bool": b"1".__eq__,
    "date": stock.decoder(parse_date),
    "time": stock.decoder(parse_time),
    "datetime": stock.decoder(parse_datetime),
    "timestamp": stock.decoder(parse_datetime),
}

# The type checker sees Python's own module, whose shape both drivers share.
if TYPE_CHECKING:
    from sqlite3 import dbapi2 as Database  # noqa: N812
else:
    Database = pick()
