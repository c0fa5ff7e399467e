"""`manage.py train_adapter [--check]`: learn how to move questions, or see that it is what the texts give."""

from __future__ import annotations

import numpy as np

from memory.lab import train_question_adapter
from memory.lab.training_command import TrainingCommand
from memoryhub.ai.embedding.embedder import Embedder
from memoryhub.ai.embedding.question_adapter import WEIGHTS


class Command(TrainingCommand):
    """The map that moves questions; two are apart by the length of what lies between them, as a part of one's own."""

    help = "Learn from memory/lab/question_texts where what answers a question lies; takes some minutes."
    near = 0.02

    def learn(self, model: Embedder) -> str:
        """Write the map; say how many answers are found with it."""
        learned = train_question_adapter.train(model)
        np.savez_compressed(WEIGHTS, **learned)
        before, after = learned["found"]
        return f"Of the answers of a talk that was held back {after:.1%} are found, {before:.1%} without."

    def apart(self, model: Embedder) -> float:
        """Compare the matrices."""
        learned = train_question_adapter.train(model)
        with np.load(WEIGHTS) as file:
            kept = file["change"] * file["steps"]
        return float(np.linalg.norm(learned["change"] * learned["steps"] - kept) / np.linalg.norm(kept))
