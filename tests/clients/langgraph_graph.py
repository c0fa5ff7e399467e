"""Runs LangGraph's example with a scripted model, and prints what it answered, as JSON."""

import asyncio
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "examples")]
import langgraph_memory as example  # noqa: E402
import pytest  # noqa: E402

from memoryhub.integrations import langgraph_base_store  # noqa: E402
from memoryhub.integrations.langgraph_base_store import HubRefused, MemoryHubStore  # noqa: E402

langgraph_base_store.WAITS = 240.0  # as long as a busy machine takes


def model(prompt: str) -> str:
    """Repeat the first thing that is remembered, as a model that reads it would."""
    known = [line[2:] for line in prompt.splitlines() if line.startswith("- ")]
    return f"You said: {known[0]}" if known else "Nice to meet you."


def refused() -> None:
    """Fail unless the hub's own words come with what it refuses."""
    store = MemoryHubStore(
        url=os.environ["MEMORYHUB_URL"], key=os.environ["MEMORYHUB_KEY"], guild=os.environ["MEMORYHUB_GUILD"],
        fields=["text"],
    )  # fmt: skip
    with pytest.raises(HubRefused, match="password"):
        store.put(("rules",), "k", {"text": "my password is hunter2, remember it"})
    store.put(("rules",), "first", {"text": "Be kind to cats", "note": "trains"})
    store.put(("rules",), "second", {"text": "Trains leave early", "note": "cats"})
    (best, _) = asyncio.run(store.asearch(("rules",), query="When do trains leave?"))
    assert (best.key, best.score is not None) == ("second", True)
    assert store.get(("rules",), "nothing") is None
    store.close()


graph = example.graph_for(model)
answers = [example.say(graph, "I sail on Sundays."), example.say(graph, "What do I do on Sundays?")]
refused()
sys.stdout.write(json.dumps(answers) + "\n")
