"""Asks the questions of every unit of memory and of the baselines, and looks where the evidence stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memory.lab.evaluation.baselines import BASELINES, Ask
from memory.lab.evaluation.loaded_guild import LoadedGuild, Progress
from memory.lab.evaluation.locomo import ADVERSARIAL, Question
from memory.lab.evaluation.measures import DEPTHS, Scores, Tally, retrieval
from memory.recall import ranking
from memory.recall.results import Memory
from memory.recall.search import KINDS, recall

ALL = "all"  # every category but the adversarial one
KINDS_OF = {"messages": ("message",), "facts": ("fact",), "notes": ("note",), "everything": KINDS}
UNITS = (*KINDS_OF, *BASELINES)


def score(
    worlds: Sequence[LoadedGuild], *, units: Iterable[str], progress: Progress, preset: str = ranking.DEFAULT
) -> dict[str, dict[str, Scores]]:
    """Return the measures by unit and category; "all" is every category with an answer; `preset` names the ranking."""
    tallies = {unit: Tally() for unit in units}
    total, done = sum(len(world.conversation.questions) for world in worlds), 0
    for world in worlds:
        asks = {
            unit: BASELINES[unit](world, progress) if unit in BASELINES else _ask(unit, world, preset)
            for unit in tallies
        }
        for question in world.conversation.questions:
            for unit, tally in tallies.items():
                wanted = _evidence(unit, question.evidence, world)
                tally.add(categories(question), retrieval(asks[unit](question.text), wanted))
            progress("questions", done := done + 1, total)
    return {unit: tally.means() for unit, tally in tallies.items()}


def categories(question: Question) -> list[str]:
    """Return under which names a question counts."""
    return [question.name] if question.category == ADVERSARIAL else [question.name, ALL]


def _ask(unit: str, world: LoadedGuild, preset: str) -> Ask:
    def ask(question: str) -> list[Collection[str]]:
        kinds = KINDS_OF[unit]
        memories = recall(world.guild, question=question, now=world.now, limit=max(DEPTHS), kinds=kinds, preset=preset)
        return [_evidence(unit, cited(memory), world) for memory in memories]

    return ask


def cited(memory: Memory) -> set[str]:
    """Return the messages that a memory rests on."""
    return {source.message_id for source in memory.sources if source.message_id}


def _evidence(unit: str, messages: Iterable[str], world: LoadedGuild) -> Collection[str]:
    """Return what counts as found: messages; for notes the sessions that they tell of."""
    if unit != "notes":
        return set(messages)
    return {str(world.conversation.sessions[each]) for each in messages}
