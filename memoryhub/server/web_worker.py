"""gunicorn's event loop, hardened: a connection has its time to ask, and an idle one delays no stop."""

from __future__ import annotations

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


class WebWorker(gasgi.ASGIWorker):  # type: ignore[misc]
    """A process that serves until it is told to stop, then answers what has come whole and ends."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.connections: WeakSet[Connection] = WeakSet()

    async def _shutdown(self) -> None:
        for server in self.servers:
            server.close()
        self.asgi.ended.set()  # who follows a stream comes back, to a process that goes on
        for connection in list(self.connections):
            connection.close_unless_answering()
        await super()._shutdown()


gasgi.ASGIProtocol = Connection
