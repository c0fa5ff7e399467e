"""Processes that serve one socket share what comes in."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack, closing
from typing import ClassVar

from memoryhub.server.web_worker import serve_by_turns

AT_ONCE = 30


class Connection(asyncio.Protocol):
    """Counts itself once it is accepted."""

    accepted: ClassVar[list[asyncio.BaseTransport]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.accepted.append(transport)


def test_a_process_does_not_take_all_connections_that_come_at_once() -> None:
    with ExitStack() as stack:
        loop = stack.enter_context(closing(asyncio.new_event_loop()))
        listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        serving = serve_by_turns(loop.create_server, Connection, sock=listening, waiting=2048)
        server = loop.run_until_complete(serving)
        # They connect while nobody looks: the system's queue holds them all.
        for _ in range(AT_ONCE):
            stack.enter_context(socket.create_connection(listening.getsockname(), timeout=5))
        for _look in range(6):
            loop.call_soon(loop.stop)
            loop.run_forever()
        first = len(Connection.accepted)
        loop.run_until_complete(asyncio.wait_for(all_accepted(), timeout=10))
        server.close()
        for transport in Connection.accepted:
            transport.close()
        loop.run_until_complete(asyncio.sleep(0))  # transports close at the next look
    assert 0 < first < AT_ONCE / 2


async def all_accepted() -> None:
    while len(Connection.accepted) < AT_ONCE:
        await asyncio.sleep(0)
