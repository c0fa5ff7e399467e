import pytest

from memory.models import Fact
from notes.models import ChannelBuffer, Message
from tests.api_client import a_message, api_for
from tests.factories import make_fact, make_guild

pytestmark = pytest.mark.django_db


@pytest.fixture
def api():
    return api_for(make_guild())


def test_a_message_is_stored(api):
    answer = api.post("discord:1/messages", a_message())
    assert (answer.status_code, answer.json()) == (201, {"id": "m-1", "status": "stored"})
    assert Message.objects.get().text == "I moved to Toronto last spring."


def test_the_least_that_is_required_is_enough(api):
    least = {
        "message_id": "m",
        "channel": {"id": "c"},
        "author": {"id": "u"},
        "text": "Hi",
        "sent_at": "2026-02-23T19:04:00+01:00",
    }
    assert api.post("discord:1/messages", least).status_code == 201


def test_the_contracts_example_is_stored(api):
    example = {
        "message_id": "m-17",
        "channel": {"id": "c1", "name": "general", "kind": "text", "parent_id": None, "audience": "guild"},
        "author": {"id": "u1", "name": "alice", "display_name": "Alice", "is_bot": False},
        "text": "I moved to Toronto last spring", "sent_at": "2026-02-23T19:04:00Z", "reply_to": None,
        "mentions": ["u2"], "source": "text",
    }  # fmt: skip
    assert api.post("discord:1/messages", example).status_code == 201


def test_a_message_that_is_known_is_a_duplicate(api):
    api.post("discord:1/messages", a_message())
    answer = api.post("discord:1/messages", a_message(text="Something else"))
    assert (answer.status_code, answer.json()) == (200, {"id": "m-1", "status": "duplicate"})


def test_a_message_that_is_left_out_says_why(api):
    answer = api.post("discord:1/messages", a_message(text=" "))
    assert (answer.status_code, answer.json()) == (200, {"id": "m-1", "status": "ignored", "reason": "empty"})


def test_a_batch_is_answered_one_by_one(api):
    batch = {"messages": [a_message(1), a_message(2), a_message(1), a_message(3, text="")]}
    answer = api.post("discord:1/messages/batch", batch)
    assert answer.status_code == 200
    assert answer.json() == {
        "stored": 2, "duplicate": 1, "ignored": 1,
        "results": [
            {"id": "m-1", "status": "stored"}, {"id": "m-2", "status": "stored"}, {"id": "m-1", "status": "duplicate"},
            {"id": "m-3", "status": "ignored", "reason": "empty"},
        ],
    }  # fmt: skip


def test_a_batch_of_a_thousand_is_stored(api):
    batch = {"messages": [a_message(number) for number in range(1_000)]}
    assert api.post("discord:1/messages/batch", batch).json()["stored"] == 1_000


def test_a_batch_with_one_invalid_message_stores_none(api):
    batch = {"messages": [a_message(1), a_message(2, sent_at="soon")]}
    assert api.post("discord:1/messages/batch", batch).status_code == 422
    assert not Message.objects.exists()


def test_an_edit_puts_the_new_text_in_place(api):
    api.post("discord:1/messages", a_message())
    edited = api.patch("discord:1/messages/m-1", {"text": "I moved to Rome last spring."}).json()
    assert (edited["text"], edited["channel"], edited["author"]) == ("I moved to Rome last spring.", "c1", "u1")
    assert edited["edited_at"]


def test_a_fact_goes_with_the_text_it_stood_on(api):
    api.post("discord:1/messages", a_message())
    make_fact(evidence=[Message.objects.get()])
    api.patch("discord:1/messages/m-1", {"text": "Never mind."})
    assert not Fact.objects.exists()


def test_an_edit_to_nothing_takes_the_message_away(api):
    api.post("discord:1/messages", a_message())
    assert api.patch("discord:1/messages/m-1", {"text": ""}).json()["deleted_at"]


def test_a_deleted_message_has_no_text(api):
    api.post("discord:1/messages", a_message())
    assert api.delete("discord:1/messages/m-1").status_code == 204
    assert Message.objects.get().text == ""


def test_a_message_may_be_deleted_twice(api):
    api.post("discord:1/messages", a_message())
    assert [api.delete("discord:1/messages/m-1").status_code for _ in range(2)] == [204, 204]


def test_a_late_edit_does_not_bring_a_deleted_message_back(api):
    api.post("discord:1/messages", a_message())
    api.delete("discord:1/messages/m-1")
    assert api.patch("discord:1/messages/m-1", {"text": "I moved to Rome."}).status_code == 404
    assert Message.objects.get().text == ""


def test_a_message_that_was_never_stored_is_not_there(api):
    assert api.patch("discord:1/messages/m-1", {"text": "Hi"}).status_code == 404
    assert api.delete("discord:1/messages/m-1").status_code == 404


def test_a_flush_ends_the_open_conversation(api):
    api.post("discord:1/messages", a_message())
    assert api.post("discord:1/channels/c1/flush").json() == {"channel": "c1", "closed": True}
    assert ChannelBuffer.objects.get().status == "closed"


def test_a_flush_of_a_quiet_channel_ends_nothing(api):
    api.post("discord:1/messages", a_message())
    api.post("discord:1/channels/c1/flush")
    assert api.post("discord:1/channels/c1/flush").json()["closed"] is False


def test_a_flush_of_a_channel_nobody_knows_is_refused(api):
    assert api.post("discord:1/channels/c1/flush").status_code == 404


def test_an_id_that_ends_in_the_name_of_a_route_is_written_with_an_encoded_slash(api):
    for name in ("m", "m/derived", "m/derived%2F"):
        api.post("discord:1/messages", a_message(message_id=name))
    one = "discord:1/messages/m%2Fderived"
    assert "facts" in api.get("discord:1/messages/m/derived").json()
    assert api.get(one).json()["id"] == "m/derived"
    assert api.get("discord:1/messages/m%2Fderived%252F").json()["id"] == "m/derived%2F"
    assert api.get(f"{one}/derived").json()["message_id"] == "m/derived"
    assert api.patch(one, {"text": "I moved to Rome."}).json()["text"] == "I moved to Rome."
    assert api.delete(one).status_code == 204
    assert Message.objects.get(platform_id="m/derived").deleted_at
    assert Message.objects.get(platform_id="m").text


@pytest.mark.parametrize("path", ["/api/v1/guilds/a%2Fb/stats", "/api/v1%2Fhealth", "/api/v1/guilds/discord:1%2fstats"])
def test_an_encoded_slash_is_never_a_part_of_the_route(api, path):
    assert api.get(path).status_code == 404


@pytest.mark.parametrize("key", ["nocolon", "Discord:1", "discord:", "discord:a%20b"])
def test_a_key_that_can_name_no_guild_is_refused_in_words(key):
    answer = api_for(None).post(f"{key}/messages", a_message())
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {"field": "key", "message": "Must be a guild's key as platform:id, such as discord:1234."}
    ]
