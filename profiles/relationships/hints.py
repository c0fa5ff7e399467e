"""Words the strongest relationships of those present for a bot: as probable, never as certain, with their sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memoryhub.community.days import day_of
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.language.clip import clip
from profiles.models import RelationshipDay
from profiles.relationships.evidence import Encounter, behind
from profiles.relationships.graph import Edge, edges

LINES, CHARACTERS = 10, 1_200  # seed 003
LEAST = 0.1  # seed 003: weaker edges say nothing
WINDOW = timedelta(days=120)  # what is older has faded to less than a thousandth
SOURCES = 3  # messages, and as many notes, that a line names
NAME = 60  # characters of a name
HEADERS = {
    "likely close": "are probably close",
    "moderate": "probably know each other well",
    "emerging": "seem to be getting to know each other",
    "weak": "may know each other a little",
}
MOSTLY = 1 / 3  # from this reciprocity down it is one who turns to the other


@dataclass(frozen=True, slots=True, kw_only=True)
class Rests:
    """What a hint rests on: a message (the platform's id) or a note (its row number)."""

    message_id: str | None = None
    note_id: int | None = None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """One line about two members; names in it come from chat and are to be escaped like all chat."""

    text: str
    members: tuple[Member, Member]
    strength: float
    confidence: float
    sources: list[Rests]


def hints(
    guild: Guild, *, members: Iterable[Member], channel: Channel | None, now: datetime, as_of: datetime | None = None
) -> list[Hint]:
    """Return the strongest edges of those present that may be told in the channel (None: everywhere), best first.

    Edges between two of those present come before those to somebody else. Empty while the guild's graph is off.
    `as_of` counts the days that had ended by then.
    """
    present = {member.pk: member for member in members if member.guild_id == guild.pk}
    if not (guild.relationships_on and present):
        return []
    lately = RelationshipDay.objects.told_in(guild, channel).filter(day__gte=(now - WINDOW).date())
    lately = lately.filter(day__lt=day_of(guild, as_of)) if as_of else lately
    found = edges(lately, guild=guild, now=now, touching=present.values(), most=LINES, least=LEAST)
    chosen = _fitting([(worded(edge), edge) for edge in found])
    rests = behind(guild, {(edge.first, edge.second): edge.newest[:1] for _, edge in chosen})
    return [
        Hint(
            text=text, members=(edge.first, edge.second), strength=edge.strength, confidence=edge.confidence,
            sources=_sources(rests[edge.first, edge.second]),
        )
        for text, edge in chosen
    ]  # fmt: skip


def worded(edge: Edge) -> str:
    """Say in one line what is probable of the two, and from what."""
    first, second = (clip(str(member), NAME).replace("\n", " ") for member in (edge.first, edge.second))
    said = f"{first} and {second} {HEADERS[edge.label]} ({', '.join(_grounds(edge))})"
    return f"{said}; it comes mostly from {_keener(edge, first, second)}." if _one_sided(edge) else f"{said}."


def _grounds(edge: Edge) -> list[str]:
    counts, back = edge.forth, edge.back
    words = [
        _many(counts.replies + back.replies, "reply", "replies"),
        _many(counts.mentions + back.mentions, "mention", "mentions"),
        _many(counts.together, "conversation together", "conversations together"),
        f"{counts.voice_minutes} min of voice" if counts.voice_minutes else "",
        f"last on {edge.last_day.day} {edge.last_day:%B %Y}" if edge.last_day else "",
        "" if edge.level is None else "as an operator set it",
    ]
    return [word for word in words if word]


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}" if count else ""


def _one_sided(edge: Edge) -> bool:
    return edge.forth.acts + edge.back.acts >= 3 and edge.reciprocity <= MOSTLY


def _keener(edge: Edge, first: str, second: str) -> str:
    return first if edge.forth.acts > edge.back.acts else second


def _fitting(lines: Sequence[tuple[str, Edge]]) -> list[tuple[str, Edge]]:
    """Return the first lines that the characters allow, counting a line break for each."""
    room, kept = CHARACTERS, list[tuple[str, Edge]]()
    for text, edge in lines:
        room -= len(text) + 1
        if room < 0:
            break
        kept.append((text, edge))
    return kept


def _sources(encounters: Sequence[Encounter]) -> list[Rests]:
    messages = [message for each in encounters for message in each.messages][-SOURCES:]
    notes = [note for each in encounters for note in each.notes][-SOURCES:]
    return [
        *(Rests(message_id=message.platform_id, at=message.sent_at) for message in messages),
        *(Rests(note_id=note.pk, at=note.ended_at) for note in notes),
    ]
