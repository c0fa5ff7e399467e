"""Reads files of messages as a stream and takes them in: exports of chats, mail, JSON lines, the measuring data."""

from memory.importing.archives import Archive, open_export
from memory.importing.detect_format import read
from memory.importing.open_file import Source, Unreadable, open_source
from memory.importing.schemas import Invalid, ReadMessage, Skipped
from memory.importing.take_in import ImportCounts, Importer

__all__ = [
    "Archive",
    "ImportCounts",
    "Importer",
    "Invalid",
    "ReadMessage",
    "Skipped",
    "Source",
    "Unreadable",
    "open_export",
    "open_source",
    "read",
]
