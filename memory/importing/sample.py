"""The sample community that ships with the project: a way to look around before anybody has said a word."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from memory.importing.detect_format import read
from memory.importing.open_file import opened
from memory.importing.take_in import Desk
from memoryhub.community.identity import find_guild
from notes.messages import conversations

GUILD = "demo:harbour"
SAMPLE = settings.BASE_DIR / "memory" / "sample" / "community.jsonl"


def load_sample(*, now: datetime) -> int:
    """Take the sample's messages in and end its conversations, which the worker then digests; return how many came."""
    desk = Desk(now)
    with opened(str(SAMPLE)) as source:
        for item in read(source):
            desk.take(item, file=SAMPLE.name)
    desk.flush()
    conversations.close_all(guild=find_guild(GUILD), now=now)
    return desk.tally.stored
