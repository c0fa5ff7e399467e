"""Processes that serve one socket share what comes in."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from types import SimpleNamespace

from gunicorn.config import Config

from memoryhub.server.web_worker import WebWorker

AT_ONCE = 30
LOOKS = 6  # in which asyncio by itself has accepted all of them


def test_a_process_does_not_take_all_connections_that_come_at_once() -> None:
    loop = asyncio.new_event_loop()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        worker = WebWorker(0, os.getppid(), [SimpleNamespace(sock=listening)], None, 30, Config(), logging.getLogger())
        worker.asgi = SimpleNamespace(ended=asyncio.Event())
        worker.loop = loop
        worker.cfg.set("asgi_lifespan", "off")
        serving = loop.create_task(worker._serve())
        while not worker.servers:
            look(loop)
        # They connect while nobody looks: the system's queue holds them all.
        clients = [socket.create_connection(listening.getsockname(), timeout=5) for _ in range(AT_ONCE)]
        for _ in range(LOOKS):
            look(loop)
        first = worker.nr_conns
        while worker.nr_conns < AT_ONCE:
            look(loop)
        for client in clients:
            client.close()
        worker.alive = False
        loop.run_until_complete(serving)
        worker._cleanup()
        worker.tmp.close()
    assert 0 < first < AT_ONCE / 2


def look(loop: asyncio.AbstractEventLoop) -> None:
    """Let the loop do once what is ready."""
    loop.call_soon(loop.stop)
    loop.run_forever()
