"""Asks the questions of every unit of memory and of the baselines, and looks where the evidence stands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from memory.lab.evaluation.baselines import BASELINES, Ask
from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.lab.evaluation.locomo import ADVERSARIAL, Question
from memory.lab.evaluation.measures import DEPTHS, Scores, Tally, retrieval
from memory.lab.evaluation.peers.asking import PEERS
from memory.recall import ranking
from memory.recall.results import Memory
from memory.recall.retrieval import KINDS
from memory.recall.search import recall
from memoryhub.common.long_work import Progress

ALL = "all"  # every category but the adversarial one
KINDS_OF = {"messages": ("message",), "facts": ("fact",), "notes": ("note",), "everything": KINDS}
UNITS = (*KINDS_OF, *BASELINES, *PEERS)


def score(
    worlds: Sequence[LoadedGuild], *, units: Iterable[str], progress: Progress, preset: str = ranking.DEFAULT,
    by_world: bool = False, asks: Callable[[LoadedGuild], Mapping[str, Ask]] | None = None,
) -> dict[str, dict[str, Scores]]:  # fmt: skip
    """Return the measures by unit and category; "all" is every category with an answer; `preset` names the ranking.

    With `by_world` each conversation counts under its name, too. Questions without evidence are not counted. `asks`
    are made already by whoever asks more.
    """
    tallies = {unit: Tally() for unit in units}
    total, done = sum(len(world.conversation.questions) for world in worlds), 0
    for world in worlds:
        ways = asks(world) if asks else ways_to_ask(world, units=tallies, progress=progress, preset=preset)
        for question in world.conversation.questions:
            names = [*categories(question), *([world.conversation.name] if by_world else [])]
            for unit, tally in tallies.items() if question.evidence else ():
                wanted = _evidence(unit, question.evidence, world)
                tally.add(names, retrieval(ways[unit](question.text), wanted))
            progress("questions", done := done + 1, total)
    return {unit: tally.means() for unit, tally in tallies.items()}


def ways_to_ask(
    world: LoadedGuild, *, units: Iterable[str], progress: Progress, preset: str = ranking.DEFAULT
) -> dict[str, Ask]:
    """Return how each unit of memory, baseline and peer is asked; a peer that is missing raises PeerMissing."""
    others: dict[str, Callable[[LoadedGuild, Progress], Ask]] = {**BASELINES, **PEERS}
    return {unit: others[unit](world, progress) if unit in others else _ask(unit, world, preset) for unit in units}


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
