"""Which of what recall found answers a question, if any of it does: the gate before which nothing is answered.

Knows no database. How often it is right, with the curve, stands in docs/evaluation.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memory.answers.strangers import naming_those_asked_about
from memory.recall.ranking import ENOUGH_WORDS
from memory.recall.results import Memory
from memory.recall.word_overlap import found_in, name_stems
from memoryhub.ai import ModelFailed, embedder
from memoryhub.ai.embedding.directions import general
from memoryhub.language import stems

MARGIN = 0.095
"""By how much the best line of those asked about is ahead of the best of anybody else, in recall's score.

Where somebody else's line is about as good, the question takes for theirs what was another's. Of the score, about .065
is owed to the name alone. Where several others speak of it, one of them is near by chance: it is shared among them.
"""
TOLD = 0.6
"""The share of a question's words, but the names, that a statement has which answers whatever others said of it."""
TOLD_OF_THE_WORLD = 0.75
"""The same of a question of the world at large that names nobody."""
LIKE, LIKE_WITH_HALF, LIKE_ALONE = 0.55, 0.45, 0.6
"""The likeness in meaning, as recall scores it, that makes up for words where a question names nobody.

One word may be shared by chance, even if it is half of the question; none at all asks for more.
"""
LIKE_OF_SOMEBODY = 0.75
"""The same where it names somebody whose lines have none of its other words: all told of them is a little like it."""
NEAR = 0.2
"""How far below the best line one is that still belongs to the answer, in recall's score."""


def passing(
    memories: Sequence[Memory], *, question: str, named: Collection[str], margin: float = MARGIN
) -> list[Memory]:
    """Return the memories that answer, best first; none where nothing does.

    `memories` are recall's, also those that fail its own gate. `named` are the members asked about, by the platform's
    id: what is told of them, or what they said, answers, if it does so better than what others said. Of a question
    that names nobody, what has enough of its words does, two at least of several, or is near in meaning; of one that
    is of the world at large only what has nearly all of them: something is always a little like it. Of somebody who is
    no member only what names them answers, nor does a message whose facts hold no longer.
    """
    naming = naming_those_asked_about(question, memories)
    if not naming:
        return []
    if named:
        found = _of_those_asked_about(memories, question, named, margin)
    elif _is_general(question):
        found = [memory for memory in naming if _tells_of_the_world(question, memory)]
    else:
        found = [memory for memory in naming if _tells(question, memory)]
    found = [memory for memory in found if memory.gate and not memory.scores.get("outdated")]
    return [memory for memory in found if memory.score >= found[0].score - NEAR]


def _of_those_asked_about(
    memories: Sequence[Memory], question: str, named: Collection[str], margin: float
) -> list[Memory]:
    """Return what is of them, if they have the better of it; notes, which are of several, are not weighed."""
    of_somebody = [memory for memory in memories if memory.kind != "note"]
    own = [memory for memory in of_somebody if memory.member_id in named]
    others = [memory for memory in of_somebody if memory.member_id not in named]
    wanted = stems(question).difference(*(name_stems(memory.member or "") for memory in own))
    if not any(_is_about(wanted, memory) for memory in own):
        return []
    ahead = max((each.score for each in own), default=0.0) - max((each.score for each in others), default=0.0)
    if ahead >= margin / max(1, len({memory.member_id for memory in others})):
        return own
    told = _most_told(wanted, own)
    return own if told >= TOLD and told >= _most_told(wanted, others) else []


def _is_about(wanted: frozenset[str], memory: Memory) -> bool:
    """Say if a memory of somebody asked about has any of the words, or meaning enough for all of them."""
    return not wanted or bool(found_in(wanted, memory.text)) or memory.scores.get("semantic", 0.0) >= LIKE_OF_SOMEBODY


def _most_told(wanted: frozenset[str], memories: Iterable[Memory]) -> float:
    """Return the greatest share of the words that one of the statements has; a question states nothing."""
    texts = (memory.text for memory in memories if not memory.text.rstrip().endswith("?"))
    return max((len(found_in(wanted, text)) / len(wanted) for text in texts), default=0.0) if wanted else 0.0


def _is_general(question: str) -> bool:
    """Say if a question is of the world at large, as far as the embedder knows; without one none is."""
    model = embedder()
    direction = general(model.identity) if model else None
    if model is None or direction is None:
        return False
    try:
        return direction.has(model.query(question))
    except ModelFailed:
        return False


def _tells_of_the_world(question: str, memory: Memory) -> bool:
    """Say if a statement has most of the question's words; a note has many words, and a question states nothing."""
    wanted, told = _told_of(question, memory)
    states = memory.kind != "note" and not memory.text.rstrip().endswith("?")
    return states and len(told) > 1 and len(told) >= TOLD_OF_THE_WORLD * len(wanted)


def _told_of(question: str, memory: Memory) -> tuple[frozenset[str], frozenset[str]]:
    """Return the question's words, without the name of the one whose the memory is, and those that it has."""
    wanted = stems(question) - name_stems(memory.member or "")
    return wanted, found_in(wanted, f"{memory.member or ''} {memory.text}")


def _tells(question: str, memory: Memory) -> bool:
    """Say if a memory has enough of the question's words, or meaning for those that it lacks; names are no words."""
    wanted, told = _told_of(question, memory)
    half = bool(wanted) and len(told) >= ENOUGH_WORDS * len(wanted)
    if half and (len(told) > 1 or told == wanted):
        return True
    least = LIKE_WITH_HALF if half else LIKE if told else LIKE_ALONE
    return memory.scores.get("semantic", 0.0) >= least
