"""The desk at which members ask about their own memory and change it: each function answers in plain text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from botrunner import answers
from memory import corrections, entries, forgetting
from memory.browsing import with_evidence
from memory.models import Fact
from memoryhub.ai import ModelFailed
from memoryhub.health import model_name
from notes import choices, summaries
from notes.incoming import GuildRef, IncomingChannel
from notes.models import InteractionNote, Message, Summary
from profiles import consent
from profiles.identity import Person, Place, Register, ensure_guild
from profiles.models import Channel, Guild, Member, ProfileEntry

MOST_FORGOTTEN = 100
SUMMARY_LASTS = timedelta(minutes=1)  # who asks again so soon gets the same: a model's answer costs
EVERYTHING = "all"


@dataclass(frozen=True)
class Caller:
    """Who asks, where, and which channels they can read: nobody is told what was said where they could not be."""

    guild: GuildRef
    person: Person
    channel: IncomingChannel | None = None
    readable: frozenset[str] = frozenset()

    @property
    def actor(self) -> str:
        """Return how their changes are signed."""
        return f"member:{self.person.id}"


def list_facts(caller: Caller, *, query: str = "", page: int = 1) -> str:
    """Show a page of what is known about the caller, the newest first."""
    rows = _own(caller).filter(text__icontains=query) if query else _own(caller)
    total = rows.count()
    last = max(1, -(-total // answers.A_PAGE))
    page = min(max(page, 1), last)
    shown = rows[(page - 1) * answers.A_PAGE : page * answers.A_PAGE]
    return answers.facts(list(shown), total=total, page=page, last=last)


def explain(caller: Caller, *, number: str) -> str:
    """Show what a fact about the caller rests on."""
    fact = _one(caller, number)
    return answers.why(fact) if fact else answers.NOT_YOURS


def suggest(caller: Caller, *, typed: str) -> list[tuple[str, str]]:
    """Return the facts that what is typed may mean: their text and number."""
    rows = _own(caller).filter(Q(text__icontains=typed) | _numbered(typed))
    return [(answers.line(fact.text), str(fact.pk)) for fact in rows[:25]]


def remember(caller: Caller, *, text: str, now: datetime) -> str:
    """Store what the caller wants remembered of themselves; said in a closed channel it stays among its readers."""
    with transaction.atomic():
        guild, register = registered(caller, now)
        channel = register.channel(Place(**caller.channel.model_dump())) if caller.channel else None
        member = register.members[caller.person.id]
    if not guild.memory_on or (channel and not channel.memory_on):
        return answers.MEMORY_OFF
    if not consent.remembers(guild, member):
        return answers.OPTED_OUT
    try:
        fact = corrections.remember(
            guild, subject=member, text=text, kind="other", actor=caller.actor, now=now, audience=channel
        )
    except corrections.FactRefused as refused:
        return str(refused)
    return answers.remembered(fact)


def matching(caller: Caller, *, what: str) -> list[tuple[int, str]]:
    """Return what would be forgotten: a fact by its number, those that contain the words, or all."""
    rows = _own(caller)
    if what.strip().lower() != EVERYTHING:
        rows = rows.filter(_numbered(what)) if _digits(what) else rows.filter(text__icontains=what.strip())
    return [(fact.pk, answers.line(fact.text)) for fact in rows]


def forget(caller: Caller, numbers: Sequence[int], *, now: datetime) -> int:
    """Erase the caller's facts of these numbers; return how many there were."""
    facts = list(_own(caller).filter(pk__in=numbers[:MOST_FORGOTTEN]))
    for fact in facts:
        forgetting.forget_fact(fact, actor=caller.actor, now=now)
    rest = numbers[MOST_FORGOTTEN:]
    return len(facts) + (forget(caller, rest, now=now) if rest else 0)


def opt_out(caller: Caller, *, out: bool, now: datetime) -> str:
    """Record the caller's choice; it holds from the next message on."""
    with transaction.atomic():
        _, register = registered(caller, now)
        choices.choose(register.members[caller.person.id], remember=not out, actor=caller.actor, now=now)
    return answers.OUT if out else answers.IN


def privacy(caller: Caller) -> str:
    """Tell what is stored, about whom, and who else gets to see it."""
    guild = Guild.objects.filter(key=caller.guild.key).first()
    member = _member(caller)
    counts = {
        "messages": Message.objects.filter(author=member, deleted_at=None).count() if member else 0,
        "facts": _own(caller).count(),
        "notes": InteractionNote.objects.filter(participants=member).count() if member else 0,
    }
    heard = bool(guild is None or (guild.memory_on and consent.remembers(guild, member)))
    return answers.privacy(counts, heard=heard, model=model_name())


def summarize(caller: Caller, *, now: datetime) -> str:
    """Have the channel in which it is asked summarised now, and return what it is about."""
    channel = (
        Channel.objects.filter(guild__key=caller.guild.key, platform_id=caller.channel.id if caller.channel else "")
        .select_related("guild")
        .first()
    )
    if channel is None:
        return answers.NOTHING_SAID
    lately = Summary.objects.filter(channel=channel, kind=Summary.Kind.ROLLING, generated_at__gt=now - SUMMARY_LASTS)
    try:
        summary = lately.first() or summaries.summarize(channel, now=now)
    except summaries.MemoryOff:
        return answers.MEMORY_OFF
    except ModelFailed:
        return answers.NO_SUMMARY
    return answers.summary(summary.text, summary.unresolved) if summary else answers.NOTHING_SAID


# --- Lines of the profile ------------------------------------------------------------------------------------------


def profile(caller: Caller) -> str:
    """Show the lines of the caller's profile with their numbers."""
    return answers.profile([(entry.pk, entry.get_section_display(), entry.text) for entry in _lines(caller)])


def suggest_lines(caller: Caller, *, typed: str) -> list[tuple[str, str]]:
    """Return the lines that what is typed may mean: their text and number."""
    rows = _lines(caller).filter(Q(text__icontains=typed) | _numbered(typed))
    return [(answers.line(entry.text), str(entry.pk)) for entry in rows[:25]]


def reword(caller: Caller, *, number: str, text: str, now: datetime) -> str:
    """Put the caller's own words in a line's place."""
    return _on_line(
        caller, number, lambda entry: entries.edit_entry(entry, text=text, actor=caller.actor, now=now), answers.WORDED
    )


def strike(caller: Caller, *, number: str, now: datetime) -> str:
    """Take a line out; it comes back only if it is said again."""
    return _on_line(
        caller, number, lambda entry: entries.refuse_entry(entry, actor=caller.actor, now=now), answers.STRUCK
    )


def _on_line(caller: Caller, number: str, deed: Callable[[ProfileEntry], object], done: str) -> str:
    entry = _lines(caller).filter(pk=int(_digits(number))).first() if _digits(number) else None
    if entry is None:
        return answers.NOT_YOUR_LINE
    try:
        deed(entry)
    except (entries.EntryRefused, entries.EntryConflict) as refused:
        return str(refused)
    return done


def _lines(caller: Caller) -> QuerySet[ProfileEntry]:
    """Return the lines about the caller that came from where they can read."""
    open_to_them = Q(audience=None) | Q(audience__platform_id__in=caller.readable)
    own = Q(profile__member__guild__key=caller.guild.key, profile__member__platform_id=caller.person.id)
    rows = ProfileEntry.objects.filter(own, open_to_them, status=ProfileEntry.Status.SHOWN)
    return rows.select_related("profile__member__guild", "audience")


# --- Whose ---------------------------------------------------------------------------------------------------------


def _member(caller: Caller) -> Member | None:
    return Member.objects.filter(guild__key=caller.guild.key, platform_id=caller.person.id).first()


def _own(caller: Caller) -> QuerySet[Fact]:
    """Return what is believed about the caller and came from where they can read."""
    open_to_them = Q(audience=None) | Q(audience__platform_id__in=caller.readable)
    rows = Fact.objects.filter(guild__key=caller.guild.key, subject__platform_id=caller.person.id)
    return with_evidence(rows.filter(open_to_them, status=Fact.Status.ACTIVE))


def _digits(text: str) -> str:
    number = text.strip().removeprefix("#")
    return number if number.isdecimal() and len(number) < 19 else ""


def _numbered(text: str) -> Q:
    number = _digits(text)
    return Q(pk=int(number)) if number else Q(pk=None)


def _one(caller: Caller, number: str) -> Fact | None:
    return _own(caller).filter(_numbered(number)).first()


def registered(caller: Caller, now: datetime) -> tuple[Guild, Register]:
    """Return the guild and a register that holds the caller, and their channel if it is known."""
    guild = ensure_guild(key=caller.guild.key, name=caller.guild.name)
    register = Register(guild)
    channel = caller.channel
    register.load(
        channels=[name for name in (channel.id, channel.parent_id) if name] if channel else [],
        members=[caller.person.id],
    )
    register.member(caller.person, seen_at=now)
    return guild, register
