"""Words the strongest relationships of those present for a bot: as probable, never as certain, with their sources."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from memoryhub import db
from memoryhub.community.days import day_of
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import own_and_parent
from memoryhub.language.clip import one_line
from profiles.models import EntrySource
from profiles.relationships.evidence import met
from profiles.relationships.graph import SAID_SO, Counted, Edge, strongest
from profiles.relationships.tie_lines import Pair, ties

LINES, CHARACTERS = 10, 1_200
LEAST = 0.1  # strength: weaker edges say nothing
WINDOW = timedelta(days=120)  # what is older has faded to less than a thousandth
SOURCES = 3  # messages, and as many notes, that a line names
HEADERS = {
    "likely close": "are probably close",
    "moderate": "probably know each other well",
    "emerging": "talk with each other here now and then",
    "weak": "talk with each other here a little",
}
"""Little talk says how much they talk and no more: two who live together may have no need to write."""
MOSTLY = 1 / 3  # from this reciprocity down it is one who turns to the other
# Written out, since every context asks it: the counted days of members, and beside them the levels set by hand.
LATELY = f"""SELECT row.id, row.source_id, row.target_id, row.channel_id, row.day, row.replies, row.mentions,
        row.together, row.voice_minutes, place.open_since, NULL
    FROM profiles_relationshipday AS row
    {db.in_order()} community_channel AS place ON place.id = row.channel_id AND place.guild_id = row.guild_id
    WHERE ({db.among("row.source_id", "%(members)s")} OR {db.among("row.target_id", "%(members)s")})
        AND {db.unindexed("row.guild_id")} = %(guild)s AND row.day >= %(first)s AND row.day < %(end)s
        AND (place.audience = 'guild' OR {db.among("place.id", "%(near)s")})
    UNION ALL SELECT manual.id, manual.first_id, manual.second_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        manual.level
    FROM profiles_relationship AS manual
    WHERE ({db.among("manual.first_id", "%(members)s")} OR {db.among("manual.second_id", "%(members)s")})
        AND {db.unindexed("manual.guild_id")} = %(guild)s
    ORDER BY 5 DESC, 2, 1"""  # noqa: S608  every value is a parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class HintSource:
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
    sources: list[HintSource]


def hints(
    guild: Guild, *, members: Iterable[Member], channel: Channel | None, now: datetime, as_of: datetime | None = None
) -> list[Hint]:
    """Return the strongest edges of those present that may be told in the channel (None: everywhere), best first.

    Edges between two of those present come before those to somebody else. Empty while the guild's graph is off.
    What one of the two stated comes as they said it. `as_of` counts the days that had ended by then, and leaves
    out what was stated, since it may have been later.
    """
    present = {member.pk: member for member in members if member.guild_id == guild.pk}
    if not (guild.relationships_on and present):
        return []
    counted, levels = _lately(
        guild, present, channel, first=(now - WINDOW).date(), end=day_of(guild, as_of) if as_of else date.max
    )
    said = {} if as_of else ties(guild, channel=channel, of=present.values())
    found = strongest(counted, levels, guild=guild, now=now, touching=present, most=LINES, least=LEAST, stated=said)
    if not as_of:
        found = _with_what_the_absent_said(guild, found, present=present, channel=channel)
    chosen, room = dict[tuple[Member, Member], tuple[str, Edge]](), CHARACTERS
    for edge in found:
        text = worded(edge)
        room -= len(text) + 1  # with its line break
        if room < 0:
            break
        chosen[edge.first, edge.second] = text, edge
    sources = _sources(guild, {pair: edge for pair, (_, edge) in chosen.items()})
    return [
        Hint(text=text, members=pair, strength=edge.strength, confidence=edge.confidence, sources=sources[pair])
        for pair, (text, edge) in chosen.items()
    ]


def _with_what_the_absent_said(
    guild: Guild, edges: Sequence[Edge], *, present: Mapping[int, Member], channel: Channel | None
) -> list[Edge]:
    """Return the edges; one that nobody present stated may be stated by the other, who is not here."""
    unstated = [edge for edge in edges if edge.stated is None]
    absent = {other for edge in unstated for other in (edge.first, edge.second)} - set(present.values())
    theirs = ties(guild, channel=channel, of=absent) if absent else {}
    found = []
    for edge in edges:
        tie = theirs.get((edge.first.pk, edge.second.pk)) if edge.stated is None else None
        found.append(replace(edge, stated=tie, confidence=max(edge.confidence, SAID_SO)) if tie else edge)
    return found


def _sources(
    guild: Guild, edges: Mapping[tuple[Member, Member], Edge]
) -> dict[tuple[Member, Member], list[HintSource]]:
    """Return what each pair's hint rests on: where they met last, and the profile lines that state their tie."""
    behind = met(guild, {pair: edge.newest[:1] for pair, edge in edges.items()})
    rests_on = _sources_of(guild, [(pair, edge.stated.entry) for pair, edge in edges.items() if edge.stated])
    found = {}
    for pair in edges:
        sources = []
        for messages, notes in behind[pair]:
            sources += [HintSource(message_id=each.platform_id, at=each.sent_at) for each in messages[-SOURCES:]]
            sources += [HintSource(note_id=note.pk, at=note.ended_at) for note in notes[-SOURCES:]]
        found[pair] = sources + rests_on.get(pair, [])
    return found


def _lately(
    guild: Guild, members: Collection[int], channel: Channel | None, *, first: date, end: date
) -> tuple[Counted, dict[Pair, float]]:
    """Return what `told_in` may tell of the members' counted days, the newest first, and the levels set by hand."""
    near = own_and_parent(channel)
    values = {"guild": guild.pk, "members": db.id_list(members), "near": db.id_list(near), "first": first, "end": end}
    counted, levels = [], dict[Pair, float]()
    for _, source, target, place, day, *numbers, open_since, level in db.select(LATELY, values):
        if level is not None:
            levels[source, target] = level
        elif open_since is None or place in near or _began_after(day, open_since):
            counted.append((source, target, place, day, *numbers))
    return counted, levels


def _began_after(day: date, opened: datetime) -> bool:
    """Say whether the whole day, wherever midnight is, came after the channel was opened."""
    return opened < datetime.combine(day - timedelta(days=1), time(), UTC)


def _sources_of(
    guild: Guild, lines: Sequence[tuple[tuple[Member, Member], int]]
) -> dict[tuple[Member, Member], list[HintSource]]:
    """Return what the profile lines rest on that state ties, the newest few of each."""
    if not lines:
        return {}
    rows = EntrySource.objects.told(guild).filter(entry__in=[entry for _, entry in lines])
    of_entry: dict[int, list[HintSource]] = {}
    for row in rows.select_related("note", "message").order_by("-pk"):
        source = HintSource(
            message_id=row.message.platform_id if row.message else None, note_id=row.note_id, at=row.at
        )  # fmt: skip
        of_entry.setdefault(row.entry_id, []).append(source)
    return {pair: of_entry.get(entry, [])[:SOURCES] for pair, entry in lines}


def worded(edge: Edge) -> str:
    """Say in one line what one said of the two, or what is probable and from what; and of whom it mostly comes."""
    forth, back = edge.forth, edge.back
    counted = [
        (forth.replies + back.replies, "reply", "replies"),
        (forth.mentions + back.mentions, "mention", "mentions"),
        (forth.together, "conversation together", "conversations together"),
        (forth.voice_minutes, "min of voice", "min of voice"),
    ]
    grounds = [f"{count} {one if count == 1 else more}" for count, one, more in counted if count]
    if edge.last_day:
        grounds.append(f"last on {edge.last_day.day} {edge.last_day:%B %Y}")
    if edge.level is not None:
        grounds.append("as an operator set it")
    if edge.stated is not None and edge.level is None:
        return f"{edge.stated.words} (as {one_line(str(edge.stated.by))} said)."
    first, second = one_line(str(edge.first)), one_line(str(edge.second))
    text = f"{first} and {second} {HEADERS[edge.label]} ({', '.join(grounds)})"
    if forth.acts + back.acts >= 3 and edge.reciprocity <= MOSTLY:
        return f"{text}; it comes mostly from {first if forth.acts > back.acts else second}."
    return f"{text}."
