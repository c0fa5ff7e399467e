"""memoryhub.ai in a process of its own: cheap to import, and usable after a fork."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("pydantic_ai", "openai", "google.genai", "anthropic", "onnxruntime", "numpy", "httpx2")
PROGRAM = """
import sys
from django.conf import settings
settings.configure(MEMORYHUB_MODEL="", MEMORYHUB_CAREFUL_MODEL="", MEMORYHUB_REPLY_MODEL="",
    MEMORYHUB_FALLBACK_MODEL="", MEMORYHUB_EMBEDDING_MODEL="none",
    MEMORYHUB_MODEL_BASE_URL="", MEMORYHUB_EMBEDDING_MODEL_BASE_URL="", MEMORYHUB_MODEL_API_KEY="",
    OPENAI_API_KEY="", GEMINI_API_KEY="", ANTHROPIC_API_KEY="")
import memoryhub.ai
from memoryhub.ai import call_recorder, probe
from tests.memoryhub.ai.sample_tasks import LEARN, SAID
memoryhub.ai.ask(LEARN, SAID, guild=1)
memoryhub.ai.embedder()
probe.describe()
print(*sorted(name for name in sys.argv[1:] if name in sys.modules))
"""


def test_neither_importing_nor_asking_offline_loads_a_vendor() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM, *HEAVY], capture_output=True, text=True, check=False)
    assert (run.stdout.split(), run.stderr) == ([], "")


FORK = """
import os
from memoryhub.ai import event_loop
from memoryhub.ai.embedding import local
made, _ = local.load()
async def work():
    return "done"
def both(question):
    return event_loop.run(work) == "done" and made.passages([question] * 20).shape == (20, 384)
assert both("before")
child = os.fork()
if child == 0:
    os._exit(0 if both("after") else 1)
print(os.waitpid(child, 0)[1])
"""


def test_a_worker_forked_from_a_process_that_asked_can_ask_too() -> None:
    run = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, check=False, timeout=60)
    assert (run.stdout.strip(), run.stderr) == ("0", "")
