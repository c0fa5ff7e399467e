"""By no tool, resource or prompt a key of one guild sees or changes anything of another."""

from __future__ import annotations

import json

import pytest

from memory.model_context.tools import TOOLS
from memory.models import Fact
from memoryhub.community.models import Guild, Member
from tests.factories import (
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_profile,
    make_summary,
)
from tests.model_client import NEWEST, OLDER, ModelClient, model_for

pytestmark = pytest.mark.django_db
SECRET = "marzipan"


@pytest.fixture
def theirs() -> Guild:
    """Return a guild with a secret in all of its texts."""
    guild = make_guild("discord:2", name=SECRET)
    alice = make_member(guild, "Alice", platform_id="alice", display_name=SECRET)
    channel = make_channel(guild, SECRET, platform_id="c1")
    message = make_message(f"I love {SECRET}.", author=alice, channel=channel, platform_id="m-1")
    make_fact(f"Loves {SECRET}.", subject=alice, evidence=[message])
    make_note(SECRET, summary=SECRET, messages=[message], channel=channel)
    make_profile(alice, summary=SECRET)
    make_entry(SECRET, member=alice, section="interests")
    make_summary(channel, text=SECRET)
    return guild


def attempts(fact: Fact) -> list[tuple[str, dict[str, object]]]:
    """Return calls of each tool that name what is the other guild's, in every way of naming it."""
    note = fact.guild.notes.get().pk
    calls: list[tuple[str, dict[str, object]]] = [
        ("list_memories", {"status": "all"}), ("list_memories", {"words": SECRET, "status": "all"}),
        ("get_context", {"text": SECRET}), ("search_memory", {"question": SECRET}),
        ("ask_memory", {"question": f"Who loves {SECRET}?"}), ("who_knows", {"about": SECRET}),
        ("catch_up", {"since": "2026-01-01T00:00:00Z"}),
        ("why", {"id": fact.pk}), ("why", {"kind": "note", "id": note}), ("why", {"kind": "message", "id": "m-1"}),
        ("correct_memory", {"id": fact.pk, "text": "Stolen words here"}), ("forget", {"id": fact.pk}),
    ]  # fmt: skip
    for name in ("alice", "Alice", SECRET, "c1"):
        calls += [
            ("list_memories", {"member": name}), ("member_profile", {"member": name}),
            ("member_profile", {"member": "alice", "channel": name}), ("channel_summary", {"channel": name}),
            ("search_memory", {"question": "love", "member": name}), ("get_context", {"members": [name]}),
            ("search_memory", {"question": "love", "channel": name}), ("get_context", {"channel": name}),
            ("ask_memory", {"question": "love", "member": name}), ("ask_memory", {"question": "love", "channel": name}),
            ("catch_up", {"member": name}), ("catch_up", {"channel": name}),
            ("who_knows", {"about": "love", "channel": name}),
            ("remember", {"text": "Stolen words here", "member": name}),
            ("remember", {"text": "The cat rules here", "channel": name}),
        ]  # fmt: skip
    return calls


@pytest.mark.parametrize("version", [OLDER, NEWEST])
def test_no_tool_resource_or_prompt_crosses_guilds(theirs, version):
    fact = Fact.objects.get(guild=theirs)
    before = everything(theirs)
    owner, thief = (talk(model_for(guild, "admin"), version) for guild in (theirs, make_guild("discord:1")))
    assert SECRET in json.dumps(owner("tools/call", name="list_memories", arguments={}))
    tried = attempts(fact)
    assert {tool for tool, _ in tried} == set(TOOLS)
    answers = [thief("tools/call", name=tool, arguments=arguments) for tool, arguments in tried]
    answers += [thief(f"{kind}/list") for kind in ("tools", "resources", "resources/templates", "prompts")]
    addresses = ["snapshot", "journal/today", *(f"members/{name}/profile" for name in ("alice", SECRET))]
    answers += [thief("resources/read", uri=f"memoryhub://{address}") for address in addresses]
    answers += [thief("prompts/get", name="brief_channel", arguments={"channel": name}) for name in ("c1", SECRET)]
    assert [answer for answer in answers if SECRET in json.dumps(answer)] == []
    assert everything(theirs) == before


def test_a_key_of_one_guild_names_no_other(theirs):
    answer = model_for(make_guild("discord:1"), query="?guild=discord:2").send("tools/list")
    assert answer.status_code == 404
    assert SECRET not in answer.content.decode()


def test_a_key_of_all_guilds_sees_only_the_one_it_names(theirs):
    nowhere = model_for(None).send("tools/list")
    assert nowhere.status_code == 403
    assert "/mcp?guild=KEY" in nowhere.json()["detail"]
    make_guild("discord:1")
    assert model_for(None, query="?guild=discord:1").call("list_memories")["facts"] == []
    assert len(model_for(None, query="?guild=discord:2").call("list_memories")["facts"]) == 1
    assert model_for(None, query="?guild=discord:3").send("tools/list").status_code == 404


def everything(guild: Guild) -> list[object]:
    return [list(model.objects.filter(guild=guild).order_by("pk").values()) for model in (Fact, Member)]


def talk(model: ModelClient, version: str):
    """Return how to send a request in this version of the protocol and have its whole answer."""

    def send(method: str, **params: object) -> object:
        headers = {"MCP-Protocol-Version": version}
        if version == NEWEST:
            prefix = "io.modelcontextprotocol/"
            params["_meta"] = {f"{prefix}protocolVersion": version, f"{prefix}clientCapabilities": {}}
            named = params.get("name") or params.get("uri")
            headers |= {"Mcp-Method": method, **({"Mcp-Name": str(named)} if named else {})}
        answer = json.loads(model.send(method, params, headers=headers).content)
        assert ("result" in answer) or answer["error"]["code"] == -32602, answer
        return answer

    return send
