from typing import get_args

import pytest

from memory.api.schemas.search import Question
from memory.recall import ranking
from memoryhub.community.models import Guild
from tests.api_client import a_message, api_for
from tests.factories import make_channel, make_guild, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    make_member(name="Alice")
    make_channel(name="general")
    make_channel(name="staff", private=True)
    return api_for(make_guild())


@pytest.fixture
def secret(api):
    body = {"member": "u-alice", "text": "Plans a trip to Lisbon.", "channel": "c-staff"}
    return api.post("discord:1/facts", body).json()


def found(api, **query):
    return [item["text"] for item in api.get("discord:1/search", **query).json()["items"]]


def test_what_is_known_is_found(api, tea):
    item = api.get("discord:1/search", q="Who likes green tea?").json()["items"][0]
    assert (item["kind"], item["id"], item["text"]) == ("fact", tea["id"], "Likes green tea.")
    assert (item["member"], item["member_name"]) == ("u-alice", "Alice")
    assert "scores" not in item


def test_a_search_explains_its_scores_if_asked(api, tea):
    item = api.get("discord:1/search", q="green tea", explain=True).json()["items"][0]
    assert item["scores"]


def test_a_search_is_narrowed_to_kinds(api, tea):
    api.post("discord:1/messages", a_message(text="I could live on green tea."))
    both = api.get("discord:1/search", q="green tea", kind="fact,message").json()["items"]
    assert {item["kind"] for item in both} == {"fact", "message"}
    assert found(api, q="green tea", kind="message") == ["I could live on green tea."]


def test_a_search_gives_no_more_than_asked(api):
    for number in range(3):
        api.post("discord:1/messages", a_message(number, text=f"Green tea number {number}, please."))
    assert len(found(api, q="green tea", limit=2)) == 2


def test_what_was_said_in_private_is_found_only_there(api, secret):
    assert found(api, q="trip to Lisbon") == []
    assert found(api, q="trip to Lisbon", channel="c-general") == []
    assert found(api, q="trip to Lisbon", channel="c-staff") == ["Plans a trip to Lisbon."]


@pytest.mark.parametrize("query", [{"channel": "nowhere"}, {"member": "nobody"}])
def test_a_search_about_what_is_not_there_is_refused(api, query):
    assert api.get("discord:1/search", q="tea", **query).status_code == 404


@pytest.mark.parametrize("moment", ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00+01:00"])
def test_a_search_can_ask_what_was_true_then(api, tea, moment):
    assert found(api, q="green tea", as_of=moment, kind="fact") == []


def test_the_plus_of_an_offset_may_be_written_as_it_is(api):
    answer = api.client.get(
        "/api/v1/guilds/discord:1/search?q=tea&as_of=2020-01-01T00:00:00+01:00", headers=api.headers
    )
    assert answer.status_code == 200


def context(api, **turn):
    return api.post("discord:1/context", {"text": "Do you like green tea, Alice?", "members": ["u-alice"], **turn})


def test_a_bot_is_handed_what_it_should_know(api, tea):
    answer = context(api, channel="c-general").json()
    assert "Likes green tea" in answer["text"]
    assert answer["tokens"] > 0
    assert any(item["text"].startswith("Likes green tea") for part in answer["parts"] for item in part["items"])


def test_a_context_names_a_memory_by_the_same_id_as_the_list_of_facts(api, tea):
    parts = context(api).json()["parts"]
    assert [item["id"] for part in parts for item in part["items"] if item["kind"] == "fact"] == [tea["id"]]


def test_a_context_never_exceeds_its_budget(api, tea):
    assert context(api, channel="c-general", max_tokens=20).json()["tokens"] <= 20


def test_a_context_names_the_messages_it_rests_on(api):
    api.post("discord:1/messages", a_message(text="I could live on green tea.", channel={"id": "c-general"}))
    sources = context(api, channel="c-general").json()["sources"]
    assert "m-1" in [source["message_id"] for source in sources]


def test_a_context_tells_nothing_private_elsewhere(api, secret):
    turn = {"text": "Where does the trip to Lisbon start?", "members": ["u-alice"]}
    assert b"Plans a trip to Lisbon" not in api.post("discord:1/context", {**turn, "channel": "c-general"}).content
    assert b"Plans a trip to Lisbon" not in api.post("discord:1/context", turn).content
    assert b"Plans a trip to Lisbon" in api.post("discord:1/context", {**turn, "channel": "c-staff"}).content


@pytest.mark.parametrize("form", ["xml", "markdown", "json"])
def test_a_context_comes_in_the_form_asked_for(api, tea, form):
    assert context(api, format=form).status_code == 200


def test_members_nobody_has_heard_of_are_passed_over(api):
    assert context(api, members=["nobody"], mentions=["u-alice", "nobody"]).status_code == 200


def test_a_context_in_a_channel_nobody_knows_is_refused(api):
    assert context(api, channel="nowhere").status_code == 404


def test_a_context_comes_as_messages_for_a_chat_with_the_callers_own_words(api, tea):
    answer = context(
        api, channel="c-general", format="messages", memory_role="user", base="You are Hubbot.", text="And now?",
        transcript=[{"role": "user", "name": "Alice", "text": "hi"}, {"role": "assistant", "text": "Hello!"}],
    ).json()  # fmt: skip
    system, memory, *talk = answer["messages"]
    assert system["content"].startswith("You are Hubbot.")
    assert "green tea" not in system["content"]
    assert "Likes green tea" in memory["content"]
    assert [(each["role"], each["content"]) for each in talk] == [
        ("user", "Alice: hi"), ("assistant", "Hello!"), ("user", "And now?"),
    ]  # fmt: skip
    assert context(api, channel="c-general").json()["messages"] is None


def test_a_context_explains_each_item_and_what_stayed_out(api, tea):
    answer = context(api, channel="c-general", max_tokens=20).json()
    for part in answer["parts"]:
        assert {"name", "tokens", "dropped", "items", "priority", "minimum", "cap"} == part.keys()
        assert all(item["kind"] and item["tokens"] and "score" in item for item in part["items"])
    assert answer["left_out"]
    assert all(each["why"] and each["because"] and each["item"]["text"] for each in answer["left_out"])
    assert "over budget" in {each["why"] for each in answer["left_out"]}
    assert answer["notice"].startswith("Did not fit: ")


def test_a_context_can_be_the_authors_surest_facts(api, tea):
    answer = context(api, channel="c-general", format="user_memory", preset="composer").json()
    assert answer["text"].startswith("<user_memory>")
    assert {part["name"] for part in answer["parts"]} == {"facts"}


@pytest.mark.parametrize(
    "fields",
    [
        {"format": "yaml"}, {"memory_role": "assistant"}, {"preset": "seed009"}, {"base": "x" * 100_001},
        {"transcript": [{"role": "system", "text": "obey"}]}, {"transcript": [{"words": "hi"}]},
        {"transcript": [{"text": "hi"}] * 201},
    ],
)  # fmt: skip
def test_a_context_that_can_not_be_built_is_refused(api, tea, fields):
    assert context(api, **fields).status_code == 422


def test_a_search_is_ranked_as_the_named_design_does(api, tea):
    assert set(get_args(Question.model_fields["preset"].annotation)) == set(ranking.PRESETS)
    assert [found(api, q="green tea", preset=preset) for preset in ranking.PRESETS] == [["Likes green tea."]] * 3
    default, kept = (
        api.get("discord:1/search", q="green tea", explain=True, preset=preset).json()["items"][0]["scores"]
        for preset in ("default", "seed000")
    )
    assert default != kept
    assert api.get("discord:1/search", q="green tea", preset="unknown").status_code == 422


def test_times_are_utc_whatever_the_guilds_clock_is_and_a_bot_reads_by_that(api, tea):
    Guild.objects.update(time_zone="America/Los_Angeles")
    place, author = {"id": "c-general"}, {"id": "u-alice", "name": "Alice"}
    said = a_message(text="The tide is low.", sent_at="2026-03-02T03:04:00Z", channel=place, author=author)
    api.post("discord:1/messages", said)
    context = api.post("discord:1/context", {"channel": "c-general", "members": ["u-alice"], "text": "hello"}).json()
    assert "[2026-03-01 19:04] Alice: The tide is low." in context["text"]
    moments = [item["at"] for part in context["parts"] for item in part["items"] if item["at"]]
    moments += [item["created_at"] for item in api.get("discord:1/search", q="green tea").json()["items"]]
    moments += [item["created_at"] for item in api.post("discord:1/ask", {"text": "Who likes tea?"}).json()["sources"]]
    assert len(moments) > 3
    assert {moment[-1] for moment in moments} == {"Z"}
