"""Compares the facts learnt and the notes written with what a careful reader learnt and wrote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import compress

from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.lab.evaluation.locomo import GoldFact
from memory.lab.evaluation.measures import SAME_WORDS, Scores, rouge_l, word_f1
from memory.models import Fact
from memoryhub.ai import embedder
from notes.models import InteractionNote


def extraction(worlds: Sequence[LoadedGuild]) -> Scores:
    """Return how many gold facts there are and how many were found, how many were learnt and how many match none.

    Two facts match that cite a message in common and say the same: by words, or by meaning as near as the embedder's
    threshold for facts about the same thing.
    """
    found = matching = gold = ours = 0
    for world in worlds:
        theirs, learnt = world.conversation.facts, _learnt_facts(world)
        pairs = [
            (a, b) for a, first in enumerate(theirs) for b, second in enumerate(learnt)
            if first.evidence & second.evidence
        ]  # fmt: skip
        same = say_the_same([theirs[a].text for a, _ in pairs], [learnt[b].text for _, b in pairs])
        alike = list(compress(pairs, same))
        found += len({a for a, _ in alike})
        matching += len({b for _, b in alike})
        gold, ours = gold + len(theirs), ours + len(learnt)
    return {
        "gold": gold, "extracted": ours, "gold found": round(found / max(1, gold), 4),
        "extracted matching gold": round(matching / max(1, ours), 4), "extracted matching none": ours - matching,
    }  # fmt: skip


def _learnt_facts(world: LoadedGuild) -> list[GoldFact]:
    facts = Fact.objects.of(world.guild).select_related("subject").prefetch_related("evidence__message")
    return [
        GoldFact(
            text=f"{fact.subject or ''} {fact.text}",
            evidence=frozenset(each.message.platform_id for each in fact.evidence.all() if each.message),
        )
        for fact in facts
    ]


def say_the_same(first: Sequence[str], second: Sequence[str]) -> list[bool]:
    """Tell of each pair of texts whether they say the same, by words or by meaning."""
    by_words = [word_f1(one, other) >= SAME_WORDS for one, other in zip(first, second, strict=True)]
    model = embedder()
    if model is None or not first:
        return by_words
    cosines = (model.passages(first) * model.passages(second)).sum(axis=1)
    return [words or bool(cosine >= model.thresholds.same) for words, cosine in zip(by_words, cosines, strict=True)]


def summaries(worlds: Sequence[LoadedGuild]) -> Scores:
    """Return the mean ROUGE-L (F1) of the conversation notes of a session against its summary; none written is 0."""
    scores = []
    for world in worlds:
        written = defaultdict(list)
        rows = InteractionNote.objects.of(world.guild).filter(kind=InteractionNote.Kind.CONVERSATION)
        for note in rows.order_by("ended_at", "pk").prefetch_related("messages"):
            for session in {world.conversation.sessions[message.platform_id] for message in note.messages.all()}:
                written[session].append(note.summary)
        for session, summary in world.conversation.summaries.items():
            scores.append(rouge_l("\n".join(written[session]), summary))
    return {"n": len(scores), "rouge_l": round(sum(scores) / max(1, len(scores)), 4)}
