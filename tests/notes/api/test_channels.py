import pytest
import time_machine

from memoryhub.ai import ModelFailed
from memoryhub.community.models import Channel, Guild
from notes.models import Summary
from profiles.models import Relationship, RelationshipDay
from profiles.relationships import count
from tests.api_client import api_for
from tests.factories import NOON, make_channel, make_guild, make_member, make_message, make_note, make_summary, minutes
from tests.incoming import SOUTH, say
from tests.scripted import ASKED

pytestmark = pytest.mark.django_db
EDGE = "discord:1/members/u-alice/relationships/u-bob"


@pytest.fixture
def api():
    return api_for(make_guild(relationships_on=True), "admin")


@pytest.fixture
def friends(api):
    """Let Bob answer Alice once in the open and three times among the staff."""
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    for channel, times in ((make_channel(), 1), (make_channel(name="staff", private=True), 3)):
        hello = make_message("Hello.", author=alice, channel=channel)
        for _ in range(times):
            make_message("Hello Alice.", author=bob, channel=channel, reply_to=hello.platform_id)
        count.count_day(channel, day=NOON.date())
    with time_machine.travel(NOON, tick=False):
        yield


# --- Summaries ---------------------------------------------------------------------------------------------------


def test_a_channel_is_shown_lately_and_over_time(api):
    channel = make_channel()
    make_summary(channel, "A new boat.", topics=["boats"])
    make_summary(channel, "Boats and planks.", kind="profile")
    shown = api.get("discord:1/channels/c-general/summary").json()
    assert (shown["rolling"]["text"], shown["rolling"]["topics"]) == ("A new boat.", ["boats"])
    assert shown["profile"]["text"] == "Boats and planks."


def test_a_summary_names_its_messages(api):
    say("The boat needs planks.", id="m-1", at=NOON)
    say("And paint, too.", id="m-2", at=NOON + minutes(1))
    shown = api.post("discord:1/channels/c-general/summarize").json()
    assert shown["rolling"]["messages"] == shown["profile"]["messages"] == ["m-2", "m-1"]
    assert shown["waiting"] == 0


def test_open_questions_are_listed_with_who_asked_and_where(api):
    say("When does the next raid start?", "Bob", id="m-1", at=NOON)
    shown = api.post("discord:1/channels/c-general/summarize").json()
    (question,) = shown["questions"]
    assert (question["text"], question["messages"]) == ("Bob: When does the next raid start?", ["m-1"])
    assert (question["asked_by"]["id"], question["asked_at"]) == ("u-bob", "2026-03-02T12:00:00Z")


def test_a_channel_without_a_summary_says_so(api):
    make_channel(unsummarized=3, last_error="The provider asks to wait.")
    assert api.get("discord:1/channels/c-general/summary").json() == {
        "channel": "c-general", "rolling": None, "profile": None, "questions": [], "waiting": 3,
        "error": "The provider asks to wait.", "next_attempt_at": None,
    }  # fmt: skip


def test_a_failing_model_is_told_and_the_old_summary_stays(api, monkeypatch):
    def fail(*_, **__):
        raise ModelFailed("unavailable")

    monkeypatch.setattr(ASKED, fail)
    make_summary(make_channel(), "A new boat.")
    make_message("The boat needs planks.")
    answer = api.post("discord:1/channels/c-general/summarize")
    assert (answer.status_code, "try again" in answer.json()["detail"].casefold()) == (503, True)
    assert Summary.objects.get().text == "A new boat."


def test_where_memory_is_off_nothing_is_summarised(api):
    make_message("The boat needs planks.", channel=make_channel(memory_on=False))
    answer = api.post("discord:1/channels/c-general/summarize")
    assert (answer.status_code, answer.json()["detail"]) == (
        409,
        "The memory of #general is off. Turn it on first, then summarise.",
    )
    assert not Summary.objects.exists()


@pytest.mark.parametrize("path", ["summary", "summarize"])
def test_a_channel_of_another_guild_is_not_there(api, path):
    make_channel(make_guild("discord:2"), name="other")
    call = api.get if path == "summary" else api.post
    assert call(f"discord:1/channels/c-other/{path}").status_code == 404


# --- Relationships -----------------------------------------------------------------------------------------------


def test_a_members_relationships_are_told_strongest_first_and_both_ways(api, friends):
    mallory = make_member(name="Mallory")
    RelationshipDay.objects.create(
        source=make_member(name="Alice"), target=mallory, channel=make_channel(), day=NOON.date(), mentions=5
    )
    shown = api.get("discord:1/members/u-alice/relationships").json()
    assert shown["on"] is True
    assert [(row["member"]["id"], row["label"], row["mentions"]) for row in shown["items"]] == [
        ("u-mallory", "emerging", 5),
        ("u-bob", "weak", 0),
    ]
    bob = shown["items"][1]
    assert (bob["replies"], bob["received"]["replies"], bob["strength"], bob["confidence"]) == (0, 1, 0.0769, 0.2212)


def test_what_was_counted_in_a_closed_channel_is_told_there_only(api, friends):
    for path in ("discord:1/members/u-alice/relationships", "discord:1/relationships"):
        assert api.get(path).json()["items"][0]["strength"] == 0.0769
        assert api.get(path, channel="c-general").json()["items"][0]["strength"] == 0.0769
        assert api.get(path, channel="c-staff").json()["items"][0]["strength"] == 0.2739


def test_the_graph_is_narrowed_by_strength(api, friends):
    assert api.get("discord:1/relationships", least=0.07).json()["items"][0]["back"] == {"replies": 1, "mentions": 0}
    assert api.get("discord:1/relationships", least=0.1).json()["items"] == []
    assert api.get("discord:1/relationships", least=2).status_code == 422


def test_from_a_relationship_one_walks_to_its_messages(api, friends):
    note = make_note(participants=list(make_guild().members.all()))
    count.count_day(make_channel(), day=NOON.date())
    shown = api.get(EDGE).json()
    assert shown["edge"]["together"] == 1
    (day,) = shown["encounters"]
    assert (day["day"], day["channel"], len(day["messages"]), day["notes"]) == (
        "2026-03-02", "c-general", 1, [str(note.pk)],
    )  # fmt: skip
    staff = api.get(EDGE, channel="c-staff").json()["encounters"]
    assert sorted((day["channel"], len(day["messages"])) for day in staff) == [("c-general", 1), ("c-staff", 3)]


def test_a_level_that_an_operator_sets_wins_until_it_is_cleared(api, friends):
    answer = api.put(EDGE, {"level": 0.9}).json()
    assert ([each["id"] for each in answer["members"]], answer["level"]) == (["u-alice", "u-bob"], 0.9)
    assert answer["actor"] == "api:test"
    edge = api.get(EDGE).json()["edge"]
    assert (edge["strength"], edge["label"], edge["level"]) == (0.9, "likely close", 0.9)
    assert [api.delete(EDGE).status_code for _ in range(2)] == [204, 204]
    assert api.get(EDGE).json()["edge"]["level"] is None


@pytest.mark.parametrize("body", [{}, {"level": 1.1}, {"level": -0.1}, {"level": "high"}, {"level": 0.5, "x": 1}])
def test_a_level_that_is_none_is_refused(api, friends, body):
    assert api.put(EDGE, body).status_code == 422
    assert not Relationship.objects.exists()


def test_nobody_has_a_relationship_with_themselves(api, friends):
    answer = api.put("discord:1/members/u-alice/relationships/u-alice", {"level": 0.5})
    assert (answer.status_code, "two different people" in answer.json()["detail"]) == (422, True)


def test_only_an_admin_key_changes_the_graph(friends):
    writer = api_for(make_guild(), "write")
    assert writer.put(EDGE, {"level": 0.9}).status_code == 403
    assert writer.delete(EDGE).status_code == 403
    assert writer.put("discord:1/relationships", {"on": False}).status_code == 403
    assert writer.get(EDGE).status_code == 200


def test_a_guild_whose_graph_is_off_tells_nothing_and_forgets_what_was_counted(api, friends):
    assert api.put("discord:1/relationships", {"on": False}).json() == {"on": False}
    assert api.get("discord:1/relationships").json() == {"on": False, "items": [], "next_cursor": None}
    assert api.get("discord:1/members/u-alice/relationships").json()["items"] == []
    assert api.get(EDGE).json() == {"edge": None, "encounters": []}
    assert not RelationshipDay.objects.exists()


def test_a_discord_guild_counts_nothing_until_an_operator_turns_it_on_and_others_do():
    say("Hello.")
    assert not Guild.objects.get().relationships_on
    say("Hello.", guild=SOUTH.model_copy(update={"key": "sms:1"}))
    assert Guild.objects.get(key="sms:1").relationships_on


def test_members_of_another_guild_have_no_relationship_here(api):
    make_member(make_guild("discord:2"), name="Charlie")
    make_member(name="Alice")
    assert api.get("discord:1/members/u-alice/relationships/u-charlie").status_code == 404
    assert api.get("discord:1/relationships", channel="nowhere").status_code == 404
    assert Channel.objects.count() == 0


def test_a_channel_where_nothing_was_said_has_no_summary(api):
    make_channel()
    assert api.post("discord:1/channels/c-general/summarize").json()["rolling"] is None


def test_what_summarize_answers_is_what_is_shown_after(api):
    make_message("The picnic is on Sunday at noon in the park.")
    shown = api.post("discord:1/channels/c-general/summarize").json()
    assert "picnic" in shown["rolling"]["text"].lower()
    assert shown == api.get("discord:1/channels/c-general/summary").json()


def test_a_channel_is_shown_and_its_memory_switched_off_and_on(api):
    make_channel(name="attic")
    one = "discord:1/channels/c-attic"
    assert api.get(one).json()["memory_on"] is True
    assert api.patch(one, {"memory_on": False}).json() == {**api.get(one).json(), "memory_on": False}
    assert say("I live in Toronto.", channel="attic").reason == "channel_off"
    api.patch(one, {"memory_on": True})
    assert say("I live in Toronto.", channel="attic").status == "stored"


def test_a_channel_is_switched_by_an_admin_key_only():
    make_channel(name="attic")
    assert api_for(make_guild()).patch("discord:1/channels/c-attic", {"memory_on": False}).status_code == 403
    assert Channel.objects.get().memory_on
