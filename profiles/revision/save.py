"""Makes the rows of a profile equal to a revision, with a few statements however many lines there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import CharField, Q, Value
from django.db.models.functions import Cast, Concat

from notes.models import InteractionNote
from profiles.models import EntrySource, Profile, ProfileEntry
from profiles.revision.schemas import ByRules, Entry, Revision

Status, WrittenBy = ProfileEntry.Status, ProfileEntry.WrittenBy
WRITTEN = ("section", "text", "normalized", "position", "status", "refused_at", "written_by")


def folded(text: str) -> str:
    """Return what makes two lines of a profile one."""
    return " ".join(text.casefold().split())


def write_entries(profile: Profile, *, audience: int | None, answer: Revision) -> None:
    """Write the lines of one audience; call it in a transaction that holds the profile."""
    stored = list(profile.entries.filter(audience=audience).prefetch_related("sources"))
    sources = {row.pk: {source.note_id for source in row.sources.all()} for row in stored}
    cited = [note for entry in answer.entries for note in entry.notes]
    heard = Q(audience=None) | Q(audience=audience)  # one that was narrowed meanwhile is no ground for an open line
    known = set(InteractionNote.objects.filter(heard, pk__in=cited).values_list("pk", flat=True))
    placed = _placed(profile, audience, stored, _bearable(answer.entries, stored, known))
    before = {row.pk: _columns(row) for row, _ in placed}
    for position, (row, entry) in enumerate(placed):
        _fill(row, entry, position, by_rules=isinstance(answer, ByRules))
    used, told = {row.pk for row, _ in placed}, {row.normalized for row, _ in placed}
    gone = [row.pk for row in stored if row.pk not in used and (row.status == Status.SHOWN or row.normalized in told)]
    ProfileEntry.objects.filter(pk__in=gone).delete()
    _save([row for row, _ in placed if row.pk is None or _columns(row) != before[row.pk]])
    _cite({row.pk: known & set(entry.notes) for row, entry in placed}, sources)


def _bearable(entries: Iterable[Entry], stored: Iterable[ProfileEntry], known: set[int]) -> list[Entry]:
    """Return the entries that rest on a note which is still there, or on a person's word, each wording once."""
    pinned = {row.pk for row in stored if row.pinned}
    there = {folded(entry.text): entry for entry in entries if entry.id in pinned or not known.isdisjoint(entry.notes)}
    return list(there.values())


def _placed(
    profile: Profile, audience: int | None, stored: Sequence[ProfileEntry], entries: Sequence[Entry]
) -> list[tuple[ProfileEntry, Entry]]:
    """Give each entry its row: the one that it continues, a refused one that was told once more, or a new one."""
    by_id = {row.pk: row for row in stored if row.status == Status.SHOWN}
    named = {entry.id for entry in entries}
    by_text = {row.normalized: row for row in stored if row.pk not in named}
    return [
        (
            by_id.get(entry.id or 0)
            or by_text.get(folded(entry.text))
            or ProfileEntry(profile=profile, audience_id=audience),
            entry,
        )
        for entry in entries
    ]


def _fill(row: ProfileEntry, entry: Entry, position: int, *, by_rules: bool) -> None:
    if row.text != entry.text:
        row.written_by = WrittenBy.RULES if by_rules else WrittenBy.MODEL
    row.section, row.text, row.normalized, row.position = entry.section, entry.text, folded(entry.text), position
    row.status, row.refused_at = Status.SHOWN, None


def _columns(row: ProfileEntry) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in WRITTEN)


def _save(rows: Sequence[ProfileEntry]) -> None:
    old, new = [row for row in rows if row.pk is not None], [row for row in rows if row.pk is None]
    # Two lines may trade their words: no two rows may say the same, not even on the way.
    ProfileEntry.objects.filter(pk__in=[row.pk for row in old]).update(
        normalized=Concat(Value("\x1f"), Cast("pk", CharField()))
    )
    ProfileEntry.objects.bulk_update(old, WRITTEN)
    ProfileEntry.objects.bulk_create(new)


def _cite(wanted: Mapping[int, set[int]], there: Mapping[int, set[int]]) -> None:
    """Make the lines rest on these notes and no others."""
    lost = [(pk, note) for pk, notes in wanted.items() for note in there.get(pk, set()) - notes]
    for pk, note in lost:
        EntrySource.objects.filter(entry=pk, note=note).delete()
    fresh = [(pk, note) for pk, notes in wanted.items() for note in sorted(notes - there.get(pk, set()))]
    EntrySource.objects.bulk_create(EntrySource(entry_id=pk, note_id=note) for pk, note in fresh)
