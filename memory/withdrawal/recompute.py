"""Works out what a fact would be had it never been said again: from its own history, where persons left it alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.dateparse import parse_datetime

from memory.facts import confidence
from memory.facts.changes import ERASED, Action, Batch, FactConflict
from memory.facts.normalization import normalize, sentence
from memory.models import Evidence, Fact
from memory.models.facts import LOSING
from memoryhub.language.tokenizer import content, stem
from notes.models import Message

MACHINES = ("extraction", *LOSING)
BY_PERSONS = (Action.EDIT, Action.ARCHIVE, Action.RESTORE, Action.APPROVE, Action.REFUSE, Action.SETTLE, Action.UNDO)
NEAR = "near_duplicate"


def can_reread(fact: Fact) -> bool:
    """Tell whether reading its messages once more makes the same fact: nobody changed it, and all words are there."""
    if fact.pinned or fact.changes.filter(action__in=BY_PERSONS).exclude(actor__in=MACHINES).exists():
        return False
    gone = Q(message=None) | Q(message__deleted_at__isnull=False) | Q(message__let_go_at__isnull=False)
    return fact.evidence.exists() and not fact.evidence.filter(gone).exists()


def lost_first_source(fact: Fact, gone: Collection[tuple[int, UUID | None]]) -> bool:
    """Tell whether a message that worded the fact is no evidence of it any more, also where others worded it with it.

    `gone` are the facts and batches of the evidence that was taken away.
    """
    first = fact.changes.filter(before={}).values_list("batch", flat=True).first()
    return first is not None and (fact.pk, first) in gone


def judged_near(facts: Iterable[Fact]) -> Iterator[Fact]:
    """Yield the facts of the same subjects and audiences that were set aside, or marked, because one was near."""
    earliest: dict[tuple[int, int | None, int | None], datetime] = {}
    for fact in facts:
        scope = (fact.guild_id, fact.subject_id, fact.audience_id)
        earliest[scope] = min(fact.said_at, earliest.get(scope, fact.said_at))
    for (guild, subject, audience), said_at in earliest.items():
        later = Fact.objects.filter(guild=guild, subject=subject, audience=audience, said_at__gte=said_at)
        yield from later.filter(Q(possible_conflict=True) | Q(junk_signs__icontains=NEAR))


def lose_source(fact: Fact, *, actor: str, now: datetime, **fields: Any) -> None:
    """Record what a fact is without the evidence that went; a repeat that it was all of is undone with it."""
    left = [batch for batch in fact.evidence.values_list("batch", flat=True) if batch]
    repeats = fact.changes.standing().filter(action=Action.REINFORCE).exclude(batch__in=left)
    again = max(0, fact.reinforcements - repeats.update(undone=True))
    Batch(actor=actor, now=now).change(fact, Action.EDIT, **{"reinforcements": again, **fields})


def lose_words(
    fact: Fact, *, gone: Collection[tuple[int, UUID | None]], said: str, actor: str, now: datetime, **fields: Any
) -> bool:
    """Lose a source, and the words that it alone said where it had worded the fact, in history too.

    The fact has the words of another source then; False if none has any. What a person reworded stays so. `gone` are
    the facts and batches of the evidence that was taken away, `said` what was said there.
    """
    left = fact.evidence.order_by("said_at", "pk").values_list("quote", "message__text")
    own = _telling(said) - _telling(" ".join(text or "" for pair in left for text in pair))
    history = list(fact.changes.order_by("pk"))
    wordings = pairwise([*(str(change.before.get("text", "")) for change in history), fact.text])
    theirs, lost = False, set[str]()
    for change, (before, text) in zip(history, wordings, strict=True):
        theirs = (fact.pk, change.batch) in gone if before != text else theirs
        if theirs and not own.isdisjoint(_telling(text)):
            lost.add(text)
    if fact.text in lost:
        quote = next((quote for quote, _ in left if quote), "")
        fields |= {"text": sentence(quote), "normalized": normalize(quote)}
    try:
        if fields.get("text") == "":
            return False
        lose_source(fact, actor=actor, now=now, **fields)
    except FactConflict:
        fact.refresh_from_db()
        return False
    for change in fact.changes.all():
        if change.before.get("text") in lost:
            change.before |= {"text": ERASED, "normalized": ERASED}
            change.save(update_fields=["before"])
    return True


def _telling(text: str) -> set[str]:
    return set(map(stem, content(text)))


def recount_repeats(fact: Fact) -> dict[str, Any]:
    """Return the fields that count repeats, from those that are still evidence; as weaker where history can't tell."""
    history = list(fact.changes.order_by("pk"))
    now = {"confidence": fact.confidence, "last_reinforced_at": fact.last_reinforced_at}
    states = pairwise([*(change.before for change in history), now])
    repeats = [
        (change.batch, before, after)
        for change, (before, after) in zip(history, states, strict=True)
        if change.action == Action.REINFORCE
    ]
    if not repeats or not can_reread(fact):
        return {"confidence": confidence.weakened(fact.confidence)}
    first = repeats[0][1]
    sure, last = float(first["confidence"]), first["last_reinforced_at"]
    last = parse_datetime(last) if isinstance(last, str) else last
    said_at = dict(Evidence.objects.filter(fact=fact).values_list("batch", "said_at"))
    kept = [(said_at[batch], before, after) for batch, before, after in repeats if batch in said_at]
    for at, before, after in kept:
        own = after["confidence"] if after["confidence"] != confidence.reinforced(before["confidence"]) else 0.0
        sure, last = max(confidence.reinforced(sure), own), max(at, last or at)
    return {"confidence": sure, "last_reinforced_at": last, "reinforcements": first["reinforcements"] + len(kept)}


def source_messages(facts: list[Fact]) -> QuerySet[Message]:
    """Return what the facts rest on."""
    ids = set(Evidence.objects.filter(fact__in=facts, message__isnull=False).values_list("message", flat=True))
    return Message.objects.filter(pk__in=ids)
