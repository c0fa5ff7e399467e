"""What keeps the parts of a hub alive, with parts that do nothing but what a test needs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from tests.verification.hub import ROOT, kill_group, until

BEGIN = """
import os, signal, sys, time
from memoryhub.server.supervisor import Part, Supervisor, apart

def say(*words):
    with open("said", "a") as file:
        print(*words, file=file)
"""


@contextmanager
def supervised(folder: Path, code: str) -> Iterator[tuple[subprocess.Popen[bytes], Callable[[], list[list[str]]]]]:
    """Run code that supervises; give its process, and what returns the words that the parts have said, by line."""
    said = folder / "said"
    said.touch()
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + code], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )  # fmt: skip
    try:
        yield process, lambda: [line.split() for line in said.read_text().splitlines()]
    finally:
        for line in said.read_text().splitlines():  # a part is the leader of a group of its own
            if lives(pid := int(line.split()[1])):
                os.killpg(pid, signal.SIGKILL)
        kill_group(process)


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_ends_soon_is_started_again_after_ever_longer(tmp_path):
    code = """
Supervisor([Part(name="short", work=lambda: say("short", os.getpid(), time.monotonic()), patience=5)]).run()
"""
    with supervised(tmp_path, code) as (_, said):
        until(lambda: len(said()) == 4, "it was started four times")
        begun = [float(when) for _, _, when in said()]
    pauses = [late - early for early, late in pairwise(begun)]
    assert all(pause >= number for number, pause in enumerate(pauses, 1))


def test_what_does_not_heed_a_stop_is_killed_with_what_it_started(tmp_path):
    code = """
def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.fork()
    say("deaf", os.getpid())
    time.sleep(600)

Supervisor([Part(name="deaf", work=deaf, patience=0.5)]).run()
say("over", os.getpid())
"""
    with supervised(tmp_path, code) as (process, said):
        until(lambda: len(said()) == 2, "the part has begun")
        pids = [int(pid) for _, pid in said()]
        process.terminate()
        assert process.wait(60) == 0
        assert said()[-1] == ["over", str(process.pid)]
        until(lambda: not any(lives(pid) for pid in pids), "nothing is left")


def test_a_part_holds_no_file_that_is_the_supervisors(tmp_path):
    code = """
lock = os.open("lock", os.O_RDWR | os.O_CREAT)

def look():
    try:
        os.fstat(lock)
        say("held", os.getpid())
    except OSError:
        say("closed", os.getpid())
    time.sleep(600)

Supervisor([Part(name="looks", work=look, patience=5)], private=[lock]).run()
"""
    with supervised(tmp_path, code) as (_, said):
        assert until(said, "the part has looked")[0][0] == "closed"


def test_what_fails_apart_ends_who_waits_for_it(tmp_path):
    code = """
before = apart(lambda: sys.exit(3))
before()
say("went on", os.getpid())
"""
    with supervised(tmp_path, code) as (process, said):
        assert process.wait(60) == 3
        assert said() == []


def test_what_is_done_apart_changes_nothing_here(tmp_path):
    code = """
here = []
apart(lambda: here.append(1))()
say("here", os.getpid(), len(here))
"""
    with supervised(tmp_path, code) as (process, said):
        assert process.wait(60) == 0
        assert [line[2] for line in said()] == ["0"]
