"""What was decided and what is planned, as far as the caller can read it, a page at a time."""

from __future__ import annotations

from datetime import datetime

from django.db.models import F

from botrunner.actions import texts_members
from botrunner.actions.caller import Caller, guild_of, readable_rows
from botrunner.actions.community import texts_agenda
from botrunner.actions.escape import link
from botrunner.actions.listing import Page, place
from memory.catchup.readers import Reader
from memoryhub.community.models import Guild
from notes.arrangements.telling import decisions, of_words, plan_of, plans
from notes.models import ArrangementQuerySet

A_PAGE = 5  # with their links they are one screen


def show_decisions(caller: Caller, *, query: str, page: int) -> Page:
    """Show a page of what was decided and no later decision superseded, the newest first."""
    guild = guild_of(caller)
    if guild is None or not guild.memory_on:
        return Page(texts_members.MEMORY_OFF if guild else texts_agenda.NO_DECISIONS)
    rows = of_words(_readable(caller, guild, decisions(guild).standing()), query).prefetch_related("replaces")
    total = rows.count()
    page, last = place(page, total, a_page=A_PAGE)
    shown = rows.order_by("-said_at", "-pk")[(page - 1) * A_PAGE : page * A_PAGE]
    lines = [texts_agenda.decision(row, link(row.message)) for row in shown]
    return texts_agenda.decided(lines, query=query, page=page, last=last)


def show_plans(caller: Caller, *, query: str, past: bool, page: int, now: datetime) -> Page:
    """Show a page of the plans to come, the next first, or of those whose day has passed, the last first."""
    guild = guild_of(caller)
    if guild is None or not guild.memory_on:
        return Page(texts_members.MEMORY_OFF if guild else texts_agenda.NO_PLANS)
    every = of_words(_readable(caller, guild, plans(guild)), query)
    rows = every.past(guild, now=now) if past else every.upcoming(guild, now=now)
    total = rows.count()
    page, last = place(page, total, a_page=A_PAGE)
    rows = rows.order_by(F("due").desc() if past else F("due").asc(), "pk")[(page - 1) * A_PAGE : page * A_PAGE]
    told = [plan_of(row, now=now) for row in rows]
    lines = [texts_agenda.plan(each, link(each.messages[-1]) if each.messages else "") for each in told]
    return texts_agenda.planned(lines, query=query, past=past, page=page, last=last)


def _readable(caller: Caller, guild: Guild, rows: ArrangementQuerySet) -> ArrangementQuerySet:
    """Return what came from where the caller reads."""
    return rows.filter(Reader(guild=guild, channels=readable_rows(caller, guild)).carried())
