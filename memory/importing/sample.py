"""The sample community that ships with the project: a way to look around before anybody has said a word."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from memory.importing.opening import opened
from memory.importing.reading import read
from memory.importing.taking import Desk
from notes import turning
from profiles.identity import find_guild

GUILD = "demo:harbour"
SAMPLE = settings.BASE_DIR / "memory" / "sample" / "community.jsonl"


def load_sample(*, now: datetime) -> int:
    """Take the sample's messages in and end its conversations, which the worker then digests; return how many came."""
    desk = Desk(now)
    with opened(str(SAMPLE)) as source:
        for item in read(source):
            desk.take(item, file=SAMPLE.name)
    desk.flush()
    turning.close_all(guild=find_guild(GUILD), now=now)
    return desk.tally.stored
