"""What the event loop hands to which threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse

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
    for each in made.living.values():
        each.shutdown()


async def answer_of(handler: Handler, path: str, method: str = "GET") -> list[dict[str, Any]]:
    """Ask as gunicorn does; return what is sent."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": [(b"host", b"localhost")]}
    await handler(scope, receive, send)
    return sent


async def status_of(handler: Handler, path: str) -> int:
    """Ask as gunicorn does; return the status of the answer."""
    status: int = next(message["status"] for message in await answer_of(handler, path) if "status" in message)
    return status


@pytest.mark.parametrize(("path", "status"), [("http://localhost/health/live", 200), ("http://localhost", 302)])
@pytest.mark.django_db(transaction=True)
def test_an_address_that_comes_whole_is_understood(handler: Handler, path: str, status: int) -> None:
    assert asyncio.run(status_of(handler, path)) == status


@pytest.mark.parametrize("kind", ["application/zip", "text/event-stream"])
def test_to_head_nothing_is_sent_and_nothing_made(handler: Handler, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    def parts() -> Iterator[bytes]:
        pytest.fail("This was made for nobody.")
        yield b""

    def respond(_request: object) -> StreamingHttpResponse:
        return StreamingHttpResponse(parts(), content_type=kind)

    monkeypatch.setattr(handler, "get_response", respond)
    start, *bodies = asyncio.run(answer_of(handler, "/export", "HEAD"))
    assert (start["status"], dict(start["headers"])[b"Content-Type"]) == (200, kind.encode())
    assert b"".join(each.get("body", b"") for each in bodies) == b""


def test_a_process_whose_threads_all_wait_for_the_database_still_says_that_it_lives(handler: Handler) -> None:
    over = threading.Event()
    for _ in range(handler.threads._max_workers):
        handler.threads.submit(over.wait, 60)
    try:
        assert asyncio.run(asyncio.wait_for(status_of(handler, "/health/live"), 20)) == 200
    finally:
        over.set()


@pytest.mark.parametrize(("method", "threads"), [("GET", "live"), ("HEAD", "live"), ("POST", "request")])
def test_only_what_asks_no_database_has_the_thread_that_says_whether_a_process_lives(
    handler: Handler, monkeypatch: pytest.MonkeyPatch, method: str, threads: str
) -> None:
    def respond(_scope: object, body: IO[bytes], _came: float) -> HttpResponse:
        body.close()
        return HttpResponse(threading.current_thread().name)

    monkeypatch.setattr(handler, "respond", respond)
    body = asyncio.run(answer_of(handler, "/health/live", method))[-1]["body"]
    assert body.decode().startswith(threads)


def test_whether_a_process_lives_is_said_without_the_database_however_long_it_waited(
    handler: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryhub.asgi.NOTICED", -1.0)
    monkeypatch.setattr("memoryhub.asgi.wait_at_most", lambda _: pytest.fail("the database was asked"))
    assert asyncio.run(status_of(handler, "/health/live")) == 200


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
