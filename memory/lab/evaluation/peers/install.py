"""`make peers`: installs the stores that are measured beside ours, each in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[4] / ".peers"
PACKAGES = {
    "langgraph_store": ("langgraph==1.2.22", "numpy"),
    "mem0_raw": ("mem0ai==2.2.1", "numpy"),
}
# What `make bench-peers` times; some builds of Python can't load what it searches with.
TIMED = {"langgraph_sqlite": ("langgraph-checkpoint-sqlite==3.1.2", "pysqlite3-binary==0.5.4.post2", "numpy")}


def python_of(peer: str) -> Path:
    """Return the interpreter that has this peer."""
    return FOLDER / peer / "bin" / "python"


def is_whole(peer: str) -> bool:
    """Tell whether the peer was installed to the end."""
    return (FOLDER / peer / ".whole").exists()


def install(peers: Iterable[str] = PACKAGES) -> None:
    """Make the environments that are missing."""
    uv = Path(sys.executable).parent / "uv"
    for peer in peers:
        if is_whole(peer):
            continue
        packages = PACKAGES.get(peer) or TIMED[peer]
        _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, FOLDER / peer)
        _run(uv, "pip", "install", "--quiet", "--python", python_of(peer), *packages)
        (FOLDER / peer / ".whole").touch()


def _run(*command: object) -> None:
    done = subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        sys.exit(f"A peer could not be installed: {' '.join(map(str, command))}\n{done.stderr[-2000:]}")


if __name__ == "__main__":
    install()
