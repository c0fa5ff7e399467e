"""Which notes a turn is told: those that pass the gate, else a few that are not quite as near, else none (seed 001)."""

from __future__ import annotations

from memory.recall.ranking import SOME_WORDS, Ranked
from memory.recall.retrieval import Probe
from memory.recall.search import Found, Inquiry

NOTES, FURTHER_NOTES = 5, 3  # seed 001


def notes_for(inquiry: Inquiry) -> list[Found]:
    """Return up to five notes that answer, else up to three that share words with the question, else none.

    What is near belongs to the embedding model. The channel only decides between notes that are about as good: were it
    put first, a busy channel would hide a closer note elsewhere.
    """
    near, far = inquiry.sift("note", NOTES)
    return near or [each for each in far if _may_be_meant(each[1], inquiry.probe)][:FURTHER_NOTES]


def _may_be_meant(ranked: Ranked, asked: Probe) -> bool:
    covered, cosine = ranked.parts.get("covered", 0.0), ranked.candidate.semantic
    if cosine is None or asked.thresholds is None:
        return covered >= SOME_WORDS
    return covered > 0 and cosine >= asked.thresholds.distant
