"""Makes the rows of profiles equal to a revision, with a few statements however many entries there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat

from memoryhub import db
from profiles.models import EntrySource, Profile, ProfileEntry
from profiles.revision.schemas import ByRules, Entry, Revision
from profiles.revision.sources import still_there

Status, WrittenBy = ProfileEntry.Status, ProfileEntry.WrittenBy
WRITTEN = ("section", "text", "normalized", "position", "status", "refused_at", "written_by")


def folded(text: str) -> str:
    """Return what makes two entries of a profile one."""
    return " ".join(text.casefold().split())


@dataclass(frozen=True)
class Plan:
    """What becomes of one profile's entries: where each goes, and which rows change, or go."""

    placed: list[tuple[ProfileEntry, Entry]]
    changed: list[ProfileEntry]
    reworded: list[int]  # of these
    gone: list[int]
    sources: dict[tuple[int, int], EntrySource]  # those of the rows that go on


def write_entries(
    answers: Sequence[tuple[Profile, Revision]], *, audience: int | None,
    stored: Mapping[int, Sequence[ProfileEntry]] | None = None,
) -> None:  # fmt: skip
    """Write the entries of one audience of these profiles; call it in a transaction that holds them.

    Written is what rests on a source that is still there, or on a person's word, each wording once. An entry takes the
    row that it continues, a refused one that was told once more, or a new one. `stored` are the rows by profile, with
    their sources, if the same transaction has read them.
    """
    if not answers:
        return
    stored = _stored([profile for profile, _ in answers], audience) if stored is None else stored
    cited = {note for _, answer in answers for entry in answer.entries for note in entry.notes}
    known = still_there(cited, audience=audience).keys()
    plans = [_plan(profile, audience, answer, stored.get(profile.pk, ()), known) for profile, answer in answers]
    if gone := [pk for plan in plans for pk in plan.gone]:
        ProfileEntry.objects.filter(pk__in=gone).delete()
    # Two may trade their words, and no two rows may ever say the same: the old words go first.
    if reworded := [pk for plan in plans for pk in plan.reworded]:
        rows = ProfileEntry.objects.filter(pk__in=reworded)
        rows.update(normalized=Concat(Value("\x1f"), Cast("pk", CharField())))
    db.update([row for plan in plans for row in plan.changed], *WRITTEN)
    db.insert_all([row for plan in plans for row, _ in plan.placed if row.pk is None])
    _write_sources(plans, known)


def _stored(profiles: Sequence[Profile], audience: int | None) -> Mapping[int, Sequence[ProfileEntry]]:
    stored: dict[int, list[ProfileEntry]] = defaultdict(list)
    rows = ProfileEntry.objects.filter(profile__in=profiles, audience=audience)
    for row in rows.prefetch_related("sources"):
        stored[row.profile_id].append(row)
    return stored


def _plan(
    profile: Profile, audience: int | None, answer: Revision, stored: Sequence[ProfileEntry], known: Collection[int]
) -> Plan:
    """Put the answer's entries into rows."""
    before = {row.pk: _columns(row) for row in stored}
    by_words = _told(answer, stored, known)
    placed = _placed(profile, audience, answer, by_words, stored)
    at, used = WRITTEN.index("normalized"), {row.pk for row, _ in placed}
    changed = [row for row, _ in placed if row.pk is not None and _columns(row) != before[row.pk]]
    unused = [row for row in stored if row.pk not in used]
    going_on = (source for row in stored if row.pk in used for source in row.sources.all())
    return Plan(
        placed=placed,
        changed=changed,
        reworded=[row.pk for row in changed if row.normalized != before[row.pk][at]],
        gone=[row.pk for row in unused if row.status == Status.SHOWN or row.normalized in by_words],
        sources={(source.entry_id, source.number): source for source in going_on},
    )


def _told(answer: Revision, stored: Sequence[ProfileEntry], known: Collection[int]) -> dict[str, Entry]:
    """Return what rests on a person's word or on a source that is still there, each wording once."""
    pinned = {row.pk for row in stored if row.pinned}
    return {folded(e.text): e for e in answer.entries if e.id in pinned or not set(e.notes).isdisjoint(known)}


def _placed(
    profile: Profile, audience: int | None, answer: Revision, by_words: Mapping[str, Entry],
    stored: Sequence[ProfileEntry],
) -> list[tuple[ProfileEntry, Entry]]:  # fmt: skip
    """Write each entry into the row that it continues, one that had its words, or a new one."""
    writer = WrittenBy.RULES if isinstance(answer, ByRules) else WrittenBy.MODEL
    ids = {entry.id for entry in by_words.values()}
    shown_by_id = {row.pk: row for row in stored if row.status == Status.SHOWN}
    free_by_words = {row.normalized: row for row in stored if row.pk not in ids}
    placed = []
    for position, (words, entry) in enumerate(by_words.items()):
        row = shown_by_id.get(entry.id or 0) or free_by_words.get(words)
        row = row or ProfileEntry(profile=profile, guild_id=profile.guild_id, audience_id=audience)
        if row.text != entry.text:
            row.written_by = writer
        row.section, row.text, row.normalized, row.position = entry.section, entry.text, words, position
        row.status, row.refused_at = Status.SHOWN, None
        placed.append((row, entry))
    return placed


def _write_sources(plans: Sequence[Plan], known: Collection[int]) -> None:
    lost, fresh = list[int](), list[EntrySource]()
    for plan in plans:
        new = {(row.pk, note): row for row, entry in plan.placed for note in set(entry.notes).intersection(known)}
        lost += [source.pk for at, source in plan.sources.items() if at not in new]
        fresh += [
            EntrySource(
                entry_id=at[0], guild_id=row.guild_id, note_id=max(0, at[1]) or None, message_id=max(0, -at[1]) or None
            )
            for at, row in sorted(new.items(), key=itemgetter(0))
            if at not in plan.sources
        ]
    if lost:
        EntrySource.objects.filter(pk__in=lost).delete()
    db.insert_all(fresh)


def _columns(row: ProfileEntry) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in WRITTEN)
