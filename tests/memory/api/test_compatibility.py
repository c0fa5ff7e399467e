import pytest

from memory.models import Fact
from tests.api_client import api_for
from tests.factories import make_channel, make_guild

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("guild", ["discord:1", "1", ""])
def test_the_snapshot_is_given_as_markdown(api, tea, guild):
    answer = api.get("/api/memory", guildId=guild).json()
    assert answer["guildId"] == "discord:1"
    assert "Likes green tea." in answer["markdown"]


def test_without_a_guild_the_only_one_is_meant(api):
    assert api_for().get("/api/memory").status_code == 200
    make_guild("discord:2")
    assert api_for().get("/api/memory").status_code == 404


def test_a_refresh_renders_anew(api, tea):
    api.get("/api/memory")
    api.delete(f"discord:1/facts/{tea['id']}")
    assert "tea" not in api.post("/api/memory/refresh").json()["markdown"]


def test_a_search_finds_facts(api, tea):
    answer = api.get("/api/memory/search", q="green tea", guildId="1").json()
    assert [found["text"] for found in answer["results"]] == ["Likes green tea."]
    assert (answer["queryText"], answer["limit"]) == ("green tea", 10)


def test_a_search_in_a_channel_tells_what_may_be_told_there(api):
    make_channel(name="staff", private=True)
    api.post("discord:1/facts", {"member": "u-alice", "text": "Likes green tea.", "channel": "c-staff"})
    query = {"q": "green tea", "guildId": "1"}
    assert api.get("/api/memory/search", **query).json()["results"] == []
    assert len(api.get("/api/memory/search", channelId="c-staff", **query).json()["results"]) == 1


@pytest.mark.parametrize("query", [{}, {"q": "tea"}, {"guildId": "1"}, {"q": " ", "guildId": "1"}])
def test_a_search_for_nothing_finds_nothing(api, tea, query):
    answer = api.get("/api/memory/search", **query)
    assert (answer.status_code, answer.json()["results"], answer.json()["limit"]) == (200, [], 0)


@pytest.mark.parametrize(("asked", "given"), [("0", 1), ("-5", 1), ("99", 24), ("7", 7)])
def test_a_limit_is_brought_within_its_range(api, asked, given):
    assert api.get("/api/memory/search", q="tea", guildId="1", limit=asked).json()["limit"] == given


def test_memories_are_listed_with_their_guild(api, tea):
    memories = api.get("/admin/api/memories").json()["memories"]
    assert [(memory["id"], memory["guild"], memory["text"]) for memory in memories] == [
        (tea["id"], "discord:1", "Likes green tea.")
    ]


def test_a_memory_is_deleted_once(api, tea):
    assert [api.delete(f"/admin/api/memories/{tea['id']}").status_code for _ in range(2)] == [204, 404]
    assert not Fact.objects.exists()
