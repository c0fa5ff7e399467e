"""Other spellings that hide what a text says: codes, look-alike digits, letters set apart, invisible characters."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

_LEET = str.maketrans("013457@$", "oieastas")
_INVISIBLE = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad]")
_BLANKS = re.compile(r"\s{2,}")
_MARKS = re.compile(r"([^\w\s])\1{2,}")
_TAGS = re.compile(r"[\U000e0020-\U000e007e]+")
_SPACED = re.compile(r"\b(?:\w ){3,}\w\b|\b(?:\w[._*-]){2,}\w\b")
_BETWEEN = re.compile(r"[ ._*-]")
_LOOK_ALIKE = str.maketrans("асеоріхујѕкмтвнАВСЕНІЈКМОРЅТХαοερνικ", "aceopixyjskmtbhABCEHIJKMOPSTXaoepvik")
_MIXED_SCRIPT = re.compile(r"[a-z][а-яіјѕα-ω]|[а-яіјѕα-ω][a-z]", re.IGNORECASE)
_MIXED_WORD = re.compile(r"\b(?=\w*[a-z@$])(?=\w*[0-9@$])[\w@$]{2,}\b", re.IGNORECASE)


def readings(text: str) -> Iterator[str]:
    """Yield `text` composed and without invisible characters, then each other reading it allows."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", html.unescape(text)))
    # A thousand blanks or marks say no more than one or two, and cost the patterns dear.
    plain = _MARKS.sub(r"\1\1", _BLANKS.sub(lambda run: "\n" if "\n" in run[0] else " ", plain))
    yield plain
    if _TAGS.search(plain):
        yield _TAGS.sub(lambda run: "".join(chr(ord(letter) - 0xE0000) for letter in run.group()), plain)
    if _SPACED.search(plain):
        yield _SPACED.sub(lambda run: _BETWEEN.sub("", run.group()), plain)
    if _MIXED_SCRIPT.search(plain):
        yield plain.translate(_LOOK_ALIKE)
    if len(_MIXED_WORD.findall(plain)) >= 2:
        yield plain.translate(_LEET)
    for run, decode in _CODES:
        for match in run.finditer(plain):
            try:
                decoded = decode(match.group()).decode()
            except (ValueError, binascii.Error):
                continue
            if _READABLE.search(decoded):
                yield decoded


# What was no code decodes to noise: only what reads as words is another reading.
_READABLE = re.compile(
    r"\b(?:the|all|and|your|you|to|previous|instructions?|rules?|prompt|system|le|la|les|die|alle)\b", re.IGNORECASE
)
_CODES: tuple[tuple[re.Pattern[str], Callable[[str], bytes]], ...] = (
    (re.compile(r"\b[A-Za-z0-9+/]{16,}={0,2}"), lambda run: base64.b64decode(run + "=" * (-len(run) % 4))),
    (re.compile(r"\b[A-Z2-7]{16,}={0,6}"), lambda run: base64.b32decode(run + "=" * (-len(run) % 8))),
    (re.compile(r"\b[0-9a-f]{24,}\b"), bytes.fromhex),
    (re.compile(r"\b(?:[01]{8}\s+){3,}[01]{8}\b"), lambda run: bytes(int(eight, 2) for eight in run.split())),
    (re.compile(r"(?<!\S)(?:[^\s%]*%[0-9A-Fa-f]{2}){3,}\S*"), lambda run: unquote(run).encode()),
    (re.compile(r"(?<=\s)[!-~]{40,}"), base64.b85decode),
    (re.compile(r"^.{12,}$", re.MULTILINE), lambda run: codecs.encode(run, "rot13").encode()),
    (re.compile(r"^.{12,}$", re.MULTILINE), lambda run: run[::-1].encode()),
)
