"""A week of a guild, and its recap."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.recaps import recap_writing
from memoryhub.ai.embedding.cache import Shared
from notes.models import Arrangement
from tests.factories import make_channel, make_fact, make_guild, make_member, make_message, make_note

MONDAY = datetime(2026, 3, 9, 9, 30, tzinfo=UTC)
"""After nine on the Monday after the week in which the tests' world is."""
TUESDAY = datetime(2026, 3, 3, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch):
    monkeypatch.setattr(recap_writing, "_worded", Shared(size=8))


@pytest.fixture
def week():
    """Have Alice and Bob, who are new, talk and decide something, and the guild have a new line of lore."""
    guild = make_guild()
    guild.recap = "weekly"
    guild.save()
    alice, bob = (make_member(name=name, first_seen_at=TUESDAY) for name in ("Alice", "Bob"))
    said = make_message("The class is on Sunday at six.", author=alice, sent_at=TUESDAY)
    make_message("Great, I bring the lanterns.", author=bob, sent_at=TUESDAY)
    make_note("The lantern festival", messages=[said], participants=[alice, bob])
    decided = {"text": "The class is on Sunday at six.", "said_at": TUESDAY, "decided": True}
    Arrangement.objects.create(guild=guild, channel=make_channel(), message=said, **decided)
    make_fact("Friday is soup night.", said_at=TUESDAY)
    return guild


@pytest.fixture
def draft(week):
    """Return the recap of the week as it was written, for a moderator to look at."""
    return recap_writing.write_due(week, now=MONDAY)


@pytest.fixture
def texts():
    """Return the lines of a recap by section."""

    def texts(recap):
        found: dict[str, list[str]] = {}
        for line in recap.lines.all():
            found.setdefault(line.section, []).append(line.text)
        return found

    return texts
