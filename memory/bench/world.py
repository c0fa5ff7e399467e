"""Fills a scratch database with a guild of any size, quickly: made-up facts, messages, notes and embeddings."""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from memory.indexed import KINDS
from memory.models import Evidence, Fact
from memoryhub import vectors, words
from memoryhub.ai import Thresholds
from notes.models import InteractionNote, Message
from profiles.models import Channel, Guild, Member

MEMBERS = 1_000
FACTS_A_NOTE = 100
BLOCK = 2_000
NOW = datetime(2026, 1, 1, tzinfo=UTC)
STARTS, MIDDLES = "bdfgklmnprst", ("a", "e", "io", "ou")
ENDS = ["ber", "cken", "dal", "fort", "gam", "lin", "mer", "nock", "pon", "rast", "sel", "tor", "vek", "zin"]
SYLLABLES = [f"{start}{middle}{end}" for start in STARTS for middle in MIDDLES for end in ENDS]
VOCABULARY = 20_000  # words; the commonest are in 3 of 100 sentences, as in chat without its stop words
COMMON = 50.0

Progress = Callable[[str, int, int], None]


class FakeEmbedder:
    """An embedder that costs nothing: the vector of a text is drawn from its own letters."""

    identity, dimensions = "bench:random:384", 384
    thresholds = Thresholds(same=0.85, duplicate=0.96, related=0.2, floor=0.0, ceiling=0.5)

    def passages(self, texts: Sequence[str]) -> vectors.Vector:
        """Return (n, 384) unit vectors."""
        return np.array([self.query(text) for text in texts], np.float32).reshape(len(texts), self.dimensions)

    def query(self, text: str) -> vectors.Vector:
        """Return the (384,) unit vector."""
        drawn = np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimensions, dtype=np.float32)
        return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def sentence(chance: random.Random, length: int = 8) -> str:
    """Return made-up words, a few of them in many sentences, most in few (Zipf's law)."""
    ends = math.log(COMMON), math.log(COMMON + VOCABULARY)
    return " ".join(_word(int(math.exp(chance.uniform(*ends)) - COMMON)) for _ in range(length)).capitalize() + "."


def _word(rank: int) -> str:
    more, first = divmod(rank, len(SYLLABLES))
    return SYLLABLES[first] + (SYLLABLES[more * 7 % len(SYLLABLES)] if more else "")


def fill(facts: int, *, progress: Progress) -> Guild:
    """Make a guild with so many facts over 1,000 members, as many messages, and a note for every hundred."""
    guild = Guild.objects.create(key=f"bench:{facts}", name=f"{facts} facts")
    channel = Channel.objects.create(guild=guild, platform_id="c1", name="general")
    Member.objects.bulk_create(Member(guild=guild, platform_id=f"u{n}", name=f"member{n}") for n in range(MEMBERS))
    members, chance = list(Member.objects.of(guild).order_by("pk")), random.Random(facts)  # noqa: S311
    for start in range(0, facts, BLOCK):
        numbers = range(start, min(facts, start + BLOCK))
        _block(guild, channel, members, numbers, chance)
        progress(f"{facts} facts", numbers[-1] + 1, facts)
    return guild


def _block(guild: Guild, channel: Channel, members: Sequence[Member], numbers: range, chance: random.Random) -> None:
    who = [members[number % MEMBERS] for number in numbers]
    sent = [NOW - timedelta(minutes=30 * (1_000_000 - number) // 1000) for number in numbers]
    texts = [sentence(chance) for _ in numbers]
    messages = Message.objects.bulk_create(
        Message(guild=guild, channel=channel, author=author, platform_id=f"m{number}", text=text, sent_at=at)
        for number, author, text, at in zip(numbers, who, texts, sent, strict=True)
    )
    facts = Fact.objects.bulk_create(
        Fact(guild=guild, subject=author, channel=channel, text=text, normalized=f"{text} {number}", said_at=at)
        for number, author, text, at in zip(numbers, who, texts, sent, strict=True)
    )
    Evidence.objects.bulk_create(
        Evidence(fact=fact, message=message, speaker=message.author, quote=message.text, said_at=message.sent_at)
        for fact, message in zip(facts, messages, strict=True)
    )
    notes = list(_notes(guild, channel, messages))
    for kind, rows in (("fact", facts), ("note", notes)):
        _index(kind, rows)
    words.put(kind="message", rows=[_row(message) for message in messages])


def _notes(guild: Guild, channel: Channel, messages: Sequence[Message]) -> Iterator[InteractionNote]:
    told = InteractionNote.messages.through
    for start in range(0, len(messages), FACTS_A_NOTE):
        some = messages[start : start + FACTS_A_NOTE]
        note = InteractionNote.objects.create(
            guild=guild, channel=channel, title=some[0].text[:80], summary=" ".join(each.text for each in some[:12]),
            note_date=some[0].sent_at.date(), started_at=some[0].sent_at, ended_at=some[-1].sent_at,
        )  # fmt: skip
        told.objects.bulk_create(told(interactionnote=note, message=message) for message in some)
        yield note


def _index(kind: str, rows: Sequence[Fact] | Sequence[InteractionNote]) -> None:
    placed, fake = KINDS[kind].words(rows), FakeEmbedder()
    words.put(kind=kind, rows=placed)
    embeddings = fake.passages([row.text for row in placed])
    vectors.put(
        kind=kind, model=fake.identity,
        rows=[
            vectors.Row(id=row.id, guild=row.guild, subject=row.subject, audience=row.audience, embedding=embedding)
            for row, embedding in zip(placed, embeddings, strict=True)
        ],
    )  # fmt: skip


def _row(message: Message) -> words.Row:
    return words.Row(id=message.pk, guild=message.guild_id, subject=message.author_id, text=message.text)
