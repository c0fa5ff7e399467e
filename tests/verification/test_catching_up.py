"""A worker that was away for days makes up for the nights it missed as soon as it starts, the oldest first."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.verification.hub import DATABASE, Hub, a_hub, until

TEXT = "I painted the wooden boat blue and moored it at the pier behind the old mill by the river bridge. " * 2
AWAY = 3  # days


def rows(hub: Hub, query: str) -> list[tuple[str, ...]]:
    with sqlite3.connect(hub.folder / DATABASE, timeout=20) as database:
        return database.execute(query).fetchall()


def test_missed_nights_are_made_up_for_at_the_start(tmp_path: Path):
    noon = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    missed = [noon - timedelta(days=back) for back in range(AWAY, 0, -1)]
    said = tmp_path / "said.jsonl"
    with a_hub(tmp_path, MEMORYHUB_EMBEDDING_MODEL="none") as hub:
        for at in missed:
            line = {"message_id": f"m-{at:%d}", "channel": {"id": "c-1"}, "author": {"id": "u-alice"}, "text": TEXT}
            with said.open("a") as file:
                file.write(json.dumps({**line, "sent_at": at.isoformat()}) + "\n")
        assert hub.manage("import_messages", str(said), "--guild", "discord:1", "--digest").returncode == 0
        rows(hub, f"UPDATE django_q_schedule SET next_run = '{noon - timedelta(days=AWAY):%Y-%m-%d %H:%M:%S}'")
        hub.start("manage.py", "qcluster")
        done = "SELECT day FROM memory_jobrun WHERE phase = 'papers' AND status = 'done' ORDER BY id"
        until(lambda: len(rows(hub, done)) == AWAY, "the missed nights are done")
    assert [day for (day,) in rows(hub, done)] == [f"{at:%Y-%m-%d}" for at in missed]
