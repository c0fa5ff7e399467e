"""What a broken or a hostile client sends: refused or stored, and never a fault of ours."""

import json

import pytest

from notes.models import Message
from tests.api_client import a_message, api_for
from tests.factories import make_guild, make_member

pytestmark = pytest.mark.django_db
HUGE = 10**400


@pytest.fixture
def mallory():
    return api_for(make_guild(), "admin")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("nul\x00l", "null"),
        ("half \ud800 pair", "half  pair"),
        ("\u202eright to left", "\u202eright to left"),
        ("🦊" * 1000, "🦊" * 1000),
        ("x" * 100_000, "x" * 100_000),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("'; DROP TABLE notes_message; --", "'; DROP TABLE notes_message; --"),
    ],
)
def test_a_strange_text_is_kept_as_it_is(mallory, said, kept):
    assert mallory.post("discord:1/messages", a_message(text=said)).status_code == 201
    assert Message.objects.get().text == kept


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "x" * 100_001},
        {"text": None},
        {"text": 5},
        {"text": ["a"]},
        {"message_id": ""},
        {"message_id": "   "},
        {"message_id": "\t\u3000"},
        {"channel": {"id": " "}},
        {"author": {"id": " "}},
        {"reply_to": " "},
        {"mentions": [" "]},
        {"message_id": "x" * 201},
        {"message_id": 17},
        {"message_id": "\ud800"},
        {"message_id": "two\nlines"},
        {"message_id": "nul\x00l"},
        {"message_id": "half \ud800 pair"},
        {"channel": None},
        {"channel": {"id": "c1", "kind": "dream"}},
        {"channel": {"id": "c1", "audience": "everybody"}},
        {"author": {"id": "u1", "is_bot": "yes"}},
        {"author": "u1"},
        {"sent_at": "yesterday"},
        {"sent_at": "2026-02-23T19:04:00"},
        {"sent_at": 1_700_000_000},
        {"sent_at": HUGE},
        {"sent_at": "1969-12-31T23:59:59Z"},
        {"sent_at": "9999-12-31T23:59:59-23:59"},
        {"sent_at": "0001-01-01T00:00:00+23:59"},
        {"mentions": ["u"] * 101},
        {"mentions": "u2"},
        {"source": "dream"},
        {"guild": {"key": "discord:2"}},
        {"\ud800": 1},
        {"__class__": "x"},
    ],
)
def test_a_message_that_breaks_the_contract_is_refused(mallory, fields):
    assert mallory.post("discord:1/messages", a_message(**fields)).status_code == 422
    assert not Message.objects.exists()


@pytest.mark.parametrize("count", [0, 1_001])
def test_a_batch_of_none_or_too_many_is_refused(mallory, count):
    batch = {"messages": [a_message(number) for number in range(count)]}
    assert mallory.post("discord:1/messages/batch", batch).status_code == 422


@pytest.mark.parametrize("body", [[], "text", 5, None, True, {"messages": {}}, {"messages": [5]}, [a_message()]])
def test_a_body_of_another_shape_is_refused(mallory, body):
    for path in ("messages", "messages/batch", "facts", "context"):
        answer = mallory.call("POST", f"discord:1/{path}", json.dumps(body).encode())
        assert answer.status_code == 422, path


@pytest.mark.parametrize(
    "key",
    [
        "discord",
        ":1",
        "discord:",
        "Discord:1",
        "x" * 40 + ":1",
        "discord:1%20",
        "discord:%001",
        "discord:%1c",
        "discord:" + "1" * 300,
    ],
)
def test_a_guild_is_not_made_from_a_key_that_is_none(key):
    answer = api_for().post(f"{key}/messages", a_message())
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "query",
    [
        {"q": ""},
        {"q": "x" * 2_001},
        {"q": "cats", "limit": "0"},
        {"q": "cats", "limit": "25"},
        {"q": "cats", "limit": str(HUGE)},
        {"q": "cats", "limit": "ten"},
        {"q": "cats", "strict": "perhaps"},
        {"q": "cats", "kind": "dream"},
        {"q": "cats", "as_of": "2026-02-23"},
        {"q": "cats", "as_of": "soon"},
        {},
    ],
)
def test_a_question_that_makes_no_sense_is_refused(mallory, query):
    assert mallory.get("discord:1/search", **query).status_code == 422


@pytest.mark.parametrize(
    "question", ['"', "*", "AND OR NOT", "a:b", "(", "NEAR(", "a\x00b", "🦊", "a" * 2_000, "%", "_", "\\"]
)
def test_a_question_of_any_signs_is_answered(mallory, question):
    assert mallory.get("discord:1/search", q=question).status_code == 200
    assert mallory.get("discord:1/facts", q=question[:200]).status_code == 200


@pytest.mark.parametrize("number", ["0", "-1", "null", "1e3", "9223372036854775808", str(HUGE), "%00", "1.5"])
def test_an_id_that_no_row_can_have_is_refused(mallory, number):
    for path in (f"discord:1/facts/{number}", f"discord:1/notes/{number}"):
        assert mallory.get(path).status_code == 404
    assert mallory.delete(f"/admin/api/memories/{number}").status_code == 404
    assert mallory.get("discord:1/facts", cursor=number).status_code == 422


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2026-02-30", "today", "%00", "99999-01-01"])
def test_a_day_without_a_journal_has_none(mallory, day):
    assert mallory.get(f"discord:1/journal/{day}").status_code in (404, 422)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", 20260223, 0, "0", "today", "2026-02-23T01:00:00Z"])
def test_a_day_to_consolidate_is_a_day_that_was(mallory, day):
    assert mallory.post("discord:1/consolidate", {"day": day}).status_code == 422


@pytest.mark.parametrize("max_tokens", [0, -1, HUGE, 100_001, "many", 1.5])
def test_a_budget_that_makes_no_sense_is_refused(mallory, max_tokens):
    assert mallory.post("discord:1/context", {"text": "Hi", "max_tokens": max_tokens}).status_code == 422


@pytest.mark.parametrize("confidence", [0.29, 1.01, HUGE, "sure", -1])
def test_a_confidence_outside_of_its_range_is_refused(mallory, confidence):
    fact = mallory.post("discord:1/facts", {"lore": True, "text": "The cat rules the channel."}).json()
    assert mallory.patch(f"discord:1/facts/{fact['id']}", {"confidence": confidence}).status_code == 422


def test_an_id_may_hold_slashes_and_spaces(mallory):
    name = "wa/mid.HB==/ö 1"
    assert mallory.post("discord:1/messages", a_message(message_id=name)).status_code == 201
    assert mallory.patch("discord:1/messages/wa%2Fmid.HB==%2F%C3%B6%201", {"text": "Hi"}).json()["id"] == name
    assert mallory.delete("discord:1/messages/wa%2Fmid.HB==%2F%C3%B6%201").status_code == 204


def test_a_member_whose_id_holds_slashes_is_found(mallory):
    make_member(make_guild(), platform_id="a/b")
    assert mallory.get("discord:1/members/a%2Fb").json()["id"] == "a/b"
    assert mallory.get("discord:1/members/a%2Fb/profile").status_code == 200


def test_an_id_with_a_null_byte_is_nobodys(mallory):
    assert mallory.get("discord:1/members/u%001").status_code == 422


def test_consent_of_an_id_that_cannot_be_is_refused(mallory):
    assert mallory.put("discord:1/members/" + "x" * 201 + "/consent", {"remember": True}).status_code == 422


def test_a_whole_number_may_be_written_with_a_point(mallory):
    assert mallory.patch("discord:1/settings", {"reply_seconds": 2863.0}).json()["reply_seconds"] == 2863
    assert mallory.post("discord:1/context", {"text": "Hello", "max_tokens": 500.0}).status_code == 200
    assert mallory.patch("discord:1/settings", {"reply_seconds": 2.5}).status_code == 422
    assert mallory.patch("discord:1/settings", {"reply_seconds": True}).status_code == 422
