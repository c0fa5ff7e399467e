"""`manage.py train_adapter [--check]`: learn how to move questions, or see that it is what the texts give."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.lab import train_question_adapter
from memoryhub.ai.embedding.embedder import embedded
from memoryhub.ai.embedding.question_adapter import WEIGHTS

ALIKE = 0.02  # the part of the matrix's size by which two may differ: another processor rounds differently


class Command(BaseCommand):
    """Learn, and write or compare."""

    help = "Learn from memory/lab/question_texts where what answers a question lies; takes some minutes."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --check."""
        parser.add_argument("--check", action="store_true", help="Write nothing; fail if the adapter is another.")

    def handle(self, *, check: bool, **options: Any) -> None:
        """Train and write; raises CommandError where the adapter is not that of the texts."""
        model = embedded()
        if model is None:
            raise CommandError("The embedded model does not run on this machine; see manage.py doctor.")
        learned = train_question_adapter.train(model)
        if check:
            with np.load(WEIGHTS) as kept:
                shipped = kept["change"] * kept["steps"]
            apart = np.linalg.norm(learned["change"] * learned["steps"] - shipped) / np.linalg.norm(shipped)
            if apart > ALIKE:
                raise CommandError(f"The adapter is not the one that the texts give ({apart:.3f} apart): train again.")
            self.stdout.write("The adapter is the one that the texts give.")
            return
        np.savez_compressed(WEIGHTS, **learned)
        before, after = learned["found"]
        self.stdout.write(f"Of the answers of a talk that was held back {after:.1%} are found, {before:.1%} without.")
