"""Shares a token budget among the parts of a context: what each may take, and which gives way first (seed 003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CHARACTERS = 4  # in a token, on average; seed 003's estimate, a little high for English prose


@dataclass(frozen=True, slots=True)
class Share:
    """What a part may take: a share of the budget for certain, and of what is left over as much as the cap allows."""

    part: str
    share: float
    cap: int  # tokens


# The most important first; leftovers are handed out in this order, and what must go is taken from the other end.
# Measured on questions with known answers: messages and facts carry most evidence a token, notes most of what is left.
SHARES = (
    Share("facts", 0.14, 1_500),
    Share("messages", 0.40, 1_200),
    Share("notes", 0.16, 1_500),
    Share("profiles", 0.14, 2_500),
    Share("channel", 0.03, 1_200),
    Share("rolling", 0.05, 1_200),
    Share("relationships", 0.02, 300),
    Share("transcript", 0.06, 1_800),
)


def tokens(text: str) -> int:
    """Return how many tokens the text is taken to have."""
    return -(-len(text) // CHARACTERS)


def share_out(costs: Mapping[str, Sequence[int]], *, room: int) -> dict[str, int]:
    """Return how many items each part keeps, given what they cost, best first; costs and room are in characters.

    Items are kept whole and in order: the first that does not fit ends its part.
    """
    caps = {each.part: each.cap * CHARACTERS for each in SHARES}
    sure = {each.part: min(caps[each.part], int(each.share * room)) for each in SHARES}
    kept, left = dict.fromkeys(costs, 0), room
    for limits in (sure, caps):
        for part in (each.part for each in SHARES if each.part in costs):
            spent, rest = sum(costs[part][: kept[part]]), costs[part][kept[part] :]
            more = _fitting(rest, min(left, limits[part] - spent))
            kept[part] += more
            left -= sum(rest[:more])
    return kept


def cut(costs: Mapping[str, Sequence[int]], kept: Mapping[str, int], *, excess: int) -> dict[str, int]:
    """Return fewer items to keep, taken from the least important part up, until `excess` characters are saved."""
    fewer = dict(kept)
    for share in reversed(SHARES):
        while excess > 0 and fewer.get(share.part):
            fewer[share.part] -= 1
            excess -= costs[share.part][fewer[share.part]]
    return fewer


def _fitting(costs: Sequence[int], room: int) -> int:
    count = 0
    for cost in costs:
        room -= cost
        if room < 0:
            break
        count += 1
    return count
