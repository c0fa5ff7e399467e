"""How the web server serves: two processes with a few threads, and room in an address for the longest question."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from gunicorn.http import message

# A question of 2,000 characters takes 24,000 bytes of an address where each is four percent-encoded bytes.
LONGEST_ADDRESS = 32 * 1024
message.MAX_REQUEST_LINE = LONGEST_ADDRESS  # gunicorn's own ceiling, to which it lowers any setting above it

# A client that is still sending when the connection closes never sees why it was refused (401, 413): what was refused
# unread is read on, up to so much, and while something comes.
READ_ON = 128 * 1024 * 1024  # bytes
BLOCK = 64 * 1024  # bytes
STALLED = 10.0  # seconds

# Python lets a thread run for 5 ms while others wait. One that holds the database's only write lock asks for its turn
# again after each statement, and with it waits everybody who writes.
TURN = 0.0005  # seconds

limit_request_line = LONGEST_ADDRESS
workers = 2
threads = 4
worker_class = "gthread"
max_requests = 20_000
max_requests_jitter = 2_000
loglevel = "warning"


def post_worker_init(_worker: object) -> None:
    """Shorten the turns in each process that serves."""
    sys.setswitchinterval(TURN)


def post_request(_worker: object, request: Any, named: dict[str, Any], _response: object) -> None:
    """Read on what was refused unread; the answer is sent already."""
    connection = named.get("gunicorn.socket")
    if connection is None:
        return
    with suppress(OSError):
        connection.settimeout(STALLED)
        for _ in range(READ_ON // BLOCK):
            if not request.body.read(BLOCK):
                break
        connection.settimeout(None)
