"""`manage.py train_direction KIND [--check]`: learn in which direction a kind of texts lies, or see that it does."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from memory.lab.train_direction import KINDS, Kind, train
from memory.lab.training_command import TrainingCommand
from memoryhub.ai.embedding import directions
from memoryhub.ai.embedding.embedder import Embedder


class Command(TrainingCommand):
    """The direction of a kind of texts; two are apart by what their cosine lacks of 1."""

    help = "Learn which messages say what lasts, or which questions are of the world; takes about a minute."
    near = 0.001
    kind: Kind

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the kind."""
        parser.add_argument("kind", choices=list(KINDS))
        super().add_arguments(parser)

    def handle(self, *, check: bool, **options: Any) -> None:
        """Train this kind."""
        self.kind = KINDS[options["kind"]]
        super().handle(check=check, **options)

    def learn(self, model: Embedder) -> str:
        """Write the direction; say how many of its texts are seen."""
        learned = train(self.kind, model)
        directions.file_of(self.kind.name).write_text(json.dumps(learned) + "\n", encoding="utf-8")
        return f"Of those of the kind that were held back {learned['seen']:.1%} are seen."

    def apart(self, model: Embedder) -> float:
        """Compare the directions."""
        kept = json.loads(directions.file_of(self.kind.name).read_text(encoding="utf-8"))
        return 1 - float(np.dot(train(self.kind, model)["direction"], kept["direction"]))
