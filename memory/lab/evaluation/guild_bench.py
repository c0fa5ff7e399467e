"""Guild-Bench: what a store of memory makes of a guild's chat, counted beside baselines and peers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Sum

from memory.context.budget import tokens
from memory.context.builder import Turn, build
from memory.lab.evaluation.baselines import Ask
from memory.lab.evaluation.forgetting import leftovers
from memory.lab.evaluation.gold_facts import say_the_same
from memory.lab.evaluation.guild import GuildChat
from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.lab.evaluation.measures import Scores
from memory.lab.evaluation.scoring import KINDS_OF, cited
from memory.lab.evaluation.updates import outcomes, replaced
from memory.models import Fact, ModelCall
from memory.recall.retrieval import KINDS
from memory.recall.search import recall
from memoryhub.ai import embedder
from memoryhub.common.long_work import Progress
from memoryhub.community.days import day_of
from memoryhub.community.models import Channel, Member
from notes.models import Arrangement, InteractionNote

FIRST = 10  # answers that are read
OURS = "memoryhub"
CONTEXT = 1_000  # tokens of the context that is looked through for what is private

Counts = Counter[str]
Answers = Mapping[str, Ask]


@dataclass
class Bench:
    """Counts by system, summed over guilds; `measures` makes shares of them."""

    counts: dict[str, Counts] = field(default_factory=dict)

    def add(self, world: LoadedGuild, asks: Answers, *, progress: Progress) -> None:
        """Measure one loaded guild; at the end its deletions are carried out, so this comes last."""
        chat = world.conversation
        assert isinstance(chat, GuildChat)
        ours = self.counts.setdefault(OURS, Counter())
        if chat.facts:  # else nobody said what is worth keeping
            ours.update(_learnt(world, chat))
        ours.update(_changed(world, chat))
        if chat.arranged:
            ours.update(_arranged(world, chat))
        ours.update(_kept_to_itself(world, chat))
        ours.update(_silent(world, chat))
        ours.update(_cost(world, chat))
        for unit, ask in asks.items():
            if unit not in KINDS_OF:
                self.counts.setdefault(unit, Counter()).update(_of_other(ask, chat))
        ours.update(leftovers(world, chat.deletions, progress=progress))

    def measures(self) -> dict[str, Scores]:
        """Return by system each measure that was taken of it: shares of what was counted, and sums."""
        return {system: dict(_shares(counts)) for system, counts in self.counts.items()}


SHARES = {
    "facts found": ("found", "gold"),
    "right person": ("found", "attributed"),
    "traps stored": ("trapped", "traps"),
    "junk stored": ("junk", "stored"),
    "updates: old one learnt": ("old learnt", "updates"),
    "updates: old one ended": ("old ended", "old learnt"),
    "updates: old one decided or planned": ("arranged", "updates"),
    "updates: of these replaced": ("replaced", "arranged"),
    "updates: newer first": ("newer first", "updates"),
    "plans kept": ("plans kept", "plans"),
    "plans: on the right day": ("right days", "days"),
    "decisions kept": ("decisions kept", "decisions"),
    "kept that arranges nothing": ("arranges nothing", "sentences kept"),
    "silent without an answer": ("silent", "unanswerable"),
    "private told elsewhere": ("leaks", "secrets"),
    "left by deletions": ("left", "deleted words"),
    "tokens of ten answers": ("answer tokens", "asked"),
}
"""Each measure with the count that is divided and the count it is divided by."""
SUMS = ("facts stored", "model calls", "model tokens", "texts embedded")


def _shares(counts: Counts) -> Iterator[tuple[str, float]]:
    for name, (part, whole) in SHARES.items():
        if counts[whole]:
            yield name, round(counts[part] / counts[whole], 4)
            yield f"{name}: of", counts[whole]
    for name in SUMS:
        if name in counts:
            yield name, counts[name]


def _learnt(world: LoadedGuild, chat: GuildChat) -> Counts:
    """Count gold facts that were learnt of the right member, traps and junk among what is believed.

    A trap is stored when a believed fact rests on its message and says no gold fact; junk is what is neither.
    """
    facts = list(
        Fact.objects.of(world.guild).select_related("subject").prefetch_related("evidence__message").order_by("pk")
    )
    rests_on = {fact.pk: {each.message.platform_id for each in fact.evidence.all() if each.message} for fact in facts}
    pairs = [(gold, fact) for gold in chat.facts for fact in facts if gold.evidence & rests_on[fact.pk]]
    same = say_the_same([gold.text for gold, _ in pairs], [fact.text for _, fact in pairs])
    alike = [pair for pair, says in zip(pairs, same, strict=True) if says]
    found = {gold for gold, fact in alike if _about(fact) == gold.member}
    wrong = {gold for gold, _ in alike} - found
    good = {fact.pk for gold, fact in alike if _about(fact) == gold.member}
    believed = [fact for fact in facts if fact.status == Fact.Status.ACTIVE]
    others = [rests_on[fact.pk] for fact in believed if fact.pk not in good]
    claimed = frozenset().union(*(trap.evidence for trap in chat.traps))
    return Counter({
        "gold": len(chat.facts), "found": len(found), "attributed": len(found | wrong),
        "traps": len(chat.traps), "trapped": sum(any(trap.evidence & ids for ids in others) for trap in chat.traps),
        "stored": len(believed), "facts stored": len(believed), "junk": sum(not ids & claimed for ids in others),
    })  # fmt: skip


def _about(fact: Fact) -> str:
    return fact.subject.platform_id if fact.subject else ""


def _changed(world: LoadedGuild, chat: GuildChat) -> Counts:
    of_all = outcomes([(world, chat.updates)]).get("all", {})
    number = int(of_all.get("n", 0))
    learnt = round(of_all.get("learnt", 0) * number)
    stands = [each for each in (replaced(world, update) for update in chat.updates) if each is not None]
    return Counter({
        "updates": number, "old learnt": learnt, "old ended": round(of_all.get("inactive", 0) * learnt),
        "arranged": len(stands), "replaced": sum(stands), "newer first": round(of_all.get("newer first", 0) * number),
    })  # fmt: skip


def _arranged(world: LoadedGuild, chat: GuildChat) -> Counts:
    """Count the messages that plan or decide something of which a sentence is kept, and sentences that do neither.

    What a reader was not sure of counts on neither side.
    """
    kept: dict[str, list[Arrangement]] = {}
    for row in Arrangement.objects.of(world.guild).select_related("message"):
        kept.setdefault(row.message.platform_id, []).append(row)
    gold = [each for each in chat.arranged if each.kind != "unsure"]
    decided = [each for each in gold if each.kind == "decided"]
    planned = [each for each in gold if each.kind != "decided"]
    dated = [each for each in planned if each.day and each.kind != "called_off"]
    days = {message: {day_of(world.guild, row.due_at) for row in rows if row.due_at} for message, rows in kept.items()}
    known = {each.message for each in chat.arranged}
    unsure = known - {each.message for each in gold}
    return Counter({
        "plans": len(planned), "plans kept": sum(each.message in kept for each in planned),
        "days": len(dated), "right days": sum(each.day in days.get(each.message, ()) for each in dated),
        "decisions": len(decided), "decisions kept": sum(each.message in kept for each in decided),
        "sentences kept": sum(len(rows) for message, rows in kept.items() if message not in unsure),
        "arranges nothing": sum(len(rows) for message, rows in kept.items() if message not in known),
    })  # fmt: skip


def _kept_to_itself(world: LoadedGuild, chat: GuildChat) -> Counts:
    """Count the private messages' questions that recall or a context answers where they may not be told."""
    channels = {channel.platform_id: channel for channel in Channel.objects.of(world.guild)}
    members, leaks = list(Member.objects.of(world.guild)), 0
    for each in chat.private:
        channel = channels[each.channel]
        told = [*recall(world.guild, question=each.question, now=world.now, channel=channel, limit=FIRST, kinds=KINDS)]
        turn = Turn(
            guild=world.guild, channel=channel, members=members, text=each.question, max_tokens=CONTEXT,
            format="xml", now=world.now,
        )  # fmt: skip
        inside = {source.message_id for source in build(turn).sources}
        leaks += bool(each.secret & inside.union(*map(cited, told)))
    return Counter({"secrets": len(chat.private), "leaks": leaks})


def _silent(world: LoadedGuild, chat: GuildChat) -> Counts:
    """Count the questions without an answer for which nothing passes the gate."""
    asked = [question.text for question in chat.questions if not question.evidence]
    silent = sum(not recall(world.guild, question=each, now=world.now, strict=True) for each in asked)
    return Counter({"unanswerable": len(asked), "silent": silent})


def _cost(world: LoadedGuild, chat: GuildChat) -> Counts:
    calls = ModelCall.objects.filter(guild=world.guild)
    spent = calls.aggregate(into=Sum("tokens_in"), out=Sum("tokens_out"))
    told = 0
    for question in chat.questions:
        found = recall(world.guild, question=question.text, now=world.now, limit=FIRST)
        told += sum(tokens(f"{memory.member or ''}: {memory.text}") for memory in found)
    return Counter({
        "model calls": calls.count(), "model tokens": (spent["into"] or 0) + (spent["out"] or 0),
        "texts embedded": _texts(world), "asked": len(chat.questions), "answer tokens": told,
    })  # fmt: skip


def _texts(world: LoadedGuild) -> int:
    """Return how many texts have an embedding, where there is an embedder: facts, notes and messages."""
    if embedder() is None:
        return 0
    tables = (Fact.objects.of(world.guild).active(), InteractionNote.objects.of(world.guild))
    return sum(rows.count() for rows in tables) + len(world.conversation.messages)


def _of_other(ask: Ask, chat: GuildChat) -> Counts:
    """Count what can be counted of a store that keeps each message as it is: all traps are in it."""
    texts = {message.message_id: f"{message.author.display_name}: {message.text}" for message in chat.messages}
    first = [_first(update.old, update.new, ask(update.question)) for update in chat.updates]
    leaks = sum(bool(each.secret & _ids(ask(each.question)[:FIRST])) for each in chat.private)
    told = sum(tokens(texts[each]) for question in chat.questions for each in _ids(ask(question.text)[:FIRST]))
    unanswerable = [question.text for question in chat.questions if not question.evidence]
    return Counter({
        "traps": len(chat.traps), "trapped": len(chat.traps), "updates": len(first), "newer first": sum(first),
        "secrets": len(chat.private), "leaks": leaks, "asked": len(chat.questions), "answer tokens": told,
        "unanswerable": len(unanswerable), "silent": sum(not ask(each) for each in unanswerable), "model calls": 0,
    })  # fmt: skip


def _ids(answers: Sequence[Collection[str]]) -> set[str]:
    return set().union(*answers)


def _first(old: Collection[str], new: Collection[str], answers: Sequence[Collection[str]]) -> bool:
    """Tell whether an answer bears the new statement before any bears the old one."""
    return next((not set(answer) & set(old) for answer in answers if set(answer) & {*old, *new}), False)
