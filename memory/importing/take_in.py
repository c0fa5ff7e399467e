"""Takes what files hold through the pipeline, five hundred messages a transaction, and counts what became of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime

from django.conf import settings
from django.db import transaction

from memory import pipeline
from memory.importing.detect_format import read
from memory.importing.open_file import open_source
from memory.importing.schemas import Invalid, Item, ReadMessage, Skipped
from memoryhub.community.identity import find_guild
from notes.messages import conversations
from notes.messages.schemas import GuildRef, IncomingMessage

BATCH = 500  # messages a transaction: a killed import loses, and other writers wait for, no more than these
MOST_WAITING = 4_000_000  # characters held of guilds whose batches are not full
SHOWN = 20
SAMPLE_GUILD = "demo:harbour"
SAMPLE = settings.BASE_DIR / "memory" / "sample" / "community.jsonl"
"""A community that ships with the project: a way to look around before anybody has said a word."""


@dataclass
class ImportCounts:
    """What became of the messages; `refused_at` names the first refused ones."""

    stored: int = 0
    duplicate: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    refused: int = 0
    refused_at: list[str] = field(default_factory=list)
    authors: Counter[str] = field(default_factory=Counter)
    months: Counter[str] = field(default_factory=Counter)
    guilds: dict[str, None] = field(default_factory=dict)
    people: set[tuple[str, str]] = field(default_factory=set)
    channels: set[tuple[str, str]] = field(default_factory=set)
    days: set[date] = field(default_factory=set)

    def refuse(self, where: str, reason: str) -> None:
        """Count something that is no message."""
        self.refused += 1
        if len(self.refused_at) < SHOWN:
            self.refused_at.append(f"{where}: {reason}")


@dataclass
class Importer:
    """Collects messages by guild and takes each guild's in by batches; a dry run takes nothing in, but counts."""

    now: datetime
    dry_run: bool = False
    private: bool = False
    tally: ImportCounts = field(default_factory=ImportCounts)
    _waiting: dict[str, tuple[GuildRef, list[IncomingMessage]]] = field(default_factory=dict)
    _held: int = 0

    def take(self, item: Item, *, file: str) -> None:
        """Take one thing that a file yielded."""
        match item:
            case ReadMessage(guild, message):
                if self.private and message.channel.audience is None:
                    message.channel.audience = "channel"
                _, messages = self._waiting.setdefault(guild.key, (guild, []))
                messages.append(message)
                self._held += len(message.text)
                if len(messages) >= BATCH:
                    self._take_in(guild.key)
                if self._held > MOST_WAITING:
                    self.flush()
            case Skipped(reason):
                self.tally.ignored[reason] += 1
            case Invalid(where, reason):
                self.tally.refuse(f"{file}, {where}", reason)

    def flush(self) -> None:
        """Take in all that waits."""
        for key in list(self._waiting):
            self._take_in(key)
        self._held = 0

    def _take_in(self, key: str) -> None:
        guild, messages = self._waiting.pop(key)
        self._held -= sum(len(message.text) for message in messages)
        with transaction.atomic():
            answers = pipeline.receive_many(messages, guild=guild, now=self.now)
            # A dry run asks the same code, so that it says what would be; of two equal ids far apart it counts both.
            transaction.set_rollback(self.dry_run)
        self.tally.guilds[key] = None
        for message, answer in zip(messages, answers, strict=True):
            if answer.status == "ignored":
                self.tally.ignored[answer.reason] += 1
            elif answer.status == "duplicate":
                self.tally.duplicate += 1
            else:
                self.tally.stored += 1
                self.tally.authors[message.author.display_name or message.author.name or message.author.id] += 1
                self.tally.months[f"{message.sent_at:%Y-%m}"] += 1
                self.tally.people.add((key, message.author.id))
                self.tally.channels.add((key, message.channel.id))
                self.tally.days.add(message.sent_at.date())


def load_sample(*, now: datetime) -> int:
    """Take the sample's messages in and end its conversations, which the worker then digests; return how many came."""
    importer = Importer(now)
    with open_source(str(SAMPLE)) as source:
        for item in read(source):
            importer.take(item, file=SAMPLE.name)
    importer.flush()
    conversations.close_all(guild=find_guild(SAMPLE_GUILD), now=now)
    return importer.tally.stored
