"""How far a streaming replica has come: it replays what its primary writes, a little later."""

from __future__ import annotations

import time
from typing import Any

LOOKS = 0.003  # seconds between two looks
CLUSTER = "SELECT system_identifier::text FROM pg_control_system()"
FLUSHED = "SELECT pg_current_wal_flush_lsn()"  # each commit that was acknowledged is before it
REPLAYED = "SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= %s::pg_lsn"
_clusters: set[tuple[str, str]] = set()


def has_caught_up(replica: Any, primary: Any, *, within: float) -> bool:
    """Say whether the replica replays what this very primary writes, and has come as far; waits so many seconds."""
    written, until = _asked(primary, FLUSHED), time.monotonic() + within
    if not _is_of_the_same_cluster(replica, primary):
        return False
    while not _asked(replica, REPLAYED, written):
        if time.monotonic() > until:
            return False
        time.sleep(LOOKS)
    return True


def why_no_replica(replica: Any, primary: Any) -> str:
    """Return an operator's sentence on why this is no replica of the primary; empty when it is one."""
    if not _is_of_the_same_cluster(replica, primary):
        return "It is no replica of the server in DATABASE_URL: make one with pg_basebackup -R."
    if not _asked(replica, "SELECT pg_is_in_recovery()"):
        return "It takes writes, so it is no replica any more. Let DATABASE_URL name it, or make it a replica again."
    return ""


def _is_of_the_same_cluster(replica: Any, primary: Any) -> bool:
    """Compare what a server and all of its copies have in common; asked once for each pair of addresses."""
    pair = (_address(replica), _address(primary))
    if pair not in _clusters and _asked(replica, CLUSTER) == _asked(primary, CLUSTER):
        _clusters.add(pair)
    return pair in _clusters


def _address(wrapper: Any) -> str:
    return "{HOST}:{PORT}/{NAME}".format_map(wrapper.settings_dict)


def _asked(wrapper: Any, question: str, *params: Any) -> Any:
    with wrapper.cursor() as cursor:
        cursor.execute(question, params or None)
        return cursor.fetchone()[0]
