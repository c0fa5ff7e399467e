"""`reindex --check` finds nothing amiss after any command that makes, changes or takes away memory."""

import io

import pytest
import time_machine
from django.core.management import call_command

from memory import pipeline
from notes.models import InteractionNote
from tests import toy_embedder
from tests.factories import NOON, days, minutes
from tests.incoming import north, say

# Committed: inside a transaction the database's log keeps what was erased, and the scan sees it.
pytestmark = pytest.mark.django_db(transaction=True)
TALKS = (
    ("I live in Toronto. The workshop is down by the river, behind the old mill, where the boats are built.", "Alice"),
    ("I work as a carpenter. Alice lives in Toronto, and the boats in her workshop are built of oak and pine.", "Bob"),
)


def run(command, **options):
    out = io.StringIO()
    with time_machine.travel(NOON + days(2), tick=False):
        call_command(command, stdout=out, stderr=out, **options)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("digest", {}),
        ("consolidate", {"day": NOON.date()}),
        ("consolidate", {"day": NOON.date(), "force": True}),
        ("forget_member", {"guild": "discord:1", "member": "u-bob"}),
        ("rebuild_profiles", {"guild": "discord:1"}),
        ("parked", {"replay": True}),
        ("reindex", {}),
    ],
)
def test_the_indexes_hold_all_after(monkeypatch, command, options):
    toy_embedder.install(monkeypatch)
    for hour in range(4):
        for text, name in TALKS:
            say(text, name, at=NOON + minutes(60 * hour))
    pipeline.digest(None, now=NOON + minutes(300))
    run("digest")
    run(command, **options)
    run("reindex", check=True)
    if command == "consolidate":
        assert InteractionNote.objects.of(north()).filter(kind="topic_cluster").exists()
