"""What doors hand in is checked before anything else happens."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from notes.messages.schemas import MAX_TEXT, GuildRef, IncomingMessage

BODY = {
    "message_id": "m-17",
    "channel": {"id": "c1"},
    "author": {"id": "u1"},
    "text": "hi",
    "sent_at": "2026-02-23T19:04:00Z",
}


def test_the_five_required_fields_are_enough():
    message = IncomingMessage.model_validate(BODY)
    assert (message.source, message.reply_to, message.mentions) == ("text", None, [])


def test_a_time_is_turned_into_utc():
    message = IncomingMessage.model_validate(BODY | {"sent_at": "2026-02-23T19:04:00+05:30"})
    assert message.sent_at == datetime(2026, 2, 23, 13, 34, tzinfo=UTC)
    assert message.sent_at.utcoffset() is not None


@pytest.mark.parametrize(
    "change",
    [
        {"sent_at": "2026-02-23T19:04:00"},  # no offset
        {"sent_at": 1771873440},  # not text
        {"sent_at": "1771873440"},
        {"sent_at": "2026"},  # no evening of 1970
        {"sent_at": "0001-01-01T00:00:00Z"},
        {"sent_at": "9999-12-31T23:59:59-23:59"},
        {"sent_at": "yesterday"},
        {"message_id": ""},
        {"message_id": "x" * 201},
        {"message_id": 17},
        {"text": "x" * (MAX_TEXT + 1)},
        {"text": None},
        {"channel": {"id": "c1", "kind": "forum"}},
        {"channel": {"id": "c1", "audience": "everyone"}},
        {"channel": "c1"},
        {"author": {"id": "u1", "is_bot": "yes"}},
        {"mentions": ["u"] * 101},
        {"mentions": "u2"},
        {"source": "dream"},
        {"colour": "red"},
    ],
)
def test_a_wrong_field_is_refused(change):
    with pytest.raises(ValidationError):
        IncomingMessage.model_validate(BODY | change)


def test_what_no_database_can_hold_is_taken_out_of_texts_and_names():
    message = IncomingMessage.model_validate(
        BODY | {"text": "a\x00b\ud800c", "author": {"id": "u1", "display_name": "Al\x00ice"}}
    )
    assert message.text == "abc"
    assert message.author.display_name == "Alice"


@pytest.mark.parametrize("key", ["discord:1", "sms:+15551234", "demo:harbour", "locomo:conv-26"])
def test_a_guild_key_names_its_platform(key):
    assert GuildRef(key=key).key == key


@pytest.mark.parametrize("key", ["discord", "discord:", ":1", "Discord:1", "discord:a b", "", "x" * 400])
def test_another_form_of_guild_key_is_refused(key):
    with pytest.raises(ValidationError):
        GuildRef(key=key)
