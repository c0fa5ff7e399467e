"""Makes the rows of a profile equal to a revision, with a few statements however many entries there are."""

from __future__ import annotations

from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat

from profiles.models import EntrySource, Profile, ProfileEntry
from profiles.revision.schemas import ByRules, Entry, Revision
from profiles.revision.sources import still_there

Status, WrittenBy = ProfileEntry.Status, ProfileEntry.WrittenBy
WRITTEN = ("section", "text", "normalized", "position", "status", "refused_at", "written_by")


def folded(text: str) -> str:
    """Return what makes two entries of a profile one."""
    return " ".join(text.casefold().split())


def write_entries(profile: Profile, *, audience: int | None, answer: Revision) -> None:
    """Write the entries of one audience; call it in a transaction that holds the profile.

    Written is what rests on a source that is still there, or on a person's word, each wording once. An entry takes the
    row that it continues, a refused one that was told once more, or a new one.
    """
    stored = list(profile.entries.filter(audience=audience).prefetch_related("sources"))
    cited = [note for entry in answer.entries for note in entry.notes]
    known = still_there(cited, audience=audience).keys()
    pinned = {row.pk for row in stored if row.pinned}
    by_words = {folded(e.text): e for e in answer.entries if e.id in pinned or not known.isdisjoint(e.notes)}
    ids = {entry.id for entry in by_words.values()}
    shown_by_id = {row.pk: row for row in stored if row.status == Status.SHOWN}
    free_by_words = {row.normalized: row for row in stored if row.pk not in ids}
    before = {row.pk: _columns(row) for row in stored}
    placed: list[tuple[ProfileEntry, Entry]] = []
    for position, (words, entry) in enumerate(by_words.items()):
        row = shown_by_id.get(entry.id or 0) or free_by_words.get(words)
        row = row or ProfileEntry(profile=profile, audience_id=audience)
        if row.text != entry.text:
            row.written_by = WrittenBy.RULES if isinstance(answer, ByRules) else WrittenBy.MODEL
        row.section, row.text, row.normalized, row.position = entry.section, entry.text, words, position
        row.status, row.refused_at = Status.SHOWN, None
        placed.append((row, entry))
    used = {row.pk for row, _ in placed}
    gone = [
        row.pk for row in stored if row.pk not in used and (row.status == Status.SHOWN or row.normalized in by_words)
    ]
    ProfileEntry.objects.filter(pk__in=gone).delete()
    # Two may trade their words, and no two rows may ever say the same: the old words go first.
    changed = [row for row, _ in placed if row.pk is not None and _columns(row) != before[row.pk]]
    rows = ProfileEntry.objects.filter(pk__in=[row.pk for row in changed])
    rows.update(normalized=Concat(Value("\x1f"), Cast("pk", CharField())))
    ProfileEntry.objects.bulk_update(changed, WRITTEN)
    ProfileEntry.objects.bulk_create([row for row, _ in placed if row.pk is None])
    old = {(source.entry_id, source.number): source for row in stored if row.pk in used for source in row.sources.all()}
    new = {
        (row.pk, number): EntrySource(entry=row, note_id=max(0, number) or None, message_id=max(0, -number) or None)
        for row, entry in placed
        for number in known & set(entry.notes)
    }
    EntrySource.objects.filter(pk__in=[source.pk for at, source in old.items() if at not in new]).delete()
    EntrySource.objects.bulk_create(source for at, source in sorted(new.items()) if at not in old)


def _columns(row: ProfileEntry) -> tuple[object, ...]:
    return tuple(getattr(row, name) for name in WRITTEN)
