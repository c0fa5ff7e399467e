"""`make peers`: installs the stores that are measured beside ours, each in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[4] / ".peers"
PACKAGES = {
    "langgraph_store": ("langgraph==1.2.22", "numpy"),
    "mem0_raw": ("mem0ai==2.2.1", "numpy"),
}


def python_of(peer: str) -> Path:
    """Return the interpreter that has this peer."""
    return FOLDER / peer / "bin" / "python"


def is_whole(peer: str) -> bool:
    """Tell whether the peer was installed to the end."""
    return (FOLDER / peer / ".whole").exists()


def install() -> None:
    """Make the environments that are missing."""
    uv = Path(sys.executable).parent / "uv"
    for peer, packages in PACKAGES.items():
        if is_whole(peer):
            continue
        _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, FOLDER / peer)
        _run(uv, "pip", "install", "--quiet", "--python", python_of(peer), *packages)
        (FOLDER / peer / ".whole").touch()


def _run(*command: object) -> None:
    done = subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        sys.exit(f"A peer could not be installed: {' '.join(map(str, command))}\n{done.stderr[-2000:]}")


if __name__ == "__main__":
    install()
