"""Tells by its content what kind of file or export it is, and reads it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, tzinfo
from pathlib import PurePosixPath
from typing import Any

from memory.importing import (
    discord_exports,
    json_lines,
    mailboxes,
    matrix_exports,
    mattermost_exports,
    slack_exports,
    telegram_exports,
    whatsapp_exports,
)  # fmt: skip
from memory.importing.archives import Archive
from memory.importing.open_file import Source, Unreadable
from memory.importing.schemas import Item, printable

OURS = frozenset({"message_id", "channel", "author", "text", "sent_at"})
KNOWN = (
    "is none of the files that can be read: exports of Discord (DiscordChatExporter's JSON), Slack, Telegram "
    "(result.json), WhatsApp (text), Matrix (Element's JSON) and Mattermost (JSON lines), an mbox, or one JSON message "
    "a line, such as docs/importing.md shows."
)
READ_OF_ARCHIVES = {".json", ".jsonl", ".txt", ".mbox"}


def read(source: Source | Archive, *, guild: str = "", zone: tzinfo = UTC) -> Iterator[Item]:
    """Yield what the file or export holds, in its order; `source.kind` says from then on what it is.

    `guild` is the key of the guild to put all of it in, `zone` the zone of times that say none. Raises Unreadable where
    the file breaks off; what came before it has been yielded.
    """
    if isinstance(source, Archive):
        prefix = slack_exports.root(source)
        if prefix is None:
            return _read_each(source, guild=guild, zone=zone)
        source.kind = "Slack export"
        return slack_exports.read(source, prefix=prefix, guild=guild)
    return _read_file(source, guild=guild, zone=zone)


def _read_each(archive: Archive, *, guild: str, zone: tzinfo) -> Iterator[Item]:
    """Yield what the files of a folder or a zip hold that are no Slack export: each is told by itself."""
    known = False
    for name in sorted(archive.files):
        if PurePosixPath(name).suffix.lower() not in READ_OF_ARCHIVES:
            continue
        with archive.open(name) as source:
            if not source.head().strip():
                continue
            # WhatsApp calls the text in each of its zips the same: the zip has the chat's name.
            title = archive.name if len(archive.files) == 1 or PurePosixPath(name).name == "_chat.txt" else ""
            try:
                items = _read_file(source, guild=guild, zone=zone, title=title)
                known, archive.kind = True, source.kind
                yield from items
            except Unreadable as error:
                if str(error) != KNOWN:
                    raise Unreadable(f"holds {printable(name)}, which {error}") from error
    if not known:
        raise Unreadable(KNOWN)


def _read_file(source: Source, *, guild: str, zone: tzinfo, title: str = "") -> Iterator[Item]:
    head = source.head()
    if mailboxes.recognise(head):
        source.kind = "mbox"
        return mailboxes.read(source, guild=guild)
    if not head.lstrip().startswith(b"{"):
        if not whatsapp_exports.recognise(head[:65536].decode(errors="ignore")):
            raise Unreadable(KNOWN)
        source.kind = "WhatsApp export"
        return whatsapp_exports.read(source, guild=guild, zone=zone, title=title)
    first = _first(head)
    if discord_exports.recognise(first):
        source.kind = "DiscordChatExporter export"
        return discord_exports.read(source, preamble=first, guild=guild)
    if matrix_exports.recognise(first):
        source.kind = "Matrix export"
        return matrix_exports.read(source, preamble=first, guild=guild)
    if mattermost_exports.recognise(first):
        source.kind = "Mattermost export"
        return mattermost_exports.read(source, guild=guild)
    if telegram_exports.recognise(first):
        source.kind = "Telegram export"
        return telegram_exports.read(source, guild=guild, zone=zone)
    if json_lines.is_dataset(first):
        source.kind = "data set"
        return json_lines.read(source, shape=json_lines.shape_dataset, guild=guild)
    if not first or OURS & first.keys():
        source.kind = "JSON lines"
        return json_lines.read(source, shape=json_lines.shape, guild=guild)
    raise Unreadable(KNOWN)


def _first(head: bytes) -> dict[str, Any]:
    """Return the members of the first object that are complete within the head, which may end inside a value."""
    import ijson  # type: ignore[import-untyped]

    first: dict[str, Any] = {}
    with suppress(ijson.JSONError):
        for name, value in ijson.kvitems(io.BytesIO(head), ""):
            first[name] = value
    return first
