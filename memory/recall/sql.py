"""The rows that recall weighs, by fixed statements: Django needs longer to build such a query than it takes to run."""

from __future__ import annotations

# ruff: noqa: S608  (every piece of a statement is written in this file; every value is a parameter)
from collections import defaultdict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from memory.index.view import View
from memory.recall.retrieval import READ
from memoryhub import db
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
    the whole guild, else the id of a channel. `make_row` takes the columns. `notes` leads from ids that are `known` to
    the notes that tell of the conversations which the rows come from, and from a topic to the notes that it joins.
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
    notes: str = ""


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
        make_row=FactRow,
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
        notes=f"""{db.in_order()} memory_evidence AS evidence ON evidence.fact_id = known.value
            {db.in_order()} notes_interactionnote_messages AS link ON link.message_id = evidence.message_id
                AND link.guild_id = evidence.guild_id
            WHERE evidence.guild_id = %(guild)s""",
    ),
    "note": Table(
        name="notes_interactionnote",
        columns="row.id, row.ended_at, row.title, row.summary, row.channel_id",
        make_row=NoteRow,
        time="row.ended_at",
        allowed="""NOT EXISTS (SELECT 1 FROM notes_interactionnote_participants AS part
            JOIN community_member AS who ON who.id = part.member_id AND who.guild_id = part.guild_id
            WHERE part.interactionnote_id = row.id AND part.guild_id = row.guild_id AND NOT ({remembered}))""",
        then="row.ended_at <= %(as_of)s",
        of_members="""row.id IN (SELECT interactionnote_id FROM notes_interactionnote_participants
            WHERE guild_id = %(guild)s AND member_id IN ({members}))""",
        notes=f"""{db.in_order()} (SELECT from_interactionnote_id AS topic, to_interactionnote_id AS interactionnote_id,
                guild_id FROM notes_interactionnote_notes) AS link ON link.topic = known.value
            WHERE link.guild_id = %(guild)s""",
    ),
    "message": Table(
        name="notes_message",
        columns="""row.id, row.sent_at, row.text, row.platform_id, row.channel_id,
            row.author_id, who.label, who.platform_id""",
        make_row=MessageRow,
        time="row.sent_at",
        joins=f"""{db.in_order()} community_member AS who ON who.id = row.author_id AND who.guild_id = row.guild_id
            {db.in_order()} community_channel AS place
                ON place.id = row.channel_id AND place.guild_id = row.guild_id""",
        audience="""CASE WHEN place.audience = 'guild' AND (place.open_since IS NULL OR row.sent_at >= place.open_since)
            THEN 0 ELSE place.id END""",
        allowed="""row.deleted_at IS NULL AND row.let_go_at IS NULL AND NOT row.carries_instruction AND NOT who.is_bot
            AND {remembered}""",
        then="row.sent_at <= %(as_of)s",
        of_members="row.author_id IN ({members})",
        notes=f"""{db.in_order()} notes_interactionnote_messages AS link ON link.message_id = known.value
            WHERE link.guild_id = %(guild)s""",
    ),
}


# Of messages that are `known`, those that taught facts which were replaced or have ended, and none that holds.
OUTDATED = f"""{db.in_order()} memory_evidence AS taught
        ON taught.message_id = known.value AND {db.unindexed("taught.guild_id")} = %(guild)s
    {db.in_order()} memory_fact AS fact ON fact.id = taught.fact_id AND fact.guild_id = taught.guild_id
    GROUP BY known.value HAVING count(*) = sum(CASE fact.status WHEN 'superseded' THEN 1 ELSE 0 END)"""

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


class TellableRows(NamedTuple):
    """Rows that may be told, pairs of a row and a note that tells of it, and by row what was said right before it.

    `outdated` are the ids of messages that taught facts of which none holds any more.
    """

    rows: list[Any]
    notes: list[tuple[int, int]]
    before: dict[int, MessageRow]
    outdated: set[int]


def told(
    kind: str, view: View, ids: Collection[int] = (), *, newest: int = 0, outdated: int = 0, here: int | None = None,
    deeper: float = 1.0, beside: bool = True,
) -> TellableRows:  # fmt: skip
    """Return those of the rows that may be told, and so many of the newest, in no order.

    `outdated` facts are the newest that were believed at the view's moment and are no longer. With `here`, of messages
    only as many as are read of any search, or `deeper` times as many, and so many of the view's own channel, the first
    ones. Without `beside` the rows alone.
    """
    table, values = TABLES[kind], dict[str, Any]()
    newest_first = f"ORDER BY {table.time} DESC, row.id DESC LIMIT"
    known = [_known(view, ids, here, int(deeper * READ["message"]), values)] if ids else []
    for count, name, rest in ((newest, "newest", ""), (outdated, "outdated", "AND row.status <> 'active'")):
        if count:
            some, its_values = _statement(
                kind, view, f"{table.name} AS row", f"{rest} {newest_first} %({name})s", columns="row.id"
            )
            known.append(f"SELECT * FROM ({some}) AS {name}")
            values |= {**its_values, name: count}
    if not known:
        return TellableRows([], [], {}, set())
    # The ids come first, whatever SQLite thinks of the guild's index.
    source = f"known {db.in_order()} {table.name} AS row ON row.id = known.value"
    rows, its_values = _statement(kind, view, source, more="'row', known.value,")
    parts, values = [rows], values | its_values
    nothing = ", NULL" * table.columns.count(",")
    if beside and table.notes:
        parts.append(f"SELECT 'note', known.value, link.interactionnote_id{nothing} FROM known {table.notes}")
    if beside and kind == "message":
        parts.append(_statement(kind, view, _beside("known", BEFORE), more="'before', known.value,")[0])
        if view.as_of is None:
            parts.append(f"SELECT 'outdated', known.value, NULL{nothing} FROM known {OUTDATED}")
    # Once for all parts: SQLite would look for what is known again for each of them.
    once = "MATERIALIZED" if len(parts) > 1 else ""
    sql = f"WITH known(value) AS {once} ({' UNION ALL '.join(known)}) {' UNION ALL '.join(parts)}"
    read = defaultdict[str, list[tuple[int, list[Any]]]](list)
    for what, pk, *columns in db.select(sql, values):
        read[what].append((pk, columns))
    found = {pk: table.make_row(*columns) for pk, columns in read["row"]}
    before = {pk: table.make_row(*columns) for pk, columns in read["before"] if pk in found}
    return TellableRows(
        list(found.values()),
        [(pk, columns[0]) for pk, columns in read["note"] if pk in found],
        {pk: row for pk, row in before.items() if _soon(view, row, found[pk])},
        {pk for pk, _ in read["outdated"]},
    )


def _known(view: View, ids: Collection[int], here: int | None, most: int, values: dict[str, Any]) -> str:
    """Return the query of the ids, and put in what it needs."""
    if here is None or view.channel is None:
        values["ids"] = db.id_list(ids)
        return f"SELECT value FROM {db.listed('%(ids)s', alias='first')}"
    every = list(ids)
    values |= {"ids": db.id_list(every[:most]), "every": db.id_list(every)}
    values |= {"channel": view.channel.pk, "here": here}
    return f"""SELECT value FROM (SELECT value FROM {db.listed("%(ids)s", alias="first")} UNION SELECT value FROM (
        SELECT one.value FROM {db.listed("%(every)s", alias="one")}
        {db.in_order()} notes_message AS said ON said.id = one.value
        WHERE said.channel_id = %(channel)s AND said.guild_id = %(guild)s ORDER BY one.key LIMIT %(here)s) AS near
        ) AS wanted"""


def _beside(known: str, which: str) -> str:
    """Return the source of what was said before or after known messages.

    It is looked for once for each: PostgreSQL would look for it again for each channel, and twice.
    """
    return f"""(WITH found(value, id) AS MATERIALIZED (
            SELECT known.value, ({which}) FROM {known}
            {db.in_order()} notes_message AS asked ON asked.id = known.value AND asked.guild_id = %(guild)s
        ) SELECT value, id FROM found) AS known {db.in_order()} notes_message AS row ON row.id = known.id"""


def _soon(view: View, one: MessageRow, other: MessageRow) -> bool:
    """Say whether no more lies between two messages than a pause in the talk."""
    return abs(one.sent_at - other.sent_at) <= timedelta(minutes=view.guild.quiet_minutes)


def next_messages(view: View, asking: Collection[MessageRow]) -> dict[int, MessageRow]:
    """Return for messages what was said next in their channel, if soon and if it may be told."""
    if not asking:
        return {}
    source = _beside(db.listed("%(ids)s", alias="known"), NEXT)
    asked = {row.pk: row for row in asking}
    rows = db.select(*_statement("message", view, source, more="known.value,", ids=db.id_list(asked)))
    replies = {pk: TABLES["message"].make_row(*columns) for pk, *columns in rows}
    return {pk: reply for pk, reply in replies.items() if _soon(view, reply, asked[pk])}


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


def _statement(
    kind: str, view: View, source: str, rest: str = "", *, more: str = "", columns: str = "", **values: Any
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
    columns = columns or table.columns.format(text=table.text_then if view.as_of else "row.text")
    return f"SELECT {more} {columns} FROM {source} {table.joins} WHERE {' AND '.join(conditions)} {rest}", values
