"""Keeps decisions and plans as long as what they were said in, and knows which of them stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from memoryhub import db
from memoryhub.ai import Line
from memoryhub.community.days import day_of
from memoryhub.community.models import Channel, Guild, Member
from notes.arrangements.finding import Found, found_in
from notes.arrangements.replacing import Said, standing_for
from notes.messages.prompt_lines import as_lines, lines_to_tell, messages_to_tell
from notes.models import Arrangement, ChannelBuffer, Message

COMPARED = 200  # newest rows of an audience


def keep(buffer: ChannelBuffer, messages: Sequence[Message]) -> tuple[list[Arrangement], list[Line] | None]:
    """Keep what a conversation, of which these are the messages, decides and plans; return what of it stands.

    Read again, nothing is added. What changed, or whose author said no, while it was read is left out. Where nothing
    may be found nothing is asked; else the lines to tell of the messages are returned too.
    """
    guild, kept = buffer.guild, buffer.guild.kept_kinds
    if not found_in(as_lines(guild, messages), kept=kept):
        return [], None  # it need not be known what was said to bots
    lines = lines_to_tell(guild, messages)
    found = found_in(lines, kept=kept)
    return _store(guild, {message.pk: message for message in messages}, found), lines


@transaction.atomic
def _store(guild: Guild, read: dict[int, Message], found: Sequence[Found]) -> list[Arrangement]:
    db.lock_guild(guild.pk)
    guild.refresh_from_db(fields=["consent_mode", "blocked"])
    telling = messages_to_tell(guild).filter(guild=guild, pk__in={each.message for each in found})
    said = {row.pk: row for row in telling.select_related("channel") if row.text == read[row.pk].text}
    rows = {(each.message, each.text): each for each in found if each.message in said}
    here = Arrangement.objects.of(guild).filter(message__in=list(read))
    known = {(row.message_id, row.text): row for row in here}
    Arrangement.objects.of(guild).filter(pk__in=[row.pk for key, row in known.items() if key not in rows]).delete()
    new = [_row(guild, said[each.message], each) for key, each in rows.items() if key not in known]
    Arrangement.objects.bulk_create(new)
    audiences = {row.audience_id for row in (*new, *known.values())}
    compare(guild, audiences)
    return list(here.shown().standing().order_by("said_at", "pk"))


def _row(guild: Guild, message: Message, found: Found) -> Arrangement:
    return Arrangement(
        guild=guild, channel_id=message.channel_id, message=message, text=found.text, said_at=message.sent_at,
        audience_id=message.channel.heard_by_at(message.sent_at), decided=found.decided, change=found.change,
        due_at=found.due.at if found.due else None, all_day=bool(found.due and found.due.all_day),
    )  # fmt: skip


def compare(guild: Guild, audiences: Iterable[int | None]) -> None:
    """Work out anew what stands, within each audience: who can read one of two rows can read the other."""
    for audience in audiences:
        newest = Arrangement.objects.of(guild).filter(audience=audience).order_by("-said_at", "-pk")[:COMPARED]
        rows = list(newest)[::-1]
        heads = standing_for([_as_said(guild, row) for row in rows if row.put_aside_at is None])
        changed = [row for row in rows if row.replaced_by_id != heads.get(row.pk)]
        for row in changed:
            row.replaced_by_id = heads.get(row.pk)
        if changed:
            Arrangement.objects.of(guild).bulk_update(changed, ["replaced_by"])


def _as_said(guild: Guild, row: Arrangement) -> Said:
    return Said(
        pk=row.pk, text=row.text, said_at=row.said_at, place=row.channel_id, decided=row.decided, change=row.change,
        due_at=row.due_at, day=day_of(guild, row.due_at) if row.due_at else None,
        timed=row.due_at is not None and not row.all_day,
    )  # fmt: skip


@transaction.atomic
def put_aside(row: Arrangement, *, aside: bool, now: datetime) -> None:
    """Tell no more of a row and of what it stands for, or of all that was put aside with it again.

    What somebody else did first, or what is gone, is left as it is.
    """
    db.lock_guild(row.guild_id)
    rows = Arrangement.objects.of(row.guild)
    if not (stands := rows.filter(pk=row.pk, put_aside_at__isnull=aside).first()):
        return
    rows = rows.filter(Q(pk=row.pk) | Q(replaced_by=row)) if aside else rows.filter(put_aside_at=stands.put_aside_at)
    rows.filter(pk__in=list(rows.values_list("pk", flat=True))).update(put_aside_at=now if aside else None)
    compare(row.guild, {row.audience_id})


# --- What goes ---------------------------------------------------------------------------------------------------


def drop(rows: QuerySet[Arrangement]) -> None:
    """Delete rows, of one guild or of none; what they stood for is worked out anew."""
    gone = list(rows.select_related("guild"))
    if gone:
        guild = gone[0].guild
        Arrangement.objects.of(guild).filter(pk__in=[row.pk for row in gone]).delete()
        compare(guild, {row.audience_id for row in gone})


def withdraw(messages: Collection[Message]) -> None:
    """Drop what these messages say."""
    drop(Arrangement.objects.filter(message__in=[message.pk for message in messages]))


def leave_out(members: QuerySet[Member]) -> None:
    """Drop what these members said."""
    drop(Arrangement.objects.filter(message__author__in=members))


def narrow(channel: Channel) -> None:
    """Give the channel's audience to what was said there while it was open."""
    rows = Arrangement.objects.of(channel.guild)
    if rows.filter(channel=channel, audience=None).update(audience=channel):
        # However old they are: of two with different readers none stands for the other, or would be told with it.
        apart = Q(audience=channel, replaced_by__audience=None) | Q(audience=None, replaced_by__audience=channel)
        rows.filter(apart, replaced_by__isnull=False).update(replaced_by=None)
        compare(channel.guild, {None, channel.pk})
