"""An export of many files, as a folder or a zip: read where it lies, and never beyond its own folder."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from memory.importing.open_file import BOM, HEAD, Source, Unreadable, open_source

MOST_FILES = 500_000
MOST_WHOLE = 64 << 20  # bytes of a file that is read as a whole, such as a list of members
BOMB_SIZE, BOMB_RATIO = 100 << 20, 200  # what unpacks to this and to so many times its size is no chat
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)


@dataclass
class Archive:
    """The files of an export by name, and how much of them is read."""

    name: str
    size: int | None
    files: dict[str, Path | zipfile.ZipInfo]
    packed: zipfile.ZipFile | None = None
    position: int = 0
    kind: str = field(default="", compare=False)

    @contextmanager
    def open(self, name: str) -> Iterator[Source]:
        """Open one of the files; raises Unreadable where it is damaged."""
        found = self.files[name]
        try:
            with self._raw(found) as raw:
                source = Source(PurePosixPath(name).name, io.BufferedReader(cast("io.RawIOBase", raw), HEAD))
                if source.head().startswith(BOM):
                    source.read(len(BOM))
                yield source
        except DAMAGED as error:
            raise Unreadable(f"is damaged in {name} ({type(error).__name__}): make the export anew.") from error
        except RuntimeError as error:  # zipfile's word for a password
            raise Unreadable("is locked with a password. Unpack it first, and import the folder.") from error
        finally:
            self.position += found.compress_size if isinstance(found, zipfile.ZipInfo) else found.stat().st_size

    def _raw(self, found: Path | zipfile.ZipInfo) -> BinaryIO:
        if isinstance(found, Path):
            return found.open("rb")
        return cast("BinaryIO", cast("zipfile.ZipFile", self.packed).open(found))

    def load(self, name: str) -> Any:
        """Return the JSON of a small file, None where there is none; raises Unreadable."""
        if name not in self.files:
            return None
        with self.open(name) as source:
            data = source.read(MOST_WHOLE + 1)
        if len(data) > MOST_WHOLE:
            raise Unreadable(f"has more than {MOST_WHOLE >> 20} MB in {name}: that is no export.")
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"has no whole JSON in {name}: make the export anew.") from error


@contextmanager
def open_export(path: str) -> Iterator[Source | Archive]:
    """Open a file, a folder, a zip, or standard input for `-`; raises Unreadable."""
    place = Path(path)
    if path != "-" and (place.is_dir() or (place.is_file() and zipfile.is_zipfile(place)) or _is_cut(place)):
        with open_archive(path) as archive:
            yield archive
        return
    with open_source(path) as source:
        yield source


def _is_cut(place: Path) -> bool:
    """Tell whether a file begins as a zip does: its list of files stands at the end, and is the first thing to go."""
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


@contextmanager
def open_archive(path: str) -> Iterator[Archive]:
    """Open a folder or a zip; raises Unreadable where a file of it lies elsewhere, or unpacks to far too much."""
    place = Path(path)
    if place.is_dir():
        yield Archive(place.resolve().name, None, dict(_files_of(place.resolve())))
        return
    try:
        with zipfile.ZipFile(place) as packed:
            infos = packed.infolist()
            _refuse_bombs(infos)
            files: dict[str, Path | zipfile.ZipInfo] = {_inside(i.filename): i for i in infos if not i.is_dir()}
            yield Archive(place.name, place.stat().st_size, files, packed)
    except DAMAGED as error:
        raise Unreadable("is a zip that was cut or damaged: copy or make it anew.") from error


def _files_of(root: Path) -> Iterator[tuple[str, Path]]:
    for number, path in enumerate(sorted(root.rglob("*"))):
        if number > MOST_FILES:
            raise Unreadable(f"holds more than {MOST_FILES:,} files: name the folder of the export itself.")
        if not path.resolve().is_relative_to(root):
            raise Unreadable(f"holds a link that leads out of it ({path.relative_to(root)}): take it out first.")
        if path.is_file():
            yield path.relative_to(root).as_posix(), path


def _inside(name: str) -> str:
    """Return the name of a file in a zip; raises Unreadable where it climbs out."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise Unreadable(
            "holds a name that climbs out of its folder: this is no export, or one that was tampered with."
        )
    return str(path)


def _refuse_bombs(infos: list[zipfile.ZipInfo]) -> None:
    if len(infos) > MOST_FILES:
        raise Unreadable(f"holds more than {MOST_FILES:,} files: that is no export.")
    for info in infos:
        if info.file_size > BOMB_SIZE and info.file_size > BOMB_RATIO * max(info.compress_size, 1):
            raise Unreadable("unpacks to hundreds of times its size: that is no export. Nothing of it was read.")
