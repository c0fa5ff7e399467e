"""Digests all that waits, in the foreground: what `digest` does, and `import_messages --digest` after the import."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count

from django.core.management.base import CommandError, OutputWrapper

from memory import pipeline
from memory.index import embeddings, reindexing
from memory.jobs.digest_steps import DigestReport
from memory.management.progress import bars
from memory.management.tables import as_table
from memory.records import item_vectors, snapshots
from memoryhub.ai import ModelFailed
from memoryhub.community.models import Guild
from memoryhub.db import leases
from memoryhub.db.guild_scope import inside
from notes.models import ChannelBuffer
from notes.summaries import due

Status = ChannelBuffer.Status
INTERRUPTED = 130  # the exit code of what Ctrl-C stopped
GO_ON = "Run the same command again to go on."
EMBEDDED_AT_ONCE = 256  # facts and notes between two movements of the bar


def digest_all(guild: Guild | None, *, now: datetime) -> DigestReport:
    """Close and digest every open buffer of the guild (None: of all), then do what a minute's tick would do next."""
    with bars() as advance:
        waiting = leases.ready(ChannelBuffer.objects.filter(status__in=[Status.OPEN, Status.CLOSED]), now=now)
        total, number = (waiting.filter(guild=guild) if guild else waiting).count(), count(1)
        report = pipeline.digest(guild, now=now, progress=lambda _: advance("conversations", next(number), total))
        for place in [guild] if guild else Guild.objects.all():
            with inside(place):
                while due.summarize_due(now=now, waiting=False):
                    pass
            snapshots.refresh_stale(place, now=now)
    return report


def embed_all(stderr: OutputWrapper) -> None:
    """Embed whatever is not embedded yet, so that the indexes hold all; say why if they can't."""
    missing = sum(found.missing for found in reindexing.check() if found.index == "vectors")
    missing += item_vectors.lacking().count()
    done = 0
    with bars() as advance:
        try:
            while some := embeddings.embed_missing(EMBEDDED_AT_ONCE) + item_vectors.embed_missing(EMBEDDED_AT_ONCE):
                done += some
                advance("embeddings", done, max(done, missing))
        except ModelFailed as error:
            stderr.write(f"Embeddings are missing: {error} They are made in the background once the embedder answers.")


@contextmanager
def interruptible() -> Iterator[None]:
    """Say in words what Ctrl-C leaves behind."""
    try:
        yield
    except KeyboardInterrupt:
        raise CommandError(
            "Interrupted. What was processed stays; `manage.py digest` goes on with the conversation that was in hand.",
            returncode=INTERRUPTED,
        ) from None


def as_text(report: DigestReport) -> str:
    """Return the table of what was done."""
    row = (report.buffers, report.facts, report.notes, report.failed)
    return as_table(("conversations processed", "facts", "notes", "failed"), [row])
