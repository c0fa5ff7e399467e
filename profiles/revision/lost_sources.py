"""Takes out of profiles what lost its source: at once, and without a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import cast

from django.db.models import Q, QuerySet

from memoryhub.language.same_statement import meaning, says
from memoryhub.safety import supported
from notes.models import InteractionNote
from profiles.models import EntrySource, Profile, ProfileEntry
from profiles.revision.revise import sums_up
from profiles.revision.schemas import Section, StoredEntry
from profiles.revision.sources import told_in
from profiles.revision.summary import summarise

Status = ProfileEntry.Status


def drop(numbers: Collection[int], *, of: Collection[int] | None = None, words_go: bool = False) -> None:
    """Take these sources from the entries that cite them; those without another go, unless a person worded them.

    `numbers` as `sources` has them: notes, and messages below zero. `of` names the members whose entries they are, by
    row id; without it all. `words_go`: what these messages say goes, too.
    """
    sources = EntrySource.objects.filter(Q(note__in=numbers) | Q(message__in=[-number for number in numbers]))
    sources = sources if of is None else sources.filter(entry__profile__member__in=of)
    citing = list(sources.values_list("entry", "entry__profile").distinct())
    if not citing:
        return
    texts = [] if words_go else list(told_in(numbers).values_list("text", flat=True))
    sources.delete()
    alone = ProfileEntry.objects.filter(pk__in=[pk for pk, _ in citing], sources=None)
    alone.filter(status=Status.SHOWN, pinned=False).delete()
    # What was refused or pinned is kept as a person left it: not longer than there are words that it could come from.
    for entry in _judged(alone):
        if not any(supported(entry.text, text) for text in texts):
            entry.delete()
    refresh_summaries(profile for _, profile in citing)


def keep_judged(note: InteractionNote) -> None:
    """Have refused and pinned entries rest on a note that was written anew, where its messages still say them."""
    entries = ProfileEntry.objects.filter(profile__member__in=note.participants.all(), sources=None)
    if judged := _judged(entries.filter(audience=note.audience_id)):
        texts = list(told_in([note.pk]).values_list("text", flat=True))
        said = [entry for entry in judged if any(supported(entry.text, text) for text in texts)]
        EntrySource.objects.bulk_create(EntrySource(entry=entry, note=note) for entry in said)


def _judged(entries: QuerySet[ProfileEntry]) -> list[ProfileEntry]:
    """Return those of the entries that a person refused or pinned, but did not word."""
    judged = entries.filter(Q(status=Status.REFUSED) | Q(pinned=True))
    return list(judged.exclude(written_by=ProfileEntry.WrittenBy.PERSON))


def drop_lines_saying(member: int, *, audience: int | None, texts: Iterable[str], for_good: bool = False) -> None:
    """Take out the entries that say what these facts said; a person's own wording stays.

    `for_good` where the words they came from are gone: then no refused entry may keep them either.
    """
    statements = [meaning(text) for text in texts]
    rows = ProfileEntry.objects.filter(profile__member=member, audience=audience, pinned=False)
    if not for_good:
        rows = rows.filter(status=Status.SHOWN)
    saying = [row for row in rows if any(says(meaning(row.text), statement) for statement in statements)]
    ProfileEntry.objects.filter(pk__in=[row.pk for row in saying]).delete()
    refresh_summaries(row.profile_id for row in saying)


def refresh_summaries(profiles: Iterable[int]) -> None:
    """Write the short summaries anew from the entries that are left, and have the worker look at the profiles."""
    for profile in Profile.objects.filter(pk__in=set(profiles)).select_related("member__guild"):
        shown = profile.entries.filter(status=Status.SHOWN).order_by("position", "pk")
        entries = [
            StoredEntry(section=cast("Section", row.section), text=row.text)
            for row in shown
            if sums_up(profile, row.audience_id)
        ]
        rows = Profile.objects.filter(pk=profile.pk)
        rows.update(summary=summarise(str(profile.member), entries))
        rows.outdate()
