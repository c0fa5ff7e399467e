"""Measures what becomes of statements that were updated or contradicted later."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memory.lab.evaluation.beam import ChangingConversation, Update
from memory.lab.evaluation.loaded_guild import LoadedGuild, load
from memory.lab.evaluation.measures import Scores, Tally, word_share
from memory.lab.evaluation.scoring import ALL, cited
from memory.models import Fact
from memory.recall.search import MOST, recall
from memoryhub.ai import embedder
from memoryhub.common.long_work import Progress
from notes.models import Arrangement

ABOUT = 0.3  # share of the question's words from which a fact is about it, whatever the embedder says


def updates(changing: Sequence[ChangingConversation], *, progress: Progress) -> dict[str, Scores]:
    """Return by kind of question, and for all, what share of the outdated statements is no longer active.

    A fact states the old (new) thing if it rests on a message named as evidence of the old (new) statement and is about
    the question: by words, or by a cosine that the embedder counts as related. Counted are `n` questions whose two
    statements stand in different messages; `learnt`, the share of them whose old statement became a fact at all, and
    `new learnt`; `inactive`, of those learnt the share of which no fact is active any more; `marked`, of those
    learnt the share that is active beside a new fact marked as a possible conflict; `newer first`, of all n the share
    where recall of facts and messages gives one of the new statement before any of the old one. Where no old statement
    was learnt, there is no `inactive` and no `marked`.
    """
    loaded = ((load(each.conversation, progress=progress), each.updates) for each in changing)
    return outcomes(loaded)


def outcomes(loaded: Iterable[tuple[LoadedGuild, Sequence[Update]]]) -> dict[str, Scores]:
    """Return what `updates` does, of guilds that are loaded."""
    asked, learnt = Tally(), Tally()
    for world, pairs in loaded:
        for update in pairs:
            old, new = _facts_stating(world, update, update.old), _facts_stating(world, update, update.new)
            names, newer_first = [update.name, ALL], _is_newer_first(world, update)
            asked.add(
                names, {"learnt": float(bool(old)), "new learnt": float(bool(new)), "newer first": float(newer_first)}
            )
            if old:
                active = any(fact.status == Fact.Status.ACTIVE for fact in old)
                marked = active and any(fact.possible_conflict for fact in new)
                learnt.add(names, {"inactive": float(not active), "marked": float(marked)})
    inactive = learnt.means()
    return {name: {**inactive.get(name, {}), **scores} for name, scores in asked.means().items()}


def _facts_stating(world: LoadedGuild, update: Update, messages: Collection[str]) -> list[Fact]:
    """Return the facts that rest on these messages and are about the question."""
    model, found = embedder(), []
    for fact in Fact.objects.of(world.guild).filter(evidence__message__platform_id__in=messages).distinct():
        about = word_share(update.question, fact.text) >= ABOUT
        if not about and model is not None:
            cosine = model.passages([fact.text])[0] @ model.query(update.question)
            about = bool(cosine >= model.thresholds.related)
        if about:
            found.append(fact)
    return found


def replaced(world: LoadedGuild, update: Update) -> bool | None:
    """Tell whether nothing stands any more of what the old messages decided or planned; None where they did neither.

    A plan whose day has passed is none that could stand.
    """
    rows = Arrangement.objects.of(world.guild).shown().filter(message__platform_id__in=update.old)
    rows = rows.exclude(decided=False, due_at__lt=world.now)
    stands = [row.replaced_by or row for row in rows.select_related("message", "replaced_by__message")]
    return all(row.message.platform_id not in update.old for row in stands) if stands else None


def _is_newer_first(world: LoadedGuild, update: Update) -> bool:
    """Tell whether recall gives a memory of the new statement before any of the old one."""
    for memory in recall(world.guild, question=update.question, now=world.now, limit=MOST, kinds=("fact", "message")):
        ids = cited(memory)
        if ids & (update.old | update.new):
            return not ids & update.old
    return False
