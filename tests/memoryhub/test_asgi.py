"""What the event loop hands to which threads."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from memoryhub.db import open_connection
from memoryhub.server import turns

if TYPE_CHECKING:
    from memoryhub.asgi import Handler


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Handler]:
    """A server's handler; what a process becomes by importing it, impatient, ends with the test."""
    monkeypatch.setattr(open_connection, "_waits", open_connection._waits)
    from memoryhub.asgi import Handler

    made = Handler()
    yield made
    made.threads.shutdown()
    made.asking.shutdown()


async def status_of(handler: Handler, path: str) -> int:
    """Ask as gunicorn does; return the status of the answer."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [(b"host", b"localhost")]}
    await handler(scope, receive, send)
    status: int = next(message["status"] for message in sent if "status" in message)
    return status


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("question", ["/api/v1/guilds/discord:1/search", "/mem0/v1/memories/search/", "/mcp"])
def test_questions_wait_for_each_other_and_nobody_else_for_them(handler: Handler, question: str) -> None:
    async def ask() -> None:
        with ExitStack() as held:
            for _ in range(turns.AT_WORK):
                held.enter_context(turns.turn())
            asked = [asyncio.create_task(status_of(handler, question)) for _ in range(10)]
            assert await asyncio.wait_for(status_of(handler, "/health/live"), 20) == 200
            assert not any(task.done() for task in asked)
        assert set(await asyncio.gather(*asked)) <= {401, 405}

    asyncio.run(ask())
