"""Whatever was acknowledged is there after every process of the web server was killed."""

from __future__ import annotations

import http.client
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.verification.hub import DATABASE, PATIENCE, Hub, a_hub, kill_group, until

CALLERS, KILLS, BURST = 6, 2, 60
TOO_BUSY = 503
PATH = "/api/v1/guilds/discord:1/messages"


@dataclass
class Burst:
    """Callers that post message after message, each again until it is acknowledged; they may be told to come back."""

    hub: Hub
    acknowledged: list[str] = field(default_factory=list)
    unexpected: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def post(self, caller: int) -> None:
        number = 0
        while not self.over.is_set():
            name = f"m-{caller}-{number}"
            with suppress(OSError, http.client.HTTPException):
                answer = self.hub.call("POST", PATH, a_message(name, caller))
                if answer.status == TOO_BUSY:
                    continue
                if answer.status not in (200, 201):
                    self.unexpected.append(f"{answer.status} {answer.text}")
                    return
                self.acknowledged.append(name)
                number += 1

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Have the callers post, and stop when the test ends, however it ends."""
        callers = [threading.Thread(target=self.post, args=[number], daemon=True) for number in range(CALLERS)]
        for caller in callers:
            caller.start()
        try:
            yield
        finally:
            self.over.set()
            for caller in callers:
                caller.join(PATIENCE)

    def reached(self, count: int) -> bool:
        """Say whether so many were acknowledged, or something went wrong."""
        return len(self.acknowledged) >= count or bool(self.unexpected)


def a_message(name: str, caller: int) -> dict[str, object]:
    return {
        "message_id": name,
        "channel": {"id": f"c-{caller % 2}"},
        "author": {"id": f"u-{caller}"},
        "text": f"I live in town {name}.",
        "sent_at": "2026-03-02T12:00:00Z",
    }


@dataclass(frozen=True)
class Rows:
    """What the database file holds, read without any of the hub's code."""

    stored: Counter[str]
    counted: int
    check: str


def read(folder: Path) -> Rows:
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        names = Counter(name for (name,) in database.execute("SELECT platform_id FROM notes_message"))
        (counted,) = database.execute("SELECT sum(message_count) FROM notes_channelbuffer").fetchone()
        (check,) = database.execute("PRAGMA quick_check(1)").fetchone()
    return Rows(names, counted, check)


def test_what_was_acknowledged_survives_kill_9_of_the_web_server_in_a_burst(tmp_path):
    with a_hub(tmp_path) as hub:
        burst = Burst(hub)
        server = hub.serve()
        with burst.going_on():
            for kill in range(1, KILLS + 1):
                until(lambda: burst.reached(BURST * kill), "a burst is acknowledged")  # noqa: B023
                kill_group(server)
                server = hub.serve()
            until(lambda: burst.reached(BURST * (KILLS + 1)), "the callers go on")
        kill_group(server)
        rows = read(tmp_path)

    assert not burst.unexpected
    assert set(burst.acknowledged) <= set(rows.stored)
    assert set(rows.stored.values()) == {1}
    assert rows.counted == rows.stored.total()
    assert rows.check == "ok"
