"""What can be read by an address, and the prompt that briefs on a channel."""

from __future__ import annotations

import json

import pytest

from memoryhub.models import AuditEntry
from tests.factories import make_channel, make_entry, make_fact, make_guild, make_member, make_profile, make_summary
from tests.model_client import ModelClient, model_for

pytestmark = pytest.mark.django_db


@pytest.fixture
def model() -> ModelClient:
    """Return a reader in a guild that knows Alice, who sails, and a channel."""
    alice = make_member(name="Alice", platform_id="sms:+1/555")
    make_member(name="Robot", is_bot=True)
    make_fact("Sails on Sundays.", subject=alice)
    make_profile(alice, summary="A sailor.")
    make_entry("Sails", member=alice, section="interests")
    make_summary(make_channel(name="harbour", platform_id="c1"), text="Who sails when.")
    return model_for(make_guild(), scope="read")


def test_papers_and_members_are_listed_and_each_can_be_read(model):
    listed = model.ask("resources/list")["resources"]
    assert [row["name"] for row in listed] == ["Snapshot", "Today", "Profile of Alice"]
    texts = [model.read(row["uri"]) for row in listed]
    assert "Sails on Sundays." in texts[0]
    assert "A sailor." in texts[2]
    assert all(text.startswith("Between <background_facts>") for text in texts)
    seen = set(AuditEntry.objects.values_list("what", "row"))
    assert seen == {("mcp:snapshot", ""), ("mcp:journal", "today"), ("mcp:member_profile", "sms:+1/555")}


def test_members_are_listed_by_pages(model, monkeypatch):
    monkeypatch.setattr("memory.model_context.resources.LISTED", 1)
    make_member(name="Bob")
    first = model.ask("resources/list")
    second = model.ask("resources/list", {"cursor": first["nextCursor"]})
    assert [row["name"] for row in second["resources"]] == ["Profile of Bob"]
    assert "was not given here" in model.error("resources/list", {"cursor": "bogus"})


def test_who_said_no_is_not_listed(model):
    make_member(name="Carol", remember=False)
    assert "Carol" not in str(model.ask("resources/list"))


@pytest.mark.parametrize(
    "address",
    [
        "memoryhub://nothing", "memoryhub://journal/2026-2-1", "memoryhub://journal/1066-10-14", "https://example.org/",
        "memoryhub://members/nobody/profile", "memoryhub://members//profile", "memoryhub://snapshot/../keys", "",
        "memoryhub://members/%00/profile", f"memoryhub://members/{'x' * 300}/profile",
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_so(model, address):
    assert "There is no" in model.error("resources/read", {"uri": address})


def test_addresses_are_told_as_templates(model):
    shown = [row["uriTemplate"] for row in model.ask("resources/templates/list")["resourceTemplates"]]
    assert shown == ["memoryhub://journal/{day}", "memoryhub://members/{member}/profile"]


def test_the_prompt_briefs_on_a_channel_by_its_name(model):
    (prompt,) = model.ask("prompts/list")["prompts"]
    assert (prompt["name"], prompt["arguments"][0]["required"]) == ("brief_channel", True)
    messages = model.ask("prompts/get", {"name": "brief_channel", "arguments": {"channel": "harbour"}})["messages"]
    assert messages[0]["content"]["text"].startswith("Brief me on the channel")
    data = messages[1]["content"]["text"].splitlines()
    assert json.loads(data[2])["lately"]["text"] == "Who sails when."
    for named in ("nowhere", "x" * 300, "\x00"):
        wanted = {"name": "brief_channel", "arguments": {"channel": named}}
        assert "no such channel" in model.error("prompts/get", wanted)
    assert "Name the channel" in model.error("prompts/get", {"name": "brief_channel", "arguments": {}})
    assert "There is: brief_channel" in model.error("prompts/get", {"name": "brew_tea"})
