"""What a person may do to an entry of a profile: word, move, pin, refuse, add; the facts that say it follow."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import cast

from django.db import transaction

from memory.curation import corrections
from memory.curation.corrections import FactRefused
from memory.curation.refusals import WordsRefused, overruled
from memory.facts.changes import FactConflict
from memory.learning import validation
from memory.models import Fact, FactChange
from memory.records.action_log import log
from memory.withdrawal import withdraw
from memoryhub import db
from memoryhub.community.consent import NOT_REMEMBERED, remembers
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.errors import Conflict, Refused
from memoryhub.language.same_statement import meaning, says
from memoryhub.safety import sensitive
from profiles.models import Profile, ProfileEntry
from profiles.revision import lost_sources
from profiles.revision.save import folded
from profiles.revision.schemas import ENTRY_CHARS, LIMITS, WORDS, Section
from profiles.revision.sections import section_of

Status, WrittenBy = ProfileEntry.Status, ProfileEntry.WrittenBy
WRITTEN = ("section", "text", "normalized", "status", "refused_at", "pinned", "written_by")


class EntryRefused(WordsRefused):
    """The words must not stand in a profile."""


class NoPlace(Refused):
    """The profile takes no such entry, whatever it says: the section is full, or the member is not remembered."""


class EntryConflict(Conflict):
    """Another entry of the profile says the same."""


class EntryGone(Conflict):
    """The entry left the profile since somebody read it."""

    def __init__(self) -> None:
        super().__init__("This line is gone: it was deleted meanwhile, or a revision took it out.")


@in_its_guild
def edit_entry(
    entry: ProfileEntry, *, text: str | None = None, section: Section | None = None, actor: str, now: datetime,
    insist: bool = False,
) -> ProfileEntry:  # fmt: skip
    """Put a person's own words in the entry's place, or move it; it is pinned and keeps its sources.

    Of the facts that said the old words, the first says the new ones and the others are archived: two facts may not say
    the same. `insist`, for who has the right to: store it although it reads like an order, code or a question.
    Raises EntryRefused, EntryConflict, EntryGone, NoPlace.
    """
    words = None if text is None else validated_text(text, entry.profile.member.guild, insist=insist)
    with transaction.atomic():
        _lock(entry)
        new = entry.text if words is None else words
        _refuse_duplicate(entry.profile, new, audience=entry.audience, replaced=entry)
        _refuse_full_section(entry, section or entry.section)
        if new != entry.text:
            for number, fact in enumerate(_facts_saying(entry)):
                try:
                    if number == 0:
                        with transaction.atomic():
                            corrections.correct(fact, actor=actor, now=now, text=f"{new}.", insist=insist)
                        continue
                except (FactConflict, FactRefused):
                    fact.refresh_from_db()
                corrections.archive(fact, actor=actor, now=now)
            entry.written_by = WrittenBy.PERSON
        entry.text, entry.normalized, entry.section = new, folded(new), section or entry.section
        entry.status, entry.refused_at, entry.pinned = Status.SHOWN, None, True
        return _save(entry, "profile_edit", actor=actor, now=now, insist=insist and text is not None)


@transaction.atomic
@in_its_guild
def pin_entry(entry: ProfileEntry, *, pinned: bool, actor: str, now: datetime) -> ProfileEntry:
    """Keep the entry as it is, whatever is said later, or let revisions change it again; raises NoPlace, EntryGone."""
    _lock(entry)
    if pinned:
        _refuse_full_section(entry, entry.section)
    entry.pinned = pinned
    return _save(entry, "profile_pin" if pinned else "profile_unpin", actor=actor, now=now)


@transaction.atomic
@in_its_guild
def refuse_entry(entry: ProfileEntry, *, actor: str, now: datetime) -> ProfileEntry:
    """Take the entry out: it comes back only if it is said again later. Facts that say it are archived.

    Raises EntryGone.
    """
    _lock(entry)
    for fact in _facts_saying(entry):
        corrections.archive(fact, actor=actor, now=now)
    entry.status, entry.refused_at, entry.pinned = Status.REFUSED, now, False
    return _save(entry, "profile_refuse", actor=actor, now=now)


@transaction.atomic
@in_its_guild
def restore_entry(entry: ProfileEntry, *, actor: str, now: datetime) -> ProfileEntry:
    """Show a refused entry again, pinned, since a person wants it; the facts archived with it are believed again.

    Raises EntryRefused, EntryGone, NoPlace.
    """
    _lock(entry)
    member = entry.profile.member
    if kind := sensitive(entry.text, kept=member.guild.kept_kinds):
        raise EntryRefused(kind)
    _refuse_full_section(entry, entry.section)
    if entry.refused_at is not None:
        then = FactChange.objects.filter(action=FactChange.Action.ARCHIVE, at=entry.refused_at, undone=False)
        archived = Fact.objects.filter(status=Fact.Status.ARCHIVED, subject=member, audience=entry.audience)
        for fact in list(archived.filter(pk__in=then.values("fact")).select_related("guild")):
            with suppress(FactConflict):
                corrections.restore(fact, actor=actor, now=now)
    entry.status, entry.refused_at, entry.pinned = Status.SHOWN, None, True
    return _save(entry, "profile_restore", actor=actor, now=now)


@transaction.atomic
@in_its_guild
def erase_entry(entry: ProfileEntry, *, actor: str, now: datetime) -> None:
    """Erase the entry for good, with the facts that say it; what is still said elsewhere may be learned again.

    One that left the profile meanwhile is left at that.
    """
    try:
        _lock(entry)
    except EntryGone:
        return
    for fact in _facts_saying(entry):
        withdraw.forget_fact(fact, actor=actor, now=now)
    ProfileEntry.objects.filter(pk=entry.pk).delete()
    lost_sources.refresh_summaries([entry.profile_id])
    member = entry.profile.member
    log("profile_forget", guild=member.guild, actor=actor, now=now, member=member.pk, entry=entry.pk)


@in_its_guild
def add_entry(
    member: Member, *, text: str, section: Section | None = None, audience: Channel | None = None, actor: str,
    now: datetime, insist: bool = False,
) -> ProfileEntry:  # fmt: skip
    """Add a person's own entry, pinned and without a source but themselves; what was refused may be added again.

    `audience` is the channel it was written in; `insist` as in `edit_entry`. Raises EntryRefused, EntryConflict,
    NoPlace.
    """
    text = validated_text(text, member.guild, insist=insist)
    heard_by = audience if audience is not None and audience.heard_by else None
    with transaction.atomic():
        db.lock_guild(member.guild_id)
        if not remembers(member.guild, member):
            raise NoPlace(NOT_REMEMBERED)
        profile, _ = Profile.objects.get_or_create(member=member)
        _refuse_duplicate(profile, text, audience=heard_by)
        refused = profile.entries.filter(normalized=folded(text), audience=heard_by).first()
        entry = refused or ProfileEntry(profile=profile, audience=heard_by, created_at=now)
        entry.text, entry.normalized, entry.section = text, folded(text), section or section_of(text)
        entry.status, entry.refused_at = Status.SHOWN, None
        _refuse_full_section(entry, entry.section)
        entry.pinned, entry.written_by = True, WrittenBy.PERSON
        return _save(entry, "profile_add", actor=actor, now=now, insist=insist)


def _lock(entry: ProfileEntry) -> None:
    """Lock the guild and read the entry anew, as others may have changed it since it was read; raises EntryGone."""
    db.lock_guild(entry.guild_id)
    try:
        entry.refresh_from_db(from_queryset=ProfileEntry.objects.select_related("profile__member__guild", "audience"))
    except ProfileEntry.DoesNotExist:
        raise EntryGone from None


def _save(entry: ProfileEntry, kind: str, *, actor: str, now: datetime, insist: bool = False) -> ProfileEntry:
    """Store the entry, have the short summary follow, and write into the action log by ids."""
    entry.save(update_fields=WRITTEN if entry.pk else None)
    Profile.objects.filter(pk=entry.profile_id).update(updated_at=now)
    lost_sources.refresh_summaries([entry.profile_id])
    member = entry.profile.member
    for each in (kind, "memory_insist") if insist else (kind,):
        log(each, guild=member.guild, actor=actor, now=now, member=member.pk, entry=entry.pk)
    return entry


def validated_text(text: str, guild: Guild, *, insist: bool = False) -> str:
    """Return the text as it may stand in a profile; raises EntryRefused. Ask with no transaction open."""
    text = " ".join(text.split()).rstrip(".")
    if len(text) > ENTRY_CHARS or len(text.split()) > WORDS:
        raise EntryRefused("too long", most=f"{WORDS} words or {ENTRY_CHARS} characters")
    reason = validation.refuse_told(text, kept=guild.kept_kinds)
    if reason and not overruled(reason, insist=insist):
        raise EntryRefused(reason)
    return text


def _refuse_duplicate(
    profile: Profile, text: str, *, audience: Channel | None, replaced: ProfileEntry | None = None
) -> None:
    """Raise EntryConflict if another entry that is shown says it in these words; a refused one makes way."""
    others = profile.entries.filter(normalized=folded(text), audience=audience)
    others = others.exclude(pk=replaced.pk if replaced else 0)
    if others.filter(status=Status.SHOWN).exists():
        raise EntryConflict("Another line of this profile says the same.")
    if replaced is not None:
        others.delete()


def _refuse_full_section(entry: ProfileEntry, section: str) -> None:
    """Raise NoPlace if a section is full of pinned entries: they never give way, so there must be an end."""
    limit = LIMITS[cast("Section", section)]
    others = entry.profile.entries.filter(section=section, pinned=True, audience=entry.audience, status=Status.SHOWN)
    if others.exclude(pk=entry.pk or 0).count() >= limit:
        raise NoPlace(f"The section {section} has {limit} pinned lines already. Unpin one first, or take one out.")


def _facts_saying(entry: ProfileEntry) -> list[Fact]:
    """Return the active facts that say the entry, with the member's name before it or without."""
    member, statement = entry.profile.member, meaning(entry.text)
    active = Fact.objects.active().filter(subject=member, audience=entry.audience).select_related("guild")
    return [fact for fact in active if says(meaning(fact.text.removeprefix(f"{member} ")), statement)]
