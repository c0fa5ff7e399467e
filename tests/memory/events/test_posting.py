"""Where nothing is ever posted to, whatever a name leads to, and how long a receiver may take."""

from __future__ import annotations

import ipaddress
import socket
import threading

import pytest

from memory.events import posting
from memoryhub import checks
from tests.memory.events.receiver import LOOPBACK, receiving
from tests.ports import reserved_port

PRIVATE = [
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_refused(address):
    assert not posting.is_allowed(ipaddress.ip_address(address))
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(posting.BadAddress, match="private"):
        posting.check(f"https://{host}/hook")


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_a_public_address_is_taken(address):
    assert posting.is_allowed(ipaddress.ip_address(address))


def test_the_operators_networks_are_taken(settings):
    settings.MEMORYHUB_WEBHOOK_NETWORKS = ["10.1.0.0/16", "fd00::/8"]
    taken = [
        each for each in ("10.1.2.3", "10.2.0.1", "fd00::1", "::1") if posting.is_allowed(ipaddress.ip_address(each))
    ]
    assert taken == ["10.1.2.3", "fd00::1"]


@pytest.mark.parametrize(
    "url",
    ["", "hook", "ftp://example.org/", "file:///etc/passwd", "https://", "https://user:word@example.org/",
     "https://example.org/#part", "https://example.org/a b", "https://example.org:99999/", "https://exämple.org/",
     "https://[::1", "http://2130706433/", "http://0x7f.1/"],
)  # fmt: skip
def test_what_is_no_address_is_refused_or_leads_nowhere(url):
    with pytest.raises((posting.BadAddress, posting.NotDelivered)):
        posting.post(url, b"{}", {})


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST.", "hub.localhost", "hub.localhost:8000"])
def test_a_name_of_this_machine_is_refused_before_it_is_looked_up(settings, name):
    with pytest.raises(posting.BadAddress, match="private"):
        posting.check(f"https://{name}/hook")
    settings.MEMORYHUB_WEBHOOK_NETWORKS = LOOPBACK
    assert posting.check(f"https://{name}/hook")


@pytest.mark.parametrize("name", ["hub.example", "ip6-localhost"])
def test_a_name_that_leads_to_a_private_address_is_never_connected_to(monkeypatch, name):
    with receiving() as receiver:
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, receiver.port)) for each in ("1.1.1.1", "127.0.0.1")
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        with pytest.raises(posting.NotDelivered, match="private"):
            posting.post(f"http://{name}:{receiver.port}/", b"{}", {})
        assert receiver.posts == []


def test_the_address_that_was_looked_at_is_the_one_that_is_connected_to(monkeypatch, receiver):
    """A name that leads elsewhere when it is asked for again leads nowhere: it is asked for once."""
    asked = []

    def resolve(host, port, **_):
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "10.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, *a, **k: resolve(host, port) if host == "hub.example" else real(host, port, *a, **k),
    )
    assert posting.post(f"http://hub.example:{receiver.port}/hook", b"{}", {}).status == 204
    assert asked == ["hub.example"]
    assert receiver.posts[0][0]["host"] == f"hub.example:{receiver.port}"


def test_a_redirect_is_not_followed(receiver):
    with receiving() as other:
        receiver.answers = [(307, {"Location": other.url})]
        assert posting.post(receiver.url, b"{}", {}).status == 307
        assert other.posts == []


def test_a_receiver_that_hangs_is_given_up(monkeypatch, receiver):
    monkeypatch.setattr(posting, "IN_ALL", 0.2)
    receiver.hangs = threading.Event()
    with pytest.raises(posting.NotDelivered, match="did not answer"):
        posting.post(receiver.url, b"{}", {})


def test_a_receiver_that_answers_drop_by_drop_is_given_up(monkeypatch, settings):
    settings.MEMORYHUB_WEBHOOK_NETWORKS = LOOPBACK
    monkeypatch.setattr(posting, "IN_ALL", 0.5)
    done = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            client, _ = server.accept()
            with client:
                try:
                    while not done.wait(0.05):
                        client.sendall(b"H")
                except OSError:
                    pass

        thread = threading.Thread(target=drip)
        thread.start()
        with pytest.raises(posting.NotDelivered):
            posting.post(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {})
        done.set()
        thread.join()


def test_a_receiver_that_is_away_is_told_as_such(settings):
    settings.MEMORYHUB_WEBHOOK_NETWORKS = LOOPBACK
    with pytest.raises(posting.NotDelivered, match="could not be reached"):
        posting.post(f"http://127.0.0.1:{reserved_port()}/", b"{}", {})


def test_what_speaks_no_tls_is_told_as_such(receiver):
    with pytest.raises(posting.NotDelivered, match="certificate"):
        posting.post(f"https://127.0.0.1:{receiver.port}/", b"{}", {})


def test_a_network_that_is_none_is_an_error_of_the_configuration(settings):
    settings.MEMORYHUB_WEBHOOK_NETWORKS = ["10.0.0.0/8", "my-network"]
    [error] = checks.webhook_networks()
    assert "my-network" in error.msg
    assert error.hint
