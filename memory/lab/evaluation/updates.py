"""Measures what becomes of statements that were updated or contradicted later."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.lab.evaluation.beam import Changing, Update
from memory.lab.evaluation.loaded_guild import Progress, World, load
from memory.lab.evaluation.measures import Scores, Tally, word_share
from memory.lab.evaluation.scoring import ALL, cited
from memory.models import Fact
from memory.recall.search import MOST, recall
from memoryhub.ai import embedder

ABOUT = 0.3  # share of the question's words from which a fact is about it, whatever the embedder says


@dataclass(frozen=True)
class Known:
    """The facts that state the old thing, and those that state the new one."""

    old: Sequence[Fact]
    new: Sequence[Fact]


def updates(changing: Sequence[Changing], *, progress: Progress) -> dict[str, Scores]:
    """Return by kind of question, and for all, what share of the outdated statements is no longer active.

    A fact states the old (new) thing if it rests on a message named as evidence of the old (new) statement and is about
    the question: by words, or by a cosine that the embedder counts as related. Counted are `n` questions whose two
    statements stand in different messages; `learnt`, the share of them whose old statement became a fact at all, and
    `new learnt`; `inactive`, of those learnt the share of which no fact is active any more; `marked`, of those
    learnt the share that is active beside a new fact marked as a possible conflict; `newer first`, of all n the share
    where recall of facts and messages gives one of the new statement before any of the old one. Where no old statement
    was learnt, there is no `inactive` and no `marked`.
    """
    asked, learnt = Tally(), Tally()
    for each in changing:
        world = load(each.conversation, progress=progress)
        for update in each.updates:
            names, known = [update.name, ALL], _known(world, update)
            newer = _newer_first(world, update)
            found = {"learnt": bool(known.old), "new learnt": bool(known.new), "newer first": newer}
            asked.add(names, {name: float(value) for name, value in found.items()})
            if known.old:
                learnt.add(names, _fate(known))
    return _together(asked.means(), learnt.means())


def _known(world: World, update: Update) -> Known:
    return Known(_stating(world, update, update.old), _stating(world, update, update.new))


def _stating(world: World, update: Update, messages: Collection[str]) -> list[Fact]:
    facts = Fact.objects.of(world.guild).filter(evidence__message__platform_id__in=messages).distinct()
    return [fact for fact in facts if _is_about(fact.text, update.question)]


def _is_about(text: str, question: str) -> bool:
    if word_share(question, text) >= ABOUT:
        return True
    model = embedder()
    return model is not None and bool(model.passages([text])[0] @ model.query(question) >= model.thresholds.related)


def _fate(known: Known) -> Scores:
    active = any(fact.status == Fact.Status.ACTIVE for fact in known.old)
    marked = active and any(fact.possible_conflict for fact in known.new)
    return {"inactive": float(not active), "marked": float(marked)}


def _newer_first(world: World, update: Update) -> bool:
    for memory in recall(world.guild, question=update.question, now=world.now, limit=MOST, kinds=("fact", "message")):
        ids = cited(memory)
        if ids & (update.old | update.new):
            return not ids & update.old
    return False


def _together(asked: dict[str, Scores], learnt: dict[str, Scores]) -> dict[str, Scores]:
    return {name: {**learnt.get(name, {}), **scores} for name, scores in asked.items()}
