"""Tells open pages that something changed: a stream that says no more than that, and the counts of the navigation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memory.events import stream
from memoryhub.community import outbox
from memoryhub.community.models import Guild
from memoryhub.site.frame import watched

TOGETHER = 0.5  # seconds: what changes within them is told once
NEWS = b"data: changed\n\n"


@require_safe
def live(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """Keep a stream open that tells when memory changed in the guilds that the page is about."""
    full = len(stream.streams.followers) >= stream.MOST
    if full or not isinstance(request, ASGIRequest):  # under WSGI a stream would hold a thread
        return HttpResponse(status=204)
    guilds = watched(request)
    begins = {guild.pk: outbox.newest(guild) for guild in guilds}
    response = StreamingHttpResponse(_news(guilds, begins), content_type="text/event-stream; charset=utf-8")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _news(guilds: Sequence[Guild], begins: dict[int, int]) -> AsyncIterator[bytes]:
    """Yield a word for each batch of changes, until the stream's time is over and the browser comes back."""
    waiting: asyncio.Queue[outbox.Told | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    ends = loop.time() + stream.LENGTH
    yield f"retry: {stream.RETRY}\n\n".encode()
    with ExitStack() as joined:
        for guild in guilds:
            joined.enter_context(stream.streams.joined(guild, begins[guild.pk])).waiting = waiting
        while (left := ends - loop.time()) > 0:
            try:
                await asyncio.wait_for(waiting.get(), min(stream.HEARTBEAT, left))
            except TimeoutError:
                yield b": nothing new\n\n"
                continue
            await asyncio.sleep(TOGETHER)
            while not waiting.empty():
                waiting.get_nowait()
            yield NEWS


@require_safe
def counts(request: HttpRequest) -> HttpResponse:
    """Return the counts of the navigation anew; each takes its own place."""
    return render(request, "_counts.html", {"anew": True})
