"""A receiver of webhooks on loopback: keeps what it was posted, and answers as it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook as Verifier

LOOPBACK = ["127.0.0.0/8"]


@dataclass
class Receiver:
    """What came so far, in order, and the answers to give: the last one for ever."""

    port: int = 0
    posts: list[tuple[dict[str, str], str]] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=lambda: [(204, {})])
    hangs: threading.Event | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?of=hub"

    def events(self, secret: str) -> list[dict]:
        """Return what came, each verified; raises WebhookVerificationError."""
        return [Verifier(secret).verify(body, headers) for headers, body in self.posts]

    def facts(self) -> list[str]:
        return [json.loads(body)["data"]["fact"] for _, body in self.posts]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver until the block ends."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            receiver.posts.append(({name.lower(): value for name, value in self.headers.items()}, body))
            if receiver.hangs:
                receiver.hangs.wait(30)
            status, headers = receiver.answers.pop(0) if len(receiver.answers) > 1 else receiver.answers[0]
            with suppress(OSError):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        if receiver.hangs:
            receiver.hangs.set()
        server.shutdown()
        server.server_close()
        thread.join()
