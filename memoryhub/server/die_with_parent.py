"""Runs a program that ends with whoever started it, so that `kill -9` leaves no half of the hub behind.

`python -m memoryhub.server.die_with_parent manage.py qcluster`, for example. A supervisor starts a killed worker
again, but what that worker had forked lives on beside the new one: two clusters would share the queue.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1


def tie(number: int) -> None:
    """Have Linux send this process the signal when its parent dies; other systems know no such thing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


def main() -> None:
    """Run the module or file named first, with the arguments after it; its children do not outlive it either."""
    tie(signal.SIGTERM)
    os.register_at_fork(after_in_child=lambda: tie(signal.SIGKILL))
    del sys.argv[0]
    if sys.argv[0].endswith(".py"):
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
