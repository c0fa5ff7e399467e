"""Which of the messages that recall finds a context tells, and in which order; reads nothing."""

from __future__ import annotations

from collections.abc import Sequence

from memory.recall.search import Result, Search
from memory.recall.word_overlap import question_stems
from memoryhub.community.models import Channel

MESSAGES_HERE, OWN = 8, 3  # as many of the channel itself stand among the first, at least each third one
# How near one message must be for all that are nearer than `UNLIKE` to be told, in parts of what lies between an
# embedder's floor and ceiling: a question about nothing here comes no nearer.
ABOUT, UNLIKE = 0.35, 0.1


def worth_telling(results: Sequence[Result], search: Search) -> list[Result]:
    """Return the messages that share words with the question, and those that are nearer to it than unrelated ones.

    The latter if one of all is about it: a guild's answers are seldom in the words of their questions, nor as near as
    facts are, so that one by one most would fail. A text that says nothing by itself ("ok") finds what is about it.
    """
    thresholds, asks = search.query.thresholds, bool(question_stems(search.query.text))
    with_words = [result for result in results if result[1].candidate.words > 0]
    if thresholds is None:
        return with_words
    nearest = max((result[1].candidate.semantic or 0.0 for result in results), default=0.0)
    span = thresholds.ceiling - thresholds.floor
    least = thresholds.related
    if asks and (with_words or nearest >= thresholds.floor + ABOUT * span):
        least = thresholds.floor + UNLIKE * span
    return [each for each in results if each[1].candidate.words > 0 or (each[1].candidate.semantic or 0.0) > least]


def own_among(results: Sequence[Result], channel: Channel | None) -> list[Result]:
    """Return the same, best first, but at least each third of the first ones from the channel itself."""
    own = [result for result in results if channel and result[0].channel_id == channel.pk][:MESSAGES_HERE]
    ordered = dict[int, Result]()
    for result in results:
        if len(ordered) % OWN == OWN - 1 and (left := [each for each in own if each[0].pk not in ordered]):
            ordered[left[0][0].pk] = left[0]
        ordered.setdefault(result[0].pk, result)
    return list(ordered.values())
