"""Ports of loopback that stay one's own from when they are chosen, whoever else runs tests on this machine."""

from __future__ import annotations

import random
import socket

CHOSEN_FROM = (20_000, 32_000)  # below those that Linux hands out by itself

_reserved: list[socket.socket] = []


def reserved_port() -> int:
    """Return a port that is free, and on which until this process ends only a server that it starts will listen.

    A socket stays bound to it and does not listen: whoever looks for a free port finds it taken, who connects is
    refused, and a server that reuses addresses, as all of ours do, may listen there, also after one that was killed.
    """
    while True:
        port = random.randrange(*CHOSEN_FROM)
        probe = socket.socket()
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            probe.close()
            continue
        # Only now: who had set this before would share a port with another test's socket that waits like this one.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _reserved.append(probe)
        return port
