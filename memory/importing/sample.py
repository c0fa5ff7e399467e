"""The sample community that ships with the project: a way to look around before anybody has said a word."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings

from memory.importing.detect_format import read
from memory.importing.open_file import open_source
from memory.importing.take_in import Importer
from memoryhub.community.identity import find_guild
from notes.messages import conversations

GUILD = "demo:harbour"
SAMPLE = settings.BASE_DIR / "memory" / "sample" / "community.jsonl"


def load_sample(*, now: datetime) -> int:
    """Take the sample's messages in and end its conversations, which the worker then digests; return how many came."""
    importer = Importer(now)
    with open_source(str(SAMPLE)) as source:
        for item in read(source):
            importer.take(item, file=SAMPLE.name)
    importer.flush()
    conversations.close_all(guild=find_guild(GUILD), now=now)
    return importer.tally.stored
