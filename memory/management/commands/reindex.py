"""`manage.py reindex`: rebuild the word index and the vectors, or say what is missing or left over."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memory.index import reindexing
from memory.management.database import require_database
from memory.management.progress import bars
from memory.management.tables import as_table
from memory.models import AgentItem
from memory.records import item_vectors


class Command(BaseCommand):
    """Rebuild derived data from the rows, or check it."""

    help = "Rebuild the word index and the vectors from what they index; recall works meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --check."""
        parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when something is off")

    def handle(self, *, check: bool, **options: Any) -> None:
        """Check, or rebuild and check."""
        require_database()
        if not check:
            with bars() as progress:
                reindexing.rebuild(progress)
                items = item_vectors.lacking().count()
                item_vectors.embed_missing(items, lambda done: progress("embeddings of agents' items", done, items))
        found = reindexing.check()
        rows = [(each.index, f"{each.kind}s", each.held, each.missing, each.orphaned) for each in found]
        total, missing = AgentItem.objects.count(), item_vectors.lacking().count()
        rows.append(("vectors", "agents' items", total - missing, missing, 0))
        self.stdout.write(as_table(("index", "of", "held", "missing", "left over"), rows))
        if missing or not all(each.ok for each in found):
            raise CommandError("The indexes differ from the rows; `manage.py reindex` mends them.", returncode=1)
