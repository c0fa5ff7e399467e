"""How `manage.py` ends: at once, and nothing that was to be done or said is lost."""

import os
import subprocess
import sys

import pytest

from tests.verification.hub import ROOT

CODES = {
    "what is to be done at the end": "atexit.register(say, 'at the end')",
    "a thread": "threading.Thread(target=lambda: (time.sleep(0.3), say('at the end'))).start()",
}


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
def test_a_command_that_leaves_waits_for(code):
    begin = """
import atexit, sys, threading, time
import manage

def say(words):
    print(words)

say("a line that waits in memory")
"""
    ended = subprocess.run(
        [sys.executable, "-c", f"{begin}{code}\nmanage.leave()"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "a line that waits in memory\nat the end\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_command_whose_output_nobody_reads_ends_without_a_word(unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        ended = subprocess.run(
            [sys.executable, "manage.py", "help"], cwd=ROOT, stdout=pipe, stderr=subprocess.PIPE, text=True,
            check=False, env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (141, "")
