"""How histories are signed: by a door and by whom, as in "api:NAME" or "member:ID"."""

from __future__ import annotations

from typing import NamedTuple


class Signature(NamedTuple):
    """From where somebody acted, and who: a name, or an account on a platform; the hub's own parts sign without one."""

    door: str
    name: str


def parse(actor: str) -> Signature:
    """Take a signature apart; a name may hold colons itself."""
    door, _, name = actor.partition(":")
    return Signature(door, name)
