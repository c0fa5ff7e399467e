"""Runs in mem0's own environment: adds messages without inference, and searches them. JSON in, JSON out."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


class KnownVectors:
    """Stands in for mem0's embedder: every text was embedded before, by the same model as for the others."""

    def __init__(self, vectors: dict[str, list[float]], dimensions: int) -> None:
        self._vectors, self._blank = vectors, [dimensions**-0.5] * dimensions

    def embed(self, text: str, _action: str | None = None) -> list[float]:
        """Return a text's vector; a word that mem0 picks out of a question has none."""
        return self._vectors.get(text, self._blank)

    def embed_batch(self, texts: list[str], action: str | None = None) -> list[list[float]]:
        """Return the vectors of texts."""
        return [self.embed(text, action) for text in texts]


def answers(given: dict[str, Any]) -> list[list[str]]:
    """Return the ids of what mem0 finds for each question, best first; `given` is what asking.py sends."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=folder, OPENAI_API_KEY="never used")
        from mem0 import Memory

        place = {"path": f"{folder}/vectors", "embedding_model_dims": given["dimensions"], "on_disk": True}
        memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": place},
                "history_db_path": str(Path(folder) / "history.db"),
            }
        )
        memory.embedding_model = KnownVectors(given["vectors"], given["dimensions"])
        for row in given["messages"]:
            said = [{"role": "user", "content": row["text"]}]
            memory.add(said, user_id="guild", metadata={"message": row["id"]}, infer=False)
        return [_found(memory, question, given["depth"]) for question in given["questions"]]


def _found(memory: Any, question: str, depth: int) -> list[str]:
    found = memory.search(question, filters={"user_id": "guild"}, top_k=depth, threshold=0.0)
    return [each["metadata"]["message"] for each in found["results"]]


if __name__ == "__main__":
    out = os.fdopen(os.dup(1), "w")  # what mem0 prints goes to standard error
    os.dup2(2, 1)
    json.dump(answers(json.load(sys.stdin)), out)
    out.flush()
