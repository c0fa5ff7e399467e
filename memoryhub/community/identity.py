"""Who and where: finds or makes the rows of a guild, its channels and its members."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import QuerySet

from memoryhub import db
from memoryhub.community import due_work, labels, tombstones
from memoryhub.community.models import Channel, Guild, Member, Tombstone
from memoryhub.errors import NotFound

Move = Callable[[Channel, str], None]
MOST_ALIKE = 1_000  # members of one name whose handles are compared
MOST_IDS = 20_000  # of guilds
SEEN_EVERY = timedelta(minutes=1)  # how exactly it is known when somebody was last there: a write saved a message

# Written out, since every message that comes in asks them.
BY_KEY = "WHERE key = %s"
_ids: dict[str, int] = {}  # of guilds that this process has met, by key: no row ever changes its own
BY_PLATFORM_IDS = f"WHERE guild_id = %s AND {db.among('platform_id', kind='text')}"


class GuildUnknown(NotFound):
    """No guild has this key, or the caller may not know of it."""

    public = "There is no such guild, or this key is not for it."


def find_guild(key: str) -> Guild:
    """Return the guild; raises GuildUnknown."""
    try:
        return Guild.objects.get(key=key)
    except Guild.DoesNotExist:
        raise GuildUnknown(f"No guild {key} is known. Its first message, or an import, makes it.") from None


def counts_relationships(key: str) -> bool:
    """Say whether a new guild counts who talks with whom; on Discord, by its policy, an operator decides."""
    return bool(key) and not key.startswith("discord:")


def of_key(key: str) -> Guild | None:
    """Return the guild as it is now, None where there is none."""
    return next(iter(db.read(Guild, BY_KEY, [key])), None)


def kept_id(key: str) -> int | None:
    """Return the row id that the guild of this key had when this process met it last; who asks by it names the key."""
    return _ids.get(key)


def ensure_guild(
    *, key: str, name: str = "", direct: bool = False, find: Callable[[str], Guild | None] = of_key
) -> Guild:  # fmt: skip
    """Return the guild, made or renamed if need be; one whose first channel is direct is a direct line.

    Inside a transaction nobody else writes into the guild until that ends. `find` reads the guild by its key then.
    """
    made = {
        "name": name,
        "kind": Guild.Kind.DIRECT if direct else Guild.Kind.COMMUNITY,
        "relationships_on": counts_relationships(key),
    }
    # Who is about to write into the guild reads it when nobody else does any more.
    locked = not connection.in_atomic_block or db.lock_guild_of_key(key)
    guild, new = find(key), False
    if guild is None:
        guild, new = Guild.objects.get_or_create(key=key, defaults=made)
    if len(_ids) >= MOST_IDS:
        _ids.clear()
    _ids[key] = guild.pk
    if locked:
        due_work.mark(guild.pk)
    else:
        db.lock_guild(guild.pk)
    if direct and not new and guild.kind != Guild.Kind.DIRECT and not guild.channels.exists():
        guild.kind = Guild.Kind.DIRECT  # made by name only, before anything was said: a key was issued for it
        guild.save(update_fields=["kind"])
    if name and not new and guild.name != name:
        guild.name = name
        guild.save(update_fields=["name"])
    return guild


@dataclass(frozen=True, kw_only=True)
class Place:
    """A channel as a door describes it; None and "" mean: as known."""

    id: str
    name: str = ""
    kind: str | None = None
    parent_id: str | None = None
    audience: str | None = None


@dataclass(frozen=True, kw_only=True)
class Person:
    """A member as a door describes them; "" and None mean: as known."""

    id: str
    name: str = ""
    display_name: str = ""
    is_bot: bool | None = None


@dataclass
class CommunityCache:
    """The channels and members that one call deals with, read once and written where they changed.

    `move` gives a known channel another audience, with all that was learned there (`close_channel.change_audience`);
    who deals with members only has none.
    """

    guild: Guild
    move: Move | None
    channels: dict[str, Channel] = field(default_factory=dict)
    members: dict[str, Member] = field(default_factory=dict)
    changed: dict[int, Member] = field(default_factory=dict)
    renamed: set[int] = field(default_factory=set)
    erased: dict[str, Tombstone] = field(default_factory=dict)

    def load(self, *, channels: Iterable[str], members: Collection[str]) -> None:
        """Read what is known of these platform ids, in two queries; in a third whether unknown members were erased."""
        places = db.read(Channel, BY_PLATFORM_IDS, [self.guild.pk, db.text_list(channels)])
        people = db.read(Member, BY_PLATFORM_IDS, [self.guild.pk, db.text_list(members)])
        self.take(places, people, asked=members)

    def take(self, places: Collection[Channel], people: Collection[Member], *, asked: Collection[str]) -> None:
        """Take what was read of channels and of the members asked for; whether the others were erased is read."""
        self.channels = {row.platform_id: row for row in places}
        self.members = {row.platform_id: row for row in people}
        for place in places:
            place.guild = self.guild  # known already: not to be read again for each
        for person in people:
            person.guild = self.guild
        self.erased = tombstones.find(self.guild, set(asked) - self.members.keys())

    def erased_at(self, member: str) -> datetime | None:
        """Return when an earlier memory of this account was erased: what it said before must not come back."""
        known = self.members.get(member) or self.erased.get(member)
        return known.erased_at if known else None

    def said_no(self, member: str) -> bool:
        """Tell whether somebody without a row had said no before they were erased."""
        return member not in self.members and member in self.erased and self.erased[member].remember is False

    def load_members(self, members: Iterable[str]) -> None:
        """Read more members of these platform ids."""
        for row in Member.objects.of(self.guild).filter(platform_id__in=members):
            row.guild = self.guild
            self.members.setdefault(row.platform_id, row)

    def channel(self, place: Place) -> Channel:
        """Return the channel, made or changed to what the door says of it."""
        known = self.channels.get(place.id)
        parent = self.channel(Place(id=place.parent_id)) if place.parent_id and place.parent_id != place.id else None
        if known is None:
            # What a door left out: a thread is as open as its parent, an unknown parent's as narrow as can be.
            kind = place.kind or (Channel.Kind.THREAD if parent else Channel.Kind.TEXT)
            narrow = kind == Channel.Kind.THREAD and parent is None
            inherited = parent.audience if parent else Channel.Audience.CHANNEL if narrow else Channel.Audience.GUILD
            new = Channel(guild=self.guild, platform_id=place.id, name=place.name, kind=kind, parent=parent)
            new.audience = _no_wider(_audience(self.guild, kind, place) or inherited, new)
            new.save(force_insert=True)
            self.channels[place.id] = new
            return new
        described = {"name": place.name, "kind": place.kind, "parent": parent}
        changed = [name for name, value in described.items() if value and getattr(known, name) != value]
        for name in changed:
            setattr(known, name, described[name])
        if changed:
            known.save(update_fields=changed)
        audience = _no_wider(_audience(self.guild, known.kind, place) or known.audience, known)
        if self.move and audience != known.audience:
            self.move(known, audience)
        return known

    def member(self, person: Person, *, seen_at: datetime) -> Member:
        """Return the member, made or changed to what the door says of them."""
        known = self.members.get(person.id)
        if known is None:
            stone = tombstones.find(self.guild, [person.id]).get(person.id)
            known = self.members[person.id] = Member.objects.create(
                guild=self.guild, platform_id=person.id, name=person.name, display_name=person.display_name,
                is_bot=bool(person.is_bot), first_seen_at=seen_at, last_seen_at=seen_at,
                remember=stone.remember if stone else None, erased_at=stone.erased_at if stone else None,
            )  # fmt: skip
            tell_apart(known)
            return known
        described: dict[str, object] = {
            "name": person.name, "display_name": person.display_name, "is_bot": person.is_bot,
        }  # fmt: skip
        if seen_at - known.last_seen_at > SEEN_EVERY:
            described["last_seen_at"] = seen_at
        changed = {
            name: value
            for name, value in described.items()
            if value not in ("", None) and getattr(known, name) != value
        }
        if changed.keys() & {"name", "display_name"}:
            changed["indexed_to"] = 0  # the word index has the old name still
            self.renamed.add(known.pk)
        if "is_bot" in changed:  # what it taught as a person is taken back in the background
            changed["unlearned_to"] = 0 if person.is_bot else None
        for name, value in changed.items():
            setattr(known, name, value)
        if changed:
            self.changed[known.pk] = known
        return known

    def save(self) -> None:
        """Write the members that changed, each once."""
        for member in self.changed.values():
            renamed = ["indexed_to"] if member.pk in self.renamed else []
            db.update([member], "name", "display_name", "is_bot", "unlearned_to", "last_seen_at", *renamed)
            if renamed:
                tell_apart(member)


def tell_apart(member: Member) -> None:
    """Give a member who is new, renamed or gone a label of their own, and those whose name they share, or shared."""
    before, member.look = member.look, labels.look(member.called)
    if member.look != before:
        Member.objects.filter(pk=member.pk).update(look=member.look)
    for look in {before, member.look}:
        bearers = Member.objects.of(member.guild).filter(look=look).order_by("pk")
        first = list(bearers[:3])
        # Of more than two, the others are told apart already.
        for each in first if len(first) < 3 else bearers.filter(pk=member.pk):
            label = each.called if len(first) == 1 else _own_label(each, bearers.exclude(pk=each.pk))
            if label != each.label:
                Member.objects.filter(pk=each.pk).update(label=label, indexed_to=0)  # the indexes have the old one
            if each == member:
                member.label = label


def _own_label(member: Member, others: QuerySet[Member]) -> str:
    """Return the name with the handle, or with a number where another one has the handle too, or there is none."""
    handle, names = labels.handle_of(member.name), others.values_list("name", flat=True)
    if handle and labels.look(handle) not in {labels.look(labels.handle_of(name)) for name in names[:MOST_ALIKE]}:
        return f"{member.called} (@{handle})"
    number = others.filter(pk__lt=member.pk).count() + 1
    while others.filter(label=f"{member.called} ({number})").exists():
        number += 1
    return f"{member.called} ({number})"


def switch_channel(channel: Channel, *, on: bool) -> None:
    """Turn a channel's memory on or off; what is stored stays until it is forgotten."""
    channel.memory_on = on
    channel.save(update_fields=["memory_on"])


def _no_wider(audience: str, channel: Channel) -> str:
    """Return the audience, or its parent's readers where they are fewer: who reads a thread reads its parent."""
    closed = audience == Channel.Audience.GUILD and channel.parent and channel.parent.heard_by is not None
    return Channel.Audience.CHANNEL if closed else audience


def _audience(guild: Guild, kind: str | None, place: Place) -> str | None:
    """Return what the door says of the audience, if it may: a direct chat in a community is never open to it."""
    if kind != Channel.Kind.DIRECT:
        return place.audience
    return Channel.Audience.GUILD if guild.kind == Guild.Kind.DIRECT else Channel.Audience.CHANNEL
