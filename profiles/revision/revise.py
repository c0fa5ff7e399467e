"""Keeps a member's profile: entries by section, each with the notes it rests on, one audience at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from django.db import transaction
from django.db.models import Q

from memoryhub import db
from memoryhub.ai import LEFT_TO_RULES, ModelFailed, Task, ask
from memoryhub.community.consent import remembers
from memoryhub.community.models import Guild, Member
from notes.models import InteractionNote
from profiles.models import EntrySource, Profile, ProfileEntry
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
    (read,) = _read([member], audience, {member.pk: known}, notes)
    profile, given = read.profile, read.given
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
def revise_by_rules(
    members: Sequence[Member], *, audience: int | None, know: Callable[[Sequence[Member]], Mapping[int, KnownFacts]],
    notes: Sequence[InteractionNote], now: datetime,
) -> list[bool]:  # fmt: skip
    """Write what the rules make of the profiles of several members of one guild; return of whom.

    They take no time, so all is read once in the transaction that writes: by `know` what is known of each, too. Who
    said no meanwhile is left as they are.
    """
    db.lock_guild(members[0].guild_id)
    fresh = Member.objects.select_related("guild").in_bulk([member.pk for member in members])
    there = [fresh[each.pk] for each in members if each.pk in fresh and remembers(fresh[each.pk].guild, fresh[each.pk])]
    answers = list[tuple[Read, Revision]]()
    for read in _read(there, audience, know(there), notes, writing=True) if there else ():
        answer = rules.revise(read.given)
        if read.profile.pk is not None or answer.entries:
            answers.append((read, answer))
    _store([(read.profile, read.given, answer) for read, answer in answers], audience=audience, now=now)
    stored = {read.profile.pk: read.rows for read, _ in answers}
    write_entries([(read.profile, answer) for read, answer in answers], audience=audience, stored=stored)
    return [member in there for member in members]


@transaction.atomic
def write(drafted: Draft, *, now: datetime) -> bool:
    """Write what was drafted; False if it may not be written, or the profile changed while it was thought."""
    seen, answer, member = drafted.profile, drafted.answer, drafted.profile.member
    db.lock_guild(member.guild_id)
    member = Member.objects.select_related("guild").get(pk=member.pk)
    profile = Profile.objects.filter(member=member).select_for_update().first()
    # They may have said no while a model thought.
    if answer is None or not (drafted.by_rules or remembers(member.guild, member)):
        return False
    if seen.pk is None and not answer.entries:
        return True
    if (profile.pk, profile.revision) != (seen.pk, seen.revision) if profile else seen.pk is not None:
        return False
    profile = profile or Profile(member=member)
    profile.member = member
    _store([(profile, drafted.given, answer)], audience=drafted.audience, now=now)
    write_entries([(profile, answer)], audience=drafted.audience)
    return True


def _store(answers: Sequence[tuple[Profile, RevisionInput, Revision]], *, audience: int | None, now: datetime) -> None:
    """Write the rows of profiles, new ones and old ones."""
    for profile, given, answer in answers:
        profile.updated_at, profile.revision = now, profile.revision + (profile.pk is not None)
        profile.summary = _summary(profile, given, answer, audience=audience)
    profiles = [profile for profile, *_ in answers]
    known = [profile for profile in profiles if profile.pk is not None]
    db.insert_all([profile for profile in profiles if profile.pk is None])
    db.update(known, "revision", "summary", "updated_at")


def _summary(profile: Profile, given: RevisionInput, answer: Revision, *, audience: int | None) -> str:
    """Return the short summary as it is now: a model's stands where the rules reworded nothing, theirs is poorer."""
    before = given.entries
    same = isinstance(answer, ByRules) and {entry.text for entry in answer.entries} == {entry.text for entry in before}
    keeps = bool(profile.summary) and same and any(entry.by_model for entry in before)
    return answer.summary if sums_up(profile, audience) and not keeps else profile.summary


def follow(member: Member, *, audience: int | None, known: KnownFacts, now: datetime) -> bool:
    """Have the profile follow the facts by the rules alone: what lost its ground goes, whatever the models do.

    Returns whether anything was written.
    """
    (read,) = _read([member], audience, {member.pk: known}, [])
    profile, given = read.profile, read.given
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


@dataclass(frozen=True, kw_only=True)
class Read:
    """A profile, what a revision is given of it, and the rows of its entries of one audience, with their sources."""

    profile: Profile
    given: RevisionInput
    rows: Sequence[ProfileEntry]


def _read(
    members: Sequence[Member], audience: int | None, known: Mapping[int, KnownFacts], notes: Sequence[InteractionNote],
    *, writing: bool = False,
) -> list[Read]:  # fmt: skip
    """Return the members' profiles, with their entries of one audience and everything that these may rest on now.

    For `writing`, in the transaction that writes by the rules, who ask for no other names.
    """
    profiles_of = Profile.objects.filter(member__in=members)
    stored = {row.member_id: row for row in (profiles_of.select_for_update() if writing else profiles_of)}
    profiles = [stored.get(member.pk) or Profile(member=member) for member in members]
    entries = _entries(stored.values(), audience)
    met = Member.objects.filter(notes__in=notes).distinct() if notes and not writing else ()
    present = {member.pk: str(member) for member in met}
    told = [ProfileNote(id=note.pk, day=note.note_date, title=note.title, summary=note.summary) for note in notes]
    found = []
    for member, profile in zip(members, profiles, strict=True):
        profile.member = member
        rows = entries[profile.pk]
        given = RevisionInput(
            member=str(member),
            summary=profile.summary if sums_up(profile, audience) else "",
            entries=[_as_given(row) for row in rows if _is_shown(row, audience)],
            notes=told,
            facts=known[member.pk].facts,
            past=known[member.pk].past,
            refused=_refusals(rows, audience, known[member.pk], notes),
            others=sorted(name for pk, name in present.items() if pk != member.pk),
            kept=member.guild.kept_kinds,
        )
        found.append(Read(profile=profile, given=given, rows=[row for row in rows if row.audience_id == audience]))
    return found


def _entries(profiles: Iterable[Profile], audience: int | None) -> defaultdict[int, list[ProfileEntry]]:
    """Return the entries by their profile: the audience's, with their sources, and those of the whole guild."""
    open_or_here = Q(audience=None) | Q(audience=audience)
    found: defaultdict[int, list[ProfileEntry]] = defaultdict(list)
    for row in ProfileEntry.objects.filter(open_or_here, profile__in=[profile.pk for profile in profiles]):
        found[row.profile_id].append(row)
    here = [row for rows in found.values() for row in rows if row.audience_id == audience]
    sources: defaultdict[int, list[EntrySource]] = defaultdict(list)
    for source in EntrySource.objects.filter(entry__in=[row.pk for row in here]):
        sources[source.entry_id].append(source)
    for row in here:
        db.keep_related(row, "sources", sources[row.pk])
    return found


def _is_shown(row: ProfileEntry, audience: int | None) -> bool:
    return row.status == Status.SHOWN and row.audience_id == audience


def _as_given(row: ProfileEntry) -> StoredEntry:
    return StoredEntry(
        id=row.pk,
        section=cast("Section", row.section),
        text=row.text,
        notes=sorted(source.number for source in row.sources.all()),
        pinned=row.pinned,
        by_model=row.written_by == WrittenBy.MODEL,
    )


def _refusals(
    entries: Sequence[ProfileEntry], audience: int | None, known: KnownFacts, notes: Sequence[InteractionNote]
) -> list[Refusal]:
    """Pair each refused text with the sources that ended after it was refused.

    What was refused for the whole guild is refused for each part of it too; never the other way, since it is told here.
    """
    rows = [row for row in entries if row.status == Status.REFUSED]
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
