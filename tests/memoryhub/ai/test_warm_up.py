"""Warmed up, a process has loaded what its first question to a model needs; nobody was asked anything for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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

WARM_UP = """
import os, stat

import django

django.setup()

from memoryhub.ai.warm_up import warm_up

warm_up()
kinds = [os.stat(f"/dev/fd/{name}").st_mode for name in os.listdir("/dev/fd") if os.path.exists(f"/dev/fd/{name}")]
print(len(os.listdir("/proc/self/task")), sum(map(stat.S_ISSOCK, kinds)))
"""
KEYS = {"OPENAI_API_KEY": "sk-test", "GEMINI_API_KEY": "test", "ANTHROPIC_API_KEY": "test"}


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


@pytest.mark.skipif(sys.platform != "linux", reason="looks for its threads in /proc")
@pytest.mark.parametrize("embedder", ["offline", "openai:text-embedding-3-small", "google:gemini-embedding-001"])
@pytest.mark.parametrize("model", ["openai:any", "google:any", "anthropic:any"])
def test_who_has_warmed_up_may_fork_since_there_is_no_thread_and_no_connection_yet(model, embedder, tmp_path):
    changes = {
        "DJANGO_SETTINGS_MODULE": "memoryhub.settings",
        "MEMORYHUB_DATA_DIR": str(tmp_path),
        "MEMORYHUB_MODEL": model,
        "MEMORYHUB_EMBEDDING_MODEL": embedder,
        **KEYS,
    }
    ran = subprocess.run(
        [sys.executable, "-c", WARM_UP], env=os.environ | changes, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.split() == ["1", "0"]
