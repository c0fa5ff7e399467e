"""The load test: many callers at once against the real hub; no call may fail, no message may be lost."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.core.management import call_command

from memory.index import embeddings
from memory.lab.bench.benchmark_guild import fill
from memory.lab.bench.callers import KINDS, Answered, Caller, call_at_once
from memory.lab.bench.live_hub import hub, log_of
from memory.lab.scratch import Scratch
from memoryhub.common.long_work import Progress
from memoryhub.community.models import Guild
from notes.models import Message

EMBEDDED = 1_000_000  # facts and notes; more than are made
ERROR_SIGNS = (" ERROR ", " CRITICAL ", "[CRITICAL]", "[ERROR]", "Traceback")
WARM_UP = 5.0  # seconds in which each process loads what it answers with; not counted, but nothing may fail in them


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Calls of one kind: how many, how many failed, how many a second, and the milliseconds they took."""

    what: str
    calls: int
    failed: int
    per_second: float
    p50: float
    p95: float
    longest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a load test found: `lost` messages were acknowledged and are not there; `outcomes` counts the failures."""

    callers: int
    seconds: float
    facts: int
    messages: int
    rates: list[Rate]
    acknowledged: int
    lost: int
    outcomes: dict[str, int]
    said: list[str]

    @property
    def holds(self) -> bool:
        """Tell whether no call failed, no message was lost, and the hub logged no error."""
        return not (self.lost or self.outcomes or self.said)

    def as_json(self) -> dict[str, Any]:
        """Return it for a file."""
        return {**asdict(self), "holds": self.holds}


def load(
    database: Scratch, *, callers: int, seconds: float, facts: int, messages: int, progress: Progress
) -> Load:  # fmt: skip
    """Fill the database, serve it, and have the callers at it; `messages` of a hundred calls post one."""
    guild = fill(facts, progress=progress).guild
    embeddings.embed_missing(EMBEDDED)
    keys = [make_key(guild, number) for number in range(callers)]
    with hub(database) as port:
        bots = [
            Caller(port=port, guild=guild.key, key=key, number=number, messages=messages)
            for number, key in enumerate(keys)
        ]
        call_at_once(bots, seconds=WARM_UP, tick=lambda passed: progress("warm up", int(passed), int(WARM_UP)))
        before = [len(bot.answered) for bot in bots]
        call_at_once(bots, seconds=seconds, tick=lambda passed: progress("calls", int(passed), int(seconds)))
    answered = [answer for bot in bots for answer in bot.answered]
    counted = [answer for bot, cold in zip(bots, before, strict=True) for answer in bot.answered[cold:]]
    acknowledged = {name for bot in bots for name in bot.acknowledged}
    failed = Counter(each.outcome for each in answered if not each.well)
    return Load(
        callers=callers, seconds=seconds, facts=facts, messages=messages, rates=rates(counted, seconds),
        acknowledged=len(acknowledged), lost=len(acknowledged - stored_ids(guild)), outcomes=dict(failed),
        said=errors_in(log_of(database)),
    )  # fmt: skip


def stored_ids(guild: Guild) -> set[str]:
    """Return the ids of the callers' messages that are stored."""
    return set(Message.objects.of(guild).filter(platform_id__startswith="load-").values_list("platform_id", flat=True))


def rates(answered: Sequence[Answered], seconds: float) -> list[Rate]:
    """Return the rates of each kind of call that was made, and of all together."""
    kinds = {what: [answer for answer in answered if answer.what == what] for what in KINDS} | {"all": list(answered)}
    found = []
    for what, answers in kinds.items():
        if took := sorted(answer.milliseconds for answer in answers):
            found.append(
                Rate(
                    what=what, calls=len(took), failed=sum(not answer.well for answer in answers),
                    per_second=round(len(took) / seconds, 1), p50=round(took[len(took) // 2], 1),
                    p95=round(took[min(len(took) - 1, int(len(took) * 0.95))], 1), longest=round(took[-1], 1),
                )
            )  # fmt: skip
    return found


def make_key(guild: Guild, number: int) -> str:
    """Make a key for each caller, as bots have: a key may make only so many requests a minute."""
    printed = io.StringIO()
    call_command("create_api_key", f"load {number}", "--guild", guild.key, stdout=printed)
    return printed.getvalue().split()[-1]


def errors_in(log: str) -> list[str]:
    """Return the first lines of a log that tell of an error; a warning that something is tried again is none."""
    return [line[:200] for line in log.splitlines() if any(sign in line for sign in ERROR_SIGNS)][:20]
