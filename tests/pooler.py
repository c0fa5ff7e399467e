"""A small PgBouncer: stands before a PostgreSQL that trusts everybody, and hands its sessions out as that does."""

from __future__ import annotations

import socket
import socketserver
import struct
import threading
from typing import Any

REFUSED = b"SFATAL\0C08P01\0Munsupported startup parameter: options\0\0"
KEY = struct.pack("!II", 1, 2)  # PgBouncer's own: it does not tell which process of the server answers
READY, IDLE, ENDS, ASKS = b"Z", b"I", b"X", (b"Q", b"S")


class Pooler(socketserver.ThreadingTCPServer):
    """Listens on a free port. `shared`: all clients use one session in turns, as in the pool mode "transaction"."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, *, server_port: int, shared: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Client)
        self.server_port, self.shared = server_port, shared
        self.turn = threading.Lock()
        self.one: _Session | None = None
        self.sessions: list[_Session] = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def __exit__(self, *args: object) -> None:
        self.shutdown()
        super().__exit__(*args)
        for session in self.sessions:
            session.end()

    def session_for(self, startup: bytes) -> _Session:
        """Return a session of the server: a new one, or the one that is there."""
        with self.turn:
            if not self.shared or self.one is None:
                self.one = _Session(self.server_port, startup)
                self.sessions.append(self.one)
            return self.one


class _Session:
    """One session of the server; `told` is what it said of itself when it began."""

    def __init__(self, port: int, startup: bytes) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.stream: Any = self.socket.makefile("rwb")
        self.turn = threading.Lock()
        _send(self.stream, startup)
        self.told = b""
        while (said := _message(self.stream))[:1] != READY:
            self.told += said if said[:1] == b"S" else b""

    def end(self) -> None:
        """Leave the server."""
        self.stream.close()
        self.socket.close()


class _Client(socketserver.StreamRequestHandler):
    server: Pooler

    def handle(self) -> None:
        startup = self._startup()
        if b"\0options\0" in startup:
            _send(self.wfile, _packed(b"E", REFUSED))
            return
        session = self.server.session_for(startup)
        _send(self.wfile, _packed(b"R", bytes(4)) + session.told + _packed(b"K", KEY) + _packed(READY, IDLE))
        while first := _message(self.rfile):
            if first[:1] == ENDS:
                return
            with session.turn:
                self._transaction(session, first)

    def _startup(self) -> bytes:
        """Return what the client begins with; no encryption is to be had."""
        while True:
            (size,) = struct.unpack("!I", self.rfile.read(4))
            asked = self.rfile.read(size - 4)
            if asked[:2] == b"\0\x03":
                return struct.pack("!I", size) + asked
            _send(self.wfile, b"N")

    def _transaction(self, session: _Session, message: bytes) -> None:
        """Hand messages on until the server is idle again."""
        while True:
            _send(session.stream, message)
            while message[:1] not in ASKS:
                message = _message(self.rfile)
                _send(session.stream, message)
            while (said := _message(session.stream))[:1] != READY:
                _send(self.wfile, said)
            _send(self.wfile, said)
            if said[5:] == IDLE:
                return
            message = _message(self.rfile)


def _message(stream: Any) -> bytes:
    """Return the next message whole; nothing at the end."""
    head: bytes = stream.read(5)
    return head + stream.read(struct.unpack("!I", head[1:])[0] - 4) if head else b""


def _packed(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


def _send(stream: Any, message: bytes) -> None:
    stream.write(message)
    stream.flush()
