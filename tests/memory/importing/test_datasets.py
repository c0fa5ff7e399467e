"""The measuring data: a guild for each conversation, names as ids, times in UTC."""

from datetime import UTC, datetime

import pytest

from memory.importing import Invalid, Skipped, open_source, read
from memory.importing.json_lines import shape_dataset as shape
from memory.importing.schemas import ReadMessage
from tests.exported import lines, studied, write


def test_each_conversation_is_a_guild_with_its_own_ids():
    said = shape(studied(), "")
    assert (said.guild.key, said.guild.name) == ("conversation:talk-1", "talk-1")
    assert (said.message.message_id, said.message.channel.id) == ("D1:1", "talk-1")
    assert (said.message.author.id, said.message.author.name) == ("Alice", "Alice")


def test_in_one_guild_each_conversation_is_a_channel_and_its_ids_do_not_clash():
    first, second = (shape(studied(conversation=name, answers=["D1:0"]), "study:all") for name in ("talk-1", "talk-2"))
    assert {first.guild.key, second.guild.key} == {"study:all"}
    assert (first.message.message_id, second.message.message_id) == ("talk-1/D1:1", "talk-2/D1:1")
    assert (first.message.channel.id, second.message.channel.id) == ("talk-1", "talk-2")
    assert first.message.reply_to == "talk-1/D1:0"


def test_a_channel_that_is_named_is_the_channel():
    assert shape(studied(channel="rust"), "").message.channel.id == "rust"


@pytest.mark.parametrize("time", ["2026-03-02T12:00:00", "2026-03-02T12:00:00Z", "2026-03-02T13:00:00+01:00"])
def test_a_time_without_an_offset_is_utc(time):
    assert shape(studied(timestamp=time), "").message.sent_at == datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_a_message_without_a_time_has_its_sessions():
    said = shape(studied(timestamp=None, session_timestamp="2026-03-02T09:00:00"), "")
    assert said.message.sent_at.hour == 9


@pytest.mark.parametrize(
    ("answers", "reply_to"), [(["D1:0"], "D1:0"), (["D1:1", "D1:0"], "D1:0"), (["D1:1"], None), ([], None)]
)
def test_a_message_answers_the_first_other_one(answers, reply_to):
    assert shape(studied(answers=answers), "").message.reply_to == reply_to


def test_the_assistant_is_a_bot_and_the_user_is_not():
    assert shape(studied(author="assistant"), "").message.author.is_bot
    assert not shape(studied(author="user"), "").message.author.is_bot


def test_lines_of_the_system_are_left_out():
    assert shape(studied(system=True), "") == Skipped("system_message")
    assert isinstance(shape(studied(system=False), ""), ReadMessage)


def test_a_broken_line_is_refused_by_number(tmp_path):
    with open_source(
        write(tmp_path, lines(studied(1), studied(2, author=None), studied(3, conversation="a b")))
    ) as source:
        _, second, third = read(source)
    assert isinstance(second, Invalid)
    assert (second.where, third.where) == ("line 2", "line 3")
