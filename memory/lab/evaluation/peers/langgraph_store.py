"""Runs in langgraph's own environment: puts messages into its store in memory, and asks it. JSON in, JSON out."""

from __future__ import annotations

import json
import sys
from typing import Any

GUILD = ("guild", "messages")


def answers(given: dict[str, Any]) -> list[list[str]]:
    """Return the ids of the nearest messages to each question, best first; `given` is what asking.py sends."""
    from langgraph.store.memory import InMemoryStore

    vectors: dict[str, list[float]] = given["vectors"]
    store = InMemoryStore(
        index={
            "dims": given["dimensions"],
            "embed": lambda texts: [vectors[text] for text in texts],
            "fields": ["text"],
        }
    )
    for row in given["messages"]:
        store.put(GUILD, row["id"], {"text": row["text"]})
    found = (store.search(GUILD, query=question, limit=given["depth"]) for question in given["questions"])
    return [[item.key for item in items] for items in found]


if __name__ == "__main__":
    json.dump(answers(json.load(sys.stdin)), sys.stdout)
