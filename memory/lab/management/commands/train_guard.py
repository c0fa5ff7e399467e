"""`manage.py train_guard [--check]`: learn the guard's weights from its texts, or see that they are those."""

from __future__ import annotations

import json

from memory.lab import train_guard
from memory.lab.training_command import TrainingCommand
from memoryhub.ai.embedding.embedder import Embedder
from memoryhub.safety.meant_instruction import WEIGHTS


class Command(TrainingCommand):
    """The guard's weights; two are apart by how differently they score the texts, as a part of the scores' size."""

    help = "Learn from memory/lab/guard_texts what orders a bot about, and write the weights; takes about a minute."
    # Another processor's rounding made 0.004 (single weights were 0.03 apart); another strength of the pairs, or twenty
    # other texts, make more than this.
    near = 0.02

    def learn(self, model: Embedder) -> str:
        """Write the weights; say how many of the attacks are seen."""
        learned = train_guard.train(train_guard.vectors_of_texts(model), embedder=model.identity)
        WEIGHTS.write_text(json.dumps(learned) + "\n", encoding="utf-8")
        return f"Of the attacks that were held back {learned['seen']:.1%} are seen."

    def apart(self, model: Embedder) -> float:
        """Compare how both score the texts."""
        vectors = train_guard.vectors_of_texts(model)
        learned = train_guard.train(vectors, embedder=model.identity)
        return train_guard.apart(vectors, learned, json.loads(WEIGHTS.read_text(encoding="utf-8")))
