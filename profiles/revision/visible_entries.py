"""What may be told of members in a place: entries of every audience heard there, none twice, within the limits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from datetime import datetime

from django.db.models import Exists, OuterRef, Prefetch, Q
from django.db.models.functions import Coalesce

from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import AudienceScoped, remembered, same_guild
from memoryhub.language.same_statement import Meaning, meaning, same
from profiles.models import EntrySource, ProfileEntry
from profiles.revision.schemas import LIMITS
from profiles.revision.sections import lasts

SHOWN = 12  # lines of a member: more are stored, and nobody reads them
ROOM: dict[str, int] = {str(section): limit for section, limit in LIMITS.items()}


def entries_for(
    guild: Guild, members: Collection[Member], *, channel: Channel | None, as_of: datetime | None = None
) -> list[ProfileEntry]:
    """Return the entries of the members' profiles that every reader of the channel may know, by section and position.

    Nothing is told of members who are not to be remembered.
    Each comes with its sources, newest first. A profile has entries for each audience; where several are heard at once,
    what the nearest said already is left out, and each section keeps to its limit; of a member at most twelve, what a
    person worded first, then what lasts. `as_of` leaves out what rests on anything later.
    """
    shown = AudienceScoped[ProfileEntry](ProfileEntry).filter(
        remembered(guild, "profile__member__"), profile__member__in=members, profile__member__guild=guild,
        status=ProfileEntry.Status.SHOWN,
    )  # fmt: skip
    # A direct line has one reader, so its profiles need no channel to be told in.
    if channel is not None or guild.kind != Guild.Kind.DIRECT:
        shown = shown.heard_in(channel)
    if as_of is not None:
        later = EntrySource.objects.filter(
            same_guild(), Q(note__ended_at__gt=as_of) | Q(message__sent_at__gt=as_of), entry=OuterRef("pk")
        )
        shown = shown.exclude(Exists(later)).exclude(sources=None, created_at__gt=as_of)
    newest = Coalesce("note__ended_at", "message__sent_at").desc()
    sources = Prefetch(
        "sources", EntrySource.objects.select_related("note", "message").order_by(newest, "-note", "-message")
    )
    rows = shown.select_related("profile__member__guild", "audience").prefetch_related(sources)
    # What a person worded comes first, then what was said nearest to the channel.
    here = channel.pk if channel else None
    nearest = sorted(
        rows.order_by("section", "position", "pk"),
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
    order, rank = list(ROOM), {row.pk: at for at, row in enumerate(kept)}
    chosen = Counter[int]()
    first = []
    for row in sorted(kept, key=lambda row: (not row.pinned, not lasts(row.text), row.position, rank[row.pk])):
        chosen[row.profile.member_id] += 1
        if chosen[row.profile.member_id] <= SHOWN:
            first.append(row)
    return sorted(first, key=lambda row: (row.profile_id, order.index(row.section), row.position, row.pk))
