"""Reads files of messages as a stream and takes them in: exports of Discord chats, JSON lines, the measuring data."""

from memory.importing.detect_format import read
from memory.importing.open_file import Source, Unreadable, opened
from memory.importing.schemas import LeftOut, Refused, Said
from memory.importing.take_in import Desk, Tally

__all__ = ["Desk", "LeftOut", "Refused", "Said", "Source", "Tally", "Unreadable", "opened", "read"]
