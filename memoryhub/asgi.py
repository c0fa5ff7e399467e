"""The application that gunicorn serves: an event loop receives and sends, a few threads answer what has come whole.

Questions have threads of their own, so that no message waits behind them (docs/adr/0023-questions-take-turns.md).
Whoever sends or reads slowly holds a socket and no thread. Django's own ASGI handler makes a thread, and with it a
database connection, for each request; here the threads stay, and so do their connections.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast

import django
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.db import Error
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from memoryhub.db import SOON, answer_soon, wait_at_most
from memoryhub.db.trouble import is_full
from memoryhub.server import turns
from memoryhub.server.shared_imports import import_pages

# For each process, started when others are busy: as many as the database's pools are reckoned with.
THREADS = 4
ASKING = 4
QUESTIONS = {"search", "context", "ask", "mcp"}
"""Addresses, by their last part, at which memory is asked: what takes the most work."""
NOTICED = 0.1  # seconds
IN_MEMORY = 64 * 1024  # bytes of a request or a streamed answer; what is longer waits in a file
SENDING = 300  # seconds that a request may take to come in
ENDLESS = "text/event-stream"  # answers of this type go on until somebody ends them
READ_ON = 128 * 1024 * 1024  # bytes; a client that is still sending never sees why it was refused (401, 413)


class Handler(ASGIHandler):
    """Django's synchronous handler, in threads that outlive a request."""

    def __init__(self) -> None:
        from memoryhub.site.probes import LIVE

        BaseHandler.__init__(self)
        self.load_middleware()
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")
        self.asking = ThreadPoolExecutor(ASKING, thread_name_prefix="question")
        living = ThreadPoolExecutor(1, thread_name_prefix="live")  # who is not told soon ends the process
        self.living = {("GET", LIVE): living, ("HEAD", LIVE): living}
        self.ended = asyncio.Event()

    def warm_up(self) -> None:
        """Import the pages and routes, and load what models need: no request is to wait for it."""
        from memoryhub.ai.warm_up import warm_up

        import_pages()
        warm_up()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer one request; a client that goes, or takes too long to send, gets no answer."""
        if scope["type"] != "http":
            raise ValueError(f"{scope['type']} is not spoken here.")
        scope = _without_host(scope)
        try:
            async with asyncio.timeout(SENDING):
                body = await self.read_body(receive)
            loop, came = asyncio.get_running_loop(), time.monotonic()
            if scope["path"].rstrip("/").rpartition("/")[2] in QUESTIONS:
                response = await loop.run_in_executor(self.asking, self.answer, scope, body, came)
            else:
                threads = self.living.get((scope["method"], scope["path"]), self.threads)
                response = await loop.run_in_executor(threads, self.respond, scope, body, came)
        except (RequestAborted, TimeoutError):
            return
        except OSError as error:
            if not is_full(error):
                raise
            from memoryhub.site import problems

            response = problems.problem(503, problems.FULL)
        if response.get("Content-Type", "").startswith(ENDLESS):
            await self.send_endless(response, receive, send)
        else:
            await self.send_response(response, send)

    async def send_endless(self, response: HttpResponseBase, receive: Any, send: Any) -> None:
        """Send an answer that has no end of its own, until the client goes or the server stops."""
        sending = asyncio.create_task(self.send_response(response, send))
        tasks = [
            sending,
            asyncio.create_task(self.listen_for_disconnect(receive)),
            asyncio.create_task(self.ended.wait()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            whole = sending.done()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if whole:
            sending.result()
        else:
            await send({"type": "http.response.body"})  # ends it; a client that is gone gets nothing

    async def read_body(self, receive: Any) -> IO[bytes]:
        """Return the body; of one that is too large so much that Django refuses it. Raises RequestAborted."""
        body: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  `respond` closes it
        size = 0
        try:
            while True:
                message = await receive()
                size += len(message.get("body", b""))
                if message["type"] == "http.disconnect" or size > READ_ON:
                    raise RequestAborted
                if body.tell() <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
                    body.write(message.get("body", b""))
                if not message.get("more_body"):
                    return body
        except BaseException:
            body.close()
            raise

    def answer(self, scope: dict[str, Any], body: IO[bytes], came: float) -> HttpResponseBase:
        """Return the whole answer to a question, when its turn has come."""
        with turns.turn():
            return self.respond(scope, body, came)

    def respond(self, scope: dict[str, Any], body: IO[bytes], came: float) -> HttpResponseBase:
        """Return the whole answer, in one of the threads; who waited for a thread waits the less for a lock."""
        waited = time.monotonic() - came
        scope["memoryhub.waited"] = waited
        with body, ExitStack() as held:
            signals.request_started.send(sender=type(self), scope=scope)
            if waited > NOTICED and (scope["method"], scope["path"]) not in self.living:
                with suppress(Error):  # the view will say so
                    held.enter_context(wait_at_most(max(1, SOON - int(waited * 1000))))
            set_script_prefix(scope.get("root_path", ""))
            request, refusal = self.create_request(scope, body)
            if request is not None:  # what came in pieces has no length of its own
                request.META.setdefault("CONTENT_LENGTH", str(body.seek(0, os.SEEK_END)))
                body.seek(0)
            response = self.get_response(request) if request else cast("HttpResponseBase", refusal)
            if scope["method"] == "HEAD":  # the server would drop what is sent, and warn each time
                if isinstance(response, StreamingHttpResponse):
                    response.streaming_content = ()  # nor is it made
                elif isinstance(response, HttpResponse):
                    response.content = b""  # its length stays told
            if isinstance(response, StreamingHttpResponse) and not response.is_async:
                file: IO[bytes] = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  `_parts` closes it
                file.writelines(cast("Iterable[bytes]", response))
                response.streaming_content = _parts(file)
            response.close()
            return response


def _without_host(scope: dict[str, Any]) -> dict[str, Any]:
    """Return the request by its path alone where the address came whole, as to a proxy (RFC 9112, 3.2.2)."""
    if scope["path"].startswith("/") or "://" not in scope["path"]:
        return scope
    path, raw = scope["path"].split("/", 3)[3:], scope.get("raw_path", b"").split(b"/", 3)[3:]
    return {**scope, "path": f"/{''.join(path)}", "raw_path": b"/" + b"".join(raw)}


async def _parts(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        file.seek(0)
        while part := file.read(IN_MEMORY):
            yield part


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
django.setup(set_prefix=False)
answer_soon()
application = Handler()
