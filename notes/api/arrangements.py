"""JSON routes: what was decided, what is planned, and the plans as a calendar."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, Self

from django.http import HttpResponse
from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, Field

from memoryhub.common.api_scope import Call, channel_of
from memoryhub.common.pagination import Page, Window, page
from memoryhub.common.schemas import MemberRef
from memoryhub.community.models import Guild
from notes.arrangements.calendar_file import CONTENT_TYPE, calendar_of
from notes.arrangements.telling import Plan, Status, decisions, of_words, plan_of, plans
from notes.messages.schemas import MomentInAddress
from notes.models import Arrangement, ArrangementQuerySet, Message

router = Router(tags=["notes"])
LONGEST = 200  # characters of a search
IN_A_CALENDAR = 1_000  # plans, the newest
When = Literal["upcoming", "past"]


class Narrowed(BaseModel):
    """Narrows what was arranged."""

    channel: str | None = Field(default=None, max_length=200)
    q: str = Field(default="", max_length=LONGEST, description="Only what holds these words.")
    since: MomentInAddress | None = Field(default=None, description="Said since then.")


class DecisionFilters(Narrowed, Window):
    """Narrows a list of decisions."""

    standing: bool | None = Field(default=None, description="Only those that a later one has not superseded, or has.")


class CalendarFilters(Narrowed):
    """Narrows a calendar."""

    when: When | None = Field(default=None, description="Only plans to come, or only those whose day has passed.")


class PlanFilters(CalendarFilters, Window):
    """Narrows a list of plans."""


class SaidOut(BaseModel):
    """A message that says it, and who said it when."""

    message_id: str
    author: str
    at: datetime

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return the message as it is cited."""
        return cls(message_id=message.platform_id, author=str(message.author), at=message.sent_at)


class DecisionOut(BaseModel):
    """What was decided, in the words of who said so; `audience` is null for the whole guild.

    `superseded_by` is the id of what was said later on the same matter, and stands.
    """

    id: str
    text: str
    member: MemberRef
    at: datetime
    channel: str
    audience: str | None
    due: datetime | None
    superseded_by: str | None
    sources: list[SaidOut]

    @classmethod
    def of(cls, row: Arrangement) -> Self:
        """Return the row as the API shows it."""
        by = row.replaced_by_id
        return cls(
            **_where(row), text=row.text, due=row.due_at, superseded_by=str(by) if by else None,
            sources=[SaidOut.of(row.message)],
        )  # fmt: skip


class PlanOut(BaseModel):
    """What is planned, as it stands; `news` are the words that moved it or called it off.

    `due` is a moment, of an `all_day` plan the beginning of its day in the guild's zone; null where it was put off and
    nobody said to when. `was_due` is the moment before it was moved.
    """

    id: str
    text: str
    news: str
    status: Status
    due: datetime | None
    all_day: bool
    was_due: datetime | None
    decided: bool
    member: MemberRef
    at: datetime
    channel: str
    audience: str | None
    sources: list[SaidOut]

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Return the plan as the API shows it."""
        return cls(
            **_where(plan.row), text=plan.what, news=plan.news, status=plan.status, due=plan.due, all_day=plan.all_day,
            was_due=plan.was_due, decided=plan.row.decided, sources=[SaidOut.of(each) for each in plan.messages],
        )  # fmt: skip


def _where(row: Arrangement) -> dict[str, Any]:
    return {
        "id": str(row.pk), "member": MemberRef.of(row.message.author), "at": row.said_at,
        "channel": row.channel.platform_id, "audience": row.audience.platform_id if row.audience else None,
    }  # fmt: skip


@router.get("/guilds/{key}/decisions", response=Page[DecisionOut])
def list_decisions(request: Call, key: str, filters: Query[DecisionFilters]) -> Page[DecisionOut]:
    """List what was decided in every audience, the newest first, also what a later decision superseded."""
    guild = request.auth.guild(key)
    rows = _narrowed(decisions(guild), guild, filters)
    if filters.standing is not None:
        rows = rows.filter(replaced_by__isnull=filters.standing)
    return page(rows, window=filters, show=DecisionOut.of)


@router.get("/guilds/{key}/plans", response=Page[PlanOut])
def list_plans(request: Call, key: str, filters: Query[PlanFilters]) -> Page[PlanOut]:
    """List the plans of every audience as they stand, the newest first, with when each is due."""
    guild, now = request.auth.guild(key), timezone.now()
    rows = _timed(_narrowed(plans(guild), guild, filters), guild, filters.when, now)
    return page(rows, window=filters, show=lambda row: PlanOut.of(plan_of(row, now=now)))


@router.get("/guilds/{key}/plans.ics", openapi_extra={"responses": {200: {"content": {"text/calendar": {}}}}})
def show_calendar(request: Call, key: str, filters: Query[CalendarFilters]) -> HttpResponse:
    """Show the plans as an iCalendar file, for a calendar to import or to follow."""
    guild, now = request.auth.guild(key), timezone.now()
    rows = _timed(_narrowed(plans(guild), guild, filters), guild, filters.when, now).order_by("-said_at", "-pk")
    told = [plan_of(row, now=now) for row in rows[:IN_A_CALENDAR]]
    return HttpResponse(calendar_of(guild, told, now=now), content_type=CONTENT_TYPE)


def _narrowed(rows: ArrangementQuerySet, guild: Guild, filters: Narrowed) -> ArrangementQuerySet:
    if filters.channel:
        rows = rows.filter(channel=channel_of(guild, filters.channel))
    if filters.since:
        rows = rows.filter(said_at__gte=filters.since)
    return of_words(rows, filters.q.replace("\0", ""))


def _timed(rows: ArrangementQuerySet, guild: Guild, when: When | None, now: datetime) -> ArrangementQuerySet:
    if when is None:
        return rows
    return rows.upcoming(guild, now=now) if when == "upcoming" else rows.past(guild, now=now)
