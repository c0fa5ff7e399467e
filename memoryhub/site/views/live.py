"""Tells open pages that something changed: a stream that says no more than that, and the counts of the navigation."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, suppress

from django.core.handlers.asgi import ASGIRequest
from django.db import Error, close_old_connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memory.curation.attention import work_mark
from memory.events import stream
from memoryhub.community import outbox
from memoryhub.community.models import Guild
from memoryhub.site.frame import watched

TOGETHER = 0.5  # seconds: what changes within them is told once
LOOK_AT_WORK = 2.0  # seconds


@require_safe
def live(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Keep a stream open that tells when memory changed in the guilds that the page is about; `work`: jobs too."""
    full = len(stream.streams.followers) >= stream.MOST
    if full or not isinstance(request, ASGIRequest):  # under WSGI a stream would hold a thread
        return HttpResponse(status=204)
    guilds = watched(request)
    begins = {guild.pk: outbox.newest(guild) for guild in guilds}
    news = _news(guilds, begins, works="work" in request.GET)
    response = StreamingHttpResponse(news, content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _news(guilds: Sequence[Guild], begins: dict[int, int], *, works: bool) -> AsyncIterator[bytes]:
    """Yield how much of what happened, for each batch of changes, until the browser has to come back."""
    waiting: asyncio.Queue[outbox.OutgoingEvent | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    ends, spoke = loop.time() + stream.LENGTH, loop.time()
    known = await _work_mark(guilds) if works else ()
    yield f"retry: {stream.RETRY}\n\n".encode()
    with ExitStack() as joined:
        for guild in guilds:
            joined.enter_context(stream.streams.joined(guild, begins[guild.pk])).waiting = waiting
        while (left := ends - loop.time()) > 0:
            try:
                told = [await asyncio.wait_for(waiting.get(), min(LOOK_AT_WORK if works else stream.HEARTBEAT, left))]
            except TimeoutError:
                told = []
            mark = await _work_mark(guilds) if works else ()
            if told or mark != known:
                known = mark
                await asyncio.sleep(TOGETHER)
                while not waiting.empty():
                    told.append(waiting.get_nowait())
                yield _said(told)
                spoke = loop.time()
            elif loop.time() - spoke >= stream.HEARTBEAT or not works:
                yield b": nothing new\n\n"
                spoke = loop.time()


def _said(told: Sequence[outbox.OutgoingEvent | None]) -> bytes:
    """Return how many events of each type there were, as one message of the stream."""
    kinds = Counter(each.payload["type"] for each in told if each)
    return f"data: {json.dumps(kinds)}\n\n".encode()


async def _work_mark(guilds: Sequence[Guild]) -> tuple[object, ...]:
    """Ask in the streams' one thread; while the database is away the work stands still."""
    return await asyncio.get_running_loop().run_in_executor(stream.streams.thread, _asked_for_mark, guilds)


_marks: dict[tuple[int, ...], tuple[float, tuple[object, ...]]] = {}  # only the streams' thread touches it


def _asked_for_mark(guilds: Sequence[Guild]) -> tuple[object, ...]:
    """Ask once for all pages that look at the same guilds."""
    asked, now = tuple(guild.pk for guild in guilds), time.monotonic()
    at, mark = _marks.get(asked, (0.0, ()))
    if not at or now - at > LOOK_AT_WORK / 2:
        close_old_connections()
        with suppress(Error):
            mark = work_mark(guilds)
        for known in [key for key, (looked, _) in _marks.items() if now - looked > stream.LENGTH]:
            del _marks[known]
        _marks[asked] = (now, mark)
    return mark


@require_safe
def counts(request: HttpRequest) -> HttpResponse:
    """Return the counts of the navigation anew; each takes its own place."""
    return render(request, "_counts.html", {"anew": True})
