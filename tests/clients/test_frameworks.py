"""Adapters for agents' frameworks, with the frameworks' own packages, against a running hub."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients import install
from tests.verification.hub import PATIENCE, ROOT, Hub, a_hub

pytestmark = pytest.mark.xdist_group("frameworks")  # they share one running hub

HERE = Path(__file__).parent
GUILD = "web:example"
EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture(scope="module")
def hub(tmp_path_factory) -> Iterator[Hub]:
    """Give a running hub with a key of one guild."""
    with a_hub(tmp_path_factory.mktemp("frameworks")) as hub:
        made = hub.manage("create_api_key", "agent", "--guild", GUILD, "--scope", "write")
        assert made.returncode == 0, made.stderr
        hub.key = made.stdout.split()[-1]
        hub.serve()
        yield hub


def run(hub: Hub, name: str, script: str, *arguments: str, key: str = "") -> Any:
    """Run a script in a framework's environment and return the JSON on its last line."""
    own = {
        "MEMORYHUB_KEY": key or hub.key, "MEMORYHUB_URL": f"http://127.0.0.1:{hub.port}", "MEMORYHUB_GUILD": GUILD,
        "OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false",
    }  # fmt: skip
    ended = subprocess.run(
        [str(install.python_of(name)), str(HERE / script), *arguments], cwd=hub.folder,
        env={**hub.environment, **own}, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1])


def test_an_agent_of_openais_sdk_is_told_later_what_was_said_earlier(hub):
    first = run(hub, "openai-agents", "agents_python.py", "I moved to Toronto last spring.")
    assert [(item["role"]) for item in first["handed"]] == ["user"]  # nothing is known yet
    assert first["answer"] == "I see."
    assert hub.manage("digest").returncode == 0
    facts = hub.call("GET", f"/api/v1/guilds/{GUILD}/facts").json["items"]
    assert [(fact["member"], "Toronto" in fact["text"]) for fact in facts] == [("alice", True)]
    second = run(hub, "openai-agents", "agents_python.py", "Where do I live?")
    told = second["handed"][0]
    assert told["role"] == "developer"
    assert told["content"].startswith("Between <background_facts>")
    assert "Toronto" in told["content"]
    assert [item["role"] for item in second["kept"]] == [
        "user",
        "assistant",
    ]  # what memory told is not part of the talk
    assert second["trouble"] == ["ConnectError"]
    taken_back = hub.call("GET", f"/api/v1/guilds/{GUILD}/messages/{second['popped']}").json
    assert (taken_back["text"], taken_back["deleted_at"] is not None) == ("", True)


def test_langgraphs_own_tests_of_a_store_pass_on_a_hub(hub):
    made = hub.manage("create_api_key", "all", "--scope", "write")
    ran = run(
        hub,
        "langgraph",
        "langgraph_python.py",
        str(install.source_of("langgraph-checkpoint")),
        key=made.stdout.split()[-1],
    )
    assert ran["failed"] == {}
    assert ran["code"] == 0
    assert {"test_list_namespaces_basic", "test_search_pages_match_full_listing", "test_cannot_put_empty_namespace",
            "test_list_namespaces_pagination", "test_list_namespaces_max_depth"} <= set(ran["on_hub"])  # fmt: skip


def test_a_graph_remembers_from_one_thread_to_another(hub):
    assert run(hub, "langgraph", "langgraph_graph.py") == ["Nice to meet you.", "You said: I sail on Sundays."]
    items = hub.call("POST", f"/api/v1/guilds/{GUILD}/items/search", {"namespace": ["memories", "alice"]}).json["items"]
    assert "I sail on Sundays." in [item["value"]["text"] for item in items]


def test_a_typed_client_is_made_from_the_document_and_works(hub):
    document = hub.folder / "openapi.json"
    document.write_text(hub.manage("openapi").stdout, encoding="utf-8")
    told = run(hub, "openapi", "openapi_python.py", str(document))
    assert (told["status"], told["found"][0]) == ("stored", told["fact"])  # others learned here meanwhile
    assert "Plays the cello" in told["context"]
    assert "no such member" in told["refused"]
    assert told["export"]
    assert told["missing"] == 0


def test_examples_are_short():
    lengths = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in EXAMPLES.glob("*.py")}
    assert lengths
    assert {name: length for name, length in lengths.items() if length > 40} == {}
