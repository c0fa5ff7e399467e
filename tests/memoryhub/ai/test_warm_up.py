"""Warmed up, a process has loaded what its first question to a model needs; nobody was asked anything for it."""

from __future__ import annotations

import os
import subprocess
import sys

ASK = """
import sys

import django

django.setup()

from memoryhub.ai import ModelFailed, event_loop, tool_calling
from memoryhub.ai.embedding.embedder import embedder
from memoryhub.ai.warm_up import warm_up

warm_up()
before = set(sys.modules)
embedder()
event_loop.PAUSES = ()
try:
    tool_calling.reply(instructions="Answer.", prompt="Hello.", tools=[], guild=None)
except ModelFailed:
    new = sorted({name.partition(".")[0] for name in set(sys.modules) - before})
    print(len(set(sys.modules) - before), *new)
"""


def test_the_first_question_loads_next_to_nothing_more(tmp_path):
    changes = {
        "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        "MEMORYHUB_DATA_DIR": str(tmp_path),
        "MEMORYHUB_REPLY_MODEL": "openai:any",
        "MEMORYHUB_MODEL_BASE_URL": "http://127.0.0.1:9/v1",
    }
    ran = subprocess.run(
        [sys.executable, "-c", ASK], env=os.environ | changes, capture_output=True, text=True, check=True
    )
    count, *modules = ran.stdout.split()
    assert int(count) < 20, modules
