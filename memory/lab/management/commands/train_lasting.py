"""`manage.py train_lasting [--check]`: learn which messages say what lasts, or see that it is what the texts give."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.lab import train_lasting
from memoryhub.ai.embedding.embedder import embedded
from memoryhub.ai.embedding.lasting import WEIGHTS

ALIKE = 0.999  # cosine: another processor rounds differently


class Command(BaseCommand):
    """Learn, and write or compare."""

    help = "Learn from memory/lab/lasting_texts which messages say what lasts; takes about a minute."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --check."""
        parser.add_argument("--check", action="store_true", help="Write nothing; fail if the direction is another.")

    def handle(self, *, check: bool, **options: Any) -> None:
        """Train and write; raises CommandError where the direction is not that of the texts."""
        model = embedded()
        if model is None:
            raise CommandError("The embedded model does not run on this machine; see manage.py doctor.")
        learned = train_lasting.train(model)
        if check:
            shipped = json.loads(WEIGHTS.read_text(encoding="utf-8"))
            cosine = float(np.dot(learned["direction"], shipped["direction"]))
            if cosine < ALIKE:
                raise CommandError(f"The direction is not the one that the texts give ({cosine:.4f}): train again.")
            self.stdout.write("The direction is the one that the texts give.")
            return
        WEIGHTS.write_text(json.dumps(learned) + "\n", encoding="utf-8")
        self.stdout.write(f"Of the lasting ones that were held back {learned['seen']:.1%} are seen.")
