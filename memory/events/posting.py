"""Posts to an address that somebody else chose: to public hosts only, at the very address that was looked at."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

TO_CONNECT = 5.0  # seconds
IN_ALL = 15.0  # seconds, from the connection to the status
PORTS = {"http": 80, "https": 443}
LOOPBACK = "127.0.0.1"
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class BadAddress(Exception):
    """Nothing can be posted to this address; the words say what is wrong."""


class NotDelivered(Exception):
    """The receiver did not take it; the words say what befell, and hold nothing that the receiver wrote."""


@dataclass(frozen=True)
class Answer:
    """What a receiver answered: its status, and the seconds it asks to be left alone."""

    status: int
    retry_after: int = 0


def check(url: str) -> SplitResult:
    """Return the parts of an address that may be posted to; raises BadAddress. The host is looked at when it is."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise BadAddress("This is no address.") from error
    if parts.scheme not in PORTS or not host:
        raise BadAddress("An address begins with https:// (or http://) and names a host.")
    if parts.username is not None or parts.fragment:
        raise BadAddress("An address holds no name and password, and no part behind a #.")
    if not url.isascii() or any(sign <= " " or sign == "\x7f" for sign in url):
        raise BadAddress("An address has no blanks and no letters beyond ASCII: write the host's name as xn--...")
    with suppress(ValueError):
        if not is_allowed(ipaddress.ip_address(LOOPBACK if _is_localhost(host) else host)):
            raise BadAddress(PRIVATE)
    return parts


def _is_localhost(host: str) -> bool:
    """Say whether a name means the machine itself wherever it is looked up (RFC 6761)."""
    return host.rstrip(".") == "localhost" or host.rstrip(".").endswith(".localhost")


PRIVATE = (
    "This is a private address: webhooks go there only if the operator lists its network in MEMORYHUB_WEBHOOK_NETWORKS."
)


def is_allowed(address: Address) -> bool:
    """Say whether an address is public, or in a network that the operator lists."""
    mapped = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None) or address
    listed = (ipaddress.ip_network(each, strict=False) for each in settings.MEMORYHUB_WEBHOOK_NETWORKS)
    if any(mapped in network for network in listed if network.version == mapped.version):
        return True
    # NAT64 hides an address of any kind in a global one.
    return mapped.is_global and not mapped.is_multicast and mapped not in NAT64


NAT64 = ipaddress.ip_network("64:ff9b::/96")


def post(url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Post once and return the answer's status; its body is not read, and redirects are not followed.

    Raises NotDelivered, also where the host's name leads to a private address now, and BadAddress.
    """
    parts = check(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        with _connected(parts) as connection:
            connection.request("POST", path, body, {**headers, "User-Agent": f"memoryhub/{settings.VERSION}"})
            answer = connection.getresponse()
            wait = answer.headers.get("Retry-After", "")
            return Answer(answer.status, int(wait) if wait.isascii() and wait.isdigit() and len(wait) < 6 else 0)
    except TimeoutError as error:
        raise NotDelivered(f"It did not answer within {IN_ALL:.0f} seconds.") from error
    except ssl.SSLError as error:
        raise NotDelivered("Its certificate, or its TLS, is not valid.") from error
    except (OSError, http.client.HTTPException) as error:
        raise NotDelivered(f"It could not be reached, or broke off ({type(error).__name__}).") from error


@contextmanager
def _connected(parts: SplitResult) -> Iterator[http.client.HTTPConnection]:
    """Connect to the very address that was looked at; at the end of its time the connection is cut."""
    host, port = str(parts.hostname), parts.port or PORTS[parts.scheme]
    raw = socket.create_connection((_resolved(host, port), port), timeout=TO_CONNECT)
    with closing(raw):
        late = threading.Event()
        timer = threading.Timer(IN_ALL, _cut, [raw, late])
        timer.start()
        try:
            raw.settimeout(IN_ALL)
            connection = http.client.HTTPConnection(parts.netloc.rpartition("@")[2], timeout=IN_ALL)
            secure = parts.scheme == "https"
            connection.sock = ssl.create_default_context().wrap_socket(raw, server_hostname=host) if secure else raw
            with closing(connection):
                yield connection
        except (OSError, http.client.HTTPException) as error:
            if late.is_set():
                raise TimeoutError from error
            raise
        finally:
            timer.cancel()


def _cut(raw: socket.socket, late: threading.Event) -> None:
    late.set()  # first: whoever reads from the socket wakes up by what comes next, and asks why
    with suppress(OSError):
        raw.shutdown(socket.SHUT_RDWR)


def _resolved(host: str, port: int) -> str:
    """Return an address of the host; raises NotDelivered if any that it has is private: then none can be trusted."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:
        raise NotDelivered("Its name is not known.") from error
    addresses = [ipaddress.ip_address(str(each).partition("%")[0]) for each in found]
    if not addresses or not all(is_allowed(each) for each in addresses):
        raise NotDelivered("Its name leads to a private address.")
    return str(min(addresses, key=lambda each: each.version))
