"""Remembers of somebody who was erased only that they were: by a keyed hash, so that their choice outlives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime

from django.db.models import Q
from django.utils.crypto import salted_hmac

from memoryhub.community.models import Guild, Member, Tombstone

SOMEBODY = "somebody"
MOST_WORDS = 4  # of a name
_WORD = re.compile(r"\w+")


def digest(guild: Guild, *names: str) -> str:
    """Return the keyed hash of something in a guild; without SECRET_KEY nobody can tell what it was."""
    return salted_hmac("memoryhub.tombstone", "\0".join((guild.key, *names)), algorithm="sha256").hexdigest()


def record(member: Member, *, now: datetime, names: Iterable[str] = ()) -> None:
    """Note that the member is erased now; of their choices only a no is kept, of their names hashes."""
    guild = member.guild
    kept = {
        "erased_at": now,
        "remember": False if member.remember is False else None,
        "place": digest(guild),
        "names": [_of_name(guild, name) for name in names],
    }
    Tombstone.objects.update_or_create(digest=digest(guild, member.platform_id), defaults=kept)


def _of_name(guild: Guild, name: str) -> str:
    return digest(guild, "name", name.casefold())


def find(guild: Guild, platform_ids: Iterable[str]) -> dict[str, Tombstone]:
    """Return the tombstones of these accounts, by account."""
    digests = {digest(guild, each): each for each in platform_ids}
    found = Tombstone.objects.filter(digest__in=digests) if digests else ()
    return {digests[stone.digest]: stone for stone in found}


def name_hider(guild: Guild) -> Callable[[str], str]:
    """Return what puts SOMEBODY where a text names somebody who was erased: for texts that notes are written from.

    A name that a member of the guild bears now is left: it means them.
    """
    stones = Tombstone.objects.filter(place=digest(guild)).exclude(names=[])
    hashes = {each for names in stones.values_list("names", flat=True) for each in names}
    if not hashes:
        return str
    known: dict[str, bool] = {}

    def is_erased(name: str) -> bool:
        if name not in known:
            bearers = Member.objects.of(guild).filter(Q(name__iexact=name) | Q(display_name__iexact=name))
            known[name] = _of_name(guild, name) in hashes and not bearers.exists()
        return known[name]

    def hide(text: str) -> str:
        """Return the text without these names, the longest first."""
        words, parts, place = list(_WORD.finditer(text)), list[str](), 0
        for at, word in enumerate(words):
            ends = [each.end() for each in reversed(words[at : at + MOST_WORDS])] if word.start() >= place else []
            if end := next((end for end in ends if is_erased(text[word.start() : end])), 0):
                parts += [text[place : word.start()], SOMEBODY]
                place = end
        return "".join([*parts, text[place:]])

    return hide
