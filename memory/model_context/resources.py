"""The resources: a member's profile, the guild's snapshot and the journal of a day, each at an address of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import cast
from urllib.parse import quote, unquote
from zoneinfo import ZoneInfo

from django.http import Http404
from django.utils import timezone
from pydantic import ValidationError

from memory.api import snapshots
from memory.model_context.fence import fenced_data, fenced_paper
from memory.model_context.schemas import OfMember
from memory.model_context.tools import TOOLS
from memory.model_context.visits import Visit
from memoryhub.common.pagination import Window, page
from memoryhub.common.schemas import iso_day
from memoryhub.community.models import Member
from memoryhub.community.querysets import remembered
from memoryhub.errors import NotFound
from memoryhub.language.clip import flat

SNAPSHOT = "memoryhub://snapshot"
JOURNAL = "memoryhub://journal/{day}"
PROFILE = "memoryhub://members/{member}/profile"
TODAY = "today"
MARKDOWN, JSON = "text/markdown", "application/json"
LISTED = 100  # members a page
QUIET = "Nothing was said today yet that the whole guild may know."
NO_SUCH = f"There is no such resource. These are: {SNAPSHOT}, {JOURNAL} (2026-02-23, or today), {PROFILE}."
_ADDRESS = re.compile(r"memoryhub://(?:(snapshot)|journal/([^/]+)|members/(.+)/profile)")


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A resource as it is listed; `address` is a template where it holds braces."""

    address: str
    name: str
    description: str
    form: str


TEMPLATES = (
    Listed(
        address=JOURNAL, name="A day's journal", form=MARKDOWN,
        description="What happened in the guild on a day, written 2026-02-23, in its own time zone; or today so far.",
    ),
    Listed(
        address=PROFILE, name="A member's profile", form=JSON,
        description="What a member is like, with the source of each line; the member by id (percent-encoded) or name.",
    ),
)  # fmt: skip


def listed(visit: Visit, cursor: int | None) -> tuple[list[Listed], str | None]:
    """Return one page of what can be read: the guild's snapshot and journals, then the members; and where to go on."""
    people = Member.objects.of(visit.guild).filter(remembered(visit.guild), is_bot=False)
    found = page(people, window=Window(limit=LISTED, cursor=cursor), show=_profile, oldest_first=True)
    own = [
        Listed(
            address=SNAPSHOT, name="Snapshot", form=MARKDOWN, description="What the whole guild may know, on one page."
        ),
        Listed(
            address=JOURNAL.format(day=TODAY), name="Today", form=MARKDOWN, description="What happened today so far."
        ),
    ]  # fmt: skip
    return [*([] if cursor else own), *found.items], found.next_cursor


def _profile(member: Member) -> Listed:
    return Listed(
        address=PROFILE.format(member=quote(member.platform_id, safe="")), form=JSON,
        name=flat(f"Profile of {member}"), description="What this member is like, with the source of each line.",
    )  # fmt: skip


def read(visit: Visit, address: str) -> tuple[str, str]:
    """Return a resource's text, fenced, and its form; raises NotFound."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise NotFound(NO_SUCH)
    snapshot, day, member = found.groups()
    if member:
        try:
            given = OfMember(member=unquote(member))
        except ValidationError:  # nobody's id is so long, or is of null characters alone
            raise NotFound(NO_SUCH) from None
        profile = TOOLS["member_profile"].call(visit, "member_profile", given)
        return fenced_data(profile.model_dump(mode="json", exclude_none=True)), JSON
    visit.write_down("mcp:snapshot" if snapshot else "mcp:journal", changes=False, row=day or "")
    text = _snapshot if snapshot else _journal(day)
    return fenced_paper(text(visit)), MARKDOWN


def _snapshot(visit: Visit) -> str:
    return snapshots.show_snapshot(visit.request, visit.guild.key).text


def _journal(named: str) -> Callable[[Visit], str]:
    def show(visit: Visit) -> str:
        today = timezone.now().astimezone(ZoneInfo(visit.guild.time_zone)).date()
        try:
            day = today if named == TODAY else cast("date", iso_day(named))
        except ValueError:
            raise NotFound(NO_SUCH) from None
        try:
            return snapshots.show_journal(visit.request, visit.guild.key, day).text
        except Http404:
            if day != today:
                raise
            return QUIET

    return show
