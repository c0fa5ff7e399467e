"""Asks a peer all questions of a guild at once, with vectors of our embedder, so that only the store differs."""

from __future__ import annotations

import json
import subprocess
from functools import partial
from pathlib import Path

from memory.lab.evaluation.baselines import Ask, embedded_messages, texts_of
from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.lab.evaluation.measures import DEPTHS
from memory.lab.evaluation.peers.install import PACKAGES, is_whole, python_of
from memoryhub.ai import embedder
from memoryhub.common.long_work import Progress

SCRIPTS = {"langgraph_store": "langgraph_store.py", "mem0_raw": "mem0_store.py"}
PATIENCE = 900  # seconds for one guild


class PeerMissing(Exception):
    """A peer is not installed, or failed."""


def require(peer: str) -> None:
    """Raise PeerMissing, with what to do, where the peer is not installed."""
    if not is_whole(peer):
        name = PACKAGES[peer][0].partition("==")[0]
        raise PeerMissing(f"{peer} is left out: {name} is not installed beside the hub. `make peers` installs it.")


def installed() -> list[str]:
    """Return the peers that can be asked."""
    return [peer for peer in PACKAGES if is_whole(peer)]


def ask_peer(peer: str, world: LoadedGuild, progress: Progress) -> Ask:
    """Put the guild's messages into the peer's store, ask it every question, and return its answers one by one."""
    require(peer)
    model = embedder()
    if model is None:
        return lambda _question: []
    texts, asked = texts_of(world), world.conversation.asked
    vectors = dict(zip(texts, embedded_messages(world, progress).tolist(), strict=True))
    vectors |= {question: model.query(question).tolist() for question in asked}
    ids = [message.message_id for message in world.conversation.messages]
    given = {
        "messages": [{"id": each, "text": text} for each, text in zip(ids, texts, strict=True)],
        "questions": asked, "vectors": vectors, "dimensions": model.dimensions, "depth": max(DEPTHS),
    }  # fmt: skip
    answers = dict(zip(asked, _run(peer, json.dumps(given)), strict=True))
    return lambda question: [{each} for each in answers[question]]


def _run(peer: str, given: str) -> list[list[str]]:
    command = [str(python_of(peer)), str(Path(__file__).parent / SCRIPTS[peer])]
    try:
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=PATIENCE, check=True)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise PeerMissing(f"{peer} did not answer within {PATIENCE} seconds.") from None
    except subprocess.CalledProcessError as error:
        raise PeerMissing(f"{peer} failed: {error.stderr.strip()[-500:]}") from None
    try:
        found: list[list[str]] = json.loads(done.stdout)
    except ValueError:
        raise PeerMissing(f"{peer} failed: it answered {done.stdout.strip()[:200] or 'nothing'}.") from None
    return found


PEERS = {peer: partial(ask_peer, peer) for peer in PACKAGES}
