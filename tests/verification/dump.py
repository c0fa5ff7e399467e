"""All that a guild remembers, as text to compare: without row ids, without when it was learned or written."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from memory.index.documents import KINDS
from memory.models import Evidence, Fact
from memory.records import snapshots
from memoryhub import db
from memoryhub.community.models import Guild
from memoryhub.search import vectors
from memoryhub.search.keywords import fts5
from notes.models import Arrangement, InteractionNote, Journal, Message, Question, Summary
from profiles.models import Profile, ProfileEntry, RelationshipDay

Rows = list[tuple[Any, ...]]


def remembered(guild: Guild, *, model: str) -> dict[str, list[str]]:
    """Return what is known, by kind, in an order of its own."""
    parts = {
        "messages": _messages(guild),
        "facts": _facts(guild),
        "notes": _notes(guild),
        "summaries": _summaries(guild),
        "questions": _questions(guild),
        "arrangements": _arrangements(guild),
        "profiles": _profiles(guild),
        "entries": _entries(guild),
        "relationships": _relationships(guild),
        "papers": _papers(guild),
        "words": [row for kind in KINDS for row in _words(guild, kind)],
        "vectors": [row for kind in KINDS for row in _vectors(guild, kind, model)],
    }
    return {name: sorted(map(repr, rows)) for name, rows in parts.items()}


def differences(after: dict[str, list[str]], never: dict[str, list[str]]) -> list[str]:
    """Return what one memory has and the other has not."""
    return [
        f"{name}: {line}"
        for name in after
        for line in difflib.unified_diff(never[name], after[name], lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]


def _messages(guild: Guild) -> Rows:
    rows = Message.objects.of(guild).filter(deleted_at=None).select_related("channel", "author")
    return [(m.platform_id, m.channel.platform_id, m.author.platform_id, m.text, m.sent_at, m.mentions) for m in rows]


def _facts(guild: Guild) -> Rows:
    rows = Fact.objects.of(guild).select_related("subject", "audience", "channel", "replaced_by")
    return [
        (
            fact.text, _name(fact.subject), _name(fact.audience), _name(fact.channel), fact.kind, fact.status,
            fact.confidence, fact.source_type, fact.pinned, fact.possible_conflict, fact.said_at, fact.valid_from,
            fact.valid_until, fact.last_reinforced_at, fact.reinforcements, fact.replaced_by and fact.replaced_by.text,
            fact.junk, fact.junk_signs, _evidence(fact.evidence.all()),
        )
        for fact in rows
    ]  # fmt: skip


def _name(row: Any) -> str:
    return str(row.platform_id) if row else ""


def _evidence(rows: Iterable[Evidence]) -> tuple[Any, ...]:
    return tuple(sorted((row.message.platform_id if row.message else "", row.quote, row.said_at) for row in rows))


def _notes(guild: Guild) -> Rows:
    rows = InteractionNote.objects.of(guild).select_related("channel", "audience")
    return [
        (
            note.kind, note.title, note.summary, _name(note.channel), _name(note.audience), note.note_date,
            note.started_at, note.ended_at, _ids(note.participants.all()), _ids(note.messages.all()),
            tuple(sorted(each.title for each in note.notes.all())),
        )
        for note in rows
    ]  # fmt: skip


def _ids(rows: Iterable[Any]) -> tuple[str, ...]:
    return tuple(sorted(row.platform_id for row in rows))


def _summaries(guild: Guild) -> Rows:
    """Return what is going on lately, and what the channels are about over time."""
    return [
        (
            row.kind, row.channel.platform_id, row.text, row.topics, row.threads, row.unresolved, row.decisions,
            row.glossary, row.from_at, row.to_at, _ids(row.messages.all()),
        )
        for row in Summary.objects.of(guild).select_related("channel")
    ]  # fmt: skip


def _questions(guild: Guild) -> Rows:
    rows = Question.objects.of(guild).select_related("channel", "asked_by")
    return [
        (row.channel.platform_id, row.text, _name(row.asked_by), row.asked_at, bool(row.answered_at),
         _ids(row.messages.all()), _ids(row.answers.all()))
        for row in rows
    ]  # fmt: skip


def _arrangements(guild: Guild) -> Rows:
    rows = Arrangement.objects.of(guild).select_related("channel", "message", "audience", "replaced_by__message")
    return [
        (
            row.channel.platform_id, row.message.platform_id, row.text, row.decided, row.change, row.due_at,
            row.all_day, row.audience and row.audience.platform_id,
            row.replaced_by and row.replaced_by.message.platform_id,
        )
        for row in rows
    ]  # fmt: skip


def _profiles(guild: Guild) -> Rows:
    """Return the short summaries; a profile without lines says no more than none."""
    rows = Profile.objects.filter(member__guild=guild).exclude(summary="").select_related("member")
    return [(_name(row.member), row.summary) for row in rows if row.entries.exists()]


def _entries(guild: Guild) -> Rows:
    rows = ProfileEntry.objects.filter(profile__member__guild=guild).select_related("profile__member", "audience")
    return [
        (_name(row.profile.member), row.section, row.text, _name(row.audience), row.status, row.pinned,
         row.written_by,
         tuple(sorted(each.note.title if each.note else each.message.text for each in row.sources.all())))
        for row in rows
    ]  # fmt: skip


def _relationships(guild: Guild) -> Rows:
    rows = RelationshipDay.objects.of(guild).select_related("source", "target", "channel")
    return [
        (_name(row.source), _name(row.target), _name(row.channel), row.day, row.replies, row.mentions, row.together,
         row.voice_minutes)
        for row in rows
    ]  # fmt: skip


def _papers(guild: Guild) -> Rows:
    snapshot = [line for line in guild.snapshot.text.splitlines() if not line.startswith("_Rendered")]
    journals = [(str(row.day), row.text) for row in Journal.objects.of(guild)]
    files = [(path.name, path.read_text()) for path in snapshots.folder(guild).glob("2*.md")]
    return [("snapshot", *snapshot), *journals, *files]


def _words(guild: Guild, kind: str) -> Rows:
    """Return the words that lead to each row, and the audience they are found in."""
    table = fts5.table_of(kind)
    if not db.has_table(table):
        return []
    known = {row.pk: row for row in KINDS[kind].rows().filter(guild=guild)}
    held = db.select(f"SELECT rowid, scope, text, before FROM {table} WHERE {table} MATCH %s", [_scopes(guild)])
    channels = dict(guild.channels.values_list("pk", "platform_id"))
    return [(kind, pk in known, text, before, _place(scope, channels)) for pk, scope, text, before in held]


def _scopes(guild: Guild) -> str:
    audiences = [0, *guild.channels.values_list("pk", flat=True)]
    return " OR ".join(f"g{guild.pk}a{each}" for each in audiences)


def _place(scope: str, channels: dict[int, str]) -> str:
    audience = int(scope.split()[0].rpartition("a")[2])
    return channels.get(audience, "")


def _vectors(guild: Guild, kind: str, model: str) -> Rows:
    """Return what has an embedding, by its words, with the audience it is found in."""
    of = KINDS[kind]
    known = {row.pk: of.passage(row) for row in of.rows().filter(guild=guild)}
    channels = dict(guild.channels.values_list("pk", "platform_id"))
    any_held = vectors.held(kind=kind, model=model)
    held = vectors.store.of_guild(kind=kind, model=model, guild=guild.pk) if any_held else ()
    return [
        (kind, known.get(pk, "of a row that is gone"), channels.get(audience, ""), embedding.round(3).tobytes())
        for pk, _, audience, embedding in held
    ]
