"""`manage.py train_guard [--check]`: learn the guard's weights from its texts, or see that they are those."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.lab import train_guard
from memoryhub.ai.embedding.embedder import embedded
from memoryhub.safety.meant_instruction import WEIGHTS

NEAR = 0.02  # another processor rounds differently; weights are of the size of 1


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
        learned = train_guard.train(model)
        if check:
            shipped = json.loads(WEIGHTS.read_text(encoding="utf-8"))
            numbers = zip(*(train_guard.numbers(each) for each in (learned, shipped)), strict=True)
            if (apart := max(abs(one - other) for one, other in numbers)) > NEAR:
                raise CommandError(f"The weights are not those that the texts give ({apart:.3f} apart): train again.")
            self.stdout.write("The weights are those that the texts give.")
            return
        WEIGHTS.write_text(json.dumps(learned) + "\n", encoding="utf-8")
        self.stdout.write(f"Of the attacks that were held back {learned['seen']:.1%} are seen.")
