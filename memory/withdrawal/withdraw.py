"""Forgets for good: a fact, a note, and whatever stood on a message whose text went (promise 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from memory.facts.changes import Action, Batch, mark_outdated
from memory.index import writing
from memory.models import Evidence, Fact, JobRun
from memory.records.action_log import log
from memory.withdrawal import recompute
from memoryhub.community.models import Guild, Member
from notes.messages import conversations
from notes.models import InteractionNote, Message
from profiles.relationships import count
from profiles.revision import lost_sources


@transaction.atomic
def forget_fact(fact: Fact, *, actor: str, now: datetime) -> None:
    """Erase a fact with its evidence, its history and its place in the indexes."""
    log("memory_forget", guild=fact.guild, actor=actor, now=now, fact=fact.pk)
    _erase([fact])


def expired_archive(guild: Guild, *, now: datetime) -> QuerySet[Fact]:
    """Return the archived facts that the guild keeps no longer: none where it sets no number of days."""
    rows = Fact.objects.of(guild).filter(status=Fact.Status.ARCHIVED)
    if guild.archive_days is None:
        return rows.none()
    return rows.annotate(last=Max("changes__at")).filter(last__lt=now - timedelta(days=guild.archive_days))


@transaction.atomic
def erase_expired_archive(guild: Guild, *, now: datetime) -> int:
    """Erase what was archived longer ago than the guild keeps it; return how many facts."""
    facts = list(expired_archive(guild, now=now))
    for fact in facts:
        log("memory_forget", guild=guild, actor="retention", now=now, fact=fact.pk)
    _erase(facts)
    return len(facts)


@transaction.atomic
def forget_note(note: InteractionNote, *, actor: str, now: datetime) -> None:
    """Erase a note and its place in the indexes; the lines of profiles that cite it lose this source."""
    log("note_forget", guild=note.guild, actor=actor, now=now, note=note.pk)
    drop_notes([note])


def drop_notes(notes: Sequence[InteractionNote]) -> None:
    """Delete notes and the topics built on them, rows and index; those days' topics are to be made again."""
    topics = InteractionNote.objects.filter(notes__in=notes).values_list("pk", flat=True)
    ids = [*(note.pk for note in notes), *topics]
    writing.drop("note", ids)
    for note in notes:
        JobRun.objects.filter(guild=note.guild_id, day=note.note_date, phase=JobRun.Phase.CLUSTER).delete()
    lost_sources.drop_notes(ids)
    InteractionNote.objects.filter(pk__in=ids).delete()
    count.recount_notes(notes)


def withdraw_message_text(messages: Iterable[Message], *, now: datetime) -> int:
    """Take away what rests on these messages' words: facts without other evidence go, the others grow less sure.

    A merged fact dissolves: what it was made of stands again on its own evidence. Returns how many facts went.
    """
    return _withdraw(Evidence.objects.filter(message__in=[m.pk for m in messages]), now=now)


def withdraw_evidence(cited: QuerySet[Evidence], *, now: datetime) -> int:
    """Take this evidence away, as if its words had gone; return how many facts went with it."""
    return _withdraw(cited, now=now)


@transaction.atomic
def withdraw_words_of(member: Member, *, now: datetime) -> int:
    """Take away what rests on a member's words that are no message here: told to a bot, or a quote that outlived it."""
    return _withdraw(Evidence.objects.filter(speaker=member), now=now)


@transaction.atomic
def erase_facts(facts: Sequence[Fact]) -> None:
    """Erase facts as `forget_fact` does, without a line in the log for each; lines of profiles that say them go too."""
    _erase(facts)


def _withdraw(cited: QuerySet[Evidence], *, now: datetime) -> int:
    touched = list(Fact.objects.filter(evidence__in=cited).distinct().select_related("guild"))
    cited.delete()
    alone = [fact for fact in touched if not fact.evidence.exists()]
    merged = [
        fact for fact in touched if fact not in alone and fact.changes.filter(action=Action.MERGE, before={}).exists()
    ]
    left = [fact for fact in touched if fact not in alone and fact not in merged]
    again = [fact for fact in left if recompute.lost_first_source(fact) and recompute.can_reread(fact)]
    for fact in left:
        if fact not in again:
            Batch(actor="forgetting", now=now).change(fact, Action.EDIT, **recompute.recount_repeats(fact))
    gone = [*alone, *merged]
    again += _judged_beside([*gone, *again], but=touched)
    _read_again_without(gone, again, now=now)
    return len(gone)


def _judged_beside(gone: Sequence[Fact], *, but: Sequence[Fact]) -> list[Fact]:
    """Return what was put aside or marked because of facts that go, where persons left it alone."""
    known = {fact.pk for fact in but}
    near = {each.pk: each for each in recompute.judged_near(gone) if each.pk not in known}
    return [fact for fact in near.values() if recompute.can_reread(fact)]


def _read_again_without(gone: Sequence[Fact], again: list[Fact], *, now: datetime) -> None:
    """Erase facts, and have those that were worded or judged by what went read anew from what is left."""
    twins = _twins_since([*gone, *again])
    messages = recompute.source_messages([*again, *twins])
    _erase([*gone, *again, *twins], restored_at=now)
    conversations.read_again(messages, now=now)


def _twins_since(gone: Sequence[Fact]) -> list[Fact]:
    """Return what was said anew after it had been replaced by one of these: it only repeats what stands again."""
    replaced = Fact.objects.filter(replaced_by__in=gone).exclude(pk__in=[fact.pk for fact in gone])
    found = [twin for fact in replaced for twin in _twins(fact)]
    return [twin for twin in found if recompute.can_reread(twin)]


def _twins(fact: Fact) -> QuerySet[Fact]:
    same = Fact.objects.active().filter(guild=fact.guild_id, subject=fact.subject_id, audience=fact.audience_id)
    return same.filter(normalized=fact.normalized).exclude(pk=fact.pk)


def erase_unsupported_facts(messages: Sequence[Message], *, quoted: bool) -> int:
    """Erase the facts that stand on nothing once these messages lost their text; return how many.

    `quoted`: the words quoted as evidence hold a fact by themselves. Else the quotes go too. The facts that stay are as
    sure as before: nobody took back what they said.
    """
    cited = Evidence.objects.filter(message__in=[message.pk for message in messages])
    holds = Q(message=None) | Q(message__deleted_at=None, message__let_go_at=None) & ~Q(pk__in=cited.values("pk"))
    if quoted:
        holds |= ~Q(quote="")
    held = Evidence.objects.filter(holds, fact=OuterRef("pk"))
    alone = list(Fact.objects.filter(~Exists(held), pk__in=cited.values("fact")))
    if not quoted:
        cited.delete()
    _erase(alone)
    return len(alone)


def _erase(facts: Sequence[Fact], *, restored_at: datetime | None = None) -> None:
    """Delete facts; with a time, what they had replaced is believed again, as if they had never been said."""
    ids = [fact.pk for fact in facts]
    replaced = list(Fact.objects.filter(replaced_by__in=ids).exclude(pk__in=ids)) if restored_at else []
    heirs = {fact.pk: heir for fact in replaced if (heir := _heir(fact, without=set(ids)))}
    writing.drop("fact", ids)
    for (subject, audience), texts in _told_of(facts).items():
        lost_sources.drop_lines_saying(subject, audience=audience, texts=texts, for_good=restored_at is not None)
    Fact.objects.filter(pk__in=ids).delete()
    for fact in replaced:
        if fact.pk in heirs:
            Fact.objects.filter(pk=fact.pk).update(**_ended_by(heirs[fact.pk], fact))
        else:
            restore_replaced(fact, now=restored_at)
    mark_outdated(facts)


def _heir(fact: Fact, *, without: set[int]) -> Fact | None:
    """Return what ended the fact that had ended this one, where that one goes: it ended this one as well."""
    heir = fact.replaced_by
    while heir is not None and heir.pk in without:
        heir = heir.replaced_by
    return heir


def _ended_by(heir: Fact, fact: Fact) -> dict[str, Any]:
    until = heir.valid_from or heir.said_at
    return {"replaced_by": heir, "valid_until": max(until, fact.valid_from) if fact.valid_from else until}


def _told_of(facts: Sequence[Fact]) -> dict[tuple[int, int | None], list[str]]:
    told: dict[tuple[int, int | None], list[str]] = {}
    for fact in facts:
        if fact.subject_id:
            told.setdefault((fact.subject_id, fact.audience_id), []).append(fact.text)
    return told


def restore_replaced(fact: Fact, *, now: datetime | None) -> None:
    """Believe once more what was replaced by something that went, unless another fact says it."""
    if now and not _twins(fact).exists():
        fields = {"status": Fact.Status.ACTIVE, "replaced_by_id": None, "valid_until": None}
        Batch(actor="forgetting", now=now).change(fact, Action.RESTORE, **fields)
