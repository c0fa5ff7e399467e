"""`manage.py train_guard [--check]`: learn the guard's weights from its texts, or see that they are those."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.lab import train_guard
from memoryhub.ai.embedding.embedder import embedded
from memoryhub.safety.meant_instruction import WEIGHTS

# By which part of their size the texts' scores may differ. Another processor rounds the vectors differently: 0.004 was
# seen, and single weights 0.03 apart; another strength of the pairs, or twenty other texts, make more than this.
NEAR = 0.02


class Command(BaseCommand):
    """Learn, and write or compare."""

    help = "Learn from memory/lab/guard_texts what orders a bot about, and write the weights; takes about a minute."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --check."""
        parser.add_argument("--check", action="store_true", help="Write nothing; fail if the weights are others.")

    def handle(self, *, check: bool, **options: Any) -> None:
        """Train and write; raises CommandError where the weights are not those of the texts."""
        model = embedded()
        if model is None:
            raise CommandError("The embedded model does not run on this machine; see manage.py doctor.")
        vectors = train_guard.vectors_of_texts(model)
        learned = train_guard.train(vectors, embedder=model.identity)
        if check:
            shipped = json.loads(WEIGHTS.read_text(encoding="utf-8"))
            if (apart := train_guard.apart(vectors, learned, shipped)) > NEAR:
                raise CommandError(f"The weights are not those that the texts give ({apart:.3f} apart): train again.")
            self.stdout.write("The weights are those that the texts give.")
            return
        WEIGHTS.write_text(json.dumps(learned) + "\n", encoding="utf-8")
        self.stdout.write(f"Of the attacks that were held back {learned['seen']:.1%} are seen.")
