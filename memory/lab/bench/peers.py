"""Times the hub beside langgraph's SqliteStore (vectors only) on the same rows, each in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from django.conf import settings

from memory.lab.bench import peer_store
from memory.lab.bench.benchmark_guild import fill
from memory.lab.bench.calls import ADD, call_for, questions
from memory.lab.bench.timing import Run, Timing, timed, timing
from memory.lab.evaluation.peers.install import install, python_of
from memory.models import Fact
from memoryhub.common.long_work import Progress
from memoryhub.community.models import Guild

PEER = "langgraph_sqlite"
SHOWN = "langgraph SqliteStore: "
TIMED = ("search of a member", "search guild-wide", ADD)  # what adds comes last
WARM_UP, CALLS = 20, 100


def peer_timings(size: int, progress: Progress) -> list[Timing]:
    """Fill a guild, give the peer the same facts, and time the same questions and new facts at both."""
    install([PEER])
    guild = fill(size, progress=progress).guild
    asked = {what: questions(guild, WARM_UP + CALLS, seed=what) for what in TIMED}
    theirs = _theirs(guild, {what: [(who.platform_id, text) for text, who in some] for what, some in asked.items()})
    found = []
    for what, some in asked.items():
        call = call_for(what, guild)
        for each in some[:WARM_UP]:
            call(each)
        found.append(timed(what, call, some[WARM_UP:], facts=size))
        found.append(timing(SHOWN + what, [theirs[what]], facts=size))
    return found


def _theirs(guild: Guild, asked: dict[str, list[tuple[str, str]]]) -> dict[str, Run]:
    rows = Fact.objects.of(guild).order_by("pk").values_list("pk", "subject__platform_id", "text")
    given = {"facts": [(str(pk), *rest) for pk, *rest in rows], "asked": asked, "warm_up": WARM_UP}
    done = subprocess.run(  # noqa: S603
        [str(python_of(PEER)), str(Path(peer_store.__file__))], input=json.dumps(given), check=True,
        stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(settings.BASE_DIR)},
    )  # fmt: skip
    return {what: Run(**run) for what, run in json.loads(done.stdout).items()}
