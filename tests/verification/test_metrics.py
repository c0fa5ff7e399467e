"""The counts of several processes: together in one answer, right after kills, in as many files as run at once."""

from __future__ import annotations

import os
import signal

from prometheus_client.parser import text_string_to_metric_families

from tests.verification.hub import ROOT, a_hub, until

COUNTING = """
import os, sys
from memoryhub.server import instruments
import django
django.setup()
instruments.share("worker")
count = instruments.counted().erasures.labels("member")
count.inc()
if os.fork() == 0:
    count.inc()
    os._exit(0)
os.wait()
count.inc()
os.kill(os.getpid(), 9)
"""


def told(hub):
    answer = hub.call("GET", "/metrics")
    assert answer.status == 200
    families = text_string_to_metric_families(answer.text)
    return {(each.name, *sorted(each.labels.values())): each.value for family in families for each in family.samples}


def asked(hub):
    return told(hub).get(("memoryhub_requests_total", "/api/v1/guilds", "200", "GET"), 0.0)


def workers(server):
    """Return the process ids of the web server's children."""
    return [int(pid) for pid in (ROOT / f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]


def test_each_request_is_counted_once_whichever_process_answers_and_whichever_is_killed(tmp_path):
    with a_hub(tmp_path) as hub:
        server = hub.serve()
        for _ in range(20):
            hub.call("GET", "/api/v1/guilds")
        assert asked(hub) == 20
        first = workers(server)
        for pid in first:
            os.kill(pid, signal.SIGKILL)
        until(lambda: len(set(workers(server)) - set(first)) == len(first), "others take their place")
        until(hub.is_healthy, "the web server answers again")
        for _ in range(5):
            hub.call("GET", "/api/v1/guilds")
        numbers = told(hub)
        assert numbers["memoryhub_requests_total", "/api/v1/guilds", "200", "GET"] == 25
        assert numbers["memoryhub_process_resident_memory_bytes", "0", "web"] > 1_000_000
        assert len(list((tmp_path / "metrics").glob("counter_*.db"))) == 2


def test_a_fork_counts_for_itself_and_who_comes_later_goes_on_with_the_files_of_the_dead(tmp_path):
    with a_hub(tmp_path) as hub:
        for _ in range(4):
            hub.start("-c", COUNTING).wait()
        hub.serve()
        assert told(hub)["memoryhub_erasures_total", "member"] == 12
        assert len(list((tmp_path / "metrics").glob("counter_*.db"))) == 2
