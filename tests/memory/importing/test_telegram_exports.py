"""Telegram's result.json: chats, who said what, times of old exports, and what is left out."""

import json
from datetime import UTC, datetime

import pytest

from memory.importing import Unreadable, open_export, read
from tests.memory.importing.chat_exports import items, kind, left_out, said, telegram, telegram_chat


def write(tmp_path, data):
    path = tmp_path / "result.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data, indent=1), encoding="utf-8")
    return path


def test_a_group_is_a_guild_with_one_channel(tmp_path):
    path = write(tmp_path, telegram_chat(telegram("Hello.", reply_to_message_id=5, edited="2025-10-09T11:00:00")))
    [found] = items(path)
    assert kind(path) == "Telegram export"
    assert (found.guild.key, found.guild.name) == ("telegram:99", "Harbour")
    message = found.message
    assert (message.message_id, message.reply_to, message.text) == ("99/1", "99/5", "Hello.")
    assert message.sent_at == datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
    assert (message.channel.id, message.channel.kind, message.channel.audience) == ("99", "text", None)
    assert (message.author.id, message.author.display_name) == ("user7", "Alice")


def test_a_whole_account_has_a_guild_for_each_chat_and_direct_ones_stay_closed(tmp_path):
    chats = [telegram_chat(telegram("To all.")), telegram_chat(telegram("To you."), of="personal_chat", number=7)]
    path = write(
        tmp_path,
        {"about": "Here is the data.", "personal_information": {"user_id": 7}, "chats": {"about": "x", "list": chats}},
    )
    group, direct = items(path)
    assert (group.guild.key, direct.guild.key) == ("telegram:99", "telegram-dm:7")
    assert (direct.message.channel.kind, direct.message.channel.audience) == ("direct", "channel")
    assert [each.guild.key for each in items(path, guild="telegram:north")] == ["telegram:north"] * 2


def test_styled_words_are_put_together_and_accounts_that_they_name_mentioned(tmp_path):
    text = ["Ask ", {"type": "mention_name", "text": "Bob", "user_id": 8}, {"type": "bold", "text": " now"}, "!"]
    [message] = said(items(write(tmp_path, telegram_chat(telegram(text)))))
    assert (message.text, message.mentions) == ("Ask Bob now!", ["user8"])


def test_an_old_export_has_the_exporters_clock_and_numbers_for_accounts(tmp_path):
    old = telegram("Hello.", from_id=7)
    del old["date_unixtime"]
    path = write(tmp_path, telegram_chat(old))
    assert items(path)[0].message.sent_at == datetime(2025, 10, 9, 10, 53, 20, tzinfo=UTC)
    [found] = items(path, zone="Europe/Berlin")
    assert found.message.sent_at == datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
    assert found.message.author.id == "user7"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"type": "service", "action": "join_group_by_link"}, "system_message"),
        ({"forwarded_from": "News"}, "forwarded"),
    ],
)
def test_what_its_author_did_not_say_is_left_out(tmp_path, more, why):
    assert left_out(items(write(tmp_path, telegram_chat(telegram("x", **more))))) == [why]


def test_a_message_without_an_account_is_refused_by_its_number(tmp_path):
    [why] = left_out(items(write(tmp_path, telegram_chat(telegram("x", from_id=None)))))
    assert "author.id" in why


def test_half_a_file_yields_what_is_whole_and_says_so(tmp_path):
    whole = json.dumps(telegram_chat(telegram("One."), telegram("Two.", 2)))
    path, found = write(tmp_path, whole[: whole.index("Two.")]), []
    with open_export(str(path)) as source, pytest.raises(Unreadable, match="after 1 whole"):
        found.extend(read(source))
