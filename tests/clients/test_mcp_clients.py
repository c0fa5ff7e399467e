"""The official client, in its newest and in older versions of the protocol, over both transports of a running hub."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory.model_context.tools import TOOLS
from tests.clients import install
from tests.verification.hub import PATIENCE, ROOT, Hub, a_hub

pytestmark = pytest.mark.xdist_group("mcp")  # they share one running hub

SCRIPT = Path(__file__).parent / "mcp_python.py"
GUILD = "sms:boat"
REVOKE = """
from memoryhub.models import ApiKey
ApiKey.objects.filter(scope="read").update(revoked_at="2026-01-01T00:00Z")
"""
VERSIONS = [
    (sys.executable, "auto", "2026-07-28"), (sys.executable, "2026-07-28", "2026-07-28"),
    (sys.executable, "legacy", "2025-11-25"),
    *((str(install.python_of(f"mcp-{version}")), "-", spoken)
      for version, spoken in zip(install.MCP, ("2025-03-26", "2025-11-25"), strict=True)),
]  # fmt: skip
NAMES = ["newest", "pinned", "handshake", *install.MCP]


@pytest.fixture(scope="module")
def hub(tmp_path_factory) -> Iterator[Hub]:
    """Give a running hub with a key of one guild, in which something was said."""
    with a_hub(tmp_path_factory.mktemp("mcp")) as hub:
        hub.key = key_of(hub, "write")
        hub.serve()
        said = {
            "message_id": "m-1", "channel": {"id": "general", "name": "general"}, "sent_at": "2026-02-23T19:04:00Z",
            "author": {"id": "u1", "name": "alice"}, "text": "The race is on Friday.",
        }  # fmt: skip
        assert hub.call("POST", f"/api/v1/guilds/{GUILD}/messages", said).status == 201
        yield hub


def key_of(hub: Hub, scope: str, name: str = "model") -> str:
    made = hub.manage("create_api_key", name, "--guild", GUILD, "--scope", scope)
    assert made.returncode == 0, made.stderr
    return made.stdout.split()[-1]


def drive(hub: Hub, python: str, *arguments: str, key: str) -> Any:
    """Run the script with one of the clients, and return what it saw."""
    environment = {**hub.environment, "MEMORYHUB_MCP_KEY": key, "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run(
        [python, str(SCRIPT), *arguments], cwd=hub.folder, env=environment, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize("way", ["http", "stdio"])
@pytest.mark.parametrize(("python", "mode", "spoken"), VERSIONS, ids=NAMES)
def test_every_call_of_the_client_is_answered(hub, python, mode, spoken, way):
    places = [f"http://127.0.0.1:{hub.port}/mcp", hub.key]
    if way == "stdio":
        places = [sys.executable, str(ROOT / "manage.py")]
    seen = drive(hub, python, way, *places, mode, key=hub.key)
    assert seen["version"] == spoken
    assert seen["tools"] == list(TOOLS)
    assert "The cat rules the channel" in seen["found"]["content"][0]["text"]
    assert (seen["refused"]["isError"], "no such fact" in seen["refused"]["content"][0]["text"]) == (True, True)
    assert "api:model" in seen["why"]["content"][0]["text"]
    assert (seen["resources"][0], seen["templates"], seen["prompts"]) == ("memoryhub://snapshot", 2, ["brief_channel"])
    assert "The cat rules the channel" in seen["snapshot"]
    assert "The race is on Friday." in seen["brief"][-1]


def test_what_goes_by_standard_output_is_written_down_like_the_rest(hub):
    drive(hub, sys.executable, "stdio", sys.executable, str(ROOT / "manage.py"), "auto", key=hub.key)
    asked = "from memoryhub.models import AuditEntry; print(*AuditEntry.objects.values_list('actor', 'what', 'verb'))"
    told = hub.manage("shell", "--verbosity", "0", "-c", asked).stdout
    assert "('api:model', 'mcp:remember', 'changed')" in told
    assert "('api:model', 'mcp:why', 'looked')" in told


@pytest.mark.parametrize(
    ("key", "arguments", "words"),
    [
        ("", [], "Put a key into MEMORYHUB_MCP_KEY"), ("mh_wrong", [], "is not known here"),
        (None, ["--guild", "sms:other"], "There is no such guild, or this key is not for it"),
    ],
)  # fmt: skip
def test_without_a_good_key_the_command_says_what_to_do(hub, key, arguments, words):
    hub.changes["MEMORYHUB_MCP_KEY"] = hub.key if key is None else key
    ended = hub.manage("mcp", *arguments)
    assert ended.returncode == 1
    assert words in ended.stderr


def test_a_key_that_is_revoked_meanwhile_is_refused_at_the_next_call(hub):
    key = key_of(hub, "read", "reader")
    hub.changes["MEMORYHUB_MCP_KEY"] = key
    serving = subprocess.Popen(
        [sys.executable, "manage.py", "mcp"], cwd=ROOT, env=hub.environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with serving:

        def ask(number: int, method: str, params: Any) -> Any:
            serving.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
            serving.stdin.flush()
            return json.loads(serving.stdout.readline())

        info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        assert ask(1, "initialize", info)["result"]["protocolVersion"] == "2025-06-18"
        assert len(ask(2, "tools/list", {})["result"]["tools"]) == sum(not tool.changes for tool in TOOLS.values())
        assert hub.manage("shell", "-c", REVOKE).returncode == 0
        assert "known and not revoked" in ask(3, "tools/list", {})["error"]["message"]
        serving.stdin.close()
        assert serving.wait(PATIENCE) == 0
