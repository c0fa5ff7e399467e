"""Rebuilds profiles by the careful tier: each night for those who took part, and where an answer was not believed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from datetime import date, datetime

from django.db import transaction

from memory.jobs import profile_updates
from memoryhub import db
from memoryhub.community.consent import remembers
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import leases
from memoryhub.db.guild_scope import in_its_guild, inside
from notes.models import InteractionNote
from notes.summaries import topics
from profiles.models import Profile
from profiles.revision import revise
from profiles.revision.new_information import leaves_work
from profiles.revision.prompts import REBUILD

NOTES_READ = 30  # the newest of a member
REBUILDS_A_TICK = 5


Participant = tuple[Member, int | None, list[InteractionNote]]
"""Who took part in the conversations of a day, in which audience, and their notes."""


def took_part(guild: Guild, day: date) -> list[Participant]:
    """Return who took part in the day's conversations, once for each audience they spoke to, with its notes."""
    told: dict[tuple[Member, int | None], list[InteractionNote]] = {}
    for note in sorted(topics.notes_of_day(guild, day), key=lambda each: (each.ended_at, each.pk)):
        for member in note.participants.all():
            told.setdefault((member, note.audience_id), []).append(note)
    there = [(*pair, notes) for pair, notes in told.items() if not pair[0].is_bot and remembers(guild, pair[0])]
    return sorted(there, key=lambda each: (each[0].pk, each[1] or 0))


def consolidate(member: Member, audience: int | None, notes: Sequence[InteractionNote], *, now: datetime) -> bool:
    """Have the careful tier go over the member's profile of one audience after a day; False if it was left dirty.

    Who was there and of whom nothing is new has nothing to go over.
    """
    return profile_updates.revise(member, audience=audience, notes=notes, now=now, task=REBUILD, worth=leaves_work)


def plan(member: Member, audience: int | None, notes: Sequence[InteractionNote]) -> list[str]:
    """Return what `consolidate` would change as lines of a diff, and what forbids it; asks the same, writes nothing."""
    known = profile_updates.known(member, audience)
    draft = revise.draft(member, audience=audience, known=known, notes=notes, task=REBUILD, worth=leaves_work)
    before, after = (
        sorted(f"{each.section}: {each.text} (notes {', '.join(map(str, sorted(each.notes)))})" for each in entries)
        for entries in (draft.given.entries, (draft.answer or draft.given).entries)
    )
    channel = Channel.objects.filter(pk=audience).first() if audience else None
    name = f"{member} in {channel}" if channel else str(member)
    refused = [f"!{member} would be left for a rebuild: {', '.join(draft.broken)}"] if draft.broken else []
    return [*difflib.unified_diff(before, after, f"{name} now", f"{name} then", lineterm="", n=0), *refused]


@transaction.atomic
@in_its_guild
def mark_dirty(guild: Guild, *, members: Sequence[Member] | None = None) -> int:
    """Have the profiles of these members, or of the whole guild, rebuilt; who has none yet gets an empty one.

    The guild is locked, so the background looks at it next.
    """
    db.lock_guild(guild.pk)
    known = Member.objects.of(guild).filter(is_bot=False)
    chosen = known if members is None else known.filter(pk__in=[member.pk for member in members])
    Profile.objects.bulk_create([Profile(member=member) for member in chosen.filter(profile=None)])
    return Profile.objects.filter(member__in=chosen).mark_dirty()


def rebuild_dirty(
    *, now: datetime, limit: int = REBUILDS_A_TICK, guild: Guild | None = None,
    keep_going: Callable[[], bool] = lambda: True,
) -> int:  # fmt: skip
    """Rebuild dirty profiles for every audience they have, while told to go on; return how many.

    One that fails waits longer each time.
    """
    dirty = Profile.objects.filter(dirty=True, member__guild__memory_on=True).order_by("updated_at")
    dirty = dirty.filter(member__guild=guild) if guild else dirty
    done = 0
    while done < limit and keep_going() and (profile := leases.claim(dirty, now=now)):
        with inside(profile):
            member, broken = profile.member, list[str]()
            told = InteractionNote.objects.filter(participants=member, kind=profile_updates.CONVERSATION)
            heard_by = {*told.values_list("audience", flat=True), *profile_updates.audiences(member)}
            for audience in sorted(heard_by, key=lambda pk: pk or 0) if remembers(member.guild, member) else []:
                newest = told.told(member.guild).filter(audience=audience).order_by("-ended_at", "-pk")
                notes = list(newest[:NOTES_READ])[::-1]
                broken += profile_updates.try_revision(
                    member, audience=audience, notes=notes, now=now, task=REBUILD, attempt=profile.attempts
                )
            if broken:
                leases.fail(profile, error=", ".join(broken), now=now)
            else:
                leases.finish(profile, dirty=False)  # unless somebody marked it once more meanwhile
                Profile.objects.filter(pk=profile.pk, entries=None, dirty=False).delete()
        done += 1
    return done
