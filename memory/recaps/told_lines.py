"""Finds by rules what a recap tells, of what everybody in the guild may read; and whether it may still be told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import Count, Q

from memory.catchup.readers import Reader
from memory.models import Fact, Recap, RecapLine
from memory.models.posts import LINE
from memory.records.sentences import count
from memoryhub.community.days import day_of
from memoryhub.community.models import Guild, Member
from memoryhub.community.querysets import heard, remembered
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.language.clip import clip, one_line
from memoryhub.language.stop_words import STOP_WORDS
from memoryhub.safety import carries_instruction, carries_secret
from notes.arrangements.telling import decisions, plans
from notes.models import Arrangement, InteractionNote, Message, MessageQuerySet, NotePart, NoteQuerySet
from notes.writing.key_sentences import shown_name
from notes.writing.schemas import UNTITLED

Section = RecapLine.Section
MOST = {Section.HAPPENED: 6, Section.DECIDED: 5, Section.PLANNED: 5, Section.JOINED: 10, Section.LORE: 3}
READ = 300  # notes of the time
YEARS = 5  # that are looked back
ON_THE_DAY = 2
SHORTEST = 3  # letters of a name that is looked for
AHEAD = timedelta(days=31)  # in which plans are told


@dataclass(frozen=True, kw_only=True)
class FoundLine:
    """A line as it was found, with what it rests on; numbers rest on nothing that could go."""

    section: RecapLine.Section
    text: str
    note: InteractionNote | None = None
    message: Message | None = None
    fact: Fact | None = None
    member: Member | None = None


@in_its_guild
def find(guild: Guild, *, since: datetime, until: datetime) -> list[FoundLine]:
    """Return what happened from one moment to the other, section by section; empty where nothing is to be told."""
    said = Q(sent_at__gte=since, sent_at__lt=until)
    found = [
        *_happened(guild, since, until), *_decided(guild, since, until), *_planned(guild, until),
        *_joined(guild, since, until, said), *_lore(guild, since, until),
    ]  # fmt: skip
    sound = _sound(guild, found)
    if not sound:
        return []
    return [*sound, *_sound(guild, _on_this_day(guild, until)), *_numbers(guild, said)]


def _sound(guild: Guild, found: Sequence[FoundLine]) -> list[FoundLine]:
    """Leave out what names somebody who is not to be named, or is none of a community's news."""
    named = left_out(guild)
    return [
        each
        for each in found
        if not (named.search(each.text) or carries_instruction(each.text) or carries_secret(each.text))
    ]


def left_out(guild: Guild) -> re.Pattern[str]:
    """Return what matches a name of somebody who is not remembered, unless another goes by it too."""
    people = Member.objects.of(guild)
    names = people.exclude(remembered(guild)).values_list("display_name", "name", "platform_id")
    spelled = {name for row in names for name in row if name}
    if not spelled:
        return re.compile(r"(?!)")
    others = people.filter(remembered(guild)).values_list("display_name", "name")
    taken = {name.casefold() for pair in others.iterator(2000) for name in pair}
    meant = [name for name in spelled if len(name) >= SHORTEST and name.casefold() not in taken | STOP_WORDS]
    longest = "|".join(sorted(map(re.escape, meant), key=len, reverse=True))
    return re.compile(rf"(?i)(?<!\w)(?:{longest})(?!\w)" if meant else r"(?!)")


# --- What there is to tell -------------------------------------------------------------------------------------------


def _notes(guild: Guild) -> NoteQuerySet:
    """Return the notes that everybody may read and that tell of nobody left out."""
    return InteractionNote.objects.told(guild).filter(Reader(guild=guild).carried()).exclude(title=UNTITLED)


def _happened(guild: Guild, since: datetime, until: datetime) -> list[FoundLine]:
    """Return the talks and topics in which most took part, in their order; a part of a topic is told by the topic."""
    rows = _notes(guild).filter(ended_at__gte=since, ended_at__lt=until)
    notes = list(rows.annotate(people=Count("participants")).order_by("-people", "-ended_at", "-pk")[:READ])
    links = NotePart.objects.filter(guild=guild, from_interactionnote__in=[note.pk for note in notes])
    parts = set(links.values_list("to_interactionnote", flat=True))
    best = [note for note in notes if note.pk not in parts][: MOST[Section.HAPPENED]]
    best.sort(key=lambda note: (note.ended_at, note.pk))
    return [FoundLine(section=Section.HAPPENED, text=_line(note.title), note=note) for note in best]


def _decided(guild: Guild, since: datetime, until: datetime) -> list[FoundLine]:
    """Return what was decided and stands, each with the message that says it."""
    rows = decisions(guild).standing().filter(Reader(guild=guild).carried(), said_at__gte=since, said_at__lt=until)
    newest = list(rows.order_by("-said_at", "-pk")[: MOST[Section.DECIDED]])
    return [FoundLine(section=Section.DECIDED, text=_line(row.text), message=row.message) for row in reversed(newest)]


def _planned(guild: Guild, until: datetime) -> list[FoundLine]:
    """Return what is to come in the month after, each with its day, in the words of the message that gives it."""
    rows = plans(guild).upcoming(guild, now=until).filter(Reader(guild=guild).carried(), due_at__lt=until + AHEAD)
    standing = rows.exclude(change=Arrangement.Change.CALLED_OFF).filter(said_at__lt=until)
    return [
        FoundLine(section=Section.PLANNED, text=_line(f"{_day(row)}: {row.text}"), message=row.message)
        for row in standing.order_by("due_at", "pk")[: MOST[Section.PLANNED]]
    ]


def _day(row: Arrangement) -> str:
    """Return when it is to be, by the guild's clock."""
    assert row.due_at
    at = row.due_at.astimezone(ZoneInfo(row.guild.time_zone))
    return f"{at:%A, %-d %B}" if row.all_day else f"{at:%A, %-d %B, %H:%M}"


def _joined(guild: Guild, since: datetime, until: datetime, said: Q) -> list[FoundLine]:
    """Return who was first heard in this time, and where everybody can read it."""
    rows = Member.objects.of(guild).filter(remembered(guild), is_bot=False)
    new = list(rows.filter(first_seen_at__gte=since, first_seen_at__lt=until).order_by("first_seen_at", "pk")[:READ])
    spoke = set(_said(guild, said).filter(author__in=new).values_list("author", flat=True))
    there = [member for member in new if member.pk in spoke][: MOST[Section.JOINED]]
    return [FoundLine(section=Section.JOINED, text=_line(shown_name(str(member))), member=member) for member in there]


def _lore(guild: Guild, since: datetime, until: datetime) -> list[FoundLine]:
    """Return what the community came to say of itself."""
    rows = Fact.objects.of(guild).active().about(None).filter(audience=None)
    rows = rows.filter(said_at__gte=since, said_at__lt=until).order_by("-confidence", "-said_at", "-pk")
    return [FoundLine(section=Section.LORE, text=_line(fact.text), fact=fact) for fact in rows[: MOST[Section.LORE]]]


def _on_this_day(guild: Guild, until: datetime) -> list[FoundLine]:
    """Return what happened on this day in an earlier year."""
    today = day_of(guild, until)
    if (today.month, today.day) == (2, 29):
        return []
    days = [today.replace(year=today.year - back) for back in range(1, YEARS + 1)]
    rows = _notes(guild).filter(note_date__in=days).annotate(people=Count("participants"))
    rows = rows.order_by("-people", "-ended_at", "-pk")
    return [
        FoundLine(section=Section.ON_THIS_DAY, text=_line(f"{note.note_date.year}: {note.title}"), note=note)
        for note in rows[:ON_THE_DAY]
    ]


def _numbers(guild: Guild, said: Q) -> list[FoundLine]:
    """Return how much was said where everybody can read it, and how much was learned of it."""
    counts = _said(guild, said).order_by().aggregate(
        messages=Count("pk"), people=Count("author", distinct=True), channels=Count("channel", distinct=True)
    )  # fmt: skip
    words = [count(counts[name], one) for name, one in (("messages", "message"), ("people", "member"))]
    text = f"{words[0]} by {words[1]} in {count(counts['channels'], 'channel')}"
    return [FoundLine(section=Section.NUMBERS, text=text)] if counts["messages"] else []


def _said(guild: Guild, said: Q) -> MessageQuerySet:
    """Return what was said where everybody can read it, by those who may be told of."""
    reader = Reader(guild=guild)
    rows = Message.objects.of(guild).posted().filter(reader.said("sent_at"), said)
    return rows.filter(heard(guild, "author"))


def _line(text: str) -> str:
    return clip(one_line(text), LINE)


# --- What may still be told ------------------------------------------------------------------------------------------


@in_its_guild
def standing(recap: Recap) -> list[RecapLine]:
    """Return the lines of a recap that may still be told."""
    return standing_of(recap.guild, [recap])[recap.pk]


@in_its_guild
def standing_of(guild: Guild, recaps: Sequence[Recap]) -> dict[int, list[RecapLine]]:
    """Return, by recap, the lines whose source is still there and open to all, and that name nobody left out.

    What a line rests on may have gone, been closed or belong to somebody who opted out since it was written.
    """
    reader = Reader(guild=guild)
    rows = RecapLine.objects.of(guild).filter(recap__in=[recap.pk for recap in recaps])
    lines = list(rows.select_related("message", "member"))
    notes = _notes(guild)
    messages = Message.objects.of(guild).said().filter(reader.said("sent_at"), heard(guild, "author"))
    facts = Fact.objects.of(guild).active().about(None).filter(audience=None)
    members = Member.objects.of(guild).filter(remembered(guild))
    there = {
        name: set(rows.filter(pk__in=ids).values_list("pk", flat=True)) if (ids := _ids(lines, name)) else set()
        for name, rows in (("note_id", notes), ("message_id", messages), ("fact_id", facts), ("member_id", members))
    }
    named = left_out(guild) if lines else re.compile(r"(?!)")
    told: dict[int, list[RecapLine]] = {recap.pk: [] for recap in recaps}
    for line in lines:
        is_there = all((pk := getattr(line, name)) is None or pk in found for name, found in there.items())
        if is_there and not named.search(line.text):
            told[line.recap_id].append(line)
    return told


def _ids(lines: Iterable[RecapLine], name: str) -> list[int]:
    return [pk for line in lines if (pk := getattr(line, name)) is not None]
