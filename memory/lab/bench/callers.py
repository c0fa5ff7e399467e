"""Callers that ask a running hub at once and without a pause: searches, contexts and messages, as bots send them."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from memory.lab.bench.benchmark_guild import MEMBERS, sentence

PATIENCE = 60.0  # seconds for one answer
SEARCH, CONTEXT, MESSAGE = "GET search", "POST context", "POST message"
KINDS = (MESSAGE, SEARCH, CONTEXT)
CHANNELS = 10


@dataclass(frozen=True, slots=True)
class Answered:
    """One call: which, the milliseconds it took, and how it ended: a status, or the name of what went wrong."""

    what: str
    milliseconds: float
    outcome: str

    @property
    def well(self) -> bool:
        """Tell whether the call did what it was for."""
        return self.outcome.startswith("2")


@dataclass(kw_only=True)
class Caller:
    """One bot with its own key and its own connection, which it keeps; it never asks twice for the same."""

    port: int
    guild: str
    key: str
    number: int
    messages: int  # of a hundred calls; three of five others search, the rest ask for a context
    answered: list[Answered] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)

    def call_for(self, seconds: float, ready: threading.Barrier) -> None:
        """Wait for the others, then call without a pause until so many seconds have passed."""
        chance = random.Random(f"{self.number} {len(self.answered)}")  # noqa: S311
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        others = 100 - self.messages
        shares = (5 * self.messages, 3 * others, 2 * others)
        ready.wait(PATIENCE)
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            what = chance.choices(KINDS, shares)[0]
            method, path, body = self.request(what, len(self.answered), chance)
            begin = time.perf_counter()
            try:
                connection.request(method, path, None if body is None else json.dumps(body), headers)
                response = connection.getresponse()
                response.read()
                outcome = str(response.status)
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                outcome = type(error).__name__
            self.answered.append(Answered(what, (time.perf_counter() - begin) * 1000, outcome))
            if what == MESSAGE and self.answered[-1].well:
                self.acknowledged.append(body["message_id"])
        connection.close()

    def request(self, what: str, count: int, chance: random.Random) -> tuple[str, str, Any]:
        """Return the method, path and body of the next call of a kind."""
        base, member = f"/api/v1/guilds/{self.guild}", f"u{chance.randrange(MEMBERS)}"
        if what == SEARCH:
            return "GET", f"{base}/search?{urlencode({'q': sentence(chance, 5), 'limit': 10})}", None
        if what == CONTEXT:
            return "POST", f"{base}/context", {"members": [member], "text": sentence(chance, 6), "max_tokens": 1500}
        message = {
            "message_id": f"load-{self.number}-{count}",
            "channel": {"id": f"load-{self.number % CHANNELS}", "audience": "guild"},
            "author": {"id": member, "name": member}, "text": sentence(chance, 9),
            "sent_at": datetime.now(UTC).isoformat(),
        }  # fmt: skip
        return "POST", f"{base}/messages", message


def call_at_once(callers: Sequence[Caller], *, seconds: float, tick: Callable[[float], None]) -> None:
    """Have all call for so many seconds; `tick` is called with how many have passed."""
    ready = threading.Barrier(len(callers) + 1)
    with ThreadPoolExecutor(len(callers)) as threads:
        done = [threads.submit(caller.call_for, seconds, ready) for caller in callers]
        ready.wait(PATIENCE)
        begin = time.monotonic()
        while (passed := time.monotonic() - begin) < seconds:
            time.sleep(min(1.0, seconds - passed))
            tick(min(seconds, time.monotonic() - begin))
        for each in done:
            each.result()
