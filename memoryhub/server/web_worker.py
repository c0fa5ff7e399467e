"""gunicorn's event loop, hardened: a connection has its time to ask, processes share them, idle ones delay no stop."""

from __future__ import annotations

from asyncio import Server
from collections.abc import Awaitable, Callable
from functools import partial
from socket import socket
from typing import Any
from weakref import WeakSet

from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.workers import gasgi


class Connection(ASGIProtocol):  # type: ignore[misc]
    """A connection; gunicorn itself gives the first request of each as long as it likes."""

    def connection_made(self, transport: Any) -> None:
        """Close it where the head of the first request has not come in the time that the next ones get."""
        super().connection_made(transport)
        self.worker.connections.add(self)
        self._arm_keepalive_timer()

    def close_unless_answering(self) -> None:
        """Close it where no request has come whole: nobody waits for an answer."""
        receiver = self._body_receiver
        if receiver is None or not receiver._complete:
            self._keepalive_timeout()


async def serve_by_turns(
    create_server: Callable[..., Awaitable[Server]], *args: Any, sock: socket, waiting: int, **options: Any
) -> Server:
    """Serve on `sock`, where up to `waiting` connections wait, and accept one at a look, so that others get the next.

    asyncio accepts up to its backlog at each look: of fifty connections that a bot's pool opens at once, one process
    had them all, and the other's core stood idle for as long as they were kept.
    """
    server = await create_server(*args, sock=sock, backlog=1, **options)
    sock.listen(waiting)  # the system's own queue, which asyncio has just made as short
    return server


class WebWorker(gasgi.ASGIWorker):  # type: ignore[misc]
    """A process that serves until it is told to stop, then answers what has come whole and ends."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.connections: WeakSet[Connection] = WeakSet()

    async def _serve(self) -> None:
        self.loop.create_server = partial(serve_by_turns, self.loop.create_server, waiting=self.cfg.backlog)
        await super()._serve()

    async def _shutdown(self) -> None:
        for server in self.servers:
            server.close()
        self.asgi.ended.set()  # who follows a stream comes back, to a process that goes on
        for connection in list(self.connections):
            connection.close_unless_answering()
        await super()._shutdown()


gasgi.ASGIProtocol = Connection
