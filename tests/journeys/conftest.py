"""The sample community, lived through once by the embedded default: no key, no network, every step."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from memory import pipeline
from memoryhub.community.models import Guild
from memoryhub.logging import LineFormatter
from memoryhub.search import keywords, vectors
from notes.messages.schemas import GuildRef, IncomingMessage

SAMPLE = settings.BASE_DIR / "memory" / "sample" / "community.jsonl"
NO_MODEL = dict.fromkeys(
    (
        "MEMORYHUB_MODEL", "MEMORYHUB_CAREFUL_MODEL", "MEMORYHUB_REPLY_MODEL", "MEMORYHUB_MODEL_BASE_URL",
        "MEMORYHUB_MODEL_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY",
    ),
    "",
)  # fmt: skip


class NoNetwork(AssertionError):
    """Something wanted to reach another machine."""


class Lines(logging.Handler):
    """Keeps every line as the hub's own formatter writes it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.setFormatter(LineFormatter())
        self.kept: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(self.format(record))


@dataclass(frozen=True)
class Life:
    """The guild, what was said in it, what was logged meanwhile, and when it is asked."""

    guild: Guild
    said: list[IncomingMessage]
    log: str
    now: datetime


@pytest.fixture(scope="module")
def no_network() -> Iterator[None]:
    """Refuse every connection and every look-up of a name."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise NoNetwork("the embedded default needs no network")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield


@pytest.fixture(scope="module")
def life(django_db_setup, django_db_blocker, no_network, tmp_path_factory) -> Iterator[Life]:
    """Live through the sample community once for all tests of the module; afterwards nothing of it is left."""
    folder = tmp_path_factory.mktemp("harbour")
    with django_db_blocker.unblock(), override_settings(DATA_DIR=folder, **NO_MODEL):
        try:
            yield _live()
        finally:
            call_command("flush", verbosity=0, interactive=False)
            vectors.clear()
            keywords.clear()


def _live() -> Life:
    ref, said = _read()
    now = max(message.sent_at for message in said) + timedelta(hours=3)
    lines, root = Lines(), logging.getLogger()
    before = root.level
    root.addHandler(lines)
    root.setLevel(logging.DEBUG)
    try:
        pipeline.receive_many(said, guild=ref, now=now)
        guild = Guild.objects.get(key=ref.key)
        pipeline.tick(now=now)
        pipeline.digest(guild, now=now)
        for day in sorted(set(guild.notes.values_list("note_date", flat=True))):
            pipeline.consolidate(guild, day=day, now=now)
        pipeline.tick(now=now)
    finally:
        root.removeHandler(lines)
        root.setLevel(before)
    return Life(guild, said, "\n".join(lines.kept), now)


def _read() -> tuple[GuildRef, list[IncomingMessage]]:
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    ref = GuildRef.model_validate(rows[0]["guild"])
    return ref, [IncomingMessage.model_validate({k: v for k, v in row.items() if k != "guild"}) for row in rows]
