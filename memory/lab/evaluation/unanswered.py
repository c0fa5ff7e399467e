"""Measures when memory answers and when it says that it does not know, over how strict the gate is."""

from __future__ import annotations

from collections.abc import Sequence

from memory.answers.answer_gate import MARGIN, passing
from memory.answers.people_asked_about import asked_about
from memory.answers.schemas import MOST_SENTENCES
from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.lab.evaluation.locomo import ADVERSARIAL, Question
from memory.lab.evaluation.measures import Scores, Tally
from memory.lab.evaluation.scoring import cited
from memory.recall.common_scale import for_weighing
from memory.recall.results import Memory
from memory.recall.search import MOST, recall
from memoryhub.common.long_work import Progress

MARGINS = (0.0, 0.03, 0.06, 0.08, MARGIN, 0.12, 0.15, 0.2)


def refusals(worlds: Sequence[LoadedGuild], *, progress: Progress) -> dict[str, dict[str, Scores]]:
    """Return, by measure and the gate's margin, a share and of how many.

    "refused" are questions that have no answer, "answered" those that have one, "could answer" those of which recall
    found a message that holds the answer; "with its source" are answers that cite such a message.
    """
    tallies: dict[str, Tally] = {}
    total, done = sum(len(world.conversation.questions) for world in worlds), 0
    for world in worlds:
        for question in world.conversation.questions:
            found = recall(world.guild, question=question.text, now=world.now, limit=MOST, scale=for_weighing)
            named = asked_about(world.guild, question.text, found, asker=None)
            for margin in MARGINS:
                answers = passing(found, question=question.text, named=named, margin=margin)
                for measure, share in _measures(question, found, answers).items():
                    tallies.setdefault(measure, Tally()).add([f"{margin:.2f}"], {"share": share})
            progress("answers", done := done + 1, total)
    return {measure: tally.means() for measure, tally in tallies.items()}


def _measures(question: Question, found: Sequence[Memory], answers: Sequence[Memory]) -> dict[str, float]:
    if question.category == ADVERSARIAL or not question.evidence:
        return {"refused": float(not answers)}
    scores = {"answered": float(bool(answers))}
    if any(question.evidence & cited(memory) for memory in found if memory.kind != "note"):
        scores["could answer"] = float(bool(answers))
    if answers:
        scores["with its source"] = float(any(question.evidence & cited(memory) for memory in answers[:MOST_SENTENCES]))
    return scores
