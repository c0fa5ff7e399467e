"""mem0's routes: what clients add, find, list, change and forget, without a client in between."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory import pipeline
from memory.models import ClientData, Fact, FactChange
from memoryhub.community import consent
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.models import AuditEntry
from notes.models import Message
from tests.api_client import Api, api_for
from tests.factories import NOON, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db
HERE = "/mem0"
TALK = [
    {"role": "user", "content": "I live in Toronto and I work at the museum these days."},
    {"role": "assistant", "content": "Nice! What do you do there?"},
]


@pytest.fixture
def api() -> Api:
    """Return a caller with a key for North."""
    return api_for(make_guild())


def add(api: Api, text: str, **fields: Any) -> Any:
    """Add what a user says and return the answer."""
    body = {"messages": [{"role": "user", "content": text}], **fields}
    answer = api.post(f"{HERE}/v3/memories/add/", body)
    assert answer.status_code == 200, answer.content
    return answer.json()


def tell(api: Api, text: str, **fields: Any) -> str:
    """Have words kept as they are and return the id of the memory."""
    return str(add(api, text, **{"user_id": "alice", "infer": False, **fields})["results"][0]["id"])


def search(api: Api, query: str, **filters: Any) -> list[dict[str, Any]]:
    answer = api.post(f"{HERE}/v3/memories/search/", {"query": query, "filters": filters or {"user_id": "alice"}})
    assert answer.status_code == 200, answer.content
    return list(answer.json()["results"])


def listed(api: Api, **filters: Any) -> set[str]:
    answer = api.post(f"{HERE}/v3/memories/", {"filters": filters or {"user_id": "alice"}})
    assert answer.status_code == 200, answer.content
    assert answer.json()["count"] == len(answer.json()["results"])
    return {row["id"] for row in answer.json()["results"]}


@pytest.mark.parametrize("infer", [True, False])
@pytest.mark.parametrize(
    ("user", "called"),
    [("alice", "alice"), ("Ann-Marie O'Hara", "Ann-Marie O'Hara"), ("zoë_k2", "zoë_k2"), ("u1", "Member"),
     ("+15550100", "Member"), ("a@example.org", "Member"), ("3f2b9c1e-77aa-4d0e-9a51-0c6f1b7e2d11", "Member")],
)  # fmt: skip
def test_who_is_new_is_called_by_an_id_that_is_a_name(api, user, called, infer):
    add(api, "I moved to Toronto last spring.", user_id=user, infer=infer)
    assert Member.objects.get(platform_id=user).label == called


def test_who_is_known_keeps_their_name(api):
    make_member(name="Alice", platform_id="alice")
    for infer in (True, False):
        add(api, "I moved to Toronto last spring.", user_id="alice", infer=infer)
    assert Member.objects.get(platform_id="alice").label == "Alice"


def test_a_client_learns_its_guild_as_its_project(api):
    answer = api.get(f"{HERE}/v1/ping/").json()
    assert answer["status"] == "ok"
    assert answer["org_id"]
    assert answer["project_id"] == str(make_guild().pk)


@pytest.mark.parametrize(
    "headers", [{"Authorization": "Token {}"}, {"X-API-Key": "{}"}, {"Authorization": "Bearer {}"}]
)
def test_a_key_is_taken_in_the_three_ways_in_which_clients_send_it(api, headers):
    key = api.headers["Authorization"].partition(" ")[2]
    caller = Api(None)
    caller.headers = {name: value.format(key) for name, value in headers.items()}
    assert caller.get(f"{HERE}/v1/ping/").status_code == 200
    assert caller.get("/api/v1/guilds").status_code == (200 if "Bearer {}" in headers.values() else 401)


def test_a_wrong_key_is_refused_in_the_words_that_clients_read():
    answer = Api("mh_wrong").get(f"{HERE}/v1/ping/")
    assert answer.status_code == 401
    assert answer.json()["detail"] == answer.json()["error"] != ""
    assert "Authorization: Token KEY" in answer.json()["detail"]


def test_a_key_of_all_guilds_is_told_what_to_do():
    answer = api_for(None).get(f"{HERE}/v1/ping/")
    assert answer.status_code == 403
    assert "create_api_key" in answer.json()["detail"]


def test_a_key_that_only_reads_searches_and_adds_nothing():
    api = api_for(make_guild(), scope="read")
    assert search(api, "Toronto") == []
    assert api.post(f"{HERE}/v3/memories/add/", {"messages": "I sail.", "user_id": "alice"}).status_code == 403
    assert api.delete(f"{HERE}/v1/memories/?user_id=alice").status_code == 403
    assert Message.objects.count() == 0


def test_a_talk_is_received_read_and_asked_after(api):
    answer = api.post(f"{HERE}/v3/memories/add/", {"messages": TALK, "user_id": "alice", "metadata": {"trip": 1}})
    event = answer.json()["event_id"]
    assert answer.json()["status"] == "PENDING"
    assert api.get(f"{HERE}/v1/event/{event}/").json()["status"] == "PENDING"
    said = {(row.author.platform_id, row.author.is_bot) for row in Message.objects.select_related("author")}
    assert said == {("alice", False), ("assistant", True)}
    pipeline.digest(make_guild(), now=timezone.now())
    asked = api.get(f"{HERE}/v1/event/{event}/").json()
    assert asked["status"] == "SUCCEEDED"
    assert asked["results"]
    found = search(api, "Where does Alice live?")
    assert "Toronto" in found[0]["memory"]
    assert found[0]["metadata"] == {"trip": 1}
    assert 0 <= found[0]["score"] <= 1
    assert {"semantic", "bm25", "entity"} <= found[0]["score_breakdown"].keys()
    assert api.get(f"{HERE}/v1/events/").json()["results"][0]["id"] == event
    consent.choose(Member.objects.get(platform_id="alice"), remember=False, actor="test", now=timezone.now())
    assert api.get(f"{HERE}/v1/event/{event}/").json()["results"] == []


def test_words_that_are_told_are_a_fact_at_once(api):
    number = tell(api, "Alice collects stamps of lighthouses.", metadata={"a": 1}, categories=["fun"], app_id="app")
    one = api.get(f"{HERE}/v1/memories/{number}/").json()
    assert one["user_id"] == "alice"
    assert one["metadata"] == {"a": 1}
    assert one["categories"] == ["fun"]
    assert one["app_id"] == "app"
    assert Fact.objects.get(pk=number).source_type == "explicit"


def test_what_a_guard_refuses_is_refused_in_words(api):
    body = {"messages": "My password is hunter2-Xk9!vQ7z", "user_id": "alice", "infer": False}
    answer = api.post(f"{HERE}/v3/memories/add/", body)
    assert answer.status_code == 422
    assert "secret" in answer.json()["detail"]
    assert Fact.objects.count() == 0


@pytest.mark.parametrize("infer", [True, False])
def test_nothing_is_kept_of_who_said_no(api, infer):
    alice = make_member(name="Alice", platform_id="alice")
    consent.choose(alice, remember=False, actor="member:alice", now=NOON)
    body = {"messages": "I live in Toronto.", "user_id": "alice", "infer": infer}
    answer = api.post(f"{HERE}/v3/memories/add/", body)
    assert answer.status_code == 422
    assert "said no" in answer.json()["detail"]
    assert Message.objects.count() == Fact.objects.count() == 0


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"enable_graph": True}, "enable_graph"),
        ({"custom_instructions": "Only pets."}, "custom_instructions"),
        ({"user_id": None}, "user_id"),
        ({"agent_id": "alice"}, "same"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "I am a bot."}]}, "user's"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "Only text is remembered"),
        ({"expiration_date": "soon"}, "expiration_date"),
    ],
)
def test_what_the_hub_does_not_do_is_said_and_nothing_is_stored(api, fields, why):
    body = {"messages": "I live in Toronto.", "user_id": "alice", **fields}
    answer = api.post(f"{HERE}/v3/memories/add/", body)
    assert answer.status_code == 422
    assert why in answer.json()["detail"]
    assert Message.objects.count() == 0


def test_a_bots_name_is_no_members_and_a_members_no_bots(api):
    make_member(name="Bob", platform_id="bob")
    make_member(name="Robot", platform_id="robot", is_bot=True)
    for ids in ({"user_id": "alice", "agent_id": "bob"}, {"user_id": "robot"}):
        assert api.post(f"{HERE}/v3/memories/add/", {"messages": "I sail.", **ids}).status_code == 422
    assert Member.objects.get(platform_id="bob").is_bot is False


def test_what_is_said_in_a_run_stays_in_it(api):
    api.post(f"{HERE}/v3/memories/add/", {"messages": TALK, "user_id": "alice", "run_id": "r1"})
    kept = tell(api, "Alice plays the cello.", run_id="r1")
    pipeline.digest(make_guild(), now=timezone.now())
    assert Channel.objects.get(platform_id="r1").kind == "direct"
    assert make_guild().kind == Guild.Kind.COMMUNITY
    assert search(api, "cello") == []
    assert listed(api) == set()
    found = search(api, "cello", AND=[{"user_id": "alice"}, {"run_id": "r1"}])
    assert found[0]["id"] == kept
    assert found[0]["run_id"] == "r1"
    assert kept in listed(api, run_id="r1")
    assert listed(api, run_id="r2") == set()
    assert kept in listed(api, AND=[{"user_id": "alice"}, {"run_id": "*"}])


def test_a_channel_of_the_guild_stays_as_open_as_it_is(api):
    make_message(channel=Channel.objects.create(guild=make_guild(), platform_id="c1", name="general"))
    tell(api, "Alice plays the cello.", run_id="c1")
    assert Channel.objects.get(platform_id="c1").kind == "text"
    assert Channel.objects.get(platform_id="c1").audience == "guild"


def test_a_bots_own_memories_are_about_the_bot(api):
    number = tell(api, "Answers in short sentences.", user_id=None, agent_id="helper")
    assert api.get(f"{HERE}/v1/memories/{number}/").json()["agent_id"] == "helper"
    assert listed(api, agent_id="helper") == {number}
    assert [row["id"] for row in search(api, "sentences", agent_id="helper")] == [number]
    assert search(api, "sentences", user_id="helper") == []


def test_what_names_nobody_is_the_guilds_lore(api):
    number = tell(api, "The cat rules the harbour.", user_id=None, app_id="app")
    assert Fact.objects.get(pk=number).kind == "lore"
    assert listed(api, app_id="app") == {number}
    assert [row["id"] for row in search(api, "cat", app_id="app")] == [number]


def test_what_is_told_has_the_time_at_which_it_was_said(api):
    number = tell(api, "Alice sails on Sundays.", timestamp=1_700_000_000)
    assert api.get(f"{HERE}/v1/memories/{number}/").json()["created_at"].startswith("2023-11-14")


def test_lists_come_by_pages(api):
    alice = make_member(name="Alice", platform_id="alice")
    for number in range(5):
        make_fact(f"Owns boat {number}.", subject=alice, said_at=NOON + timedelta(days=number))
    body = {"filters": {"user_id": "alice"}}
    first = api.call("POST", f"{HERE}/v3/memories/", body, page=1, page_size=2).json()
    last = api.call("POST", f"{HERE}/v3/memories/", body, page=3, page_size=2).json()
    assert [row["memory"] for row in first["results"]] == ["Owns boat 4.", "Owns boat 3."]
    assert first["count"] == 5
    assert first["next"]
    assert [row["memory"] for row in last["results"]] == ["Owns boat 0."]
    assert last["next"] is None
    assert len(api.get(f"{HERE}/v1/memories/", user_id="alice").json()) == 5


def test_what_waits_for_review_is_not_told(api):
    alice = make_member(name="Alice", platform_id="alice")
    fact = make_fact("Owns a boat.", subject=alice, status="pending")
    assert listed(api) == set()
    assert api.get(f"{HERE}/v1/memories/{fact.pk}/").status_code == 404


def test_what_is_over_is_not_told_and_can_still_be_looked_at(api):
    yesterday = (timezone.now() - timedelta(days=1)).date().isoformat()
    today = timezone.now().date().isoformat()
    over = tell(api, "Alice is in Lisbon for the week.", expiration_date=yesterday)
    goes_on = tell(api, "Alice stays in Lisbon with friends.", expiration_date=today)
    assert listed(api) == {goes_on}
    assert {row["id"] for row in search(api, "Lisbon")} == {goes_on}
    assert api.get(f"{HERE}/v1/memories/{over}/").json()["expiration_date"] == yesterday
    body = {"query": "Lisbon", "filters": {"user_id": "alice"}, "show_expired": True}
    assert len(api.post(f"{HERE}/v3/memories/search/", body).json()["results"]) == 2
    assert api.put(f"{HERE}/v1/memories/{over}/", {"expiration_date": None}).json()["expiration_date"] is None
    assert listed(api) == {over, goes_on}


def test_what_was_learned_ends_with_what_it_was_learned_from(api):
    body = {"messages": TALK, "user_id": "alice", "expiration_date": "2026-01-01"}
    api.post(f"{HERE}/v3/memories/add/", body)
    pipeline.digest(make_guild(), now=timezone.now())
    assert Fact.objects.active().exists()
    assert listed(api) == set()
    assert search(api, "Where does Alice live?") == []


TOLD = {"Alice": "I sail.", "Bob": "She sails."}


def test_a_history_has_no_words_of_who_said_no(api):
    said, also = (make_message(words, author=make_member(name=who)) for who, words in TOLD.items())
    fact = make_fact("Sails.", subject=make_member(), evidence=[said, also])
    FactChange.objects.create(fact=fact, action="add", batch="0" * 32, actor="extraction")
    path = f"{HERE}/v1/memories/{fact.pk}/history/"
    assert "She sails." in str(api.get(path).json())
    consent.choose(also.author, remember=False, actor="member:u-bob", now=NOON)
    assert "I sail." in str(api.get(path).json())
    assert "She sails." not in str(api.get(path).json())


def test_a_change_is_recorded_and_its_history_shown(api):
    number = tell(api, "Alice sails on Sundays.")
    changed = api.put(f"{HERE}/v1/memories/{number}/", {"text": "Alice sails on Mondays.", "metadata": {"b": 2}}).json()
    assert changed["memory"] == "Alice sails on Mondays."
    assert changed["metadata"] == {"b": 2}
    history = api.get(f"{HERE}/v1/memories/{number}/history/").json()
    assert [each["event"] for each in history] == ["ADD", "UPDATE"]
    assert history[1]["old_memory"] == "Alice sails on Sundays."
    assert history[0]["new_memory"] == "Alice sails on Sundays."
    assert history[1]["new_memory"] == "Alice sails on Mondays."


def test_new_metadata_of_what_was_learned_is_the_facts_own(api):
    api.post(f"{HERE}/v3/memories/add/", {"messages": TALK, "user_id": "alice", "metadata": {"a": 1}, "app_id": "app"})
    pipeline.digest(make_guild(), now=timezone.now())
    first = sorted(listed(api))[0]
    api.put(f"{HERE}/v1/memories/{first}/", {"metadata": {"b": 2}})
    one = api.get(f"{HERE}/v1/memories/{first}/").json()
    assert one["metadata"] == {"b": 2}
    assert one["app_id"] == "app"


def test_a_time_that_something_was_said_is_not_changed(api):
    number = tell(api, "Alice sails on Sundays.")
    answer = api.put(f"{HERE}/v1/memories/{number}/", {"text": "Alice sails.", "timestamp": 1_700_000_000})
    assert answer.status_code == 422
    assert api.get(f"{HERE}/v1/memories/{number}/").json()["memory"] == "Alice sails on Sundays."


def test_one_is_forgotten_for_good(api):
    number = tell(api, "Alice sails on Sundays.")
    assert api.delete(f"{HERE}/v1/memories/{number}/").json() == {"message": "Memory deleted successfully!"}
    gone = api.get(f"{HERE}/v1/memories/{number}/")
    assert gone.status_code == 404
    assert gone.json()["detail"] == "Memory not found!"
    assert ClientData.objects.count() == 0


def test_all_of_somebody_are_forgotten_and_nobody_elses(api):
    tell(api, "Alice sails on Sundays.", run_id="r1")
    tell(api, "Alice plays the cello.")
    bobs = tell(api, "Bob paints boats.", user_id="bob")
    assert api.delete(f"{HERE}/v1/memories/?user_id=alice").json()["count"] == 2
    assert list(Fact.objects.values_list("pk", flat=True)) == [int(bobs)]


@pytest.mark.parametrize("written", ["{'user_id': 'alice'}", '{"user_id": "alice"}', "{'AND': [{'user_id': 'alice'}]}"])
def test_filters_in_an_address_are_read_as_python_writes_them(api, written):
    tell(api, "Alice sails on Sundays.")
    tell(api, "Bob paints boats.", user_id="bob")
    assert api.call("DELETE", f"{HERE}/v1/memories/", filters=written).json()["count"] == 1


@pytest.mark.parametrize("query", [{}, {"filters": "{}"}, {"filters": "__import__('os')"}, {"filters": "{'x': 1}"}])
def test_nothing_is_forgotten_where_nobody_is_named(api, query):
    tell(api, "Alice sails on Sundays.")
    assert api.call("DELETE", f"{HERE}/v1/memories/", **query).status_code == 422
    assert Fact.objects.count() == 1


def test_many_are_changed_and_forgotten_together_or_not_at_all(api):
    first, second = tell(api, "Alice sails on Sundays."), tell(api, "Alice plays the cello.")
    changes = {
        "memories": [
            {"memory_id": first, "text": "Alice rows on Sundays."},
            {"memory_id": second, "text": "Alice plays jazz."},
        ]
    }
    assert api.put(f"{HERE}/v1/batch/", changes).json() == {"message": "Successfully updated 2 memories"}
    changes["memories"][1]["memory_id"] = "999999"
    changes["memories"][0]["text"] = "Alice dives."
    assert api.put(f"{HERE}/v1/batch/", changes).status_code == 404
    assert set(Fact.objects.values_list("text", flat=True)) == {"Alice rows on Sundays.", "Alice plays jazz."}
    missing = {"memories": [{"memory_id": first}, {"memory_id": "999999"}]}
    assert api.call("DELETE", f"{HERE}/v1/batch/", missing).status_code == 404
    assert Fact.objects.count() == 2
    both = {"memories": [{"memory_id": first}, {"memory_id": second}]}
    assert api.call("DELETE", f"{HERE}/v1/batch/", both).json() == {"message": "Successfully deleted 2 memories"}
    assert Fact.objects.count() == 0


def test_feedback_is_in_the_action_log_without_its_words(api):
    number = tell(api, "Alice sails on Sundays.")
    body = {"memory_id": number, "feedback": "NEGATIVE", "feedback_reason": "She never did."}
    assert api.post(f"{HERE}/v1/feedback/", body).json()["feedback_reason"] is None
    assert make_guild().actions.get(kind="memory_feedback").detail == {"fact": int(number), "feedback": "NEGATIVE"}


def test_older_clients_get_the_shapes_that_they_know(api):
    body = {"messages": TALK, "user_id": "alice", "output_format": "v1.1"}
    assert api.post(f"{HERE}/v1/memories/", body).json()[0]["status"] == "PENDING"
    assert api.post(f"{HERE}/v1/memories/", {**body, "version": "v2"}).json()["results"][0]["status"] == "PENDING"
    tell(api, "Alice sails on Sundays.")
    asked = {"query": "sails", "user_id": "alice"}
    assert isinstance(api.post(f"{HERE}/v1/memories/search/", asked).json(), list)
    assert isinstance(
        api.post(f"{HERE}/v2/memories/search/", {"query": "sails", "filters": {"user_id": "alice"}}).json(), list
    )
    assert "results" in api.post(f"{HERE}/v1/memories/search/", {**asked, "output_format": "v1.1"}).json()
    assert isinstance(api.post(f"{HERE}/v2/memories/", {"filters": {"user_id": "alice"}}).json(), list)


def test_the_flat_routes_of_mem0s_own_server_answer_alike(api):
    body = {"messages": [{"role": "user", "content": "Alice sails on Sundays."}], "user_id": "alice", "infer": False}
    number = api.post(f"{HERE}/memories", body).json()["results"][0]["id"]
    assert api.post(f"{HERE}/memories", {"messages": TALK, "user_id": "alice"}).json()["results"] == []
    assert api.get(f"{HERE}/memories", user_id="alice").json()["results"][0]["id"] == number
    assert api.get(f"{HERE}/memories/{number}").json()["memory"] == "Alice sails on Sundays."
    assert api.post(f"{HERE}/search", {"query": "sails", "user_id": "alice"}).json()["results"][0]["id"] == number
    api.put(f"{HERE}/memories/{number}", {"data": "Alice sails on Mondays."})
    assert len(api.get(f"{HERE}/memories/{number}/history").json()) == 2
    assert {"alice", "assistant"} <= {each["name"] for each in api.get(f"{HERE}/entities").json()}
    assert api.delete(f"{HERE}/memories/{number}").status_code == 200
    assert api.delete(f"{HERE}/memories?user_id=alice").status_code == 200
    assert api.post(f"{HERE}/reset").status_code == api.post(f"{HERE}/configure", {}).status_code == 501
    assert api.delete(f"{HERE}/entities/user/alice").status_code == 200
    assert not Member.objects.filter(platform_id="alice").exists()


def test_an_address_that_is_not_there_says_so_as_clients_read_it(api):
    for path in ("/mem0/v9/memories/", "/mem0", "/mem0/v1/ping/x", "/mem0/%0A"):
        answer = api.get(path)
        assert answer.status_code == 404
        assert answer.json()["detail"]


def test_a_member_who_said_no_later_is_not_told_of(api):
    number = tell(api, "Alice sails on Sundays.")
    consent.choose(Member.objects.get(platform_id="alice"), remember=False, actor="member:alice", now=NOON)
    assert listed(api) == set()
    assert search(api, "sails") == []
    assert api.get(f"{HERE}/v1/memories/{number}/").status_code == 404
    assert api.delete(f"{HERE}/v1/memories/?user_id=alice").json()["count"] == 1


def test_a_search_is_a_look_and_a_change_a_change_in_the_audit_log(api):
    number = tell(api, "Alice sails on Sundays.")
    search(api, "sails")
    api.put(f"{HERE}/v1/memories/{number}/", {"text": "Alice sails on Mondays."})
    entries = AuditEntry.objects.order_by("pk").values_list("verb", "what", "row", "guild_id")
    guild = make_guild().pk
    assert list(entries) == [
        ("looked", "search_memories", "", guild), ("changed", "update_memory", number, guild)
    ]  # fmt: skip
