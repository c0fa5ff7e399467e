"""Writes a recap: found by rules, worded by a model where one is set, kept once for each period."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction

from memory.learning.faithfulness import unfaithful
from memory.models import Fact, Recap, RecapLine
from memory.recaps import recap_posting
from memory.recaps.prompts import RECAP
from memory.recaps.recap_periods import due_period
from memory.recaps.schemas import MOST_LINES, RecapInput, RecapLineIn, RecapText
from memory.recaps.told_lines import FoundLine, Section, find, left_out
from memory.records.action_log import log
from memoryhub import db
from memoryhub.ai import ModelFailed, ask, model_choice
from memoryhub.ai.embedding.cache import Shared
from memoryhub.community.models import Guild, Member
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.safety import carries_instruction, carries_secret, supported
from notes.models import InteractionNote, Message

WORDED = (Section.HAPPENED, Section.DECIDED, Section.PLANNED)
MOST_DAYS = 31  # of a recap that is asked for
KEPT = 3600.0  # seconds that a model's words are kept, as long as the lines stay the same
_LINK = re.compile(r"https?:|www\.|@|<[#@:]", re.IGNORECASE)

_worded: Shared[RecapText] = Shared(size=64, seconds=KEPT)


@in_its_guild
def write_due(guild: Guild, *, now: datetime) -> Recap | None:
    """Write the recap of the week or month that ended, if one is due; None where none is or another wrote it.

    It waits to be posted or for a moderator, as the guild has it. May ask a model: no transaction may be open.
    """
    period = due_period(guild, now=now)
    if period is None:
        return None
    lines = worded(guild, find(guild, since=period.since, until=period.until), now=now)
    with transaction.atomic():
        db.lock_guild(guild.pk)
        if due_period(guild, now=now) is None:
            return None
        recap = Recap(guild=guild, every=period.every, since=period.since, until=period.until)
        recap = _store(recap, lines, actor="hub", now=now)
        if guild.recap_as == Guild.RecapAs.POST and recap.status == Recap.Status.DRAFT:
            recap_posting.have_posted(recap, channel_id=guild.recap_channel, actor="hub", now=now)
    return recap


@in_its_guild
def write_asked(guild: Guild, *, days: int, actor: str, now: datetime) -> Recap:
    """Write a draft of the last days, as a moderator asked; one of nothing where there is nothing to tell.

    May ask a model: no transaction may be open.
    """
    since = now - timedelta(days=min(max(days, 1), MOST_DAYS))
    lines = worded(guild, find(guild, since=since, until=now), now=now) if guild.memory_on else []
    with transaction.atomic():
        db.lock_guild(guild.pk)
        return _store(Recap(guild=guild, since=since, until=now), lines, actor=actor, now=now)


def _store(recap: Recap, lines: Sequence[FoundLine], *, actor: str, now: datetime) -> Recap:
    """Store the recap with its lines; those that rest on what went or changed since it was read are left out."""
    lines = _still_so(recap.guild, lines)
    recap.status = Recap.Status.DRAFT if lines else Recap.Status.EMPTY
    recap.actor, recap.created_at = actor, now
    recap.channel_id = recap.guild.recap_channel
    recap.save()
    RecapLine.objects.bulk_create(
        RecapLine(
            guild_id=recap.guild_id, recap=recap, section=line.section, place=place, text=line.text,
            note=line.note, message=line.message, fact=line.fact, member=line.member,
        )
        for place, line in enumerate(lines)
    )  # fmt: skip
    log("recap_written", guild=recap.guild, actor=actor, now=now, recap=recap.pk, lines=len(lines))
    return recap


def _still_so(guild: Guild, lines: Sequence[FoundLine]) -> list[FoundLine]:
    """Return the lines whose source is there as it was read; numbers alone are no recap."""
    notes = InteractionNote.objects.of(guild).filter(pk__in=[line.note.pk for line in lines if line.note])
    messages = Message.objects.of(guild).said().filter(pk__in=[line.message.pk for line in lines if line.message])
    facts = Fact.objects.of(guild).active().filter(pk__in=[line.fact.pk for line in lines if line.fact])
    members = Member.objects.of(guild).filter(pk__in=[line.member.pk for line in lines if line.member])
    there = {*notes.values_list("pk", "title"), *messages.values_list("pk", "text"), *facts.values_list("pk", "text")}
    known = set(members.values_list("pk", flat=True))
    kept = [
        line
        for line in lines
        if (line.note is None or (line.note.pk, line.note.title) in there)
        and (line.message is None or (line.message.pk, line.message.text) in there)
        and (line.fact is None or (line.fact.pk, line.fact.text) in there)
        and (line.member is None or line.member.pk in known)
    ]
    return kept if any(line.section != Section.NUMBERS for line in kept) else []


# --- The words of a model --------------------------------------------------------------------------------------------


def worded(guild: Guild, lines: list[FoundLine], *, now: datetime) -> list[FoundLine]:
    """Return the lines in a model's words where it said just what they say; as they are without one or where it fails.

    It is asked once, and not again about the same lines.
    """
    numbered = {number: line for number, line in enumerate(lines, start=1) if line.section in WORDED}
    if not numbered or model_choice.is_offline("fast", own=guild.model_fast):
        return lines
    rows = [RecapLineIn(number=n, section=line.section.label, text=line.text) for n, line in numbered.items()]
    given = RecapInput(lines=rows[:MOST_LINES])
    try:
        said = _worded.get(f"{guild.pk} {given.model_dump_json()}", lambda: ask(RECAP, given, guild=guild.pk))
    except ModelFailed:
        return lines
    new, named = {each.number: each.text.strip() for each in said.lines}, left_out(guild)
    return [
        replace(line, text=new[number])
        if number in numbered
        and number in new
        and _is_told(new[number], line.text, now)
        and not named.search(new[number])
        else line
        for number, line in enumerate(lines, start=1)
    ]


def _is_told(text: str, source: str, now: datetime) -> bool:
    """Say if a line says what another says and nothing more, and is fit to be posted."""
    if carries_instruction(text) or carries_secret(text) or _LINK.search(text):
        return False
    return supported(text, source) and unfaithful(text, source, source, said_at=now) not in ("negation", "wrong date")
