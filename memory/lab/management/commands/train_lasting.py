"""`manage.py train_lasting [--check]`: learn which messages say what lasts, or see that it is what the texts give."""

from __future__ import annotations

import json

import numpy as np

from memory.lab import train_lasting
from memory.lab.training_command import TrainingCommand
from memoryhub.ai.embedding.embedder import Embedder
from memoryhub.ai.embedding.lasting import WEIGHTS


class Command(TrainingCommand):
    """The direction of what lasts; two are apart by what their cosine lacks of 1."""

    help = "Learn from memory/lab/lasting_texts which messages say what lasts; takes about a minute."
    near = 0.001

    def learn(self, model: Embedder) -> str:
        """Write the direction; say how many of the lasting texts are seen."""
        learned = train_lasting.train(model)
        WEIGHTS.write_text(json.dumps(learned) + "\n", encoding="utf-8")
        return f"Of the lasting ones that were held back {learned['seen']:.1%} are seen."

    def apart(self, model: Embedder) -> float:
        """Compare the directions."""
        kept = json.loads(WEIGHTS.read_text(encoding="utf-8"))
        return 1 - float(np.dot(train_lasting.train(model)["direction"], kept["direction"]))
