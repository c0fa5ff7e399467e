"""Hands all of a guild out: one zip, in forms that other programs read and that a hub takes in again."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Prefetch, Q

from memory.erasure.holder import columns
from memory.models import AgentItem, Evidence, Fact
from memory.records import agent_items
from memory.records.snapshots import journal_text
from memoryhub.common.new_files import new_file
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import heard, remembered
from memoryhub.db.guild_scope import in_its_guild
from notes.models import Arrangement, InteractionNote, Journal, Message, Question, Summary
from profiles.models import ProfileEntry

Json = dict[str, Any]
Progress = Callable[[str, int], None]
AT_ONCE = 500  # rows read at a time
README = """\
All that {name} ({key}) holds, as of {day}. Times are UTC.

{files}

Into another hub: manage.py import_messages THIS.zip, then manage.py import_memories memories.json --from mem0
--guild {key}. Notes, profiles and summaries are written anew there. memories.json has the form of mem0's own exports.
A memory with a run_id was said in a channel that is not open to the whole guild: tell it there alone.

Whoever has this file can read what everybody said, in closed channels too.
"""


@in_its_guild
def write(guild: Guild, path: Path, *, now: datetime, progress: Progress = lambda _name, _rows: None) -> dict[str, int]:
    """Write the zip and return how many rows each of its files has; raises OSError, FileExistsError too.

    It takes the same memory for any size of guild. A half-written file is left nowhere.
    """
    with new_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        counts = {name: _write(archive, name, rows(guild), progress) for name, (rows, _) in FILES.items()}
        files = "\n".join(f"{name:<20} {counts[name]:>8,}  {holds}" for name, (_, holds) in FILES.items())
        told = README.format(name=guild, key=guild.key, day=f"{now:%Y-%m-%d %H:%M}", files=files)
        archive.writestr("README.txt", told)
    return counts


def _write(archive: zipfile.ZipFile, name: str, rows: Iterator[Json], progress: Progress) -> int:
    """Write a row a line: as one JSON list, or as lines where the name says so."""
    begin, between, end = (b"", b"\n", b"\n") if name.endswith(".jsonl") else (b"[\n", b",\n", b"\n]\n")
    number = 0
    with archive.open(name, "w", force_zip64=True) as file:
        file.write(begin)
        for number, row in enumerate(rows, 1):
            text = json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
            file.write((between if number > 1 else b"") + text.encode(errors="replace"))
            if number % AT_ONCE == 0:
                progress(name, number)
        file.write(end)
    return number


def _messages(guild: Guild) -> Iterator[Json]:
    """Yield each message whose words are still here and may be used, in the form that `import_messages` reads."""
    place = {"key": guild.key, "name": guild.name}
    rows = Message.objects.of(guild).readable().filter(heard(guild, "author"))
    for row in rows.order_by("sent_at", "pk").select_related("channel__parent", "author").iterator(AT_ONCE):
        channel, author = row.channel, row.author
        yield {
            "guild": place,
            "message_id": row.platform_id,
            "channel": {
                "id": channel.platform_id,
                "name": channel.name,
                "kind": channel.kind,
                "parent_id": channel.parent.platform_id if channel.parent else None,
                "audience": "channel" if channel.heard_by_at(row.sent_at) else "guild",
            },
            "author": {"id": author.platform_id, **columns(author, "name", "display_name", "is_bot")},
            **columns(row, "text", "sent_at"),
            "reply_to": row.reply_to or None,
            **columns(row, "mentions", "source", "tool_summary"),
        }


def _facts(guild: Guild, *, active: bool) -> Iterator[Json]:
    """Yield facts in the form of mem0's exports, with where they come from."""
    rows = Fact.objects.of(guild).filter(heard(guild, "subject")).order_by("said_at", "pk")
    rows = rows.select_related("subject", "audience")
    rows = rows.active() if active else rows.exclude(pk__in=Fact.objects.of(guild).active().values("pk"))
    sources = Evidence.objects.filter(heard(guild, "speaker")).select_related("message", "speaker")
    for row in rows.prefetch_related(Prefetch("evidence", sources)).iterator(AT_ONCE):
        about = row.subject.platform_id if row.subject else None
        is_bot = bool(row.subject and row.subject.is_bot)
        run = row.audience.platform_id if row.audience else None
        told = columns(row, "kind", "status", "confidence", "source_type", "pinned", "valid_from", "valid_until")
        yield {
            "id": str(row.pk),
            "memory": row.text,
            "user_id": None if is_bot else about,
            "agent_id": about if is_bot else None,
            "run_id": run,
            "categories": [row.kind],
            "created_at": row.said_at,
            "updated_at": row.updated_at,
            **told,
            "sources": [_source(each) for each in row.evidence.all()],
        }


def _source(row: Evidence) -> Json:
    return {
        "message_id": row.message.platform_id if row.message else None,
        "author": row.speaker.platform_id if row.speaker else None,
        **columns(row, "quote", "said_at"),
    }


def _members(guild: Guild) -> Iterator[Json]:
    rows = Member.objects.of(guild).filter(Q(is_bot=True) | remembered(guild))
    for row in rows.order_by("pk").iterator(AT_ONCE):
        names = ("name", "display_name", "is_bot", "remember", "findable", "first_seen_at", "last_seen_at")
        yield {"id": row.platform_id, **columns(row, *names)}


def _channels(guild: Guild) -> Iterator[Json]:
    for row in Channel.objects.of(guild).order_by("pk").select_related("parent").iterator(AT_ONCE):
        parent = row.parent.platform_id if row.parent else None
        yield {"id": row.platform_id, "parent_id": parent, **columns(row, "name", "kind", "audience", "memory_on")}


def _profiles(guild: Guild) -> Iterator[Json]:
    rows = ProfileEntry.objects.filter(heard(guild, "profile__member"), profile__member__guild=guild)
    for row in (
        rows.select_related("profile__member", "audience")
        .order_by("profile", "section", "position", "pk")
        .iterator(AT_ONCE)
    ):
        yield {
            "member": row.profile.member.platform_id,
            **columns(row, "section", "text", "status", "written_by", "pinned", "created_at"),
            "only_in": row.audience.platform_id if row.audience else None,
        }


def _notes(guild: Guild) -> Iterator[Json]:
    rows = InteractionNote.objects.told(guild).select_related("channel", "audience").prefetch_related("participants")
    for row in rows.order_by("ended_at", "pk").iterator(AT_ONCE):
        yield {
            "channel": row.channel.platform_id if row.channel else None,
            **columns(row, "kind", "title", "summary", "note_date", "started_at", "ended_at"),
            "members": [each.platform_id for each in row.participants.all()],
            "only_in": row.audience.platform_id if row.audience else None,
        }


def _summaries(guild: Guild) -> Iterator[Json]:
    for row in Summary.objects.of(guild).select_related("channel").order_by("channel", "kind").iterator(AT_ONCE):
        parts = ("kind", "text", "topics", "threads", "unresolved", "decisions", "glossary", "from_at", "to_at")
        yield {"channel": row.channel.platform_id, **columns(row, *parts)}


def _questions(guild: Guild) -> Iterator[Json]:
    for row in Question.objects.of(guild).select_related("channel", "asked_by").order_by("asked_at", "pk").iterator():
        who = row.asked_by.platform_id if row.asked_by else None
        yield {"channel": row.channel.platform_id, "member": who, **columns(row, "text", "asked_at", "answered_at")}


def _arrangements(guild: Guild) -> Iterator[Json]:
    rows = Arrangement.objects.of(guild).select_related("channel", "audience", "message__author")
    for row in rows.order_by("said_at", "pk").iterator(AT_ONCE):
        who, only = row.message.author.platform_id, row.audience.platform_id if row.audience else None
        said = {"channel": row.channel.platform_id, "member": who, "message": row.message.platform_id, "only_in": only}
        yield said | columns(row, "text", "said_at", "decided", "change", "due_at", "all_day", "put_aside_at")


def _journals(guild: Guild) -> Iterator[Json]:
    for row in Journal.objects.of(guild).order_by("day").iterator(AT_ONCE):
        yield {"day": row.day, "text": journal_text(guild, row.day) if row.stale else row.text}


def _items(guild: Guild) -> Iterator[Json]:
    rows = AgentItem.objects.of(guild).order_by("pk").iterator(AT_ONCE)
    for row in agent_items.only_told(guild, rows, agent_items.labels):
        named = {"namespace": agent_items.labels(row), **columns(row, "key", "value", "text")}
        yield named | columns(row, "created_at", "updated_at")


FILES: dict[str, tuple[Callable[[Guild], Iterator[Json]], str]] = {
    "messages.jsonl": (_messages, "what was said, for import_messages"),
    "memories.json": (lambda guild: _facts(guild, active=True), "what is believed, with its sources, for mem0"),
    "set_aside.json": (lambda guild: _facts(guild, active=False), "facts that are not: archived, waiting, refused"),
    "members.json": (_members, "people and bots"),
    "channels.json": (_channels, "channels, and who may read them"),
    "profiles.json": (_profiles, "the lines of profiles"),
    "notes.json": (_notes, "what happened, by conversation and by topic"),
    "summaries.json": (_summaries, "channels lately and over time"),
    "questions.json": (_questions, "questions that channels left open"),
    "decisions_and_plans.json": (_arrangements, "what was decided and planned"),
    "journal.json": (_journals, "the log of each day"),
    "items.json": (_items, "what agents keep"),
}
