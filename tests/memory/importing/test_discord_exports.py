"""Exports of Discord chats: whose guild and channel, which messages count, and what is left of them."""

import json
from datetime import UTC, datetime

import pytest

from memory.importing import Invalid, ReadMessage, Skipped, Unreadable, open_source, read
from memory.importing.discord_exports import DELETED_ACCOUNT
from tests.exported import export, exported, user, write


def items(folder, data, guild=""):
    with open_source(write(folder, data)) as source:
        return list(read(source, guild=guild))


def one(folder, *, guild=None, message=None, **channel):
    [item] = items(folder, export(message or exported(), guild=guild, **channel))
    return item


def test_a_message_keeps_what_the_export_says_of_it(tmp_path):
    said = one(tmp_path, message=exported(mentions=[user("Bob")], author=user("Alice", nickname="Ali")))
    message = said.message
    assert (said.guild.key, said.guild.name) == ("discord:1", "North")
    assert (message.message_id, message.text, message.source) == ("m-1", "I live in Toronto.", "import")
    assert message.sent_at == datetime(2026, 3, 2, 11, 1, 0, 123000, tzinfo=UTC)
    assert (message.author.id, message.author.name, message.author.display_name) == ("u-alice", "alice", "Ali")
    assert not message.author.is_bot
    assert message.mentions == ["u-bob"]
    assert message.reply_to is None


@pytest.mark.parametrize(
    ("told", "kind", "parent", "audience"),
    [
        ("GuildTextChat", "text", None, None),
        ("GuildNews", "text", None, None),
        ("GuildForum", "text", None, None),
        ("GuildVoiceChat", "voice", None, None),
        ("GuildStageVoice", "voice", None, None),
        ("GuildPublicThread", "thread", "k-1", None),
        ("GuildNewsThread", "thread", "k-1", None),
        ("GuildPrivateThread", "thread", "k-1", "channel"),
        ("99", "text", None, "channel"),
    ],
)
def test_a_channel_is_what_its_type_says_and_an_unknown_one_is_private(tmp_path, told, kind, parent, audience):
    channel = one(tmp_path, type=told).message.channel
    assert (channel.kind, channel.parent_id, channel.audience) == (kind, parent, audience)
    assert (channel.id, channel.name) == ("c-general", "general")


@pytest.mark.parametrize("told", ["DirectTextChat", "DirectGroupTextChat"])
def test_a_direct_chat_is_a_guild_of_its_own(tmp_path, told):
    nobody = {"id": "0", "name": "Direct Messages", "iconUrl": ""}
    said = one(tmp_path, guild=nobody, id="77", type=told, name="Bob", categoryId=None, category=None)
    assert (said.guild.key, said.guild.name) == ("discord-dm:77", "Bob")
    assert (said.message.channel.kind, said.message.channel.audience) == ("direct", "channel")


def test_two_direct_chats_never_share_a_guild(tmp_path):
    nobody = {"id": "0", "name": "Direct Messages"}
    keys = {one(tmp_path, guild=nobody, id=number, type="DirectTextChat").guild.key for number in ("77", "78")}
    assert len(keys) == 2


def test_the_option_names_another_guild_without_renaming_it(tmp_path):
    [said] = items(tmp_path, export(exported()), guild="discord:99")
    assert (said.guild.key, said.guild.name) == ("discord:99", "")


@pytest.mark.parametrize("kind", ["Reply", "19"])
def test_a_reply_names_the_message_that_it_answers(tmp_path, kind):
    reference = {"type": "Default", "messageId": "m-0", "channelId": "c-general", "guildId": "1"}
    assert one(tmp_path, message=exported(type=kind, reference=reference)).message.reply_to == "m-0"


def test_a_reply_to_a_deleted_message_answers_nothing(tmp_path):
    reference = {"messageId": None, "channelId": "c-general", "guildId": "1"}
    assert one(tmp_path, message=exported(type="Reply", reference=reference)).message.reply_to is None


@pytest.mark.parametrize(
    "kind",
    ["GuildMemberJoin", "ChannelPinnedMessage", "ThreadCreated", "RecipientAdd", "Call", "20", "21", "46", None, 7],
)
def test_what_nobody_said_is_left_out(tmp_path, kind):
    assert one(tmp_path, message=exported(content="Joined the server.", type=kind)) == Skipped("system_message")


@pytest.mark.parametrize(
    "fields",
    [
        {"forwardedMessage": {"timestamp": "2026-03-01T12:00:00+00:00", "content": "I live in Paris."}},
        {"reference": {"type": "Forward", "messageId": "m-0"}, "content": "I live in Paris."},
    ],
)
def test_a_forwarded_text_is_never_put_in_the_forwarders_mouth(tmp_path, fields):
    assert one(tmp_path, message=exported(**fields)) == Skipped("forwarded")


def test_the_account_that_stands_for_all_deleted_ones_is_nobody(tmp_path):
    gone = user("Deleted User", id=DELETED_ACCOUNT)
    assert one(tmp_path, message=exported(author=gone)) == Skipped("deleted_account")


def test_bots_are_known_as_bots(tmp_path):
    assert one(tmp_path, message=exported(author=user("Foghorn", isBot=True))).message.author.is_bot


def test_an_edited_message_has_its_last_text_and_its_first_time(tmp_path):
    said = one(tmp_path, message=exported(timestampEdited="2026-03-02T15:00:00+01:00"))
    assert said.message.sent_at.hour == 11


def test_a_time_finer_than_a_microsecond_is_understood(tmp_path):
    assert (
        one(tmp_path, message=exported(timestamp="2026-03-02T12:00:00.1234567+00:00")).message.sent_at.microsecond
        == 123456
    )


def test_a_message_of_attachments_alone_has_no_text(tmp_path):
    assert one(tmp_path, message=exported(content="")).message.text == ""


def test_more_mentions_than_a_message_may_have_are_cut(tmp_path):
    everybody = [user(f"Guest{number}") for number in range(120)]
    assert len(one(tmp_path, message=exported(mentions=everybody)).message.mentions) == 100


def test_an_older_export_without_the_newer_fields_is_read(tmp_path):
    old = {"id": "m-1", "type": "Default", "timestamp": "2019-03-02T12:00:00+00:00", "content": "hello",
           "author": {"id": "u-alice", "name": "alice", "discriminator": "1234", "isBot": False}}  # fmt: skip
    whole = {"guild": {"id": "1", "name": "North"}, "channel": {"id": "c-general", "type": "GuildTextChat"}}
    [said] = items(tmp_path, json.dumps({**whole, "messages": [old], "messageCount": 1}).encode())
    assert isinstance(said, ReadMessage)
    assert said.message.author.display_name == ""


@pytest.mark.parametrize(
    "message",
    [
        "hello", None, [1], {}, exported(author=None), exported(author="Alice"), exported(content=None),
        exported(timestamp=None), exported(id=None), exported(content="x" * 100_001), exported(mentions=[{}]),
    ],
)  # fmt: skip
def test_a_broken_message_is_refused_by_number_and_the_next_one_read(tmp_path, message):
    first, refused, last = items(tmp_path, export(exported(1), message, exported(3)))
    assert isinstance(refused, Invalid)
    assert refused.where == "message 2"
    assert (first.message.message_id, last.message.message_id) == ("m-1", "m-3")


def test_an_export_of_nothing_is_read(tmp_path):
    assert items(tmp_path, export()) == []


@pytest.mark.parametrize("channel", [{"id": None}, {"id": ""}, {"name": 7}])
def test_an_export_without_a_place_is_unreadable(tmp_path, channel):
    with pytest.raises(Unreadable, match="where it was said"):
        one(tmp_path, **channel)
