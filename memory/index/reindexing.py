"""Compares the indexes with the rows that they are derived from, and writes them anew."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from memory.index import embedded_to, embeddings, writing
from memory.index.documents import KINDS, Kind, active_facts, human_messages
from memoryhub import db
from memoryhub.ai import embedder
from memoryhub.common.long_work import Progress, untold
from memoryhub.community.models import Member
from memoryhub.db.guild_scope import in_its_guild
from memoryhub.search import keywords, vectors
from profiles.models import Profile, ProfileEntry
from profiles.revision import lost_sources

BATCH = 500  # rows in a transaction: other writers wait no longer than a moment


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
    indexed = [("words", name, keywords.held(kind=name)) for name in KINDS]
    if model is not None:
        indexed += [("vectors", name, vectors.held(kind=name, model=model.identity)) for name in KINDS]
    findings = []
    for index, name, held in indexed:
        wanted = _ids(KINDS[name])
        findings.append(
            Finding(
                index=index, kind=name, held=len(held), missing=len(wanted - held), orphaned=len(held - wanted)
            )
        )  # fmt: skip
    return findings


def rebuild(progress: Progress = untold) -> list[Finding]:
    """Index every row anew and embed what is not; recall works meanwhile. Returns what `check` found before."""
    findings, model = check(), embedder()
    for name, kind in KINDS.items():
        wanted = _ids(kind)
        keywords.delete(kind=name, ids=keywords.held(kind=name) - wanted)
        if model is not None:
            vectors.delete(kind=name, ids=vectors.held(kind=name, model=model.identity) - wanted)
        for done, block in enumerate(embeddings.blocks(sorted(wanted), BATCH), 1):
            with transaction.atomic():
                rows = kind.rows().filter(pk__in=block)
                for guild in sorted(set(rows.order_by().values_list("guild", flat=True))):
                    db.lock_guild(guild)
                keywords.put(kind=name, rows=kind.words(list(rows)))
            progress(f"words of {name}s", min(done * BATCH, len(wanted)), len(wanted))
    if model is None:
        return findings
    for name in KINDS:
        ids = embedded_to.missing(name, model=model.identity).ids
        for done, block in enumerate(embeddings.blocks(ids, embeddings.BATCH), 1):
            embeddings.embed(name, block, model)
            progress(f"embeddings of {name}s", min(done * embeddings.BATCH, len(ids)), len(ids))
        vectors.rebuild(kind=name, model=model.identity)
    return findings


def follow_names(limit: int) -> int:
    """Index up to `limit` rows of renamed members anew, with the names that they have now; return how many.

    For the background. It goes on where it stopped; who is renamed meanwhile is begun again.
    """
    done = 0
    for member in Member.objects.filter(indexed_to__isnull=False).order_by("pk")[:limit]:
        while done < limit and member.indexed_to is not None:
            done += _reindex_next(member)
        if done >= limit:
            break
    return done


@transaction.atomic
@in_its_guild
def _reindex_next(member: Member) -> int:
    """Index the next block of a member's messages anew, before the first what else has their name; return how many."""
    db.lock_guild(member.guild_id)
    facts = list(active_facts().filter(subject=member)) if member.indexed_to == 0 else []
    writing.index_facts(facts)
    if member.indexed_to == 0:  # a summary of the rules begins with the name
        named = Profile.objects.filter(member=member).exclude(entries__written_by=ProfileEntry.WrittenBy.MODEL)
        lost_sources.refresh_summaries(named.values_list("pk", flat=True))
    messages = human_messages().filter(author=member, pk__gt=member.indexed_to or 0).order_by("pk")
    block = list(messages[:BATCH])
    writing.index_messages(block, reworded=False)
    reached = block[-1].pk if len(block) == BATCH else None
    still_named = Member.objects.filter(pk=member.pk, label=member.label)
    still_named.filter(indexed_to=member.indexed_to).update(indexed_to=reached)
    member.refresh_from_db()
    return max(1, len(facts) + len(block))


def _ids(kind: Kind) -> set[int]:
    return set(kind.rows().order_by().values_list("pk", flat=True))
