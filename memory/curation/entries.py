"""What a person may do to a line of a profile: word, move, pin, refuse, add one; the facts that say it follow."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from django.db import transaction

from memory.curation import corrections
from memory.curation.corrections import SENSITIVE, FactRefused
from memory.facts.changes import FactConflict
from memory.learning import validation
from memory.models import Fact, FactChange
from memory.records.action_log import log
from memory.withdrawal import withdraw
from memoryhub.community.consent import remembers
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.errors import Conflict, Refused
from memoryhub.language.same_statement import meaning, says
from memoryhub.safety import sensitive
from profiles.models import Profile, ProfileEntry
from profiles.revision import lost_sources
from profiles.revision.save import folded
from profiles.revision.schemas import ENTRY_CHARS, LIMITS, WORDS, Section
from profiles.revision.sections import section_of

__all__ = [
    "EntryConflict", "EntryRefused", "add_entry", "edit_entry", "erase_entry", "pin_entry", "refuse_entry",
    "restore_entry",
]  # fmt: skip
WHY = {
    "too short": "it is too short to say anything",
    "secret": "it holds a secret, such as a password or a card number",
    "diagnosis": "it tells of an illness, and those are never kept",
    **SENSITIVE,
    "instruction": "it is an instruction to a bot",
    "code": "it is code",
}
Status, WrittenBy = ProfileEntry.Status, ProfileEntry.WrittenBy


class EntryRefused(Refused):
    """The line must not be stored; `reason` says why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"This cannot stand in a profile: {reason}.")


class EntryConflict(Conflict):
    """Another line of the profile says the same."""


@transaction.atomic
def edit_entry(
    entry: ProfileEntry, *, text: str | None = None, section: Section | None = None, actor: str, now: datetime
) -> ProfileEntry:
    """Put a person's own words in the line's place, or move it; it is pinned and keeps its sources.

    The facts that said the old line are corrected. Raises EntryRefused, EntryConflict.
    """
    words = entry.text if text is None else _checked(text, entry.profile.member.guild)
    _free(entry.profile, words, audience=entry.audience, but=entry)
    _room(entry, section or entry.section)
    if words != entry.text:
        _correct_facts(entry, words, actor=actor, now=now)
        entry.written_by = WrittenBy.PERSON
    entry.text, entry.normalized, entry.section = words, folded(words), section or entry.section
    entry.status, entry.refused_at, entry.pinned = Status.SHOWN, None, True
    return _kept(entry, "profile_edit", actor=actor, now=now)


@transaction.atomic
def pin_entry(entry: ProfileEntry, *, pinned: bool, actor: str, now: datetime) -> ProfileEntry:
    """Keep the line as it is, whatever is said later, or let revisions change it again; raises EntryRefused."""
    if pinned:
        _room(entry, entry.section)
    entry.pinned = pinned
    return _kept(entry, "profile_pin" if pinned else "profile_unpin", actor=actor, now=now)


@transaction.atomic
def refuse_entry(entry: ProfileEntry, *, actor: str, now: datetime) -> ProfileEntry:
    """Take the line out: it comes back only if it is said again later. Facts that say it are archived."""
    for fact in _facts(entry):
        corrections.archive(fact, actor=actor, now=now)
    entry.status, entry.refused_at, entry.pinned = Status.REFUSED, now, False
    return _kept(entry, "profile_refuse", actor=actor, now=now)


@transaction.atomic
def restore_entry(entry: ProfileEntry, *, actor: str, now: datetime) -> ProfileEntry:
    """Show a refused line again, pinned, since a person wants it; the facts that went with it are believed again."""
    if kind := sensitive(entry.text, kept=entry.profile.member.guild.kept_kinds):
        raise EntryRefused(WHY[kind])
    _room(entry, entry.section)
    for fact in _archived_with(entry):
        with suppress(FactConflict):
            corrections.restore(fact, actor=actor, now=now)
    entry.status, entry.refused_at, entry.pinned = Status.SHOWN, None, True
    return _kept(entry, "profile_restore", actor=actor, now=now)


@transaction.atomic
def erase_entry(entry: ProfileEntry, *, actor: str, now: datetime) -> None:
    """Erase the line for good, with the facts that say it; what is still said elsewhere may be learned again."""
    for fact in _facts(entry):
        withdraw.forget_fact(fact, actor=actor, now=now)
    ProfileEntry.objects.filter(pk=entry.pk).delete()
    lost_sources.refresh_summaries([entry.profile_id])
    member = entry.profile.member
    log("profile_forget", guild=member.guild, actor=actor, now=now, member=member.pk, entry=entry.pk)


@transaction.atomic
def add_entry(
    member: Member, *, text: str, section: Section | None = None, audience: Channel | None = None, actor: str,
    now: datetime,
) -> ProfileEntry:  # fmt: skip
    """Add a person's own line, pinned and without a source but themselves; what was refused may be added again.

    `audience` is the channel it was written in. Raises EntryRefused, EntryConflict.
    """
    if not remembers(member.guild, member):
        raise EntryRefused("this member is not to be remembered")
    words = _checked(text, member.guild)
    heard_by = audience if audience is not None and audience.heard_by else None
    profile, _ = Profile.objects.get_or_create(member=member)
    _free(profile, words, audience=heard_by)
    refused = profile.entries.filter(normalized=folded(words), audience=heard_by).first()
    entry = refused or ProfileEntry(profile=profile, audience=heard_by, created_at=now)
    entry.text, entry.normalized, entry.section = words, folded(words), section or section_of(words)
    entry.status, entry.refused_at = Status.SHOWN, None
    _room(entry, entry.section)
    entry.pinned, entry.written_by = True, WrittenBy.PERSON
    return _kept(entry, "profile_add", actor=actor, now=now)


# --- What is stored ----------------------------------------------------------------------------------------------


def _kept(entry: ProfileEntry, deed: str, *, actor: str, now: datetime) -> ProfileEntry:
    """Store the line, have the short summary follow, and tell the action log by ids."""
    entry.save()
    Profile.objects.filter(pk=entry.profile_id).update(updated_at=now)
    lost_sources.refresh_summaries([entry.profile_id])
    member = entry.profile.member
    log(deed, guild=member.guild, actor=actor, now=now, member=member.pk, entry=entry.pk)
    return entry


def _checked(text: str, guild: Guild) -> str:
    words = " ".join(text.split()).rstrip(".")
    if len(words) > ENTRY_CHARS or len(words.split()) > WORDS:
        raise EntryRefused(f"it is longer than {WORDS} words or {ENTRY_CHARS} characters")
    if reason := validation.refuse(words, words, words, kept=guild.kept_kinds):
        raise EntryRefused(WHY.get(reason, "it does not read as a statement about a person"))
    return words


def _free(profile: Profile, words: str, *, audience: Channel | None, but: ProfileEntry | None = None) -> None:
    """Raise EntryConflict if another line that is shown says it in these words; a refused one gives its place."""
    others = profile.entries.filter(normalized=folded(words), audience=audience).exclude(pk=but.pk if but else 0)
    if others.filter(status=Status.SHOWN).exists():
        raise EntryConflict("Another line of this profile says the same.")
    if but is not None:
        others.delete()


def _room(entry: ProfileEntry, section: str) -> None:
    """Raise EntryRefused if a section is full of pinned lines: they never give way, so there must be an end."""
    name = next(each for each in LIMITS if each == section)
    others = entry.profile.entries.filter(section=name, pinned=True, audience=entry.audience, status=Status.SHOWN)
    if others.exclude(pk=entry.pk or 0).count() >= LIMITS[name]:
        raise EntryRefused(f"the section {name} has {LIMITS[name]} pinned lines already")


# --- The facts behind a line -------------------------------------------------------------------------------------


def _facts(entry: ProfileEntry) -> list[Fact]:
    """Return the active facts that say the line."""
    told, name = meaning(entry.text), str(entry.profile.member)
    active = Fact.objects.active().filter(subject=entry.profile.member, audience=entry.audience)
    return [fact for fact in active.select_related("guild") if says(meaning(_bare(fact.text, name)), told)]


def _archived_with(entry: ProfileEntry) -> list[Fact]:
    """Return the facts that were put aside when the line was refused."""
    if entry.refused_at is None:
        return []
    then = FactChange.objects.filter(action=FactChange.Action.ARCHIVE, at=entry.refused_at, undone=False)
    aside = Fact.objects.filter(status=Fact.Status.ARCHIVED, subject=entry.profile.member, audience=entry.audience)
    return list(aside.filter(pk__in=then.values("fact")).select_related("guild"))


def _bare(text: str, name: str) -> str:
    return text.removeprefix(f"{name} ")


def _correct_facts(entry: ProfileEntry, words: str, *, actor: str, now: datetime) -> None:
    """Have the first fact say the new words, and put the others aside: two facts may not say the same."""
    for at, fact in enumerate(_facts(entry)):
        try:
            if at == 0:
                with transaction.atomic():
                    corrections.correct(fact, actor=actor, now=now, text=f"{words}.")
                continue
        except (FactConflict, FactRefused):
            fact.refresh_from_db()
        corrections.archive(fact, actor=actor, now=now)
