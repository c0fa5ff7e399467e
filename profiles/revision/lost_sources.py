"""Takes out of profiles what lost its source, at once and without a model (promise 5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.db.models import QuerySet

from memoryhub.language.same_statement import meaning, says
from memoryhub.safety import supported
from notes.models import InteractionNote, Message
from profiles.models import EntrySource, Profile, ProfileEntry
from profiles.revision.revise import sums_up
from profiles.revision.rules import summarise
from profiles.revision.schemas import StoredEntry

Status = ProfileEntry.Status


def lose_notes(notes: Collection[int], *, of: Collection[int] | None = None) -> None:
    """Take the notes from the lines that cite them; lines without another source go, unless a person worded them.

    `of` names the members whose lines they are, by row id; without it all.
    """
    sources = EntrySource.objects.filter(note__in=notes)
    sources = sources if of is None else sources.filter(entry__profile__member__in=of)
    citing = list(sources.values_list("entry", "entry__profile").distinct())
    said = _texts(notes)
    sources.delete()
    alone = ProfileEntry.objects.filter(pk__in=[pk for pk, _ in citing], sources=None, pinned=False)
    alone.filter(status=Status.SHOWN).delete()
    # What was refused is kept so that it does not come back: not longer than there are words that it could come from.
    for entry in _refused(alone):
        if not _says(said, entry):
            entry.delete()
    settle(profile for _, profile in citing)


def keep_refused(note: InteractionNote) -> None:
    """Have refused lines rest on a note that was written anew, where its messages still say them."""
    lines = ProfileEntry.objects.filter(profile__member__in=note.participants.all(), sources=None)
    refused = _refused(lines.filter(audience=note.audience_id))
    said = _texts([note.pk]) if refused else []
    EntrySource.objects.bulk_create(EntrySource(entry=entry, note=note) for entry in refused if _says(said, entry))


def _refused(lines: QuerySet[ProfileEntry]) -> list[ProfileEntry]:
    """Return those of the lines that were refused, but for what a person worded."""
    return list(lines.filter(status=Status.REFUSED).exclude(written_by=ProfileEntry.WrittenBy.PERSON))


def _texts(notes: Collection[int]) -> list[str]:
    told = Message.objects.filter(notes__in=notes).exclude(text="").distinct()
    return list(told.values_list("text", flat=True))


def _says(said: Iterable[str], entry: ProfileEntry) -> bool:
    return any(supported(entry.text, text) for text in said)


def unsay(member: int, *, audience: int | None, texts: Iterable[str], for_good: bool = False) -> None:
    """Take out the lines that say what these facts said; a person's own wording stays.

    `for_good` where the words they came from are gone: then no refused line may keep them either.
    """
    gone = [meaning(text) for text in texts]
    rows = ProfileEntry.objects.filter(profile__member=member, audience=audience, pinned=False)
    if not for_good:
        rows = rows.filter(status=Status.SHOWN)
    said = [row for row in rows if any(says(meaning(row.text), text) for text in gone)]
    ProfileEntry.objects.filter(pk__in=[row.pk for row in said]).delete()
    settle(row.profile_id for row in said)


def settle(profiles: Iterable[int]) -> None:
    """Write the short summaries anew from the lines that are left, and have the worker look at the profiles."""
    for profile in Profile.objects.filter(pk__in=set(profiles)).select_related("member__guild"):
        told = [row for row in _told(profile) if sums_up(profile, row.audience_id)]
        lines = [StoredEntry.model_validate({"section": row.section, "text": row.text}) for row in told]
        rows = Profile.objects.filter(pk=profile.pk)
        rows.update(summary=summarise(str(profile.member), lines))
        rows.outdate()


def _told(profile: Profile) -> Iterable[ProfileEntry]:
    return profile.entries.filter(status=ProfileEntry.Status.SHOWN).order_by("position", "pk")
