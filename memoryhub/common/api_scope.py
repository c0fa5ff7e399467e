"""Who calls the JSON API, and which guilds are theirs: what every route starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeVar

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from pydantic import Field, ValidatorFunctionWrapHandler, WrapValidator

from memoryhub import db
from memoryhub.common.pagination import LARGEST_ID, RowId
from memoryhub.community.identity import BY_KEY, GuildUnknown
from memoryhub.community.models import PLATFORM_ID, Channel, Guild, Member
from memoryhub.db.guild_scope import enter
from memoryhub.errors import pattern

STORABLE = pattern(r"^[^\x00]+$", "text without null characters")
PathId = Annotated[str, Field(min_length=1, max_length=PLATFORM_ID, pattern=STORABLE)]
"""A platform's own id in an address; a slash in it may be written as %2F."""
Row = TypeVar("Row", bound=Model)
Named = TypeVar("Named", Member, Channel)
MISSING = "There is no such {} in this guild."


NO_ROW = 0
"""An id that no row has."""


def _is_an_id(value: object, checked: ValidatorFunctionWrapHandler) -> int:
    """Return the id; to a caller ids are words, so any other word is told as what is not there, like any other."""
    if isinstance(value, str) and not (value.isascii() and value.isdigit() and 0 < int(value[:20]) <= LARGEST_ID):
        return NO_ROW
    row_id: int = checked(value)
    return row_id


PathRowId = Annotated[RowId, WrapValidator(_is_an_id)]
"""An id of ours in an address."""

# Written out, since most calls ask them.
BY_PLATFORM_ID = "WHERE guild_id = %s AND platform_id = %s"


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A key or a person: how their changes are signed, the guilds they may see, the one a key is bound to, its scope.

    `everywhere` says if a key is for all guilds, `admin` if it may do everything, which a guard's refusal can be
    overruled by.
    """

    actor: str
    guilds: QuerySet[Guild]
    bound: Guild | None = None
    everywhere: bool = False
    admin: bool = False

    def allows(self, key: str) -> bool:
        """Say whether a key that is bound to a guild is bound to this one."""
        return self.bound is None or self.bound.key == key

    def guild(self, key: str) -> Guild:
        """Return the guild. GuildUnknown is raised alike for one that is not there and one that is not theirs."""
        if self.bound or self.everywhere:
            known = [self.bound] if self.bound else db.read(Guild, BY_KEY, [key])
            guild = next((each for each in known if each.key == key), None)
        else:
            guild = self.guilds.filter(key=key).first()
        if guild is None:
            raise GuildUnknown("There is no such guild here.")
        enter(guild)
        return guild


class Call(HttpRequest):
    """A request that has passed the door; `about` is the member whom a change is about that its address doesn't name.

    The audit log is told by it whose memory was changed.
    """

    auth: Caller
    about: Member | None


def one(rows: QuerySet[Row], what: str, **lookup: object) -> Row:
    """Return the one row, or Http404 that says what is missing."""
    row = rows.filter(**lookup).first()
    if row is None:
        raise Http404(MISSING.format(what))
    return row


def member_of(guild: Guild, member_id: str) -> Member:
    """Return the guild's member; raises Http404."""
    return _named(Member, guild, member_id, "member")


def channel_of(guild: Guild, channel_id: str) -> Channel:
    """Return the guild's channel; raises Http404."""
    return _named(Channel, guild, channel_id, "channel")


def _named(model: type[Named], guild: Guild, platform_id: str, what: str) -> Named:
    found = db.read(model, BY_PLATFORM_ID, [guild.pk, platform_id])
    if not found:
        raise Http404(MISSING.format(what))
    found[0].guild = guild  # known already: not to be read again
    return found[0]
