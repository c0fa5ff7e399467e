"""Times adds to members with few and with many facts, of made-up words and of one shape; hub and floor take turns."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from memory.lab.bench.benchmark_guild import NOW, FakeEmbedder, learn, sentence
from memory.lab.bench.calls import ADD, FLOOR, Question, call_for
from memory.lab.bench.timing import Run, Timing, measured, timing
from memoryhub import db
from memoryhub.common.long_work import Progress
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.search import vectors
from notes.models import Message

KNOWN = (10, 100, 1_000)  # facts of a member
MEMBERS = 20
TURNS, ADDS = 6, 20  # so many turns of so many adds each, after one that is not counted
Sentence = Callable[[random.Random], str]


def made_up(chance: random.Random) -> str:
    """Return seven words that few other facts have."""
    return sentence(chance, 7)


def one_shape(chance: random.Random) -> str:
    """Return a sentence of which three words and a number differ: each has to be compared with all of the others."""
    who, where, what = sentence(chance, 3).lower().rstrip(".").split()
    hours = chance.randint(2, 90)
    return f"Went with {who} to the {where} near the old harbour and talked about {what} for {hours} hours."


KINDS: dict[str, Sentence] = {"made-up words": made_up, "facts of one shape": one_shape}


def member_timings(progress: Progress) -> list[Timing]:
    """Time adds to twenty members of each kind and size, beside the floor where there is one."""
    guild = Guild.objects.create(key="bench:members", name="Members", facts_a_member=2 * KNOWN[-1])
    channel, chance, timings = Channel.objects.create(guild=guild, platform_id="c1"), random.Random(1), []  # noqa: S311
    worlds = [(kind, known) for known in KNOWN for kind in KINDS]
    for done, (kind, known) in enumerate(worlds):
        progress("members", done, len(worlds))
        members = [Member.objects.create(guild=guild, platform_id=f"{kind} {known} {n}") for n in range(MEMBERS)]
        for member in members:
            _know(channel, member, [KINDS[kind](chance) for _ in range(known)])
        vectors.tend(kind="fact", model=FakeEmbedder.identity)
        new = [(KINDS[kind](chance), chance.choice(members)) for _ in range(2 * (TURNS + 1) * ADDS)]
        timings += _in_turns(guild, f", {kind}, {known} known", new)
    progress("members", len(worlds), len(worlds))
    return timings


def _know(channel: Channel, member: Member, texts: Sequence[str]) -> None:
    said = (
        Message(
            guild_id=channel.guild_id, channel=channel, author=member, platform_id=f"{member.pk}-{number}", text=text,
            sent_at=NOW, processed_at=NOW,
        )
        for number, text in enumerate(dict.fromkeys(texts))
    )  # fmt: skip
    learn(Message.objects.bulk_create(said))


def _in_turns(guild: Guild, of: str, new: Sequence[Question]) -> list[Timing]:
    """Let the hub and the floor add twenty each, again and again: other load on the machine touches both alike."""
    whats = [ADD] if not db.files() else [ADD, FLOOR + ADD]  # the floor opens the file itself
    calls, left = {what: call_for(what, guild) for what in whats}, list(new)
    runs: dict[str, list[Run]] = {what: [] for what in whats}
    for _ in range(TURNS + 1):
        for what in whats:
            runs[what].append(measured(calls[what], left[:ADDS]))
            del left[:ADDS]
    return [timing(what + of, [_together(runs[what][1:])]) for what in whats]


def _together(runs: Sequence[Run]) -> Run:
    took = sum(run.end - run.start for run in runs)
    walls = [wall for run in runs for wall in run.walls]
    return Run(walls=walls, cpu=sum(run.cpu for run in runs), start=0, end=took, memory=runs[-1].memory)
