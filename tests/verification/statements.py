"""Records the statements of a piece of work, and says which touch a guild's table without naming the guild.

A statement is read by its brackets: each SELECT in it has its own tables and conditions. A table is bound to a guild
where its `guild_id` is compared with a parameter, or with the `guild_id` of a table that is bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from memoryhub.db.guild_scope import columns

WORD = r"[A-Za-z_][A-Za-z0-9_]*"
NO_ALIAS = "WHERE|SET|ON|INNER|LEFT|CROSS|JOIN|ORDER|GROUP|LIMIT|USING|SELECT|VALUES|UNION|FOR|AND|HAVING|AS|INDEXED"
TABLE = re.compile(rf"\b(?:FROM|JOIN|UPDATE|,)\s+({WORD})\b(?:\s+(?:AS\s+)?(?!(?:{NO_ALIAS})\b)({WORD}))?", re.I)
VALUE = r"(?:%s|%\(\w+\)s|\d+|\(\s*(?:%s|\d+)|ANY\s*\()"
BOUND = re.compile(rf"\+?(?:({WORD})\.)?guild_id\s*(?:=|IN)\s*{VALUE}", re.I)
SAME = re.compile(rf"\+?({WORD})\.guild_id\s*=\s*\+?({WORD})\.guild_id", re.I)
INSERT = re.compile(rf"^\s*(?:INSERT|REPLACE)\b.*?\bINTO\s+({WORD})\s*\(([^)]*)\)", re.I | re.S)


def unbound(sql: str) -> list[str]:
    """Return the guilds' tables that a statement touches without naming the guild."""
    plain = sql.replace('"', "").replace("`", "")
    if plain.startswith("WITH w0 AS ("):  # several that are sent as one
        return [table for part in _sent_together(plain) for table in unbound(part)]
    if found := INSERT.match(plain):
        table, fields = found.group(1), re.findall(WORD, found.group(2))
        rest = plain[found.end() :]
        own = [table] if table in columns() and "guild_id" not in fields else []
        return own + (_unbound(rest, set()) if re.search(r"\bSELECT\b", rest, re.I) else [])
    return _unbound(plain, set())


def _sent_together(sql: str) -> list[str]:
    """Return the statements of `WITH w0 AS (...), w1 AS (...) ...`."""
    parts, rest = [], sql.removeprefix("WITH ")
    while found := re.match(r"(?:, )?w\d+ AS \(", rest):
        end, depth = found.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(rest[end], 0)
            end += 1
        parts.append(rest[found.end() : end - 1])
        rest = rest[end:]
    return [*parts, rest.strip()]


def _unbound(sql: str, outer: set[str]) -> list[str]:
    level, inner = _split(sql)
    named = {(alias or table): table for table, alias in TABLE.findall(level)}
    bound = set(outer)
    for alias in BOUND.findall(level):
        bound |= {alias} if alias else set(named)
    equal = SAME.findall(level)
    for _ in equal:
        for one, other in equal:
            bound |= {one, other} if bound & {one, other} else set()
    missing = [table for alias, table in named.items() if table in columns() and alias not in bound]
    return missing + [table for part in inner for table in _unbound(part, bound)]


def _split(sql: str) -> tuple[str, list[str]]:
    """Return a statement without the SELECTs in its brackets, and these."""
    level, inner, start, depth = "", [], 0, 0
    inside: list[bool] = []
    for place, sign in enumerate(sql):
        if sign == "(":
            inside.append(depth == 0 and re.match(r"\(\s*(?:SELECT|WITH)\b", sql[place:], re.I) is not None)
            if inside[-1]:
                start = place + 1
            depth += inside[-1]
        closes = sign == ")" and bool(inside) and inside.pop()
        if closes:
            depth -= 1
            inner.append(sql[start:place])
        if not depth or (depth and closes):
            level += sign
    return level, inner


@contextmanager
def recorded() -> Iterator[list[str]]:
    """Collect the statements of this thread's connection."""
    kept: list[str] = []

    def keep(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        kept.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep):
        yield kept
