"""What members may do with their own memory at the desk: tell, correct, take back, forget, refuse."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from botrunner.actions import caller as asking
from botrunner.actions import profile, texts_members
from botrunner.actions import undo as undoing
from botrunner.actions.caller import Caller, registered
from botrunner.actions.escape import line
from botrunner.actions.memory_ids import mark, named
from memory.curation import corrections, entries
from memory.withdrawal import withdraw
from memoryhub.community import consent
from memoryhub.errors import Conflict, Refused
from profiles import consent_effects
from profiles.models import ProfileEntry

EVERYTHING = "all"


def remember(caller: Caller, *, text: str, now: datetime) -> str:
    """Store what the caller wants remembered of themselves; said in a closed channel it stays among its readers."""
    with transaction.atomic():
        guild, cache = registered(caller, now)
        channel, member = asking.here(caller, cache), cache.members[caller.person.id]
    if not guild.memory_on or (channel and not channel.listens):
        return texts_members.MEMORY_OFF
    if not consent.remembers(guild, member):
        return texts_members.OPTED_OUT
    try:
        fact = corrections.remember(
            guild, subject=member, text=text, kind="other", actor=caller.actor, now=now, audience=channel
        )
    except (Refused, Conflict) as refused:
        return str(refused)
    return texts_members.remembered(fact)


def correct(caller: Caller, *, memory: str, text: str, now: datetime) -> str:
    """Put the caller's words in place of a fact's or a line's; what it rests on stays."""
    found = mark(memory)
    if found and found.kind == "line":
        return profile.reword(caller, line=memory, text=text, now=now)
    fact = asking.facts(caller).filter(named(memory, "fact")).first()
    if fact is None:
        return texts_members.NOT_YOURS
    if not asking.may_be_told(caller):
        return texts_members.NOTHING_NEW
    try:
        return texts_members.corrected(corrections.correct(fact, text=text, actor=caller.actor, now=now))
    except (Refused, Conflict) as refused:
        return str(refused)


# --- Undo ----------------------------------------------------------------------------------------------------------


def undo(caller: Caller, *, memory: str, now: datetime) -> str:
    """Take back the newest change of the memory that they name, or of what is known about them."""
    found = mark(memory)
    if found and found.kind == "line":
        return profile.restore(caller, line=memory, now=now)
    facts = asking.all_facts(caller)
    fact = facts.filter(named(memory, "fact")).first() if memory else undoing.last_changed(facts, by=caller.actor)
    return undoing.take_back(fact, actor=caller.actor, now=now)


def suggest_undo(caller: Caller, *, typed: str) -> list[tuple[str, str]]:
    """Return what could be taken back, the newest change first: in words, and by mark."""
    refused = asking.all_lines(caller).filter(status=ProfileEntry.Status.REFUSED, text__icontains=typed)
    lines = [(line(f"Taken out: {entry.text}"), f"p{entry.pk}") for entry in refused[:5]]
    return lines + undoing.suggest(asking.all_facts(caller), typed=typed)


# --- Forgetting and refusing ---------------------------------------------------------------------------------------


def matching(caller: Caller, *, what: str) -> list[tuple[str, str]]:
    """Return the marks and words of what would be forgotten: one memory, those that hold the words, or all."""
    words = what.strip()
    facts, lines = asking.all_facts(caller), asking.all_lines(caller)
    if mark(words):
        facts, lines = facts.filter(named(words, "fact")), lines.filter(named(words, "line"))
    elif words.lower() != EVERYTHING:
        facts, lines = facts.filter(text__icontains=words), lines.filter(text__icontains=words)
    found = [(f"#{pk}", text) for pk, text in facts.values_list("pk", "text")]
    return found + [(f"p{pk}", text) for pk, text in lines.values_list("pk", "text")]


def unmatched(what: str) -> str:
    """Return what to say where nothing would be forgotten."""
    found = mark(what)
    return texts_members.NOTE_STAYS if found and found.kind == "note" else texts_members.NOTHING_FOUND


def forget(caller: Caller, marks: Sequence[str], *, now: datetime) -> int:
    """Erase the caller's facts and lines of these marks; return how many went, those with them that said the same."""
    known = [found for each in marks if (found := mark(each))]
    facts = asking.all_facts(caller).filter(pk__in=[each.pk for each in known if each.kind == "fact"])
    lines = asking.all_lines(caller).filter(pk__in=[each.pk for each in known if each.kind == "line"])
    before = facts.count() + lines.count()
    for fact in facts.select_related("guild"):
        withdraw.forget_fact(fact, actor=caller.actor, now=now)
    for entry in lines.all():
        entries.erase_entry(entry, actor=caller.actor, now=now)
    return before


def opt_out(caller: Caller, *, out: bool, now: datetime) -> str:
    """Record the caller's choice; it holds from the next message on."""
    with transaction.atomic():
        _, cache = registered(caller, now)
        consent_effects.choose(cache.members[caller.person.id], remember=not out, actor=caller.actor, now=now)
    return texts_members.OUT if out else texts_members.IN
