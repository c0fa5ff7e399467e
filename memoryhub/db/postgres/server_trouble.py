"""Says in an operator's words what befell the server or the way to it, by PostgreSQL's codes and the driver's words."""

from __future__ import annotations

import errno

from django.conf import settings
from django.db import DatabaseError, InterfaceError, NotSupportedError, OperationalError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
FULL = "53100"
SHARED = (
    "A pooler between the hub and PostgreSQL hands sessions around. Set pool_mode = session for this database in "
    "pgbouncer.ini, and reload it."
)
BEHIND = "The pooler in DATABASE_URL does not reach the server behind it. Does that run?"
CODES = {
    "53300": "The server has no connection left. Raise its max_connections, or run fewer processes.",
    "53200": "The server is out of memory.",
    "40P01": "Two transactions waited for each other, and this one gave way. Try again.",
    "40001": "Another transaction changed the same rows. Try again.",
    "55P03": "Another process keeps the database busy. Try again.",
    "57014": (
        "The server cancelled a statement: somebody did so there, or DATABASE_URL sets a statement_timeout. Leave that "
        "out: the hub itself ends what waits too long."
    ),
    "57P01": "The server was stopped. Try again once it runs.",
    "57P02": "The server ended by a crash. Try again once it runs.",
    "57P03": "The server is starting or stopping. Try again in a moment.",
    "57P05": "The server ended a session that was idle for long. Try again.",
    "25006": "The server takes no writes: it is a replica, or read-only. Let DATABASE_URL name the primary.",
    "28P01": "The server refuses the name or the password in DATABASE_URL.",
    "28000": "The server does not let this user in from here. See its pg_hba.conf, and the user in DATABASE_URL.",
    "3D000": "The server has no database of this name. Make it: `CREATE DATABASE`, or mend DATABASE_URL.",
    "42501": "The user in DATABASE_URL lacks a right. It needs to own the database, or CREATE on it and its schema.",
    "42P01": "A table is missing. Run `manage.py migrate`.",
    "42703": "A column is missing. Run `manage.py migrate`.",
    "26000": SHARED,
    "42P05": SHARED,
    "25P03": "The server ended a transaction that said nothing for a minute. Try again.",
}
"""By SQLSTATE: what it means and what to do."""
EXTENSIONS = {
    "permission denied to create extension": (
        "The user in DATABASE_URL may not make an extension: on this server only a superuser may. As one, in this "
        "database: `CREATE EXTENSION vector; CREATE EXTENSION btree_gin`."
    ),
    'extension "btree_gin" is not available': (
        "The PostgreSQL server lacks btree_gin. Install the modules that come with it (Fedora, RHEL and SUSE: "
        "postgresql-contrib, for your version)."
    ),
}
"""By the server's words: what an extension wants that is not made; its codes name no extension."""
WORDS = {
    "or later is required": "The PostgreSQL server is too old: the hub needs 16 or newer.",
    "invalid integer value": "DATABASE_URL has a word where a number belongs. Is the port right?",
    "invalid sslmode": "DATABASE_URL has an sslmode that the driver does not know.",
    "invalid connection option": "DATABASE_URL has an option that the driver does not know.",
    "password authentication failed": CODES["28P01"],
    "no password supplied": "The server wants a password: postgres://user:password@host/database in DATABASE_URL.",
    "no pg_hba.conf entry": CODES["28000"],
    "role": CODES["28P01"],
    'database "': CODES["3D000"],
    "too many clients": CODES["53300"],
    "remaining connection slots": CODES["53300"],
    "couldn't get a connection": "All connections of this process's pool are in use. Try again in a moment.",
    "refused": "No server answers at the address in DATABASE_URL. Does it run, and is the port right?",
    "no such file": "No server answers at the address in DATABASE_URL. Does it run, and is the port right?",
    "no route to host": "No server answers at the address in DATABASE_URL. Does it run, and is the port right?",
    "unreachable": "No server answers at the address in DATABASE_URL. Does it run, and is the port right?",
    "host is down": "No server answers at the address in DATABASE_URL. Does it run, and is the port right?",
    "translate host name": "The host in DATABASE_URL is not known. Is it spelled right?",
    "resolve": "The host in DATABASE_URL is not known. Is it spelled right?",
    "timeout expired": "The server in DATABASE_URL does not answer in time. Is a firewall between?",
    "connection timed out": "The server in DATABASE_URL does not answer in time. Is a firewall between?",
    "cannot connect to server": BEHIND,
    "server login has been failing": BEHIND,
    "starting up": CODES["57P03"],
    "shutting down": CODES["57P03"],
    "in recovery mode": CODES["57P03"],
    "not yet accepting": CODES["57P03"],
    "closed": "The connection to the server broke off. Try again.",
    "lost": "The connection to the server broke off. Try again.",
    "connection reset": "The connection to the server broke off. Try again.",
    "ssl": "The server and DATABASE_URL do not agree on encryption: see sslmode.",
    "unsupported startup parameter": "PgBouncer takes no `options` of DATABASE_URL: leave them out of the address.",
    "transaction blocks not allowed": SHARED,
}
"""By a word of the driver's message, where there is no code: the way to the server fails before it can name one."""

AWAY = {WORDS[sign] for sign in ("refused", "no such file", "translate host name", "resolve", "timeout expired")}
AWAY |= {CODES["57P03"], WORDS["closed"], BEHIND}
"""What may be otherwise a moment later. Of a container that is not there yet not even the name is known."""


def state(error: BaseException) -> str:
    """Return the SQLSTATE of an error of Django's or the driver's; empty where it has none."""
    for each in (error, error.__cause__):
        if code := getattr(each, "sqlstate", None):
            return str(code)
    return ""


def is_full(error: BaseException) -> bool:
    """Say whether a disk has no room left: the server's, or this machine's."""
    return state(error) == FULL or (isinstance(error, OSError) and error.errno in NO_ROOM)


def is_crowded(error: BaseException) -> bool:
    """Say whether the server has no connection left: one of ours that comes free will do."""
    return brief(error) == CODES["53300"]


def is_away(error: BaseException) -> bool:
    """Say whether no server answers, or one that is starting or stopping: a moment later it may."""
    return brief(error) in AWAY


def is_of_the_database(error: BaseException) -> bool:
    """Say whether the server, the way to it or a disk is at fault, and not a statement of ours."""
    unusable = type(error) in (DatabaseError, OperationalError, InterfaceError, NotSupportedError)
    return unusable or is_full(error) or state(error) == "42501"


def explain(error: BaseException) -> str:
    """Return what happened and what to do."""
    if is_full(error):
        return brief(error)
    if isinstance(error, OSError):
        return f"{error.strerror}: {error.filename or settings.DATA_DIR}. `manage.py doctor` says what is wrong."
    told = " ".join(str(error).split())
    return f"{brief(error) or 'The database can not be used.'} `manage.py doctor` says what is wrong. ({told})"


def brief(error: BaseException) -> str:
    """Return the same in our words alone; empty where we have none."""
    if is_full(error):
        disk, place = "The disk of the PostgreSQL server", "there"
        if isinstance(error, OSError):
            disk, place = "The disk", f"where {settings.DATA_DIR} is"
        return f"{disk} is full: make room {place}, and try again. What is stored stays."
    words = str(error).lower()
    return meaning(EXTENSIONS, words) or CODES.get(state(error)) or meaning(WORDS, words)


def meaning(meanings: dict[str, str], words: str) -> str:
    """Return what the words mean; empty where they hold no sign that is known."""
    return next((told for sign, told in meanings.items() if sign in words), "")
