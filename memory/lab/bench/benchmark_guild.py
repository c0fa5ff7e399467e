"""Fills a scratch database with a guild of any size, quickly: made-up facts, messages, notes and embeddings."""

from __future__ import annotations

import math
import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import numpy as np

from memory.facts.normalization import normalize
from memory.index.documents import KINDS
from memory.lab.bench.drawn_vectors import DIMENSIONS, drawn
from memory.models import Evidence, Fact, FactChange
from memoryhub.ai import Thresholds
from memoryhub.common.long_work import Progress
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.search import keywords, vectors
from notes.models import InteractionNote, Message

MEMBERS = 1_000
FACTS_A_MEMBER = 1_000
FACTS_A_NOTE, LONGEST_SUMMARY = 100, 1_200
BLOCK = 2_000
NOW = datetime(2026, 1, 1, tzinfo=UTC)
STARTS, MIDDLES = "bdfgklmnprst", ("a", "e", "io", "ou")
ENDS = ["ber", "cken", "dal", "fort", "gam", "lin", "mer", "nock", "pon", "rast", "sel", "tor", "vek", "zin"]
SYLLABLES = [f"{start}{middle}{end}" for start in STARTS for middle in MIDDLES for end in ENDS]
VOCABULARY = 20_000  # words; the commonest are in 3 of 100 sentences, as in chat without its stop words
COMMON = 50.0


class FakeEmbedder:
    """An embedder that costs nothing: the vector of a text is drawn from its own letters."""

    identity, dimensions = "bench:random:384", DIMENSIONS
    thresholds = Thresholds(same=0.85, duplicate=0.96, related=0.2, floor=0.0, ceiling=0.5)

    def passages(self, texts: Sequence[str]) -> vectors.Vector:
        """Return (n, 384) unit vectors."""
        return np.array([self.query(text) for text in texts], np.float32).reshape(len(texts), self.dimensions)

    def query(self, text: str) -> vectors.Vector:
        """Return the (384,) unit vector."""
        return drawn(text)


@contextmanager
def fake_embedder() -> Iterator[None]:
    """Let embeddings cost nothing: they are the same whatever the hub does, and measured by themselves."""
    fake = FakeEmbedder()
    with (
        patch("memory.recall.retrieval.embedder", lambda: fake),
        patch("memory.index.embeddings.embedder", lambda: fake),
        patch("memory.index.reindexing.embedder", lambda: fake),
        patch("memory.learning.decisions.embedder", lambda: fake),
        patch("memory.learning.validation.embedded", lambda: None),  # made-up words mean nothing that it could judge
    ):
        yield


def sentence(chance: random.Random, length: int = 8) -> str:
    """Return made-up words, a few of them in many sentences, most in few (Zipf's law)."""
    ends, words = (math.log(COMMON), math.log(COMMON + VOCABULARY)), []
    for _ in range(length):
        rank = int(math.exp(chance.uniform(*ends)) - COMMON)
        more, first = divmod(rank, len(SYLLABLES))
        words.append(SYLLABLES[first] + (SYLLABLES[more * 7 % len(SYLLABLES)] if more else ""))
    return " ".join(words).capitalize() + "."


def key_of(facts: int) -> str:
    """Return the key of the guild that has so many facts."""
    return f"bench:{facts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledGuild:
    """A guild, and the bytes on disk that its messages and its facts took, each with all that belongs to them."""

    guild: Guild
    messages: int
    facts: int


def in_turn(number: int, members: int) -> int:
    """Return which member says a sentence: one after the other."""
    return number % members


def fill(
    size: int, *, progress: Progress, on_disk: Callable[[], int] = lambda: 0, key: str = "",
    members_count: int = MEMBERS, say: Callable[[random.Random], str] = sentence,
    author: Callable[[int, int], int] = in_turn,
) -> FilledGuild:  # fmt: skip
    """Make a guild with so many messages of 1,000 members, a fact from each, and a note for every hundred."""
    limit = max(FACTS_A_MEMBER, 2 * size // members_count)  # so that no add puts an older fact aside
    guild = Guild.objects.create(key=key or key_of(size), name=f"{size} facts", facts_a_member=limit)
    channel = Channel.objects.create(guild=guild, platform_id="c1", name="general")
    Member.objects.bulk_create(
        Member(guild=guild, platform_id=f"u{n}", name=f"member{n}", label=f"member{n}") for n in range(members_count)
    )
    members, chance = list(Member.objects.of(guild).order_by("pk")), random.Random(size)  # noqa: S311
    before = on_disk()
    for start in range(0, size, BLOCK):
        messages = Message.objects.bulk_create(
            Message(
                guild=guild, channel=channel, author=members[author(number, members_count)], platform_id=f"m{number}",
                text=say(chance), sent_at=NOW - timedelta(minutes=30 * (1_000_000 - number) // 1000),
                processed_at=NOW,
            )
            for number in range(start, min(size, start + BLOCK))
        )  # fmt: skip
        rows = [keywords.TextRow(id=row.pk, guild=guild.pk, subject=row.author_id, text=row.text) for row in messages]
        _put("message", rows)
        progress(f"{size} messages", start + len(rows), size)
    with_messages = on_disk()
    ids = list(Message.objects.of(guild).order_by("pk").values_list("pk", flat=True))
    blocks = [Message.objects.filter(pk__in=ids[start : start + BLOCK]) for start in range(0, size, BLOCK)]
    for done, block in enumerate(blocks, 1):
        learn(list(block.select_related("author")))
        progress(f"{size} facts", min(size, done * BLOCK), size)
    with_facts = on_disk()
    for block in blocks:
        _write_notes(guild, channel, list(block.all()))  # a queryset keeps what it has read
    return FilledGuild(guild=guild, messages=with_messages - before, facts=with_facts - with_messages)


def learn(messages: Sequence[Message]) -> None:
    """Store what extraction would have stored of each message: a fact, its evidence, its change, its indexes."""
    facts = Fact.objects.bulk_create(
        Fact(
            guild_id=message.guild_id, subject=message.author, channel_id=message.channel_id, text=message.text,
            normalized=normalize(message.text), said_at=message.sent_at,
        )
        for message in messages
    )  # fmt: skip
    batches = [uuid.UUID(int=fact.pk) for fact in facts]
    Evidence.objects.bulk_create(
        Evidence(
            fact=fact, message=message, speaker=message.author, quote=message.text, said_at=message.sent_at, batch=batch
        )
        for fact, message, batch in zip(facts, messages, batches, strict=True)
    )
    FactChange.objects.bulk_create(
        FactChange(fact=fact, action=FactChange.Action.ADD, batch=batch, actor="extraction", at=fact.said_at)
        for fact, batch in zip(facts, batches, strict=True)
    )
    _index("fact", facts)


def _write_notes(guild: Guild, channel: Channel, messages: Sequence[Message]) -> None:
    """Store and index a note for every hundred messages."""
    links, notes = InteractionNote.messages.through, []
    for start in range(0, len(messages), FACTS_A_NOTE):
        some = messages[start : start + FACTS_A_NOTE]
        note = InteractionNote.objects.create(
            guild=guild, channel=channel, title=some[0].text[:80],
            summary=" ".join(message.text for message in some[:12])[:LONGEST_SUMMARY],
            note_date=some[0].sent_at.date(), started_at=some[0].sent_at, ended_at=some[-1].sent_at,
        )  # fmt: skip
        links.objects.bulk_create(links(guild=guild, interactionnote=note, message=message) for message in some)
        notes.append(note)
    _index("note", notes)


def _index(kind: str, rows: Sequence[Fact] | Sequence[InteractionNote]) -> None:
    _put(kind, KINDS[kind].words(rows))


def _put(kind: str, words: Sequence[keywords.TextRow]) -> None:
    keywords.put(kind=kind, rows=words)
    fake = FakeEmbedder()
    embeddings = fake.passages([row.text for row in words])
    vectors.put(
        kind=kind, model=fake.identity,
        rows=[
            vectors.VectorRow(id=row.id, guild=row.guild, subject=row.subject, audience=row.audience, embedding=each)
            for row, each in zip(words, embeddings, strict=True)
        ],
    )  # fmt: skip
