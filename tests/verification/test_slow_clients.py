"""Clients that send slowly, or nothing: they hold sockets, and keep nobody else waiting."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.verification.hub import PATIENCE, Hub, a_hub

pytestmark = pytest.mark.xdist_group("slow")  # they share one running hub

MANY = 500
GUILD = "/api/v1/guilds/discord:1"
HEAD = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-a: b"
BODY = f'POST {GUILD}/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n%sContent-Length: 900\r\n\r\n{{"message_id"'
MESSAGE = {
    "message_id": "m-1", "channel": {"id": "c1"}, "author": {"id": "u1"}, "text": "The boat leaves at nine.",
    "sent_at": "2026-03-02T12:00:00Z",
}  # fmt: skip


@pytest.fixture(scope="module")
def serving(tmp_path_factory) -> Iterator[Hub]:
    with a_hub(tmp_path_factory.mktemp("slow")) as hub:
        hub.serve()
        assert hub.call("POST", f"{GUILD}/messages", MESSAGE).status == 201
        yield hub


def sending(hub: Hub, text: str, clients: ExitStack, count: int) -> None:
    """Open connections that send this and nothing more, until the block ends."""
    for _ in range(count):
        client = clients.enter_context(socket.create_connection(("127.0.0.1", hub.port), timeout=PATIENCE))
        client.sendall(text.encode())


@pytest.mark.parametrize("begun", ["", HEAD, BODY % "", BODY % "Authorization: Bearer {key}\r\n"],
                         ids=["silent", "half a head", "half a body", "half a body with a key"])  # fmt: skip
def test_hundreds_of_slow_clients_keep_nobody_waiting(serving, begun):
    with ExitStack() as clients:
        sending(serving, begun.replace("{key}", serving.key), clients, MANY)
        assert serving.call("GET", "/api/v1/health").status == 200
        assert serving.call("GET", f"{GUILD}/search?q=boat").json["items"]


@pytest.mark.parametrize(("text", "status"), [("In two pieces.", 201), ("x" * 34_000_000, 413)], ids=["short", "long"])
def test_a_body_that_comes_in_pieces_is_read(serving, text, status):
    whole = json.dumps(MESSAGE | {"message_id": "m-2", "text": text}).encode()
    client = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=PATIENCE)
    named = {"Authorization": f"Bearer {serving.key}", "Content-Type": "application/json"}
    client.request("POST", f"{GUILD}/messages", iter([whole[:40], whole[40:]]), named, encode_chunked=True)
    assert client.getresponse().status == status
    client.close()


def test_a_connection_outlives_a_bots_pause(serving):
    bot = http.client.HTTPConnection("127.0.0.1", serving.port, timeout=PATIENCE)
    bot.connect()
    port = bot.sock.getsockname()[1]
    for pause in (0, 3):
        time.sleep(pause)
        bot.request("GET", "/api/v1/health")
        assert bot.getresponse().read()
    assert bot.sock.getsockname()[1] == port
    bot.close()


def test_a_stop_waits_for_nobody_who_asked_nothing_whole(tmp_path):
    with a_hub(tmp_path) as hub, ExitStack() as clients:
        server = hub.serve()
        for begun in ("", HEAD, BODY % ""):
            sending(hub, begun, clients, 20)
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE) == 0
        assert "CRITICAL" not in hub.log
        assert "Forcing close" not in hub.log
