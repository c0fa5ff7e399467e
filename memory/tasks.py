"""What the queue runs: each task calls one function, and running it twice is safe."""

from __future__ import annotations

import time
from datetime import date

from django.utils import timezone

from memory import pipeline
from memoryhub.logging import run
from profiles.models import Guild

TICK_SECONDS = 300  # a tick starts no further digest after this: the queue kills a task at twice the time


def tick() -> None:
    """Do what a minute brings."""
    stop = time.monotonic() + TICK_SECONDS
    with run("tick"):
        pipeline.tick(now=timezone.now(), go_on=lambda: time.monotonic() < stop)


def learn() -> None:
    """Read what came in the last five minutes for facts."""
    with run("learn"):
        pipeline.learn_waiting(Guild.ExtractionMode.BATCH, now=timezone.now())


def consolidate_due() -> None:
    """Run the nightly job of every guild whose day ended."""
    with run("night"):
        pipeline.consolidate_due(now=timezone.now())


def consolidate(guild: int, day: str) -> None:
    """Run the nightly job of one guild for one day, again if it ran before."""
    with run("night"):
        pipeline.consolidate(Guild.objects.get(pk=guild), day=date.fromisoformat(day), now=timezone.now(), force=True)
