"""What agents keep: put, shown, found and removed, within its guild, and gone with the member it is about."""

from __future__ import annotations

import json

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import erasure, pipeline
from memory.models import AgentItem
from memory.records import agent_items, item_vectors
from memoryhub.community.consent import choose
from memoryhub.community.models import Guild, Member
from tests.api_client import Api, api_for
from tests.factories import NOON, make_guild, make_member

pytestmark = pytest.mark.django_db
BOATS, TEA = (
    {"text": "Sails a boat", "since": 2019, "place": {"city": "Kiel"}},
    {"text": "Drinks green tea", "since": 2001},
)


@pytest.fixture
def api() -> Api:
    """Return a caller in a guild with two items of Alice's and one of nobody's."""
    caller = api_for(make_guild())
    make_member(name="Alice", platform_id="u1")
    put(caller, ["memories", "u1"], "boat", BOATS)
    put(caller, ["memories", "u1"], "tea", TEA)
    put(caller, ["rules"], "one", {"text": "Be kind"})
    return caller


def put(api: Api, namespace: list[str], key: str, value: object, **more: object):
    return api.put("discord:1/items", {"namespace": namespace, "key": key, "value": value, **more})


def keys(api: Api, **asked: object) -> list[str]:
    answer = api.post("discord:1/items/search", asked)
    assert answer.status_code == 200, answer.content
    return [item["key"] for item in answer.json()["items"]]


def test_an_item_is_shown_as_it_was_put_and_replaced_under_its_key(api):
    shown = api.get("discord:1/items", namespace="memories.u1", item="boat").json()
    assert (shown["namespace"], shown["value"]) == (["memories", "u1"], BOATS)
    assert put(api, ["memories", "u1"], "boat", {"text": "Sold it"}).status_code == 200
    again = api.get("discord:1/items", namespace="memories.u1", item="boat").json()
    assert (again["value"], again["created_at"]) == ({"text": "Sold it"}, shown["created_at"])
    for _ in range(2):
        assert api.delete("discord:1/items?namespace=memories.u1&item=boat").status_code == 204
    assert api.get("discord:1/items", namespace="memories.u1", item="boat").status_code == 404


def test_a_question_finds_the_nearest_first_and_only_below_the_namespace(api):
    assert keys(api, namespace=["memories"], query="What do they drink in the morning?")[0] == "tea"
    assert keys(api, namespace=["memories"], query="boats and the sea")[0] == "boat"
    assert keys(api, namespace=["mem"]) == []
    assert sorted(keys(api)) == ["boat", "one", "tea"]


def test_a_namespace_is_told_from_one_in_other_capitals(api):
    put(api, ["memories", "U1", "deep"], "other", {"text": "Sails"})
    assert keys(api, namespace=["memories", "U1"]) == ["other"]
    assert sorted(keys(api, namespace=["memories", "u1"])) == ["boat", "tea"]


def test_what_is_nested_too_deeply_is_refused(api):
    deep: object = 1
    for _ in range(500):
        deep = {"a": deep}
    assert "at most 100 deep" in put(api, ["rules"], "deep", {"a": deep}).json()["errors"][0]["message"]
    put(api, ["rules"], "fine", json.loads('{"a": ' * 99 + "1" + "}" * 99))
    assert api.post("discord:1/items/search", {"filter": {"a": deep}}).status_code == 422


def test_an_item_is_found_by_the_text_that_it_is_said_to_be_found_by(api):
    put(api, ["memories", "u1"], "hidden", {"text": "Drinks coffee"}, text="")
    put(api, ["memories", "u1"], "chosen", {"text": "Nothing of the sort"}, text="Plays the cello in an orchestra")
    found = keys(api, query="Who plays an instrument?")
    assert found[0] == "chosen"
    assert found[-1] == "hidden"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"since": 2019}, ["boat"]), ({"since": {"$gt": 2001}}, ["boat"]), ({"since": {"$gte": 2001}}, ["boat", "tea"]),
        ({"since": {"$lt": 2019, "$ne": 2000}}, ["tea"]), ({"place": {"city": "Kiel"}}, ["boat"]),
        ({"place": {"city": {"$eq": "Rome"}}}, []), ({"since": {"$lte": "many"}}, []),
        ({"nothing": None}, ["boat", "one", "tea"]),
    ],
)  # fmt: skip
def test_a_filter_lets_through_what_it_says(api, wanted, found):
    assert sorted(keys(api, filter=wanted)) == found


def test_an_unknown_operator_is_named(api):
    for namespace in ([], ["nothing", "here"]):
        body = {"namespace": namespace, "filter": {"since": {"$near": 3}}}
        answer = api.post("discord:1/items/search", body)
        assert (answer.status_code, "$near" in answer.json()["detail"]) == (422, True)


def test_namespaces_are_listed_by_their_ends_and_cut_to_a_depth(api):
    def listed(**asked: object) -> list[list[str]]:
        return api.get("discord:1/items/namespaces", **asked).json()["namespaces"]

    assert listed() == [["memories", "u1"], ["rules"]]
    assert listed(prefix="*.u1") == listed(suffix="u1") == [["memories", "u1"]]
    assert listed(max_depth=1) == [["memories"], ["rules"]]
    assert listed(limit=1, offset=1) == [["rules"]]


@pytest.mark.parametrize(
    "body",
    [
        {"namespace": [], "key": "k", "value": {}}, {"namespace": ["a.b"], "key": "k", "value": {}},
        {"namespace": [""], "key": "k", "value": {}}, {"namespace": ["a"] * 21, "key": "k", "value": {}},
        {"namespace": ["a"], "key": "", "value": {}}, {"namespace": ["a"], "key": "k", "value": [1]},
        {"namespace": ["a"], "key": "k", "value": {"text": "x" * 70_000}}, {"namespace": ["a"], "key": "k"},
        {"namespace": ["a"], "key": "k", "value": {"deep": {"note": "my password is hunter2, remember it"}}},
    ],
)  # fmt: skip
def test_what_can_not_be_kept_is_refused(api, body):
    answer = api.put("discord:1/items", body)
    assert answer.status_code == 422, answer.content
    assert AgentItem.objects.count() == 3


def test_nothing_is_kept_under_the_id_of_who_is_not_to_be_remembered_or_while_memory_is_off(api):
    make_member(name="Bob", platform_id="u2", remember=False)
    assert "not to be remembered" in put(api, ["memories", "u2"], "k", {"text": "Sails"}).json()["detail"]
    Guild.objects.update(memory_on=False)
    assert "switched off" in put(api, ["rules"], "two", {"text": "Sails"}).json()["detail"]


def test_of_who_is_not_to_be_remembered_only_those_are_read_whose_labels_were_met(api):
    make_guild().members.all().update(remember=True)
    Guild.objects.update(consent_mode="opt_in")
    for number in range(30):
        make_member(name=f"Silent {number}", platform_id=f"silent-{number}")
    with CaptureQueriesContext(connection) as asked:
        found = api.post("discord:1/items/search", {"namespace": ["memories"]}).json()["items"]
        listed = api.get("discord:1/items/namespaces").json()["namespaces"]
    assert (len(found), listed) == (2, [["memories", "u1"], ["rules"]])
    told = [query["sql"] for query in asked if "community_member" in query["sql"]]
    assert len(told) == 2
    assert all("u1" in sql for sql in told)


@pytest.mark.parametrize("how", ["said no", "blocked", "opt-in"])
def test_what_is_kept_of_somebody_is_told_to_nobody_once_they_are_not_to_be_remembered(api, how):
    alice, path = Member.objects.get(), "discord:1/items?namespace=memories.u1&item=boat"
    if how == "said no":
        Member.objects.update(remember=False)
    Guild.objects.update(
        blocked=["u1"] if how == "blocked" else [], consent_mode="opt_in" if how == "opt-in" else "opt_out"
    )
    assert api.get(path).status_code == 404
    assert keys(api) == keys(api, query="boats and the sea") == ["one"]
    assert api.get("discord:1/items/namespaces").json()["namespaces"] == [["rules"]]
    assert put(api, ["memories", "u1"], "boat", {}).status_code == 422
    Guild.objects.update(blocked=[])
    choose(alice, remember=True, actor="member", now=NOON)
    assert api.get(path).json()["value"] == BOATS


def test_a_reader_finds_and_changes_nothing(api):
    reader = api_for(make_guild(), "read")
    assert keys(reader, namespace=["rules"]) == ["one"]
    assert put(reader, ["rules"], "two", {}).status_code == 403
    assert reader.delete("discord:1/items?namespace=rules&item=one").status_code == 403


def test_another_guild_has_items_of_its_own(api):
    other = api_for(make_guild("discord:2"))
    assert other.post("discord:1/items/search", {}).status_code == 404
    assert other.post("discord:2/items/search", {"query": "boat"}).json() == {"items": [], "not_searched": 0}
    assert other.get("discord:2/items/namespaces").json() == {"namespaces": []}


@pytest.mark.parametrize("asked", [{"query": "boat"}, {"filter": {"since": {"$gt": 2001}}}])
def test_a_search_among_too_many_says_how_many_it_left_out(api, asked, monkeypatch):
    monkeypatch.setattr(agent_items, "MOST_SEARCHED", 2)
    answer = api.post("discord:1/items/search", asked).json()
    assert answer["not_searched"] == 1
    assert api.post("discord:1/items/search", {"namespace": ["memories"], **asked}).json()["not_searched"] == 0
    assert api.post("discord:1/items/search", {"limit": 1}).json()["not_searched"] == 0


def test_another_embedder_embeds_items_anew_in_the_background_and_by_command(api, toy, capsys):
    put(api, ["memories", "u1"], "chosen", {"text": "Nothing of the sort"}, text="Owns a kayak")
    put(api, ["memories", "u1"], "hidden", {"text": "Owns a kayak"}, text="")
    put(api, ["memories", "u1"], "numbers", {"since": 2019})
    stale = {"embedder": "another one", "vector": b""}
    AgentItem.objects.update(**stale)
    pipeline.tick(now=NOON)
    rows = {row.key: row for row in AgentItem.objects.all()}
    assert {row.embedder for row in rows.values()} == {toy.identity}
    assert sorted(key for key, row in rows.items() if not row.vector) == ["hidden", "numbers"]
    assert keys(api, query="kayak", limit=1) == ["chosen"]

    AgentItem.objects.update(**stale)
    with pytest.raises(CommandError):
        call_command("reindex", "--check")
    call_command("reindex")
    call_command("reindex", "--check")
    assert keys(api, query="kayak", limit=1) == ["chosen"]


def test_what_changed_while_the_embedder_worked_waits_for_the_next_run(api, toy, monkeypatch):
    AgentItem.objects.update(embedder="another one", vector=b"")
    passages = toy.passages

    def slow(texts):
        put(api, ["rules"], "one", {"text": "Be loud"})
        monkeypatch.setattr(toy, "passages", passages)
        return passages(texts)

    monkeypatch.setattr(toy, "passages", slow)
    item_vectors.embed_missing(10)
    (rule,) = AgentItem.objects.filter(key="one")
    assert rule.embedder == toy.identity
    loud = np.frombuffer(bytes(rule.vector), np.float16).astype(np.float32)
    assert loud @ toy.query("loud") > loud @ toy.query("kind")


def test_the_background_embeds_items_while_it_is_told_to_go_on(api, toy, monkeypatch):
    AgentItem.objects.update(embedder="another one", vector=b"")
    monkeypatch.setattr(item_vectors, "BATCH", 1)
    waiting, asked = AgentItem.objects.count(), iter([True, False])
    assert item_vectors.embed_missing(10, keep_going=lambda: next(asked)) == 1
    assert item_vectors.lacking().count() == waiting - 1
    item_vectors.embed_missing(10)
    assert not item_vectors.lacking().exists()


def test_a_secret_in_what_an_item_is_found_by_is_refused(api):
    assert put(api, ["a"], "k", {"n": 1}, text="my password is hunter2, remember it").status_code == 422


@pytest.mark.django_db(transaction=True)
def test_what_lies_under_a_members_id_or_names_them_goes_with_them():
    api = api_for(make_guild())
    alice = make_member(name="Alexandra Sailor", platform_id="u1")
    put(api, ["memories", "u1"], "boat", BOATS)
    put(api, ["rules"], "one", {"text": "Ask Alexandra Sailor first"})
    put(api, ["rules"], "two", {"text": "Be kind"})
    job = erasure.request_erasure(alice.guild, member="u1", now=NOON, by="api:test")
    assert erasure.finished(job).clean
    assert [item.key for item in AgentItem.objects.all()] == ["two"]


def test_an_export_holds_what_lies_under_the_members_id(api):
    from tests.memory.erasure.test_export import read

    rows = read(AgentItem.objects.first().guild.members.get(), "agents_items.json")
    assert sorted(row["key"] for row in rows) == ["boat", "tea"]
    assert json.loads(json.dumps(rows[0]["value"])) in (BOATS, TEA)
