"""Writes what is derived from facts, notes and messages: the word index at once, embeddings in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from memory.index.documents import KINDS, Kind, active_facts, human_messages, message_rows
from memory.models import Fact
from memoryhub.ai import Embedder, embedder
from memoryhub.community.models import Member
from memoryhub.search import keywords, vectors
from notes.models import InteractionNote, Message

EMBEDDED_AT_ONCE = 32  # about a second of the embedded embedder
EMBEDDED_AT_NEED = 8  # seed 000
REBUILT_AT_ONCE = 500  # rows in a transaction: other writers wait no longer than a moment

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


def index_facts(facts: Iterable[Fact]) -> None:
    """Put active facts into the word index and forget the embeddings of all; those not active leave the index.

    Call it in the transaction that changes the facts' text, status, subject or audience.
    """
    _index("fact", list(facts))


def index_new_fact(fact: Fact) -> None:
    """Put a fact that was just added into the word index: none of it can be in any index yet."""
    if _belongs(fact):
        keywords.put(kind="fact", rows=KINDS["fact"].words([fact]))


def index_notes(notes: Iterable[InteractionNote]) -> None:
    """Put notes into the word index and forget their embeddings; call it in the transaction that changes them."""
    _index("note", list(notes))


def index_messages(messages: Iterable[Message]) -> None:
    """Put messages into the word index with the one before each; bots' and deleted ones leave it.

    Call it also after an edit or a deletion: the message after each is put again, without what is gone.
    """
    _index("message", list(messages))


def move(kind: str, rows: Sequence[Any], *, audience: int) -> None:
    """Have the indexes find these facts or notes for another audience; their words and embeddings are the same."""
    keywords.put(kind=kind, rows=KINDS[kind].words([row for row in rows if _belongs(row)]))
    vectors.move(kind=kind, ids=[row.pk for row in rows], audience=audience)


def drop(kind: str, ids: Iterable[int]) -> None:
    """Take rows out of every index; of messages, while their rows still exist.

    The text of a dropped message also leaves the row of the message after it, where it stood before.
    """
    gone = list(ids)
    keywords.delete(kind=kind, ids=gone)
    vectors.delete(kind=kind, ids=gone)
    if kind == "message":
        rows = Message.objects.filter(pk__in=gone).select_related("channel", "guild")
        keywords.put(kind=kind, rows=message_rows(list(rows), without=gone))


def _index(kind: str, rows: list[Any]) -> None:
    found = KINDS[kind].words([row for row in rows if _belongs(row)] if kind != "message" else rows)
    ids = {row.pk for row in rows}
    if KINDS[kind].passage:
        vectors.delete(kind=kind, ids=ids)
    keywords.delete(kind=kind, ids=ids - {row.id for row in found})
    keywords.put(kind=kind, rows=found)


def _belongs(row: Any) -> bool:
    return not isinstance(row, Fact) or row.status == Fact.Status.ACTIVE


def embed_missing(limit: int) -> int:
    """Embed up to `limit` facts and notes that have no vector of the current embedder; return how many were.

    For the background: no transaction is open while the embedder works. Raises ModelFailed.
    """
    model = embedder()
    if model is None:
        return 0
    done = 0
    for kind, ids in _unembedded(model.identity).items():
        for block in _blocks(ids[: limit - done], EMBEDDED_AT_ONCE):
            done += _embed(kind, block, model)
    return done


def embed_facts(ids: Sequence[int]) -> int:
    """Embed up to eight of these facts that have no vector yet, for somebody who needs them now; return how many.

    Seed 000 did so in a question's way. No transaction may be open. Raises ModelFailed.
    """
    model = embedder()
    if model is None or not ids:
        return 0
    held = vectors.get(kind="fact", model=model.identity, ids=ids)
    missing = [pk for pk in ids if pk not in held][:EMBEDDED_AT_NEED]
    return _embed("fact", missing, model) if missing else 0


def follow_names(limit: int) -> int:
    """Index up to `limit` rows of renamed members anew, with the names that they have now; return how many.

    For the background. It goes on where it stopped; who is renamed meanwhile is begun again.
    """
    done = 0
    for member in Member.objects.filter(indexed_to__isnull=False).order_by("pk")[:limit]:
        while done < limit and member.indexed_to is not None:
            done += _follow_name(member)
        if done >= limit:
            break
    return done


@transaction.atomic
def _follow_name(member: Member) -> int:
    """Index the next block of the member's messages anew, and their facts before the first."""
    facts = list(active_facts().filter(subject=member)) if member.indexed_to == 0 else []
    index_facts(facts)
    said = human_messages().filter(author=member, pk__gt=member.indexed_to or 0).order_by("pk")
    block = list(said[:REBUILT_AT_ONCE])
    index_messages(block)
    reached = block[-1].pk if len(block) == REBUILT_AT_ONCE else None
    Member.objects.filter(pk=member.pk, indexed_to=member.indexed_to, **_named(member)).update(indexed_to=reached)
    member.refresh_from_db()
    return max(1, len(facts) + len(block))


def _named(member: Member) -> dict[str, str]:
    return {"name": member.name, "display_name": member.display_name}


def _unembedded(model: str) -> dict[str, list[int]]:
    # The database compares 100,000 ids in 40 ms; read and compared here, they take 100.
    wanted = {kind: of.rows().order_by().values("pk").query for kind, of in KINDS.items() if of.passage}
    return {kind: vectors.lacking(*query.sql_with_params(), kind=kind, model=model) for kind, query in wanted.items()}


def _embed(kind: str, ids: Sequence[int], model: Embedder) -> int:
    of, passage = KINDS[kind], KINDS[kind].passage or str
    before = {row.pk: passage(row) for row in of.rows().filter(pk__in=ids)}
    embeddings = dict(zip(before, model.passages(list(before.values())), strict=True))
    with transaction.atomic():
        # Read again: what changed or went while the embedder worked must not get the embedding of what it was.
        same = [row for row in of.rows().filter(pk__in=ids) if before.get(row.pk) == passage(row)]
        rows = [_vector(place, embeddings[place.id]) for place in of.words(same)]
        vectors.put(kind=kind, model=model.identity, rows=rows)
    return len(same)


def _vector(place: keywords.Row, embedding: vectors.Vector) -> vectors.Row:
    return vectors.Row(
        id=place.id, guild=place.guild, subject=place.subject, audience=place.audience, embedding=embedding
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """How one index of one kind differs from the rows that it is derived from."""

    index: str
    kind: str
    held: int
    missing: int
    orphaned: int

    @property
    def ok(self) -> bool:
        """Whether nothing is missing and nothing is left over."""
        return not (self.missing or self.orphaned)


def check() -> list[Finding]:
    """Compare both indexes with the rows: what is not indexed yet, and what is indexed but gone or not active."""
    model = embedder()
    found = [_compare("words", kind, keywords.held(kind=kind), _wanted(of)) for kind, of in KINDS.items()]
    if model is not None:
        held = {kind: vectors.held(kind=kind, model=model.identity) for kind, of in KINDS.items() if of.passage}
        found += [_compare("vectors", kind, ids, _wanted(KINDS[kind])) for kind, ids in held.items()]
    return found


def rebuild(progress: Progress = lambda _what, _done, _all: None) -> list[Finding]:
    """Index every row anew and embed what is not; recall works meanwhile. Returns what `check` found before."""
    found = check()
    for kind, of in KINDS.items():
        ids = sorted(_wanted(of))
        _drop_orphans(kind, set(ids))
        for done, block in enumerate(_blocks(ids, REBUILT_AT_ONCE)):
            progress(f"words of {kind}s", min(done * REBUILT_AT_ONCE, len(ids)), len(ids))
            with transaction.atomic():
                keywords.put(kind=kind, rows=of.words(list(of.rows().filter(pk__in=block))))
    _embed_all(progress)
    return found


def _embed_all(progress: Progress) -> None:
    model = embedder()
    if model is None:
        return
    for kind, ids in _unembedded(model.identity).items():
        for done, block in enumerate(_blocks(ids, EMBEDDED_AT_ONCE)):
            progress(f"embeddings of {kind}s", min(done * EMBEDDED_AT_ONCE, len(ids)), len(ids))
            _embed(kind, block, model)
        vectors.rebuild(kind=kind, model=model.identity)


def _drop_orphans(kind: str, wanted: set[int]) -> None:
    model = embedder()
    keywords.delete(kind=kind, ids=keywords.held(kind=kind) - wanted)
    if model is not None:
        vectors.delete(kind=kind, ids=vectors.held(kind=kind, model=model.identity) - wanted)


def _wanted(of: Kind) -> set[int]:
    return set(of.rows().order_by().values_list("pk", flat=True))


def _compare(index: str, kind: str, held: set[int], wanted: set[int]) -> Finding:
    return Finding(index=index, kind=kind, held=len(held), missing=len(wanted - held), orphaned=len(held - wanted))


def _blocks(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (ids[start : start + size] for start in range(0, len(ids), size))
