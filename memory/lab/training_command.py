"""What the commands share that learn something for the embedded model from texts of ours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryhub.ai.embedding.embedder import Embedder, embedded


class TrainingCommand(BaseCommand, ABC):
    """Learns and writes; or, with --check, learns anew and compares with what is there.

    `near` is how far apart both may be, by the command's own measure: another processor rounds vectors differently.
    """

    near: float

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --check."""
        parser.add_argument(
            "--check", action="store_true", help="Write nothing; fail if the texts give something else."
        )

    def handle(self, *, check: bool, **options: Any) -> None:
        """Train and write; raises CommandError where what is there is not what the texts give."""
        model = embedded()
        if model is None:
            raise CommandError("The embedded model does not run on this machine; see manage.py doctor.")
        if not check:
            self.stdout.write(self.learn(model))
            return
        if (apart := self.apart(model)) > self.near:
            raise CommandError(f"What is there is not what the texts give ({apart:.4f} apart): train again.")
        self.stdout.write("It is what the texts give.")

    @abstractmethod
    def learn(self, model: Embedder) -> str:
        """Learn, write, and return a sentence that says how good it is."""

    @abstractmethod
    def apart(self, model: Embedder) -> float:
        """Learn, and return how far that is from what is there."""
