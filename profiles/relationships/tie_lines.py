"""Reads from the lines of profiles what a member is to another, strictly and in few questions: for bots and the API."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from memoryhub import db
from memoryhub.community.labels import plain_name
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import bears, own_and_parent, remembered_in_sql
from memoryhub.language.clip import one_line
from profiles.relationships.tie_words import BONDS, NAME, ROLES, closeness

MOST_LINES = 2000  # of a guild that are read; a line is a short text
MOST_NAMES = 200  # members that may be named in them
_LITTLE = r"(?:(?:little|big|older|younger|elder|twin|best|new|old|late) )*"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"Has an? {_LITTLE}(?P<role>{ROLES})(?: named| called|,) @?(?P<name>{NAME})",
        rf"@?(?P<name>{NAME}) is their {_LITTLE}(?P<role>{ROLES})(?:$| (?:at|since|from|now)\b)",
        rf"(?:Lives with t|T)heir {_LITTLE}(?P<role>{ROLES}),? @?(?P<name>{NAME})",
        rf"Is (?P<bond>{BONDS}) @?(?P<name>{NAME})",
        rf"Is @?(?P<name>{NAME})['’]s {_LITTLE}(?P<own>{ROLES})",
    )
)
Pair = tuple[int, int]
# Written out, since every context asks it.
STATED = f"""SELECT line.id, line.text, who.id FROM profiles_profile AS owner
    {db.in_order()} community_member AS who ON who.id = owner.member_id AND who.guild_id = owner.guild_id
    {db.in_order()} profiles_profileentry AS line ON line.profile_id = owner.id AND line.guild_id = owner.guild_id
    WHERE line.section = 'relationships' AND line.status = 'shown'"""  # noqa: S608  every value is a parameter
HEARD = f"(line.audience_id IS NULL OR {db.among('line.audience_id', '%(near)s')})"
OF_GUILD = "owner.guild_id = %(guild)s"
OF_MEMBERS = f"{db.among('owner.member_id', '%(members)s')} AND {db.unindexed(OF_GUILD)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TieLine:
    """What a member said they are to another, as a sentence; it rests on what the line of the profile rests on."""

    by: Member
    to: Member
    tie: str
    words: str
    level: float
    entry: int


def read(text: str) -> tuple[str, str, str] | None:
    """Return a line's tie ("husband"), the other's name, and the sentence with `{by}` and `{to}`; None without one."""
    for form in _FORMS:
        if found := form.match(text):
            parts = found.groupdict()
            if bond := parts.get("bond"):
                return bond, parts["name"], f"{{by}} is {bond} {{to}}"
            if own := parts.get("own"):
                return own, parts["name"], f"{{by}} is {{to}}'s {own}"
            return parts["role"], parts["name"], f"{{to}} is {{by}}'s {parts['role']}"
    return None


def ties(guild: Guild, *, channel: Channel | None = None, of: Iterable[Member] | None = None) -> dict[Pair, TieLine]:
    """Return the stated ties that may be told in the channel (None: guild-wide), by pair, the lower row id first.

    `of` narrows to what these members said. A name that two bear, or nobody, makes no tie; of several between two, the
    closest counts. Empty while the graph is off.
    """
    if not guild.relationships_on:
        return {}
    people = None if of is None else {member.pk: member for member in of}
    told = _told(guild, people, channel=channel)
    if not told:
        return {}
    if people is None:
        people = Member.objects.of(guild).in_bulk({author for _, author, _ in told})
    named = _named(guild, {name for _, _, (_, name, _) in told})
    kept: dict[Pair, TieLine] = {}
    for entry, author, (tie, name, words) in told:
        by, others = people[author], named[name.casefold()]
        if len(others) != 1 or others[0].pk == by.pk:
            continue
        to = others[0]
        sentence = words.format(by=one_line(str(by)), to=one_line(str(to)))
        stated = TieLine(by=by, to=to, tie=tie, words=sentence, level=closeness(tie), entry=entry)
        pair = (min(by.pk, to.pk), max(by.pk, to.pk))
        if pair not in kept or stated.level > kept[pair].level:
            kept[pair] = stated
    return kept


def _told(
    guild: Guild, people: Collection[int] | None, *, channel: Channel | None
) -> list[tuple[int, int, tuple[str, str, str]]]:
    """Return the lines that state a tie: the row ids of entry and author, and what `read` finds in it."""
    near = db.id_list(own_and_parent(channel))
    values: dict[str, Any] = {"guild": guild.pk, "members": db.id_list(people or ()), "near": near}
    conditions = [OF_GUILD if people is None else OF_MEMBERS, remembered_in_sql(guild, values), HEARD]
    lines = db.select(f"{' AND '.join([STATED, *conditions])} ORDER BY line.id LIMIT {MOST_LINES}", values)
    return [(entry, author, found) for entry, text, author in lines if (found := read(text))]


def _named(guild: Guild, names: Collection[str]) -> defaultdict[str, list[Member]]:
    """Return by each name, in lower case, the members who bear it, as their label, their name or their handle."""
    found: defaultdict[str, list[Member]] = defaultdict(list)
    wanted = {name.casefold() for name in names}
    meant = Q()
    for name in sorted(names)[:MOST_NAMES]:
        meant |= bears(name)
    for member in Member.objects.of(guild).filter(meant, is_bot=False):
        for form in forms(member) & wanted:
            found[form].append(member)
    return found


def forms(member: Member) -> set[str]:
    """Return the names, in lower case, by which a line may mean a member."""
    names = (member.display_name, member.name, member.label, plain_name(member.label))
    return {name.casefold() for name in names if name}
