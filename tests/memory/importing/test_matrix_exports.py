"""Element's JSON of a Matrix room: threads, answers, edits, and what is gone or was never readable."""

import json
from datetime import UTC, datetime

import pytest

from memory.importing import Unreadable, open_export, read
from tests.memory.importing.chat_exports import items, kind, left_out, matrix, matrix_room, said


def write(tmp_path, *messages):
    path = tmp_path / "matrix - Harbour - Chat Export.json"
    path.write_text(json.dumps(matrix_room(*messages), indent=4), encoding="utf-8")
    return path


def test_a_room_is_a_guild_with_one_channel(tmp_path):
    path = write(tmp_path, matrix("Hello.", content={"m.mentions": {"user_ids": ["@bob:example.org"]}}))
    [found] = items(path)
    assert kind(path) == "Matrix export"
    assert (found.guild.key, found.guild.name) == ("matrix:!r:example.org", "Harbour")
    message = found.message
    assert (message.message_id, message.author.id, message.author.name) == ("$e1", "@alice:example.org", "alice")
    assert message.sent_at == datetime(2025, 10, 9, 8, 53, 20, 123000, tzinfo=UTC)
    assert message.mentions == ["@bob:example.org"]


def test_threads_and_answers_are_kept_and_quotes_taken_off(tmp_path):
    answer = matrix(
        "> <@bob:example.org> When?\n\nAt nine.", 2, content={"m.relates_to": {"m.in_reply_to": {"event_id": "$e1"}}}
    )
    thread = matrix("On it.", 3, content={"m.relates_to": {"rel_type": "m.thread", "event_id": "$e1"}})
    _, second, third = said(items(write(tmp_path, matrix("When?"), answer, thread)))
    assert (second.text, second.reply_to, second.channel.kind) == ("At nine.", "$e1", None)
    assert (third.channel.id, third.channel.kind, third.channel.parent_id) == (
        "!r:example.org/$e1",
        "thread",
        "!r:example.org",
    )


def test_an_edited_message_has_its_last_words(tmp_path):
    latest = {"content": {"m.new_content": {"msgtype": "m.text", "body": "At ten."}}}
    edited = matrix("At nine.", unsigned={"m.relations": {"m.replace": latest}})
    edit = matrix("* At ten.", 2, content={"m.relates_to": {"rel_type": "m.replace", "event_id": "$e1"}})
    found = items(write(tmp_path, edited, edit))
    assert [message.text for message in said(found)] == ["At ten."]
    assert left_out(found) == ["edit"]


@pytest.mark.parametrize(
    ("event", "why"),
    [({"unsigned": {"redacted_because": {"type": "m.room.redaction"}}}, "deleted"),
     ({"type": "m.room.encrypted"}, "encrypted"), ({"type": "m.room.member"}, "system_message"),
     ({"content": {"msgtype": "m.notice"}}, "system_message"), ({"content": {"msgtype": "m.image"}}, "attachment")],
)  # fmt: skip
def test_what_is_no_message_is_left_out(tmp_path, event, why):
    assert left_out(items(write(tmp_path, matrix("x", **event)))) == [why]


def test_half_a_file_yields_what_is_whole_and_says_so(tmp_path):
    path, found = write(tmp_path, matrix("One."), matrix("Two.", 2)), []
    path.write_text(path.read_text()[: path.read_text().index("Two.")])
    with open_export(str(path)) as source, pytest.raises(Unreadable, match="after 1 whole"):
        found.extend(read(source))
    assert len(said(found)) == 1
