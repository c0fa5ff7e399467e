"""The rows that recall weighs, by fixed statements: Django needs longer to build such a query than it takes to run."""

from __future__ import annotations

# ruff: noqa: S608  (every piece of a statement is written in this file; every value is a parameter)
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from memory.index.view import View
from memoryhub import db
from memoryhub.community.models import Channel
from memoryhub.community.querysets import heard_in_sql, remembered_in_sql


class FactRow(NamedTuple):
    """A fact; lore has no subject: no `subject_id`, no `name` and no `member_id` (the platform's)."""

    pk: int
    said_at: datetime
    last_reinforced_at: datetime | None
    text: str
    confidence: float
    channel_id: int | None
    subject_id: int | None
    name: str | None
    member_id: str | None


class NoteRow(NamedTuple):
    """A note."""

    pk: int
    ended_at: datetime
    title: str
    summary: str
    channel_id: int | None


class MessageRow(NamedTuple):
    """A message, with the name of its author and the author's id on the platform."""

    pk: int
    sent_at: datetime
    text: str
    platform_id: str
    channel_id: int
    author_id: int
    name: str
    member_id: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """How the rows of one kind are read, in SQL.

    `allowed` are those that may be told at all, `now` those that hold today, `then` those that held at a moment, with
    the words of `text_then`; `of_members` those of some members. `audience` is that of the row as a scope has it: 0 for
    the whole guild, else the id of a channel. `make_row` takes the columns.
    """

    name: str
    columns: str
    make_row: Callable[..., Any]
    time: str
    joins: str = ""
    audience: str = "coalesce(row.audience_id, 0)"
    allowed: str
    now: str = "TRUE"
    then: str
    of_members: str
    text_then: str = "row.text"


# What a fact was at a moment, where it was changed since: the first later change says what it was before.
THEN = """(SELECT change.before ->> '{}' FROM memory_factchange AS change
    WHERE change.fact_id = row.id AND change.guild_id = %(guild)s
    AND change.at > %(as_of)s AND change.before ->> 'status' IS NOT NULL ORDER BY change.at, change.id LIMIT 1)"""
STATUS_THEN, TEXT_THEN = THEN.format("status"), THEN.format("text")

TABLES = {
    "fact": Table(
        name="memory_fact",
        columns="""row.id, row.said_at, row.last_reinforced_at, {text}, row.confidence, row.channel_id,
            row.subject_id, who.label, who.platform_id""",
        make_row=lambda pk, said, reinforced, *rest: FactRow(
            pk, db.from_column(said), db.from_column(reinforced) if reinforced else None, *rest
        ),
        text_then=f"coalesce({TEXT_THEN}, row.text)",
        time="row.said_at",
        joins="LEFT JOIN community_member AS who ON who.id = row.subject_id AND who.guild_id = row.guild_id",
        allowed="(row.subject_id IS NULL OR ({remembered}))",
        now="row.status = 'active'",
        then=f"""row.said_at <= %(as_of)s AND (row.valid_from IS NULL OR row.valid_from <= %(as_of)s)
            AND coalesce({STATUS_THEN}, row.status) IN ('active', 'superseded') AND CASE row.status
            WHEN 'active' THEN row.valid_until IS NULL OR row.valid_until > %(as_of)s
            WHEN 'superseded' THEN coalesce(row.valid_until > %(as_of)s, FALSE) OR EXISTS (
                SELECT 1 FROM memory_fact AS heir WHERE heir.id = row.replaced_by_id AND heir.guild_id = %(guild)s
                    AND heir.said_at > %(as_of)s)
            ELSE EXISTS (SELECT 1 FROM memory_factchange AS change
    WHERE change.fact_id = row.id AND change.guild_id = %(guild)s
                AND change.action = 'archive' AND NOT change.undone AND change.at > %(as_of)s
                AND change.before ->> 'status' = 'active') END""",
        of_members="row.subject_id IN ({members})",
    ),
    "note": Table(
        name="notes_interactionnote",
        columns="row.id, row.ended_at, row.title, row.summary, row.channel_id",
        make_row=lambda pk, ended, *rest: NoteRow(pk, db.from_column(ended), *rest),
        time="row.ended_at",
        allowed="""NOT EXISTS (SELECT 1 FROM notes_interactionnote_participants AS part
            JOIN community_member AS who ON who.id = part.member_id AND who.guild_id = part.guild_id
            WHERE part.interactionnote_id = row.id AND part.guild_id = row.guild_id AND NOT ({remembered}))""",
        then="row.ended_at <= %(as_of)s",
        of_members="""row.id IN (SELECT interactionnote_id FROM notes_interactionnote_participants
            WHERE guild_id = %(guild)s AND member_id IN ({members}))""",
    ),
    "message": Table(
        name="notes_message",
        columns="""row.id, row.sent_at, row.text, row.platform_id, row.channel_id,
            row.author_id, who.label, who.platform_id""",
        make_row=lambda pk, sent, *rest: MessageRow(pk, db.from_column(sent), *rest),
        time="row.sent_at",
        joins=f"""{db.in_order()} community_member AS who ON who.id = row.author_id AND who.guild_id = row.guild_id
            {db.in_order()} community_channel AS place
                ON place.id = row.channel_id AND place.guild_id = row.guild_id""",
        audience="""CASE WHEN place.audience = 'guild' AND (place.open_since IS NULL OR row.sent_at >= place.open_since)
            THEN 0 ELSE place.id END""",
        allowed="row.deleted_at IS NULL AND row.let_go_at IS NULL AND NOT who.is_bot AND {remembered}",
        then="row.sent_at <= %(as_of)s",
        of_members="row.author_id IN ({members})",
    ),
}


# Walk the index of a channel's times; the id settles what was said in the same moment.
NEXT = f"""SELECT later.id FROM notes_message AS later WHERE later.channel_id = asked.channel_id
    AND {db.unindexed("later.guild_id")} = %(guild)s
    AND later.sent_at >= asked.sent_at
    AND (later.sent_at > asked.sent_at OR later.id > asked.id)
    ORDER BY later.sent_at, later.id LIMIT 1"""
BEFORE = f"""SELECT earlier.id FROM notes_message AS earlier WHERE earlier.channel_id = asked.channel_id
    AND {db.unindexed("earlier.guild_id")} = %(guild)s
    AND earlier.sent_at <= asked.sent_at
    AND (earlier.sent_at < asked.sent_at OR earlier.id < asked.id)
    ORDER BY earlier.sent_at DESC, earlier.id DESC LIMIT 1"""


def rows_by_id(kind: str, view: View, ids: Collection[int], *, newest: int = 0) -> list[Any]:
    """Return those of the rows that may be told, in no order, and so many of the newest; some may come twice."""
    if not ids:
        return newest_rows(kind, view, newest) if newest else []
    table = TABLES[kind]
    # The ids come first, whatever SQLite thinks of the guild's index.
    known = db.listed("%(ids)s", alias="known")
    source = f"{known} {db.in_order()} {table.name} AS row ON row.id = known.value"
    sql, values = _statement(kind, view, source, ids=db.id_list(ids))
    if newest:
        more, its_values = _statement(kind, view, f"{table.name} AS row", rest=_newest_first(table), count=newest)
        sql, values = f"{sql} UNION ALL SELECT * FROM ({more}) AS newest", values | its_values
    return [table.make_row(*columns) for columns in db.select(sql, values)]


def newest_rows(kind: str, view: View, count: int, *, outdated: bool = False) -> list[Any]:
    """Return the newest rows that may be told; `outdated` facts only: believed at the view's moment and no longer."""
    table = TABLES[kind]
    rest = f"AND row.status <> 'active' {_newest_first(table)}" if outdated else _newest_first(table)
    rows = _select(kind, view, f"{table.name} AS row", rest=rest, count=count)
    return [table.make_row(*values) for values in rows]


def _newest_first(table: Table) -> str:
    return f"ORDER BY {table.time} DESC, row.id DESC LIMIT %(count)s"


def next_messages(view: View, ids: Collection[int]) -> dict[int, MessageRow]:
    """Return for messages what was said next in their channel, if soon and if it may be told."""
    return _beside(view, ids, NEXT)


def messages_before(view: View, ids: Collection[int]) -> dict[int, MessageRow]:
    """Return for messages what was said right before in their channel, if shortly and if it may be told."""
    return _beside(view, ids, BEFORE)


def _beside(view: View, ids: Collection[int], which: str) -> dict[int, MessageRow]:
    if not ids:
        return {}
    source = f"""{db.listed("%(ids)s", alias="known")}
        {db.in_order()} notes_message AS asked ON asked.id = known.value AND asked.guild_id = %(guild)s
        {db.in_order()} notes_message AS row ON row.id = ({which})"""
    rows = _select("message", view, source, more="known.value, asked.sent_at,", ids=db.id_list(ids))
    quiet = timedelta(minutes=view.guild.quiet_minutes)
    beside = {pk: (db.from_column(sent_at), TABLES["message"].make_row(*values)) for pk, sent_at, *values in rows}
    return {pk: other for pk, (sent_at, other) in beside.items() if abs(other.sent_at - sent_at) <= quiet}


def messages_in(channel: Channel, messages: Iterable[int]) -> list[int]:
    """Return those of the messages that were said in this very channel, in their order."""
    sql = f"""SELECT row.id FROM {db.listed(alias="known")}
        {db.in_order()} notes_message AS row ON row.id = known.value
        WHERE row.channel_id = %s AND row.guild_id = %s ORDER BY known.key"""
    return [pk for (pk,) in db.select(sql, [db.id_list(messages), channel.pk, channel.guild_id])]


def newest_said(view: View, count: int) -> list[tuple[bool, MessageRow]]:
    """Return the newest messages of the view's channel, newest first, with what bots said.

    Each comes with whether its words may be told, as `querysets.heard` says; else only that there is one.
    """
    if view.channel is None:
        return []
    values: dict[str, Any] = {"guild": view.guild.pk, "channel": view.channel.pk, "count": count}
    moment = "TRUE"
    if view.as_of:
        moment, values["as_of"] = "row.sent_at <= %(as_of)s", db.to_column(view.as_of)
    rows = db.select(
        f"""SELECT {heard_in_sql(view.guild, values)}, {TABLES["message"].columns} FROM notes_message AS row
        {db.in_order()} community_member AS who ON who.id = row.author_id AND who.guild_id = row.guild_id
        WHERE row.channel_id = %(channel)s AND {db.unindexed("row.guild_id")} = %(guild)s
            AND row.deleted_at IS NULL AND row.let_go_at IS NULL AND {moment}
        ORDER BY row.sent_at DESC, row.id DESC LIMIT %(count)s""",
        values,
    )
    return [(bool(may_be_told), TABLES["message"].make_row(*columns)) for may_be_told, *columns in rows]


def _select(kind: str, view: View, source: str, **given: Any) -> list[Any]:
    return db.select(*_statement(kind, view, source, **given))


def _statement(
    kind: str, view: View, source: str, *, rest: str = "", more: str = "", **values: Any
) -> tuple[str, dict[str, Any]]:
    """Return the statement of a kind and its values: the one place that puts guild, audience, consent and moment in."""
    table, guild = TABLES[kind], view.guild
    values |= {"guild": guild.pk, "audiences": db.id_list(view.audiences)}
    remembered = remembered_in_sql(guild, values)
    conditions = [
        "row.guild_id = %(guild)s", db.among(table.audience, "%(audiences)s"),
        table.allowed.format(remembered=remembered), table.then if view.as_of else table.now,
    ]  # fmt: skip
    if view.as_of:
        values["as_of"] = db.to_column(view.as_of)
    if view.members is not None:
        # One by one, not as a list: of one member, SQLite then reads the newest by their index, and no more than asked.
        asked = {f"member{place}": member.pk for place, member in enumerate(view.members)}
        values |= asked
        members = ", ".join(f"%({name})s" for name in asked) or "NULL"
        conditions.append(table.of_members.format(members=members))
    if view.only is not None:
        values["only"] = db.id_list(view.only)
        conditions.append(db.among("row.id", "%(only)s"))
    columns = table.columns.format(text=table.text_then if view.as_of else "row.text")
    return f"SELECT {more} {columns} FROM {source} {table.joins} WHERE {' AND '.join(conditions)} {rest}", values
