"""Names this process in a claim, and tells whether the process named in one is gone, so that nobody waits for it."""

from __future__ import annotations

import os
import socket
from typing import Any

FREE: dict[str, Any] = {"claimed_until": None, "claimed_by": ""}
"""The fields of a row that nobody works on."""


def me() -> str:
    """Return this machine and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def gone(holder: str) -> bool:
    """Tell whether the holder was a process of this machine that runs no more; of other machines nothing is known.

    A number that was given to a new process meanwhile hides a dead one: then the lease decides.
    """
    host, _, pid = holder.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False
