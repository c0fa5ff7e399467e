"""`manage.py run`, for real: one hub on a data folder, kept alive, stopped whole."""

from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.verification.hub import DATABASE, Hub, a_hub, until

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds its processes in /proc"),
    pytest.mark.xdist_group("run"),  # they share one running hub
]

MESSAGE = {
    "message_id": "m-1", "channel": {"id": "c1"}, "author": {"id": "u1"}, "text": "Hello, everybody.",
    "sent_at": "2026-03-02T12:00:00Z",
}  # fmt: skip


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Hub]:
    """Return a hub that `manage.py run` serves; tests may kill parts of it."""
    # Only in detail does the log name the queue's processes and tasks.
    with a_hub(tmp_path_factory.mktemp("run"), MEMORYHUB_LOG_LEVEL="DEBUG") as hub, started(hub):
        yield hub


class started:  # noqa: N801  reads as a verb
    """Run the hub inside the block; whatever happens, nothing of it is left afterwards."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub

    def __enter__(self) -> int:
        self.pid = self.hub.start("manage.py", "run").pid
        self.hub.wait_for_web()
        until(lambda: processes(self.hub, "hub-worker"), "the worker runs")
        return self.pid

    def __exit__(self, *_: object) -> None:
        while left := processes(self.hub, ""):
            for pid in left:
                kill(pid)


def processes(hub: Hub, words: str) -> set[int]:
    """Return the living processes of this hub whose name or command line has the words, by its folder."""
    mark = f"MEMORYHUB_DATA_DIR={hub.folder}\0".encode()
    return {
        pid
        for pid in _pids()
        if mark in _read(pid, "environ") and words.encode() in _read(pid, "comm") + _read(pid, "cmdline")
    }


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def oldest(pids: set[int]) -> int:
    """Return the process that started the others."""
    return next(pid for pid in pids if int(_read(pid, "stat").rsplit(b")", 1)[1].split()[1]) not in pids)


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def test_the_web_server_answers_and_says_how_it_is(running):
    running.wait_for_web()
    assert running.call("GET", "/api/v1/health").json["status"] == "ok"
    assert running.call("GET", "/sign-in/").status == 200


def test_the_longest_question_is_read_from_an_address(running):
    running.wait_for_web()
    running.call("POST", "/api/v1/guilds/discord:1/messages", MESSAGE)
    longest = quote("🦊" * 2_000)
    assert running.call("GET", f"/api/v1/guilds/discord:1/search?q={longest}").status == 200
    assert running.call("GET", f"/api/v1/guilds/discord:1/search?q={longest}{quote('🦊')}").status == 422
    assert running.call("GET", f"/api/v1/guilds/discord:1/search?q={'x' * 40_000}").status == 414


@pytest.mark.parametrize(("key", "status"), [("", 401), (None, 413)])
def test_whoever_sends_too_much_still_reads_the_refusal(running, key, status):
    caller = Hub(running.folder, running.key if key is None else key, port=running.port)
    assert caller.call("POST", "/api/v1/guilds/discord:1/messages", "x" * 34_000_000).status == status


def test_a_line_break_in_an_address_begins_no_line_of_the_log(running):
    assert running.call("GET", "/nothing%0A2026-01-01T00:00:00Z%20ERROR%20forged").status == 404
    assert "GET /nothing%0A2026" in running.log
    assert not [line for line in running.log.splitlines() if line.startswith("2026-01-01")]


def test_head_has_no_body(running):
    answer = running.call("HEAD", "/api/v1/health")
    assert (answer.status, answer.text) == (200, "")
    assert int(answer.headers["Content-Length"]) > 0
    assert "no-body response" not in running.log


def test_the_address_and_the_sign_in_are_printed(running):
    assert f"http://127.0.0.1:{running.port}/" in running.log
    assert "Sign in as admin with the password" in running.log


def test_nothing_is_said_between_the_sign_in_and_the_first_request(tmp_path):
    with a_hub(tmp_path) as hub, started(hub):
        said = [line for line in hub.log.splitlines() if "memoryhub.request" not in line]
        assert "Sign in as admin with the password" in said[-1]


def test_a_second_run_on_the_same_folder_is_refused_and_the_first_goes_on(running):
    second = Hub(running.folder, running.key).manage("run")
    assert second.returncode != 0
    assert "already running with this data folder" in second.stderr
    assert "Traceback" not in second.stderr
    assert running.is_healthy()


def test_a_killed_web_server_is_started_again(running):
    before = processes(running, "hub-web")
    kill(oldest(before))
    until(lambda: not before & processes(running, "hub-web"), "all of the old server is gone")
    running.wait_for_web()


@pytest.mark.parametrize("name", ["manage.py", "hub-web"])  # the worker's threads rest while it forks
def test_who_forks_shares_its_embedder_and_has_no_database_and_no_thread_that_a_fork_would_get(running, name):
    pid = oldest(processes(running, name))
    assert b"onnxruntime" in _read(pid, "maps")
    open_files = {str(path.readlink()) for path in Path(f"/proc/{pid}/fd").iterdir()}
    assert not [path for path in open_files if DATABASE in path]
    assert len(list(Path(f"/proc/{pid}/task").iterdir())) == 1


def minutes_jobs(hub: Hub) -> int:
    """Return how often the worker has done the minute's job."""
    with closing(sqlite3.connect(hub.folder / DATABASE)) as database:
        query = "SELECT count(*) FROM django_q_task WHERE func = 'memory.tasks.tick' AND success"
        return int(database.execute(query).fetchone()[0])


def test_the_worker_does_the_minutes_job(running):
    assert until(lambda: minutes_jobs(running), "the minute's job was done")


def test_the_queue_goes_on_when_processes_were_killed_that_waited_for_its_tasks(running):
    for pid in re.findall(r"ready for work at (\d+)", running.log):
        kill(int(pid))
    before = minutes_jobs(running)
    until(lambda: minutes_jobs(running) > before, "the minute's job was done again")


def test_a_stop_waits_for_no_task_that_takes_minutes(tmp_path):
    with a_hub(tmp_path, MEMORYHUB_LOG_LEVEL="DEBUG") as hub:
        worker = hub.start("manage.py", "qcluster")
        asked = "from django_q.tasks import async_task; async_task('time.sleep', 600)"
        assert hub.manage("shell", "--no-imports", "-c", asked).returncode == 0
        until(lambda: "'time.sleep'" in hub.log, "the task has begun")
        worker.send_signal(signal.SIGTERM)
        worker.wait(90)
        until(lambda: not processes(hub, ""), "nothing is left")


def test_a_second_worker_comes_where_tasks_wait(tmp_path):
    with a_hub(tmp_path, MEMORYHUB_LOG_LEVEL="DEBUG", MEMORYHUB_PROCESSES="2") as hub:
        hub.start("manage.py", "qcluster")
        until(lambda: len(_grown(hub)) == 2, "it begins with one worker")
        asked = "from django_q.tasks import async_task; [async_task('time.sleep', 20) for _ in range(3)]"
        assert hub.manage("shell", "--no-imports", "-c", asked).returncode == 0
        until(lambda: hub.log.count("'time.sleep'") >= 2, "two tasks are under way")
        assert len(_grown(hub)) == 3


def test_a_killed_worker_is_started_again_and_leaves_no_double(running):
    before = until(lambda: _grown(running), "the worker has all its processes")
    kill(oldest(before))
    until(lambda: not before & processes(running, "hub-worker"), "all of the old worker is gone")
    after = until(lambda: _grown(running), "the new worker has all its processes")
    assert after.isdisjoint(before)


def _grown(hub: Hub) -> set[int]:
    """Return the worker's processes once they are complete: one that fetches and watches, and one that works."""
    found = processes(hub, "hub-worker") | processes(hub, "qcluster")
    return found if len(found) >= 2 else set()


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT], ids=lambda sign: sign.name)
def test_a_signal_stops_everything_and_leaves_no_orphan(tmp_path, sign):
    with a_hub(tmp_path) as hub, started(hub) as pid:
        until(lambda: _grown(hub), "the worker has all its processes")
        os.kill(pid, sign)
        hub.processes[0].wait(90)
        until(lambda: not processes(hub, ""), "nothing is left")


def test_nothing_outlives_a_killed_supervisor(tmp_path):
    with a_hub(tmp_path) as hub, started(hub) as pid:
        until(lambda: _grown(hub), "the worker has all its processes")
        kill(pid)
        until(lambda: not processes(hub, ""), "nothing is left")


@pytest.mark.parametrize("command", ["run", "demo"])
def test_a_taken_port_is_told_in_plain_words_before_anything_is_done(tmp_path, command):
    with a_hub(tmp_path) as hub, socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", hub.port))
        taken.listen()
        refused = hub.manage(command)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"127.0.0.1:{hub.port} cannot be used" in refused.stderr
    assert "MEMORYHUB_BIND" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    "bind", ["nonsense", "127.0.0.1", ":8000", "127.0.0.1:http", "127.0.0.1:99999", "127.0.0.1:8²", "a..b:8000"]
)
def test_an_address_that_is_none_is_told_in_plain_words(tmp_path, bind):
    with a_hub(tmp_path, MEMORYHUB_BIND=bind) as hub:
        refused = hub.manage("run")
    assert refused.returncode != 0
    assert "MEMORYHUB_BIND" in refused.stderr
    assert "Traceback" not in refused.stderr
