"""Which memories a reply used: those that it names by number, and those of what it was handed whose words it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.context.items import Item
from memory.recall.results import Memory
from memory.recall.word_overlap import shared_words
from memoryhub.language import sentences

MOST = 5
SAID = 0.5  # of the words of a memory, or of one sentence of a note, that the reply has
KINDS = ("fact", "entry", "note", "message")
_NUMBER = re.compile(r"#(\d{1,18})\b")


@dataclass(frozen=True)
class Used:
    """A memory by its kind and id: a row number, of a message the platform's id."""

    kind: str
    id: int | str


def used(reply: str, handed: Sequence[Item | Memory]) -> list[Used]:
    """Return up to five memories that the reply says, those that it names first, then those it says most of."""
    named = [Used("fact", int(number)) for number in _NUMBER.findall(reply)]
    scored = [(_share(each, reply), each) for each in handed if each.kind in KINDS and each.id is not None]
    said = sorted((pair for pair in scored if pair[0] >= SAID), key=lambda pair: -pair[0])
    return list(dict.fromkeys([*named, *(Used(each.kind, each.id) for _, each in said if each.id is not None)]))[:MOST]


def _share(each: Item | Memory, reply: str) -> float:
    texts = sentences(each.text) if each.kind in ("note", "message") else [each.text]
    return max((shared_words(text, reply) for text in texts), default=0.0)
