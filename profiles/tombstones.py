"""Remembers of somebody who was erased only that they were: by a keyed hash, so that their choice outlives them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.utils.crypto import salted_hmac

from profiles.models import Guild, Member, Tombstone


def digest(guild: Guild, *names: str) -> str:
    """Return the keyed hash of something in a guild; without SECRET_KEY nobody can tell what it was."""
    return salted_hmac("memoryhub.tombstone", "\0".join((guild.key, *names)), algorithm="sha256").hexdigest()


def put_up(member: Member, *, now: datetime) -> None:
    """Note that the member is erased now; only a no of theirs is kept."""
    said_no = False if member.remember is False else None
    Tombstone.objects.update_or_create(
        digest=digest(member.guild, member.platform_id), defaults={"erased_at": now, "remember": said_no}
    )


def known(guild: Guild, platform_ids: Iterable[str]) -> dict[str, Tombstone]:
    """Return the tombstones of these accounts, by account."""
    digests = {digest(guild, each): each for each in platform_ids}
    found = Tombstone.objects.filter(digest__in=digests) if digests else ()
    return {digests[stone.digest]: stone for stone in found}
