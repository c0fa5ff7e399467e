"""Keeps a member's profile: entries by section, each with the notes it rests on, one audience at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from django.db import transaction
from django.db.models import F, Q

from memoryhub import db
from memoryhub.ai import LEFT_TO_RULES, ModelFailed, Task, ask
from memoryhub.community.consent import remembers
from memoryhub.community.models import Guild, Member
from notes.models import InteractionNote
from profiles.models import Profile, ProfileEntry
from profiles.revision import revision_checks, rules
from profiles.revision.grounds import Spoken, by_speaker
from profiles.revision.save import write_entries
from profiles.revision.schemas import (
    ByRules,
    Entry,
    ProfileFact,
    ProfileNote,
    Refusal,
    Revision,
    RevisionInput,
    Section,
    StoredEntry,
)
from profiles.revision.sources import still_there, told_in

Status, WrittenBy = ProfileEntry.Status, ProfileEntry.WrittenBy
Worth = Callable[[RevisionInput], bool]


def always(_given: RevisionInput) -> bool:
    """Ask whatever the input is: a person, or an answer that was not believed, calls for it."""
    return True


@dataclass(frozen=True, kw_only=True)
class KnownFacts:
    """What a profile may rest on beside notes, all of one audience: active facts, and facts no longer believed."""

    facts: list[ProfileFact] = field(default_factory=list)
    past: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A revision that is thought and not yet written; `broken` names what keeps it from being written."""

    profile: Profile
    audience: int | None
    given: RevisionInput
    answer: Revision | None = None
    broken: tuple[str, ...] = ()
    by_rules: bool = False


def draft(
    member: Member, *, audience: int | None, known: KnownFacts, notes: Sequence[InteractionNote],
    task: Task[RevisionInput, Revision], worth: Worth = always, attempt: int = 1,
) -> Draft:  # fmt: skip
    """Ask for the member's whole profile of one audience, and judge the answer; writes nothing.

    `notes` are those that the member took part in and that call for the revision, oldest first. What is not `worth` a
    model's time is left to the rules: they add a source, or do nothing. So is what brings an answer of no use again at
    a later `attempt`: one's words must not keep others' profiles as they were.
    """
    profile = Profile.objects.filter(member=member).first() or Profile(member=member)
    given = _read(profile, audience, known, notes)
    answer, broken = None, tuple[str, ...]()
    try:
        asked = worth(given)
        proposed = ask(task, given, guild=member.guild_id, attempt=attempt) if asked else task.offline(given)
        answer = revision_checks.accept(given, proposed, said=_spoken(member, given, proposed))
    except revision_checks.RefusedRevisionError as refused:
        if attempt < LEFT_TO_RULES:
            broken = tuple(refused.reasons)
        else:
            answer = task.offline(given)
    except ModelFailed as failure:
        broken = (failure.reason,)
    return Draft(profile=profile, audience=audience, given=given, answer=answer, broken=broken)


@transaction.atomic
def write(drafted: Draft, *, now: datetime) -> bool:
    """Write what was drafted; False if it may not be written, or the profile changed while it was thought."""
    db.lock_guild(drafted.profile.member.guild_id)
    answer, seen = drafted.answer, drafted.profile
    if answer is None:
        return False
    member = Member.objects.select_related("guild").get(pk=seen.member_id)
    if not (drafted.by_rules or remembers(member.guild, member)):  # they may have said no while a model thought
        return False
    if seen.pk is None:
        if not answer.entries:
            return True
        unchanged = Profile.objects.get_or_create(member=member)[1]
    else:
        rows = Profile.objects.filter(pk=seen.pk, revision=seen.revision)
        unchanged = bool(rows.update(revision=F("revision") + 1))
    if not unchanged:
        return False
    profile = Profile.objects.select_related("member__guild").get(member=member)
    write_entries(profile, audience=drafted.audience, answer=answer)
    # A model's summary stands where the rules reworded nothing: theirs would be the poorer one.
    given = drafted.given.entries
    same = isinstance(answer, ByRules) and {entry.text for entry in answer.entries} == {entry.text for entry in given}
    keeps = bool(drafted.profile.summary) and same and any(entry.by_model for entry in given)
    fields = {"summary": answer.summary} if sums_up(profile, drafted.audience) and not keeps else {}
    Profile.objects.filter(pk=profile.pk).update(updated_at=now, **fields)
    return True


def follow(member: Member, *, audience: int | None, known: KnownFacts, now: datetime) -> bool:
    """Have the profile follow the facts by the rules alone: what lost its ground goes, whatever the models do.

    Returns whether anything was written.
    """
    profile = Profile.objects.filter(member=member).first() or Profile(member=member)
    given = _read(profile, audience, known, [])
    answer = rules.revise(given)
    if _comparable(given.entries) == _comparable(answer.entries):
        return False
    return write(Draft(profile=profile, audience=audience, given=given, answer=answer, by_rules=True), now=now)


def sums_up(profile: Profile, audience: int | None) -> bool:
    """Whether the short summary is made from the entries of this audience: it is told to the whole guild."""
    return audience is None or profile.member.guild.kind == Guild.Kind.DIRECT


def _comparable(entries: Sequence[Entry]) -> set[tuple[int | None, str, str, frozenset[int]]]:
    return {(entry.id, entry.section, entry.text, frozenset(entry.notes)) for entry in entries}


# --- What is read ------------------------------------------------------------------------------------------------


def _read(profile: Profile, audience: int | None, known: KnownFacts, notes: Sequence[InteractionNote]) -> RevisionInput:
    """Return the profile's entries of one audience, and everything that they may rest on now."""
    rows = ProfileEntry.objects.filter(profile=profile.pk, audience=audience, status=Status.SHOWN)
    entries = [
        StoredEntry(
            id=row.pk,
            section=cast("Section", row.section),
            text=row.text,
            notes=sorted(source.number for source in row.sources.all()),
            pinned=row.pinned,
            by_model=row.written_by == WrittenBy.MODEL,
        )
        for row in rows.order_by("section", "position", "pk").prefetch_related("sources")
    ]
    others = Member.objects.filter(notes__in=[note.pk for note in notes]).exclude(pk=profile.member_id).distinct()
    return RevisionInput(
        member=str(profile.member),
        entries=entries,
        notes=[ProfileNote(id=note.pk, title=note.title, summary=note.summary) for note in notes],
        facts=known.facts,
        past=known.past,
        refused=_refusals(profile, audience, known, notes),
        others=sorted(map(str, others)),
        kept=profile.member.guild.kept_kinds,
    )


def _refusals(
    profile: Profile, audience: int | None, known: KnownFacts, notes: Sequence[InteractionNote]
) -> list[Refusal]:
    """Pair each refused text with the sources that ended after it was refused.

    What was refused for the whole guild is refused for each part of it too; never the other way, since it is told here.
    """
    open_or_here = Q(audience=None) | Q(audience=audience)
    rows = list(ProfileEntry.objects.filter(open_or_here, profile=profile.pk, status=Status.REFUSED))
    if not rows:
        return []
    ids = {note for fact in known.facts for note in fact.notes} | {note.pk for note in notes}
    ended = still_there(ids, audience=audience)
    return [
        Refusal(text=row.text, later=sorted(pk for pk, at in ended.items() if row.refused_at and at > row.refused_at))
        for row in rows
    ]


def _spoken(member: Member, given: RevisionInput, answer: Revision) -> Spoken:
    """Return what was said in the notes that a model's answer cites or was told of, by whose it is."""
    if isinstance(answer, ByRules):
        return Spoken()
    cited = {note.id for note in given.notes} | {note for entry in answer.entries for note in entry.notes}
    messages = told_in(cited).filter(guild=member.guild).values_list("author", "text")
    return by_speaker(given.member, ((author == member.pk, text) for author, text in messages))
