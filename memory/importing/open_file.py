"""Opens a file as bytes that are counted, and says at once when nobody could read messages from it."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

HEAD = 1 << 20  # bytes looked at to tell what a file is
MAILS = b"From "
BOM = b"\xef\xbb\xbf"
PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
WIDE = {b"\xff\xfe\0\0": "UTF-32", b"\0\0\xfe\xff": "UTF-32", b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class Unreadable(Exception):
    """A file cannot be read, or not to its end; the text says why and what to do."""


@dataclass
class Source:
    """An open file: its first bytes, what is read of it so far, and how long it is if that is known."""

    name: str
    stream: io.BufferedReader
    size: int | None = None
    position: int = 0
    tail: bytes = b""
    kind: str = ""  # what it turned out to be, once it is read

    def head(self) -> bytes:
        """Return the first bytes without reading on; only before the first read."""
        return self.stream.peek(HEAD)[:HEAD]

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; empty at the end."""
        return self._counted(self.stream.read(size))

    def readline(self, limit: int) -> bytes:
        """Return the next line with its end, or its first `limit` bytes; empty at the end."""
        return self._counted(self.stream.readline(limit))

    def _counted(self, data: bytes) -> bytes:
        self.position += len(data)
        self.tail = data[-4:] or self.tail
        return data

    def ends_inside_a_letter(self) -> bool:
        """Tell whether all is read and the last letter is not whole, so that the file was cut there."""
        decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        decoder.decode(self.tail)
        return not self.stream.peek(1) and bool(decoder.getstate()[0])


@contextmanager
def open_source(path: str) -> Iterator[Source]:
    """Open a file, or standard input for `-`, at its first character; raises Unreadable."""
    with ExitStack() as stack:
        try:
            raw: BinaryIO = sys.stdin.buffer if path == "-" else stack.enter_context(Path(path).open("rb"))
            size = None if path == "-" else os.fstat(raw.fileno()).st_size or None
            # A second buffer fills up to its size even from a pipe, so that the head is always the same.
            source = Source(Path(path).name, io.BufferedReader(cast("io.RawIOBase", raw), HEAD), size)
            head = source.head()
        except OSError as error:
            why = "is not there" if isinstance(error, FileNotFoundError) else f"cannot be opened: {error.strerror}"
            raise Unreadable(f"{why}.") from error
        if not head.removeprefix(BOM).strip():
            raise Unreadable("is empty.")
        if packed := next((name for magic, name in PACKED.items() if head.startswith(magic)), ""):
            raise Unreadable(f"is packed ({packed}). Unpack it first.")
        wide = next((name for mark, name in WIDE.items() if head.startswith(mark)), "")
        if wide := wide or ("UTF-16" if b"\0" in head[:2] else ""):
            convert = f"Convert it with `iconv -f {wide} -t UTF-8 FILE > NEW`, and import the new file."
            raise Unreadable(f"is {wide}, not UTF-8. {convert}")
        try:
            if not head.startswith(MAILS):  # each mail says its own encoding
                codecs.getincrementaldecoder("utf-8")().decode(head)  # the head may end inside a letter
        except UnicodeDecodeError as error:
            if b"\0" in head:  # in no text of one byte a letter
                raise Unreadable("is no text, but a picture or the like. Give the file that was exported.") from error
            raise wrong_encoding(f"byte {error.start}") from error
        if head.startswith(BOM):
            source.read(len(BOM))
        try:
            yield source
        finally:
            source.stream.detach()


def broken_off(source: Source, whole: int) -> Unreadable:
    """Return what to say of JSON that ends, or is none, after so many whole messages."""
    return Unreadable(
        f"breaks off, or is not JSON, after {whole} whole messages, before byte {source.position}. "
        "What stood before is in; export again and import the whole file for the rest."
    )


def wrong_encoding(where: str) -> Unreadable:
    """Return what to say of bytes that are not UTF-8."""
    return Unreadable(
        f"is not UTF-8 ({where}). Convert it first, for example with "
        "`iconv -f LATIN1 -t UTF-8 FILE > NEW`, and import the new file."
    )
