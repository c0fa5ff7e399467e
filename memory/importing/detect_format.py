"""Tells by its content what kind of file it is, and reads it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from memory.importing import discord_exports, json_lines
from memory.importing.open_file import Source, Unreadable
from memory.importing.schemas import Item

OURS = frozenset({"message_id", "channel", "author", "text", "sent_at"})
KNOWN = (
    "It is none of the files that can be read: a DiscordChatExporter JSON export, or one JSON message a line, "
    "such as docs/importing.md shows."
)


def read(source: Source, *, guild: str = "") -> Iterator[Item]:
    """Yield what the file holds, in its order; `guild` is the key of the guild to put all of it in.

    Raises Unreadable where the file breaks off; what came before it has been yielded.
    """
    head = source.head()
    if not head.lstrip().startswith(b"{"):
        raise Unreadable(KNOWN)
    # The members of the first object that are complete within the head, which may end inside a value.
    import ijson  # type: ignore[import-untyped]

    first: dict[str, Any] = {}
    with suppress(ijson.JSONError):
        for name, value in ijson.kvitems(io.BytesIO(head), ""):
            first[name] = value
    if discord_exports.recognise(first):
        return discord_exports.read(source, preamble=first, guild=guild)
    if json_lines.is_dataset(first):
        return json_lines.read(source, shape=json_lines.shape_dataset, guild=guild)
    if not first or OURS & first.keys():
        return json_lines.read(source, shape=json_lines.shape, guild=guild)
    raise Unreadable(KNOWN)
