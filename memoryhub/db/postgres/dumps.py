"""Backups of PostgreSQL by its own programs: pg_dump writes one file, psql reads it back in one transaction."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast

from django.conf import settings
from django.db import OperationalError, connection
from psycopg import sql
from psycopg.conninfo import make_conninfo

from memoryhub.db.backups import RESTORED, Damaged, InUse, NoBackup, Restored, Stone, ToolMissing, new_copy
from memoryhub.db.postgres.server_trouble import EXTENSIONS, explain, meaning

NOT_LIBPQS = ("pool", "session", "options", "application_name", "server_side_binding", "prepare_threshold")
OLDER = (
    "{}. That program is older than the server. Install the client programs of PostgreSQL, as new as the server or "
    "newer (Debian: apt install postgresql-client-18, from PostgreSQL's own packages), and put them first in PATH."
)
NOT_REACHED = ("connection to server", "translate host name")
PORTABLE = ("--no-owner", "--no-privileges")
MISSING = (
    "{} is not installed here. Install the client programs of PostgreSQL, as new as the server or newer "
    "(Debian: apt install postgresql-client), or let your provider make the backups."
)
OTHERS = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND application_name = current_setting('application_name')"""
OWN = """SELECT format('DROP TABLE IF EXISTS %%I.%%I CASCADE;', schemaname, tablename) FROM pg_tables
    WHERE schemaname = current_schema()
    UNION ALL SELECT format('DROP FUNCTION IF EXISTS %%s CASCADE;', oid::regprocedure) FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND prokind = 'f'
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')"""


def place() -> str:
    """Return the name of the database and its server."""
    known = connection.settings_dict
    return f"{known['NAME']} on {known['HOST'] or 'the local socket'}"


def is_there() -> bool:
    """Return True: a server makes none by being asked."""
    return True


def trouble_here() -> str:
    """Return nothing: the server looks after its own files."""
    return ""


def copies_here() -> list[Path]:
    """Return the dumps in the data folder."""
    return sorted(settings.DATA_DIR.glob(f"{connection.settings_dict['NAME']}.*.dump*"))


def clear_unfinished() -> None:
    """Remove dumps that were not written to their end."""
    for path in settings.DATA_DIR.glob(f"{connection.settings_dict['NAME']}.*.dump.partial"):
        path.unlink(missing_ok=True)


def require_unused() -> None:
    """Ask the server who else is connected as the hub is."""
    connection.close()
    cast("Any", connection).close_pool()  # our own idle connections are nobody's use
    if _rows(OTHERS)[0][0]:
        raise InUse


def back_up_to(target: Path) -> None:
    """Write a dump of one moment, and read it whole."""
    with new_copy(target) as partial:
        _run("pg_dump", "--format=custom", *PORTABLE, "--file", str(partial), "--dbname", _address())
        _read_whole(partial)


def migrations_of(file: Path) -> set[tuple[str, str]]:
    """Return what the dump's own table says."""
    try:
        return {(row["app"], row["name"]) for row in _copied(file, "django_migrations")}
    except ToolMissing:
        return set()


def restore_from(file: Path, *, now: datetime, stones: str, columns: str, known_by: str) -> Restored:
    """Put the dump in the place of all tables, in one transaction; what was there is dumped beside the data first."""
    clear_unfinished()
    require_unused()
    _read_whole(file)
    if f" {known_by} " not in _run("pg_restore", "--list", str(file)):
        raise NoBackup
    newer, kept = dict[str, Stone](), ""
    if connection.introspection.table_names():
        kept = str(settings.DATA_DIR / f"{connection.settings_dict['NAME']}.{now:%Y%m%d-%H%M%S}.dump")
        back_up_to(Path(kept))
        newer = _newer_stones(file, table=stones, columns=columns)
    before = "BEGIN;\n" + "\n".join(row[0] for row in _rows(OWN))
    after = "".join(_kept(stone, table=stones, columns=columns) for stone in newer.values())
    after += _to_act_on(newer) + "COMMIT;\n"
    connection.close()
    _replace(file, before=before, after=after)
    return Restored(place=place(), kept=kept)


def _replace(file: Path, *, before: str, after: str) -> None:
    """Have psql run the dump between two scripts; without the last line of it, nothing has happened."""
    read = [_program("pg_restore"), *PORTABLE, "--no-comments", "--file=-", str(file)]
    write = [_program("psql"), "-X", "-q", "-o", os.devnull, "-v", "ON_ERROR_STOP=1", "-d", _address(), "-f", "-"]
    with (
        subprocess.Popen(read, stdout=subprocess.PIPE) as reading,  # noqa: S603
        subprocess.Popen(write, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment()) as writing,  # noqa: S603
    ):
        script = _pipe(writing.stdin)
        with suppress(BrokenPipeError):  # psql says why, below
            script.write(f"{before}\n".encode())
            shutil.copyfileobj(_pipe(reading.stdout), script)
            if reading.wait() == 0:
                script.write(after.encode())
        reading.kill()
        with suppress(BrokenPipeError):
            script.close()
        words = _pipe(writing.stderr).read().decode(errors="replace")
    if reading.returncode or writing.returncode:
        raise ToolMissing(f"Nothing was changed: {meaning(EXTENSIONS, words) or _why(words)}")


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _newer_stones(file: Path, *, table: str, columns: str) -> dict[str, Stone]:
    """Return the rows of the database that the dump lacks, or has with an older time."""
    names = columns.split(", ")
    known = {row[names[0]]: row[names[1]] for row in _copied(file, table)}
    # Written by the server as COPY writes it, so that the two compare.
    rows = _rows(f"SELECT {columns}, {names[1]}::text FROM {table}")  # noqa: S608  the house's own names
    return {row[0]: row[:-1] for row in rows if known.get(row[0], "") < row[-1]}


def _copied(file: Path, table: str) -> Iterator[dict[str, str]]:
    """Yield a table's rows in the dump, each value by its column as COPY writes it."""
    lines = iter(_run("pg_restore", "--data-only", f"--table={table}", "--file=-", str(file)).splitlines())
    head = next((line for line in lines if line.startswith("COPY ")), "")
    columns = head.partition("(")[2].partition(")")[0].replace('"', "").split(", ")
    for line in lines:
        if line == "\\.":
            break
        yield dict(zip(columns, line.split("\t"), strict=True))


def _to_act_on(stones: dict[str, Stone]) -> str:
    if not stones:
        return ""
    table = sql.SQL("{}.{}").format(sql.Identifier(_rows("SELECT current_schema()")[0][0]), sql.Identifier(RESTORED))
    made = sql.SQL("CREATE TABLE IF NOT EXISTS {} (digest text);\n").format(table)
    rows = [sql.SQL("INSERT INTO {} VALUES ({});\n").format(table, sql.Literal(key)) for key in stones]
    return sql.Composed([made, *rows]).as_string(connection.connection)


def _kept(stone: Stone, *, table: str, columns: str) -> str:
    names = [sql.Identifier(name) for name in columns.split(", ")]
    changes = [sql.SQL("{0} = EXCLUDED.{0}").format(name) for name in names[1:]]
    values = [sql.Literal(_json(value) if isinstance(value, list | dict) else value) for value in stone]
    statement = sql.SQL("INSERT INTO {}.{} ({}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {};\n").format(
        sql.Identifier(_rows("SELECT current_schema()")[0][0]), sql.Identifier(table), sql.SQL(", ").join(names),
        sql.SQL(", ").join(values), names[0], sql.SQL(", ").join(changes),
    )  # fmt: skip
    return statement.as_string(connection.connection)


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


def _read_whole(file: Path) -> None:
    try:
        _run("pg_restore", "--file", os.devnull, str(file))
    except ToolMissing as error:
        if shutil.which("pg_restore") is None:
            raise
        raise Damaged(f"{file} is damaged, or no dump: {error}") from error


def _rows(statement: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [])
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def _address() -> str:
    """Return how the programs reach the database: without the password, which other users of the machine would see."""
    known = connection.settings_dict
    given = {"dbname": known["NAME"], "user": known["USER"], "host": known["HOST"], "port": known["PORT"]}
    given |= {name: value for name, value in known["OPTIONS"].items() if name not in NOT_LIBPQS}
    return make_conninfo(**{name: value for name, value in given.items() if value})


def _environment() -> dict[str, str]:
    password = connection.settings_dict["PASSWORD"]
    return {**os.environ, "LC_ALL": "C", **({"PGPASSWORD": password} if password else {})}


def _program(name: str) -> str:
    if found := shutil.which(name):
        return found
    raise ToolMissing(MISSING.format(name))


def _run(name: str, *arguments: str) -> str:
    """Run one of PostgreSQL's programs and return what it says; raises ToolMissing with what its last words mean."""
    ended = subprocess.run(  # noqa: S603
        [_program(name), *arguments], capture_output=True, text=True, check=False, env=_environment()
    )
    if ended.returncode:
        words = _why(ended.stderr)
        older = "server version mismatch" in ended.stderr
        raise ToolMissing(OLDER.format(words.rpartition("detail: ")[2]) if older else words)
    return ended.stdout


def _why(words: str) -> str:
    """Return the last line of what a program says, or what to do where it did not reach the server."""
    if any(sign in words for sign in NOT_REACHED):
        return explain(OperationalError(words))
    told = [line.strip() for line in words.splitlines() if line.strip() and not line.startswith("HINT: ")]
    return told[-1] if told else "it gave no reason"
