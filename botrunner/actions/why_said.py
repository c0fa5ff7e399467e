"""What a reply of the bot used, for who was answered: each memory with its source, as far as it is told there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from botrunner.actions import texts_members
from botrunner.actions.caller import Caller, channel_of, entries_of, facts_of, guild_of
from botrunner.actions.escape import day, link, plain
from botrunner.actions.listing import Line, Page
from botrunner.actions.memory import remove_entry
from botrunner.actions.memory_ids import has_id, parse_id
from memory.curation import corrections
from memory.models import Fact
from memoryhub.community.models import Channel, Guild
from memoryhub.community.querysets import heard, own_and_parent, remembered
from memoryhub.errors import Conflict, Refused
from notes.models import InteractionNote, Message
from profiles.models import ProfileEntry

WORDS = 110  # characters; five of them with their links fit into a message
HEAD, NEAREST = "Why I said that", "These memories are nearest to it."
GONE = "What I used for that is forgotten, or may not be told here any more."
PUT_ASIDE = (
    "Put aside, so it is used no more: {text}\n`/memory undo` brings it back, `/memory forget` erases it for good."
)


class Reason(NamedTuple):
    """A memory that a reply used: in a line, and, where it is the caller's own, the id by which they change it."""

    line: str
    own: str = ""


def reasons(caller: Caller, used: Sequence[tuple[str, int]]) -> list[Reason]:
    """Return what stands of these memories (kind and id) and may be told in the channel, in their order."""
    guild, channel = guild_of(caller), channel_of(caller)
    if guild is None or not guild.memory_on:
        return []
    shown = {kind: FINDERS[kind](caller, guild, channel, [pk for each, pk in used if each == kind]) for kind in FINDERS}
    return [shown[kind][pk] for kind, pk in used if kind in shown and pk in shown[kind]]


def explain(found: Sequence[Reason]) -> Page:
    """Return the reasons as a list."""
    return Page(HEAD, [Line(reason.line) for reason in found], NEAREST) if found else Page(GONE)


def _facts(caller: Caller, guild: Guild, channel: Channel | None, ids: Sequence[int]) -> dict[int, Reason]:
    told = Q(subject=None) | remembered(guild, "subject__")
    rows = Fact.objects.of(guild).active().heard_in(channel).filter(told, pk__in=ids).select_related("subject")
    own = set(facts_of(caller).filter(pk__in=ids).values_list("pk", flat=True))
    found = {}
    for fact in rows:
        source = fact.evidence.filter(heard(guild, "speaker")).select_related("message__channel", "message__guild")
        first = next((row.message for row in source if row.message), None)
        who = f"{plain(str(fact.subject), texts_members.NAME)}: " if fact.subject and fact.pk not in own else ""
        where = link(first) if first else "told directly"
        line = f"`#{fact.pk}` {who}{plain(fact.text, WORDS)} {day(fact.said_at)} {where}"
        found[fact.pk] = Reason(line, f"#{fact.pk}" if fact.pk in own else "")
    return found


def _entries(caller: Caller, guild: Guild, channel: Channel | None, ids: Sequence[int]) -> dict[int, Reason]:
    told = (Q(audience=None) | Q(audience__in=own_and_parent(channel))) & remembered(guild, "profile__member__")
    rows = ProfileEntry.objects.filter(told, profile__member__guild=guild, pk__in=ids, status="shown")
    own = set(entries_of(caller).filter(pk__in=ids).values_list("pk", flat=True))
    return {
        entry.pk: Reason(
            f"`p{entry.pk}` {plain(f'{entry.profile.member}, {entry.get_section_display()}: {entry.text}', WORDS)}",
            f"p{entry.pk}" if entry.pk in own else "",
        )
        for entry in rows.select_related("profile__member")
    }


def _notes(_caller: Caller, guild: Guild, channel: Channel | None, ids: Sequence[int]) -> dict[int, Reason]:
    rows = InteractionNote.objects.told(guild).heard_in(channel).filter(pk__in=ids)
    return {
        note.pk: Reason(f"`n{note.pk}` {plain(note.title, WORDS)}, a note of {day(note.ended_at)}") for note in rows
    }


def _messages(_caller: Caller, guild: Guild, channel: Channel | None, ids: Sequence[int]) -> dict[int, Reason]:
    rows = Message.objects.of(guild).heard_in(channel).filter(heard(guild, "author"), deleted_at=None)
    rows = rows.filter(platform_id__in=[str(number) for number in ids]).select_related("author", "channel", "guild")
    found = {}
    for row in rows:
        who = plain(str(row.author), texts_members.NAME)
        found[int(row.platform_id)] = Reason(f"• {who}: {plain(row.text, WORDS)} {link(row)}")
    return found


FINDERS = {"fact": _facts, "entry": _entries, "note": _notes, "message": _messages}


# --- What the caller does with one of their own ---------------------------------------------------------------------


def words_of(caller: Caller, memory: str) -> str | None:
    """Return the words of a memory of the caller's own; None where there is none."""
    match parse_id(memory):
        case ("fact", pk):
            return facts_of(caller).filter(pk=pk).values_list("text", flat=True).first()
        case ("entry", pk):
            return entries_of(caller).filter(pk=pk).values_list("text", flat=True).first()
    return None


def put_aside(caller: Caller, *, memory: str, now: datetime) -> str:
    """Have a memory of the caller's own used no more; it can be brought back."""
    memory_id = parse_id(memory)
    if memory_id and memory_id.kind == "entry":
        return remove_entry(caller, entry_id=memory, now=now)
    fact = facts_of(caller).filter(has_id(memory, "fact")).first()
    if fact is None:
        return texts_members.NOT_YOURS
    try:
        corrections.archive(fact, actor=caller.actor, now=now)
    except (Refused, Conflict) as error:
        return str(error)
    return PUT_ASIDE.format(text=plain(fact.text))
