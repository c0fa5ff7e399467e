"""mem0's published clients, unmodified, against a running hub: each method does what it says, or says why not."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients import install
from tests.verification.hub import PATIENCE, Hub, a_hub, until

pytestmark = pytest.mark.xdist_group("mem0")  # they share one running hub

HERE = Path(__file__).parent
RUNS = [*((version, mode) for version in install.PYTHON for mode in ("sync", "async")), ("npm", install.NPM)]
QUIET = {"MEM0_TELEMETRY": "false"}  # no test calls anybody else
ISSUE = """
from memoryhub.community.identity import ensure_guild
from memoryhub.site import auth
for name in {names!r}:
    print("KEY", name, auth.issue(name=name, guild=ensure_guild(key=f"mem0:{{name}}"), scope="write"))
"""
NOT_HERE = {
    "update_project", "project.update", "project.create", "project.delete", "project.get_members",
    "project.add_member", "project.update_member", "project.remove_member", "get_webhooks", "create_webhook",
    "update_webhook", "delete_webhook", "update_profile_settings", "generate_profile", "sample_profiles",
    "get_profile_job", "updateProject", "getWebhooks", "createWebhook", "updateWebhook", "deleteWebhook",
    "updateProfileSettings", "generateProfile", "sampleProfiles", "getProfileJob",
}  # fmt: skip
"""What the hub has no counterpart of: a client is told so."""
NOT_IN_THE_CLIENT = {"chat"}
"""What the client itself refuses before anything is sent."""
CLIENTS_OWN = "capture_client_event() takes"
"""Older clients trip over their own telemetry, after the hub took the feedback."""


@pytest.fixture(scope="module")
def serving(tmp_path_factory) -> Iterator[tuple[Hub, dict[str, str]]]:
    """Give a running hub, and a key for each client's own guild."""
    names = [*("-".join(run) for run in RUNS), *(f"locomo-{version}" for version in install.PYTHON)]
    with a_hub(tmp_path_factory.mktemp("mem0")) as hub:
        made = hub.manage("shell", "--verbosity", "0", "-c", ISSUE.format(names=names))
        keys = dict(line.split()[1:] for line in made.stdout.splitlines() if line.startswith("KEY "))
        assert set(keys) == set(names), made.stderr
        hub.serve()
        yield hub, keys


def run(serving: tuple[Hub, dict[str, str]], version: str, mode: str) -> Any:
    """Run a client against the hub and return what it printed."""
    hub, keys = serving
    host, others = f"http://127.0.0.1:{hub.port}/mem0", keys.get(f"locomo-{version}", "")
    if version == "npm":
        command, folder = [install.node(), str(HERE / "mem0_npm.mjs"), host], install.npm_folder()
    else:
        command, folder = [str(install.python_of(version)), str(HERE / "mem0_python.py"), host], HERE
    command += [others if mode == "ask" else keys[f"{version}-{mode}"], mode, others]
    environment = {**hub.environment, **QUIET, "PYTHONWARNINGS": "ignore", "MEM0_DIR": str(hub.folder / "mem0")}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize(("version", "mode"), RUNS, ids=["-".join(run) for run in RUNS])
def test_every_method_of_a_client_does_what_it_says_or_says_why_not(serving, version, mode):
    done = run(serving, version, mode)
    assert done.pop("missed") == []
    done = {name: "pass" if CLIENTS_OWN in what else what for name, what in done.items()}
    plain = {name for name, what in done.items() if what.startswith("plain: ")}
    wrong = {name: what for name, what in done.items() if what != "pass" and name not in NOT_HERE | NOT_IN_THE_CLIENT}
    assert wrong == {}, str(wrong)
    assert plain - NOT_IN_THE_CLIENT == NOT_HERE & done.keys()
    told = ("Nothing was changed", "501 Not Implemented")  # some methods of older clients pass on no words
    assert [name for name in plain & NOT_HERE if not any(words in done[name] for words in told)] == []


def test_mem0s_own_way_of_evaluating_adds_sessions_and_searches_ten(serving):
    digested = serving[0].manage("digest")
    assert digested.returncode == 0, digested.stderr
    for version in install.PYTHON:
        # The hub's worker may have the conversation in hand, which the command then leaves to it.
        found = until(lambda version=version: run(serving, version, "ask"), "the sessions are read")
        assert "Toronto" in found[0]["memory"]
        assert found[0]["metadata"] == {"timestamp": "8 May 2023"}
        assert not any("dogs" in each["memory"] for each in found)  # the other side's words are the bot's here
