"""A provider on loopback for what llmock cannot do: any bytes, a cut connection, silence, Gemini's embeddings."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Bodies that are not sent as they are.
CUT, SILENCE, GEMINI_VECTORS = b"cut", b"silence", b"gemini vectors"


@dataclass
class Provider:
    """What is sent in answer to requests with status 200, and what was asked: path and body.

    `first` holds the bodies of the first requests, one each; `body` answers the others.
    """

    url: str
    body: bytes
    first: list[bytes] = field(default_factory=list)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def provider(body: bytes) -> Iterator[Provider]:
    """Serve `body` until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    made = server.made = Provider(f"http://127.0.0.1:{server.server_port}", body)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        made.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def _gemini_vectors(body: dict[str, Any]) -> bytes:
    """Answer `:batchEmbedContents` as Gemini does: a vector for each request, of length 1 only at full width."""
    width = body["requests"][0].get("outputDimensionality", 3072)
    texts = [asked["content"]["parts"][0]["text"] for asked in body["requests"]]
    return json.dumps({"embeddings": [{"values": [float(len(text)), *[2.0] * (width - 1)]} for text in texts]}).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"  # one request a connection, so that none outlives its test

    def do_POST(self) -> None:
        """Note what is asked and send the body."""
        made: Provider = self.server.made  # type: ignore[attr-defined]
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        made.asked.append((self.path, asked))
        body = made.first.pop(0) if made.first else made.body
        if body == SILENCE:
            made.over.wait()
            return
        length = 1000 if body == CUT else len(body)
        if body == GEMINI_VECTORS:
            body = _gemini_vectors(asked)
            length = len(body)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay silent."""
