"""Reads files of messages as a stream and takes them in: exports of Discord chats, JSON lines, the measuring data."""

from memory.importing.opening import Source, Unreadable, opened
from memory.importing.reading import read
from memory.importing.shapes import LeftOut, Refused, Said
from memory.importing.taking import Desk, Tally

__all__ = ["Desk", "LeftOut", "Refused", "Said", "Source", "Tally", "Unreadable", "opened", "read"]
