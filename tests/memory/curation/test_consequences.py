"""What a change of settings would take away is counted before it is made, and nothing is touched."""

from __future__ import annotations

from datetime import date

import pytest

from memory.curation.consequences import COUNTED, consequences
from memory.curation.guild_settings import NAMES
from memory.models import Action
from notes.models import Journal, Message
from tests.factories import NOON, days, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db
LATER = NOON + days(100)


def test_messages_that_would_go_are_counted_and_stay():
    guild = make_guild(message_days=None)
    for _ in range(3):
        make_message(processed_at=NOON)
    assert consequences(guild, {"message_days": 30}, now=LATER) == ["3 messages would go with the next daily run."]
    assert consequences(guild, {"message_days": 200}, now=LATER) == []
    assert Message.objects.filter(let_go_at=None).count() == 3


def test_what_goes_anyway_is_no_consequence():
    guild = make_guild(message_days=30)
    make_message(processed_at=NOON)
    assert consequences(guild, {"message_days": 20, "quiet_minutes": 40}, now=LATER) == []


def test_journals_logs_and_memories_are_told_of_too():
    guild = make_guild(message_days=None, journal_days=None, action_days=None, stale_days=300)
    Journal.objects.create(guild=guild, day=date(2026, 3, 1), text="x", generated_at=NOON)
    Action.objects.create(guild=guild, kind="settings", at=NOON)
    for name in ("tea", "rum"):
        make_fact(f"Likes {name}.", subject=make_member(guild), confidence=0.9)
    told = consequences(guild, {"journal_days": 5, "action_days": 5, "facts_a_member": 1}, now=LATER)
    assert [text.split(" ")[0] for text in told] == ["1", "1", "1"]
    assert told[2] == "1 memory would be archived with the next nightly run; each can be restored."


def test_who_would_be_forgotten_is_counted_unless_they_said_yes():
    guild = make_guild()
    make_member(guild, "Alice", remember=True), make_member(guild, "Bob"), make_member(guild, "Carl", is_bot=True)
    told = consequences(guild, {"consent_mode": "opt_in"}, now=NOON)
    assert told[0].startswith("1 member would be left out")
    assert consequences(guild, {"blocked": ["u-bob", "nobody"]}, now=NOON)[0].startswith("1 member ")


def test_what_is_not_kept_any_more_is_said_without_a_number():
    guild = make_guild(keep_health=True)
    assert "health" in consequences(guild, {"keep_health": False}, now=NOON)[0]
    assert "Nothing new" in consequences(guild, {"memory_on": False}, now=NOON)[0]


def test_every_name_that_is_asked_about_is_a_setting():
    assert set().union(*(names for names, *_ in COUNTED)) <= set(NAMES)
