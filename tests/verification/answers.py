"""Everything that a guild's own bot, key and pages can get to read about it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from io import BytesIO
from typing import get_args
from zipfile import ZipFile

from memory.context import builder
from memory.recall.search import recall
from memory.records import snapshots
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.site.api import api
from notes.models import InteractionNote, Journal
from tests.api_client import BODIES, Api, api_for

Said = tuple[str, str]
"""Where something was read, and what."""

FORMATS: tuple[builder.Format, ...] = get_args(builder.Format)


def asked_of(
    guild: Guild, questions: Sequence[str], *, now: datetime, channel: Channel | None = None,
    member: Member | None = None, formats: Sequence[builder.Format] = FORMATS,
) -> Iterator[Said]:  # fmt: skip
    """Ask for memories and for contexts, in one channel, or where the whole guild reads."""
    for question in questions:
        yield f"recall {question}", _recalled(guild, question, channel, member, now)
        yield f"recall {question} as of now", _recalled(guild, question, channel, member, now, as_of=now)
    people = list(Member.objects.of(guild))
    for form in formats:
        turn = builder.Turn(
            guild=guild, channel=channel, members=people, mentioned=people, text=" ".join(questions)[:4000],
            max_tokens=4000, format=form, now=now,
        )  # fmt: skip
        built = builder.build(turn)
        # A chat ends with the question, which is no answer.
        text = str((built.messages or [])[:-1]) if form == "messages" else built.text
        parts = [part for part in built.parts if part.name != "text"]
        yield f"context as {form}", f"{text} {parts} {built.sources} {built.left_out}"


def _recalled(
    guild: Guild, question: str, channel: Channel | None, member: Member | None, now: datetime,
    as_of: datetime | None = None,
) -> str:  # fmt: skip
    found = recall(guild, question=question, now=now, channel=channel, member=member, limit=24, as_of=as_of)
    return " ".join(str(asdict(memory)) for memory in found)


def papers_of(guild: Guild, *, now: datetime) -> Iterator[Said]:
    """Render the snapshot and the journal of every day with a note."""
    yield "snapshot", snapshots.current_snapshot(guild, now=now, refresh=True).text
    for day in set(InteractionNote.objects.of(guild).values_list("note_date", flat=True)) | {now.date()}:
        yield f"journal {day}", snapshots.render_journal(guild, day=day, now=now).text


def read_by_key(guild: Guild, questions: Sequence[str], others: dict[str, list[str]]) -> Iterator[Said]:
    """Call every GET route with the guild's own key: with its own ids, and with those of somebody else's rows."""
    bot = api_for(guild, "admin")
    for path in _paths():
        for full in _filled(path, guild, others):
            yield f"GET {full}", _body(bot, full)
    for question in questions:
        yield f"search {question}", _body(bot, f"/api/v1/guilds/{guild.key}/search", q=question, limit="24")
        kept = bot.get("/api/memory/search", q=question, guildId=guild.key).json()
        yield f"seed's search {question}", str(kept["results"])  # the rest repeats the question
    told = bot.post(f"{guild.key}/context", {"text": " ".join(questions)[:4000], "max_tokens": 4000})
    assert told.status_code == 200
    yield "POST context", told.content.decode()
    yield "seed's snapshot", _body(bot, "/api/memory", guildId=guild.key)
    yield "seed's memories", _body(bot, "/admin/api/memories")


def changed_by_key(guild: Guild, other: Guild, ids: dict[str, list[str]]) -> Iterator[tuple[str, int, str]]:
    """Call every route that changes something with the guild's own key: in the other guild, and here with its ids."""
    bot = api_for(guild, "admin")
    for path, method, name in _changes():
        for key in (other.key, guild.key) if "{key}" in path else ("",):
            full = re.sub(r"{(\w+)}", lambda part: {"key": [key], **ids}[part[1]][-1], path)  # noqa: B023
            answer = bot.call(method, full, BODIES.get(name), **({} if key else {"guildId": other.key}))
            assert answer.status_code < 500, full
            yield f"{method} {full}", answer.status_code, answer.content.decode()


def _changes() -> list[tuple[str, str, str]]:
    paths = api.get_openapi_schema()["paths"]
    every = [(path, method.upper(), op["operationId"]) for path, ops in paths.items() for method, op in ops.items()]
    return [each for each in every if each[1] != "GET"]


def told_by_key(guild: Guild, questions: Sequence[str], **asked: str) -> Iterator[Said]:
    """Ask through the routes that answer for the readers of a channel (`channel=`), or of the whole guild."""
    bot = api_for(guild, "read")
    for question in questions:
        yield f"search {question}", _body(bot, f"{guild.key}/search", q=question, limit="24", **asked)
        kept = {"channelId": asked["channel"]} if asked else {}
        yield (
            "seed's search",
            str(bot.get("/api/memory/search", q=question, guildId=guild.key, **kept).json()["results"]),
        )
    for member in Member.objects.of(guild):
        for part in ("profile", "relationships"):
            yield part, _body(bot, f"{guild.key}/members/{member.platform_id}/{part}", **asked)
    yield "graph", _body(bot, f"{guild.key}/relationships", **asked)
    people = list(Member.objects.of(guild).values_list("platform_id", flat=True))
    built = bot.post(f"{guild.key}/context", {**asked, "members": people, "text": "hello"}).json()
    yield "context", f"{built['text']} {built['parts']} {built['left_out']}"
    if not asked:
        yield "snapshot", _body(bot, f"{guild.key}/snapshot")
        yield "seed's snapshot", _body(bot, "/api/memory", guildId=guild.key)
        for day in set(Journal.objects.of(guild).values_list("day", flat=True)):
            yield f"journal {day}", _body(bot, f"{guild.key}/journal/{day}")


def _paths() -> list[str]:
    paths = api.get_openapi_schema()["paths"]
    return [path for path, operations in paths.items() if "get" in operations and "{key}" in path]


def _filled(path: str, guild: Guild, others: dict[str, list[str]]) -> Iterator[str]:
    """Put the guild's key and each id into the path; a path with two ids gets the first of the second kind."""
    path = path.replace("{key}", guild.key)
    named = re.findall(r"{(\w+)}", path)
    for value in others.get(named[0], [])[:3] if named else [""]:
        first = {"" if not named else named[0]: [value]}
        yield re.sub(r"{(\w+)}", lambda part: {**others, **first}[part[1]][0], path)  # noqa: B023


def _body(bot: Api, path: str, **query: str) -> str:
    response = bot.get(path, **query)
    assert response.status_code < 500, path
    if response.streaming and response.is_async:
        return ""  # the events: tests/memory/events
    if response.streaming:
        return _unzipped(b"".join(response.streaming_content))
    if response["Content-Type"].startswith("text/calendar"):
        return response.content.decode().replace("\r\n ", "")  # a long line is folded: RFC 5545, 3.1
    return json.dumps(response.json(), ensure_ascii=False) if response.content else ""


def _unzipped(archive: bytes) -> str:
    """Return the text of every file of a member's export, and its name."""
    with ZipFile(BytesIO(archive)) as files:
        return " ".join(name + files.read(name).decode() for name in files.namelist())
