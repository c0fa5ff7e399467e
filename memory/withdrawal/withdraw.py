"""Takes away what rested on words that went: facts, notes, and what was derived from them.

When a source goes, what stood on it alone goes with it; see `docs/promises.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import takewhile

from django.db import transaction
from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from memory.facts import at_odds, changes
from memory.facts.changes import Action, Batch, mark_outdated
from memory.index import writing
from memory.models import Evidence, Fact, JobRun, RecapLine
from memory.records.action_log import log
from memory.withdrawal import recompute
from memory.withdrawal.fact_limits import AT_ONCE
from memoryhub import db
from memoryhub.community import outbox
from memoryhub.community.models import Event, Guild
from memoryhub.community.querysets import same_guild
from memoryhub.db.guild_scope import in_its_guild
from notes.messages import conversations
from notes.models import InteractionNote, Message
from profiles.relationships import count
from profiles.revision import lost_sources


@transaction.atomic
@in_its_guild
def forget_fact(fact: Fact, *, actor: str, now: datetime) -> None:
    """Erase a fact with its evidence, its history and its place in the indexes; profile entries that say it go too.

    One that somebody else erased meanwhile is left at that.
    """
    try:
        changes.lock(fact)
    except changes.FactGone:
        return
    log("memory_forget", guild=fact.guild, actor=actor, now=now, fact=fact.pk)
    erase_facts([fact])


@db.retrying
@transaction.atomic
@in_its_guild
def forget_facts(guild: Guild, chosen: QuerySet[Fact], *, actor: str, now: datetime) -> int:
    """Erase each of the guild's facts that are chosen as `forget_fact` does, at once; return how many."""
    db.lock_guild(guild.pk)
    facts = list(chosen)
    for fact in facts:
        log("memory_forget", guild=guild, actor=actor, now=now, fact=fact.pk)
    erase_facts(facts)
    return len(facts)


def expired_archive(guild: Guild, *, now: datetime) -> QuerySet[Fact]:
    """Return the archived facts that the guild keeps no longer: none where it sets no number of days."""
    if guild.archive_days is None:
        return Fact.objects.none()
    return _archived(guild).annotate(last=Max("changes__at")).filter(last__lt=now - timedelta(days=guild.archive_days))


def next_to_expire(guild: Guild) -> datetime | None:
    """Return when the guild will first keep an archived fact no longer, None if it keeps all, or has none."""
    if guild.archive_days is None:
        return None
    oldest: datetime | None = _archived(guild).annotate(last=Max("changes__at")).aggregate(at=Min("last"))["at"]
    return oldest + timedelta(days=guild.archive_days) if oldest else None


def _archived(guild: Guild) -> QuerySet[Fact]:
    return Fact.objects.of(guild).filter(status=Fact.Status.ARCHIVED)


@in_its_guild
def erase_expired_archive(guild: Guild, *, now: datetime, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Erase what was archived longer ago than the guild keeps it, while told to go on; return how many facts."""
    ids = list(expired_archive(guild, now=now).order_by("pk").values_list("pk", flat=True))
    starts = takewhile(lambda _: keep_going(), range(0, len(ids), AT_ONCE))
    pieces = (expired_archive(guild, now=now).filter(pk__in=ids[start : start + AT_ONCE]) for start in starts)
    return sum(forget_facts(guild, piece, actor="retention", now=now) for piece in pieces)


@transaction.atomic
@in_its_guild
def forget_note(note: InteractionNote, *, actor: str, now: datetime) -> None:
    """Erase a note and its place in the indexes; profile entries that cite it lose this source."""
    db.lock_guild(note.guild_id)
    log("note_forget", guild=note.guild, actor=actor, now=now, note=note.pk)
    drop_notes([note])


def drop_notes(notes: Sequence[InteractionNote], *, recount: bool = True) -> None:
    """Delete notes and the topics built on them, rows and index; those days' topics are to be made again.

    Not `recount`ed is who met whom, where the conversations are digested again anyway.
    """
    topics = InteractionNote.objects.filter(notes__in=notes).values_list("pk", flat=True)
    ids = [*(note.pk for note in notes), *topics]
    for guild in {note.guild_id for note in notes}:
        writing.drop("note", ids, guild=guild)
    for note in notes:
        JobRun.objects.filter(guild=note.guild_id, day=note.note_date, phase=JobRun.Phase.CLUSTER).delete()
    lost_sources.drop(ids)
    InteractionNote.objects.filter(pk__in=ids).delete()
    if recount:
        count.recount_notes(notes)


def withdraw_message_text(messages: Iterable[Message], *, now: datetime) -> int:
    """Take away what rests on these messages' words; return how many facts went."""
    drop_told(messages := list(messages))
    lost_sources.drop([-message.pk for message in messages], words_go=True)
    return withdraw_evidence(Evidence.objects.filter(message__in=[message.pk for message in messages]), now=now)


def drop_told(messages: Iterable[Message]) -> None:
    """Take the lines of recaps away that tell what these messages said."""
    RecapLine.objects.filter(message__in=[message.pk for message in messages]).delete()


def drop_told_of(rewritten: Iterable[InteractionNote]) -> None:
    """Take the lines of recaps away that tell what these notes were called before they were written anew."""
    for note in rewritten:
        RecapLine.objects.filter(guild=note.guild_id, note=note).exclude(text__contains=note.title).delete()


@transaction.atomic
def withdraw_evidence(cited: QuerySet[Evidence], *, now: datetime) -> int:
    """Take this evidence away: facts without other evidence go, the others grow less sure. Return how many went.

    A merged fact dissolves: what it was made of stands again on its own evidence, and what was no fact before is read
    once more. So is what was worded or judged by what went, from what is left, where no person changed it. Else what it
    alone said goes out of the wording.
    """
    touched = list(Fact.objects.filter(evidence__in=cited).distinct().select_related("guild"))
    lost_sources.drop([-pk for pk in cited.exclude(message=None).values_list("message", flat=True)])
    taken, said = set(cited.values_list("fact", "batch")), defaultdict[int, str](str)
    for fact_id, quote, text in cited.values_list("fact", "quote", "message__text"):
        said[fact_id] += f" {quote} {text or ''}"
    cited.delete()
    gone, reread = list[Fact](), list[Fact]()
    for fact in touched:
        if not fact.evidence.exists() or fact.changes.filter(action=Action.MERGE, before={}).exists():
            gone.append(fact)
        elif recompute.lost_first_source(fact, taken) and recompute.can_reread(fact):
            reread.append(fact)
        elif not recompute.lose_words(
            fact, gone=taken, said=said[fact.pk], actor="forgetting", now=now, **recompute.recount_repeats(fact)
        ):
            gone.append(fact)
    known = {fact.pk for fact in touched}
    near = {fact.pk: fact for fact in recompute.judged_near([*gone, *reread]) if fact.pk not in known}
    reread += [fact for fact in near.values() if recompute.can_reread(fact)]
    lost = [*gone, *reread]
    # What was said anew after one of these had replaced it only repeats what stands again.
    replaced = Fact.objects.filter(replaced_by__in=lost).exclude(pk__in=[fact.pk for fact in lost])
    repeats = [repeat for fact in replaced for repeat in _saying_the_same(fact) if recompute.can_reread(repeat)]
    parts = Fact.objects.filter(replaced_by__in=gone).exclude(pk__in=[fact.pk for fact in gone])
    believed = [fact for fact in gone if fact.status == Fact.Status.ACTIVE]
    told_only_there = set(recompute.source_messages(believed)) - set(recompute.source_messages(list(parts)))
    again = {*recompute.source_messages([*reread, *repeats]), *told_only_there}
    erase_facts([*lost, *repeats], restored_at=now)
    conversations.read_again(Message.objects.filter(pk__in=[message.pk for message in again]), now=now)
    return len(gone)


def _saying_the_same(fact: Fact) -> QuerySet[Fact]:
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
    held = Evidence.objects.filter(same_guild(), holds, fact=OuterRef("pk"))
    unsupported = list(Fact.objects.filter(~Exists(held), pk__in=cited.values("fact")))
    if not quoted:
        cited.delete()
    erase_facts(unsupported)
    return len(unsupported)


@transaction.atomic
def erase_facts(facts: Sequence[Fact], *, restored_at: datetime | None = None) -> None:
    """Erase facts as `forget_fact` does, without a line in the log for each.

    With `restored_at`, what they had replaced is believed again, as if they had never been said.
    """
    for guild in {fact.guild_id for fact in facts}:
        db.lock_guild(guild)
    ids = {fact.pk for fact in facts}
    replaced = list(Fact.objects.filter(replaced_by__in=ids).exclude(pk__in=ids)) if restored_at else []
    heirs: dict[int, Fact | None] = {}
    for fact in replaced:  # what ended the fact that had ended this one ended this one as well, where that one goes
        heir = fact.replaced_by
        while heir is not None and heir.pk in ids:
            heir = heir.replaced_by
        heirs[fact.pk] = heir
    for guild in {fact.guild_id for fact in facts}:
        writing.drop("fact", ids, guild=guild)
    texts = defaultdict[tuple[int, int | None], list[str]](list)
    for fact in facts:
        if fact.subject_id:
            texts[fact.subject_id, fact.audience_id].append(fact.text)
    for (subject, audience), said in texts.items():
        lost_sources.drop_lines_saying(subject, audience=audience, texts=said, for_good=restored_at is not None)
    marked = at_odds.marked_by(facts)
    Fact.objects.filter(pk__in=ids).delete()
    at_odds.follow(marked)
    believed, now = [fact for fact in facts if fact.status == Fact.Status.ACTIVE], timezone.now()
    outbox.write([
        Event(guild_id=fact.guild_id, kind=Event.Kind.FORGOTTEN, row=fact.pk, member_number=fact.subject_id, at=now)
        for fact in believed
    ])  # fmt: skip
    for fact in replaced:
        if heir := heirs[fact.pk]:
            until = heir.valid_from or heir.said_at
            until = max(until, fact.valid_from) if fact.valid_from else until
            Fact.objects.filter(pk=fact.pk).update(replaced_by=heir, valid_until=until)
        else:
            restore_replaced(fact, now=restored_at)
    mark_outdated(facts)


def restore_replaced(fact: Fact, *, now: datetime | None) -> None:
    """Believe once more what was replaced by something that went, unless it was put aside since, or is said already."""
    if now and fact.status == Fact.Status.SUPERSEDED and not _saying_the_same(fact).exists():
        fields = {"status": Fact.Status.ACTIVE, "replaced_by_id": None, "valid_until": None}
        Batch(actor="forgetting", now=now).change(fact, Action.RESTORE, **fields)
