"""The searches that hurt, hub and floor in turns: words that all facts have, members with many facts, many guilds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import log
from typing import Any

from django.db import connection

from memory.lab.bench.benchmark_guild import FakeEmbedder, fill, sentence
from memory.lab.bench.calls import FLOOR, Question, call_for
from memory.lab.bench.timing import measured
from memoryhub import db
from memoryhub.common.long_work import Progress
from memoryhub.community.models import Guild, Member
from memoryhub.search import vectors

# Words that every fact has, as talk of one thing has them.
COMMON = "harbour weather morning people talking about coffee market evening"
WARM_UP, ROUNDS, CALLS = 10, 5, 20  # each round has so many calls of the hub, and then of the floor

# The first members of a hard guild have so many facts; the others share the rest.
FACTS_OF = (10, 100, 1_000)
MEMBER, WHOLE = "search of a member", "search guild-wide"


@dataclass(frozen=True, slots=True, kw_only=True)
class HardCase:
    """What is asked: the call, how many words, and of a member with how many facts (0: of all)."""

    name: str
    call: str
    words: int
    facts_of: int = 0


CASES = (
    *(HardCase(name=f"member of {of:,}, 17 words", call=MEMBER, words=17, facts_of=of) for of in FACTS_OF),
    HardCase(name="member of 100, 5 rare words", call=MEMBER, words=5, facts_of=100),
    HardCase(name="guild-wide, 17 words", call=WHOLE, words=17),
    HardCase(name="guild-wide, 5 rare words", call=WHOLE, words=5),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one call of a case takes: milliseconds of the processor, of the floor's for the same, and statements."""

    case: str
    facts: int
    cpu: float
    floor: float | None
    statements: int

    @property
    def ratio(self) -> float | None:
        """Return how many times the floor it takes."""
        return round(self.cpu / self.floor, 2) if self.floor else None


def hard_cases(size: int, progress: Progress) -> list[Cost]:
    """Fill a guild of so many facts that share words, and ask it all that hurts."""
    guild = fill(size, progress=progress, key=f"bench:hard:{size}", say=say, author=author).guild
    for kind in ("fact", "message", "note"):
        vectors.tend(kind=kind, model=FakeEmbedder.identity)
    costs = []
    for done, case in enumerate(cases := [case for case in CASES if 2 * case.facts_of < size]):
        progress(f"{size} facts: hard cases", done, len(cases))
        costs.append(cost_of(case, guild, size))
    progress(f"{size} facts: hard cases", len(cases), len(cases))
    return costs


def cost_of(case: HardCase, guild: Guild, size: int) -> Cost:
    """Ask questions of a case, hub and floor in turns."""
    members = list(Member.objects.of(guild).order_by("pk"))
    member = members[FACTS_OF.index(case.facts_of)] if case.facts_of else members[-1]
    chance = random.Random(case.name)  # noqa: S311
    asked = [(question(chance, case.words), member) for _ in range(WARM_UP + ROUNDS * CALLS)]
    names = [case.call, FLOOR + case.call] if db.files() else [case.call]  # the floor opens the file itself
    spent = in_turns({name: call_for(name, guild) for name in names}, asked)
    with counted() as statements:
        call_for(case.call, guild)(asked[0])
    return Cost(
        case=case.name, facts=size, cpu=spent[case.call], floor=spent.get(FLOOR + case.call), statements=len(statements)
    )  # fmt: skip


def in_turns(calls: Mapping[str, Callable[[Question], object]], asked: Sequence[Question]) -> dict[str, float]:
    """Return the processor's milliseconds a call, called with the same in rounds: other load touches all alike."""
    spent = dict.fromkeys(calls, 0.0)
    for call in calls.values():
        measured(call, asked[:WARM_UP])
    rest = asked[WARM_UP:]
    for start in range(0, len(rest), CALLS):
        for name, call in calls.items():
            spent[name] += measured(call, rest[start : start + CALLS]).cpu
    return {name: round(each / len(rest), 3) for name, each in spent.items()}


@contextmanager
def counted() -> Iterator[list[str]]:
    """Collect the statements that are run."""
    kept: list[str] = []

    def keep(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001
        kept.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(keep):
        yield kept


def growth(costs: Sequence[Cost]) -> dict[str, float]:
    """Return, by case, the exponent by which its time grows with the facts: 0 is flat, 1 is in step with them."""
    by_case: dict[str, list[Cost]] = {}
    for cost in sorted(costs, key=lambda each: each.facts):
        by_case.setdefault(cost.case, []).append(cost)
    return {
        case: round(log(some[-1].cpu / some[0].cpu) / log(some[-1].facts / some[0].facts), 2)
        for case, some in by_case.items()
        if some[-1].facts > some[0].facts
    }


def many_guilds(few: int, many: int, each: int, progress: Progress) -> list[Cost]:
    """Ask one guild of so many facts, first among few guilds and then among many."""
    costs, guilds = [], list[Guild]()
    for count in (few, many):
        while len(guilds) < count:
            key, seats = f"bench:one of many:{len(guilds)}", max(len(FACTS_OF), each // 10)
            guilds.append(fill(each, progress=lambda *_: None, key=key, members_count=seats, say=say).guild)
            progress(f"{many} guilds", len(guilds), many)
        of_member = HardCase(name=f"member, among {count:,} guilds", call=MEMBER, words=17, facts_of=FACTS_OF[0])
        of_guild = HardCase(name=f"guild-wide, among {count:,} guilds", call=WHOLE, words=17)
        costs += [cost_of(of_member, guilds[0], each), cost_of(of_guild, guilds[0], each)]
    return costs


def say(chance: random.Random) -> str:
    """Return a fact of which half of the words are everybody's."""
    return f"{sentence(chance)[:-1]} {COMMON}."


def question(chance: random.Random, words: int) -> str:
    """Return so many words to ask for, nine of them those that all facts have where there is room for them."""
    common = COMMON if words > len(COMMON.split()) else ""
    return f"{sentence(chance, words - len(common.split()))[:-1]} {common}"


def author(number: int, members: int) -> int:
    """Return which member says a sentence: the first ones a given number, the others in turn."""
    start = 0
    for place, facts in enumerate(FACTS_OF):
        if number < start + facts:
            return place
        start += facts
    return len(FACTS_OF) + number % (members - len(FACTS_OF))
