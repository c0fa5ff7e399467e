"""What may be told of members in a place: entries of every audience heard there, none twice, within the limits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from memoryhub import db
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import own_and_parent, remembered_in_sql
from memoryhub.language.same_statement import Meaning, meaning, same
from profiles.models import EntrySource, ProfileEntry
from profiles.revision.schemas import LIMITS
from profiles.revision.sections import standing

SHOWN = 12  # lines of a member: more are stored, and nobody reads them
ROOM: dict[str, int] = {str(section): limit for section, limit in LIMITS.items()}

# Written out, since every context asks for them.
SHOWN_OF = f"""{db.in_order()} community_member AS who
        ON who.id = profiles_profile.member_id AND who.guild_id = profiles_profile.guild_id
    WHERE {db.among("profiles_profile.member_id", "%(members)s")} AND profiles_profile.guild_id = %(guild)s
        AND {db.unindexed("profiles_profileentry.guild_id")} = %(guild)s AND profiles_profileentry.status = 'shown'"""
IN_PLACE = "ORDER BY profiles_profileentry.section, profiles_profileentry.position, profiles_profileentry.id"
HEARD = f"""(profiles_profileentry.audience_id IS NULL OR
    {db.among("profiles_profileentry.audience_id", "%(audiences)s")})"""
THEN = f"""(SELECT count(CASE WHEN note.ended_at > %(as_of)s OR message.sent_at > %(as_of)s THEN 1 END) = 0
        AND (count(source.id) > 0 OR profiles_profileentry.created_at <= %(as_of)s)
    FROM profiles_entrysource AS source
    LEFT JOIN notes_interactionnote AS note ON note.id = source.note_id AND note.guild_id = source.guild_id
    LEFT JOIN notes_message AS message ON message.id = source.message_id AND message.guild_id = source.guild_id
    WHERE source.entry_id = profiles_profileentry.id AND {db.unindexed("source.guild_id")} = %(guild)s)"""  # noqa: S608
TOLD_SOURCES = f"""WHERE {db.among("entry_id", "%(entries)s")}
        AND {db.unindexed("profiles_entrysource.guild_id")} = %(guild)s
        AND NOT EXISTS (SELECT 1 FROM notes_interactionnote_participants AS part
            JOIN community_member AS who ON who.id = part.member_id AND who.guild_id = part.guild_id
            WHERE part.interactionnote_id = profiles_entrysource.note_id
                AND part.guild_id = profiles_entrysource.guild_id AND NOT ({{remembered}}))
    ORDER BY coalesce(notes_interactionnote.ended_at, notes_message.sent_at) DESC,
        profiles_entrysource.note_id, profiles_entrysource.message_id DESC"""  # noqa: S608


def entries_for(
    guild: Guild, members: Collection[Member], *, channel: Channel | None, as_of: datetime | None = None
) -> list[ProfileEntry]:
    """Return the entries of the members' profiles that every reader of the channel may know, by section and position.

    Nothing is told of members who are not to be remembered, and no note is cited in which one of them took part.
    Each comes with its sources, newest first. A profile has entries for each audience; where several are heard at once,
    what the nearest said already is left out, and each section keeps to its limit; of a member at most twelve, what a
    person worded first, then what lasts. `as_of` leaves out what rests on anything later.
    """
    # What a person worded comes first, then what was said nearest to the channel.
    here = channel.pk if channel else None
    nearest = sorted(
        _shown(guild, members, channel, as_of),
        key=lambda row: (not row.pinned, row.audience_id != here, row.audience_id is None),
    )
    kept: list[ProfileEntry] = []
    statements: dict[int, list[Meaning]] = defaultdict(list)
    taken: Counter[tuple[int, str]] = Counter()
    for row in nearest:
        statement, place = meaning(row.text), (row.profile_id, row.section)
        if taken[place] < ROOM[row.section] and not any(same(statement, old) for old in statements[row.profile_id]):
            statements[row.profile_id].append(statement)
            taken[place] += 1
            kept.append(row)
    of_each: dict[int, list[ProfileEntry]] = defaultdict(list)
    for row in kept:
        of_each[row.profile_id].append(row)
    order = list(ROOM)
    first = [row for rows in of_each.values() for row in most_lasting(rows)]
    return sorted(first, key=lambda row: (row.profile_id, order.index(row.section), row.position, row.pk))


def most_lasting(rows: Iterable[ProfileEntry]) -> list[ProfileEntry]:
    """Return at most twelve of one profile's entries: what a person worded first, then what lasts longest.

    Of two alike the one with the lower position comes first, then the one that stands first.
    """
    return sorted(rows, key=lambda row: (not row.pinned, -standing(row.text), row.position))[:SHOWN]


def _shown(
    guild: Guild, members: Collection[Member], channel: Channel | None, as_of: datetime | None
) -> list[ProfileEntry]:
    """Return what is shown of the members in the place, with profiles, members, audiences and sources."""
    member_of = {member.pk: member for member in members}
    if not member_of:
        return []
    values: dict[str, Any] = {"guild": guild.pk, "members": db.id_list(member_of)}
    remembered = remembered_in_sql(guild, values)
    conditions = [remembered]
    # A direct line has one reader, so its profiles need no channel to be told in.
    if channel is not None or guild.kind != Guild.Kind.DIRECT:
        conditions.append(HEARD)
        values["audiences"] = db.id_list(own_and_parent(channel))
    if as_of is not None:
        conditions.append(THEN)
        values["as_of"] = db.to_column(as_of)
    told = " AND ".join([SHOWN_OF, *conditions])
    rows = db.read(ProfileEntry, f"{told} {IN_PLACE}", values, joined=("profile", "audience"))
    sources = defaultdict[int, list[EntrySource]](list)
    if rows:
        values["entries"] = db.id_list(row.pk for row in rows)
        cited = TOLD_SOURCES.format(remembered=remembered)
        for source in db.read(EntrySource, cited, values, joined=("note", "message")):
            sources[source.entry_id].append(source)
    for row in rows:
        row.profile.member = member_of[row.profile.member_id]
        row.profile.member.guild = guild
        for source in sources[row.pk]:
            source.entry = row
        db.keep_related(row, "sources", sources[row.pk])
    return rows
