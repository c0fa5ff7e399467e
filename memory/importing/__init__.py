"""Reads files of messages as a stream and takes them in: exports of Discord chats, JSON lines, the measuring data."""

from memory.importing.detect_format import read
from memory.importing.open_file import Source, Unreadable, open_source
from memory.importing.schemas import Invalid, ReadMessage, Skipped
from memory.importing.take_in import ImportCounts, Importer

__all__ = [
    "ImportCounts", "Importer", "Invalid", "ReadMessage", "Skipped", "Source", "Unreadable", "open_source", "read",
]  # fmt: skip
