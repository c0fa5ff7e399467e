"""What the queue runs: each task calls one function, and running it twice is safe."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date

from django.utils import timezone

from memory import erasure, pipeline
from memory.curation import corrections
from memory.erasure import export, left_guilds
from memory.events import webhooks
from memory.models import Erasure
from memory.records import snapshots
from memory.withdrawal import retention
from memoryhub.community import due_work
from memoryhub.community.models import Guild
from memoryhub.db.guild_scope import inside
from memoryhub.logging import run
from memoryhub.server import tracing
from memoryhub.server.queue_cluster import is_stopping

logger = logging.getLogger(__name__)

TICK_SECONDS = 300  # a tick or a night starts nothing further after this: the queue kills a task at twice the time
WEBHOOK_SECONDS = 30  # a receiver that takes long for each event keeps no worker from other guilds' work
# It stops within a moment, and its scan goes over all there is at once, so it gets what time there is.
ERASURE_SECONDS = 540


class TaskFailed(Exception):
    """A task failed; says only how, because the queue keeps and logs its words, and an error may quote chat."""


@contextmanager
def _task(name: str) -> Iterator[None]:
    """Run a task under an id of its own, and tell the queue of a failure without its words."""
    with run(name), tracing.span(f"task {name}"):
        try:
            yield
        except Exception as error:
            logger.exception("a task failed")
            raise TaskFailed(type(error).__name__) from None


def tick() -> None:
    """Do what a minute brings."""
    with _task("tick"):
        pipeline.tick(now=timezone.now(), keep_going=_for(TICK_SECONDS))


def learn() -> None:
    """Read what came in the last five minutes for facts."""
    with _task("learn"):
        pipeline.learn_due(now=timezone.now(), keep_going=_for(TICK_SECONDS))


def digest(guild: int) -> None:
    """Digest a guild's conversations beside the worker that asked for help; ends where nothing waits."""
    with _task("digest"):
        for place in Guild.objects.filter(pk=guild):
            pipeline.digest_closed(place, now=timezone.now(), keep_going=_for(TICK_SECONDS))
            due_work.mark(place.pk)  # who asked for help may have been done with the guild before


def learn_at_once(guild: int) -> None:
    """Read what came in where each message is learned from at once."""
    with _task("learn"), inside(guild):
        pipeline.learn_waiting(Guild.ExtractionMode.MESSAGE, now=timezone.now(), keep_going=_for(TICK_SECONDS))


def keep_papers() -> None:
    """Render the logs and snapshots of the guilds in which somebody spoke."""
    with _task("papers"):
        snapshots.render_recent(now=timezone.now(), keep_going=_for(TICK_SECONDS))


def consolidate_due() -> None:
    """Run the nightly job of every guild whose day ended."""
    with _task("night"):
        pipeline.consolidate_due(now=timezone.now(), keep_going=_for(TICK_SECONDS))


def let_go() -> None:
    """Let go what the guilds keep no longer; what takes too long goes on with the next run."""
    with _task("retention"):
        retention.apply_retention(now=timezone.now(), keep_going=_for(TICK_SECONDS))


def purge_left() -> None:
    """Purge the guilds that removed the bot long enough ago."""
    with _task("departures"):
        left_guilds.purge_due(now=timezone.now(), keep_going=_for(TICK_SECONDS))


def keep_rights() -> None:
    """Finish erasures that were interrupted, and delete exports that nobody fetched."""
    with _task("rights"):
        now = timezone.now()
        erasure.finish_interrupted(now=now, keep_going=_for(ERASURE_SECONDS))
        export.delete_old_exports(now=now)


def erase(number: str) -> None:
    """Finish an erasure that somebody asked for, and write anew what the others said in these conversations."""
    with _task("erasure"):
        keep_going, job = _for(TICK_SECONDS), Erasure.objects.get(pk=number)
        job = erasure.run(job, now=timezone.now(), keep_going=_for(ERASURE_SECONDS))
        for place in Guild.objects.filter(pk__in=[job.guild_id]):
            pipeline.digest_closed(place, now=timezone.now(), keep_going=keep_going)


def forget_facts(guild: int, facts: list[int], actor: str) -> None:
    """Forget what is left of many facts that somebody asked to forget; what takes too long is a task of its own."""
    with _task("forgetting"):
        for place in Guild.objects.filter(pk=guild):
            corrections.forget_all(place, facts, actor=actor, now=timezone.now(), seconds=TICK_SECONDS)


def send_webhooks(guild: int) -> None:
    """Send a guild's events to those who registered an address; what takes too long goes on with the next minute."""
    with _task("webhooks"):
        for place in Guild.objects.filter(pk=guild):
            webhooks.send_due(place, now=timezone.now(), keep_going=_for(WEBHOOK_SECONDS))


def consolidate(guild: int, day: str) -> None:
    """Run the nightly job of one guild for one day, again if it ran before; what takes too long goes on when due."""
    with _task("night"):
        for place in Guild.objects.filter(pk=guild):
            pipeline.consolidate(
                place, day=date.fromisoformat(day), now=timezone.now(), force=True, keep_going=_for(TICK_SECONDS)
            )


def _for(seconds: float) -> Callable[[], bool]:
    """Return what says whether these seconds are not over yet, and the queue was not told to stop."""
    stop = time.monotonic() + seconds
    return lambda: time.monotonic() < stop and not is_stopping()
