"""Measures recall on conversations with known answers: import, digest, ask, look whether the evidence is there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory import indexing, pipeline
from memory.locomo import ADVERSARIAL, Conversation, GoldFact, Question
from memory.measures import DEPTHS, SAME_WORDS, Scores, Tally, retrieval, word_f1
from memory.models import Fact
from memory.recall import KINDS, Memory, recall
from memoryhub.ai import embedder
from notes.incoming import IncomingMessage
from profiles.identity import find_guild
from profiles.models import Guild

ALL = "all"  # every category but the adversarial one
LATER = timedelta(days=1)
BATCH = 500
KINDS_OF = {"messages": ("message",), "facts": ("fact",), "notes": ("note",), "everything": KINDS}
BASELINE = "bm25_messages"
UNITS = (*KINDS_OF, BASELINE)

Progress = Callable[[str, int, int], None]
Ask = Callable[[str], Sequence[Collection[str]]]


@dataclass(frozen=True)
class World:
    """A conversation as it was imported, and the moment at which questions are asked."""

    conversation: Conversation
    guild: Guild
    now: datetime


def load(conversation: Conversation, *, progress: Progress) -> World:
    """Import a conversation as its own guild through the pipeline, and digest it."""
    messages, now = conversation.messages, conversation.messages[-1].sent_at + LATER
    for start in range(0, len(messages), BATCH):
        pipeline.receive_many(messages[start : start + BATCH], guild=conversation.guild, now=now)
        progress(f"{conversation.name}: messages", min(start + BATCH, len(messages)), len(messages))
    guild = find_guild(conversation.guild.key)
    total = guild.buffers.count()
    done = iter(range(1, total + 1))
    pipeline.digest(
        guild, now=now, progress=lambda _buffer: progress(f"{conversation.name}: digest", next(done, total), total)
    )
    indexing.embed_missing(len(messages) * 2)
    return World(conversation, guild, now)


def score(worlds: Sequence[World], *, units: Iterable[str], progress: Progress) -> dict[str, dict[str, Scores]]:
    """Return the measures by unit and category; "all" is every category with an answer."""
    tallies = {unit: Tally() for unit in units}
    total, done = sum(len(world.conversation.questions) for world in worlds), 0
    for world in worlds:
        asks = {unit: _asker(unit, world) for unit in tallies}
        for question in world.conversation.questions:
            for unit, tally in tallies.items():
                wanted = _evidence(unit, question.evidence, world)
                tally.add(categories(question), retrieval(asks[unit](question.text), wanted))
            progress("questions", done := done + 1, total)
    return {unit: tally.means() for unit, tally in tallies.items()}


def categories(question: Question) -> list[str]:
    """Return under which names a question counts."""
    return [question.name] if question.category == ADVERSARIAL else [question.name, ALL]


def _asker(unit: str, world: World) -> Ask:
    if unit == BASELINE:
        return _bm25(world.conversation.messages)

    def ask(question: str) -> list[Collection[str]]:
        found = recall(world.guild, question=question, now=world.now, limit=max(DEPTHS), kinds=KINDS_OF[unit])
        return [_evidence(unit, _cited(memory), world) for memory in found]

    return ask


def _cited(memory: Memory) -> set[str]:
    return {source.message_id for source in memory.sources if source.message_id}


def _evidence(unit: str, messages: Iterable[str], world: World) -> Collection[str]:
    """Return what counts as found: messages; for notes the sessions that they tell of."""
    if unit != "notes":
        return set(messages)
    return {str(world.conversation.sessions[each]) for each in messages}


def _bm25(messages: Sequence[IncomingMessage]) -> Ask:
    """Return the baseline: BM25 over "author: text", without stemming, stop words or the message before."""
    import bm25s

    texts = [f"{message.author.name}: {message.text}" for message in messages]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
    depth = min(max(DEPTHS), len(messages))

    def ask(question: str) -> list[Collection[str]]:
        asked = bm25s.tokenize(question, stopwords=None, show_progress=False)
        places, _ = index.retrieve(asked, k=depth, show_progress=False)
        return [{messages[place].message_id} for place in places[0]]

    return ask


# --- What extraction learnt, beside what a careful reader did ------------------------------------------------------


def extraction(worlds: Sequence[World]) -> Scores:
    """Return the share of gold facts found, the share of our facts that match one, and how many there are of each.

    Two facts match that cite a message in common and say the same: by words, or by meaning as near as the embedder's
    threshold for facts about the same thing.
    """
    found = matching = gold = ours = 0
    for world in worlds:
        theirs, learnt = world.conversation.facts, _learnt(world)
        alike = list(_matches(theirs, learnt))
        found += len({first for first, _ in alike})
        matching += len({second for _, second in alike})
        gold, ours = gold + len(theirs), ours + len(learnt)
    return {
        "gold": gold, "extracted": ours, "gold found": round(found / max(1, gold), 4),
        "extracted matching gold": round(matching / max(1, ours), 4),
    }  # fmt: skip


def _learnt(world: World) -> list[GoldFact]:
    facts = Fact.objects.of(world.guild).select_related("subject").prefetch_related("evidence__message")
    return [
        GoldFact(
            text=f"{fact.subject or ''} {fact.text}",
            evidence=frozenset(each.message.platform_id for each in fact.evidence.all() if each.message),
        )
        for fact in facts
    ]


def _matches(gold: Sequence[GoldFact], ours: Sequence[GoldFact]) -> Iterator[tuple[int, int]]:
    """Yield the places of facts that match."""
    pairs = [
        (a, b) for a, first in enumerate(gold) for b, second in enumerate(ours) if first.evidence & second.evidence
    ]
    alike = _alike([gold[a].text for a, _ in pairs], [ours[b].text for _, b in pairs])
    return (pair for pair, same in zip(pairs, alike, strict=True) if same)


def _alike(first: Sequence[str], second: Sequence[str]) -> list[bool]:
    by_words = [word_f1(one, other) >= SAME_WORDS for one, other in zip(first, second, strict=True)]
    model = embedder()
    if model is None or not first:
        return by_words
    cosines = (model.passages(first) * model.passages(second)).sum(axis=1)
    return [words or bool(cosine >= model.thresholds.same) for words, cosine in zip(by_words, cosines, strict=True)]
