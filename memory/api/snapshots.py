"""JSON routes: the snapshot and the journals, as Markdown."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.http import Http404
from django.utils import timezone
from ninja import Router

from memory.records import snapshots
from memoryhub.common.api_scope import MISSING, Call
from memoryhub.common.schemas import Day, RowOut
from notes.messages.schemas import EARLIEST
from notes.models import Journal, Message

router = Router(tags=["snapshot and journals"])


class Paper(RowOut):
    """Markdown, and when it was rendered."""

    text: str
    generated_at: datetime


@router.get("/guilds/{key}/snapshot", response=Paper)
def show_snapshot(request: Call, key: str) -> Paper:
    """Show the readable page of what the whole guild may know."""
    row = snapshots.current_snapshot(request.auth.guild(key), now=timezone.now())
    return Paper.of(row)


@router.post("/guilds/{key}/snapshot/refresh", response=Paper)
def refresh_snapshot(request: Call, key: str) -> Paper:
    """Render the snapshot anew."""
    row = snapshots.current_snapshot(request.auth.guild(key), now=timezone.now(), refresh=True)
    return Paper.of(row)


@router.get("/guilds/{key}/journal/{day}", response=Paper)
def show_journal(request: Call, key: str, day: Day) -> Paper:
    """Show the log of a day in the guild's time zone: as kept, or so far."""
    guild, now = request.auth.guild(key), timezone.now()
    zone = ZoneInfo(guild.time_zone)
    if not EARLIEST.date() < day <= now.astimezone(zone).date():
        raise Http404("There is no journal of that day.")
    begin = datetime.combine(day, time(), zone)
    kept = Message.objects.of(guild).heard_in(None).filter(let_go_at=None)
    # Rendered if messages of the day are still kept, so that what came late is there.
    if kept.filter(sent_at__gte=begin, sent_at__lt=begin + timedelta(days=1)).exists():
        row: Journal | None = snapshots.render_journal(guild, day=day, now=now)
    else:
        row = snapshots.read_journal(guild, day=day, now=now)
    if row is None:
        raise Http404(MISSING.format("journal"))
    return Paper.of(row)
