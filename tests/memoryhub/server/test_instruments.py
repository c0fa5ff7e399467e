"""What a process counts with is made once, however many ask first."""

from __future__ import annotations

import subprocess
import sys

from tests.verification.hub import ROOT

FIRST_AT_ONCE = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
import prometheus_client
from memoryhub.server import instruments

sys.setswitchinterval(1e-6)
together = threading.Barrier(8)
with ThreadPoolExecutor(8) as threads:
    made = list(threads.map(lambda _: together.wait() + 1 and instruments.counted(), range(8)))
assert all(each is made[0] for each in made)
"""


def test_first_requests_at_once_make_what_is_counted_once():
    asked = subprocess.run([sys.executable, "-c", FIRST_AT_ONCE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert asked.returncode == 0, asked.stderr
