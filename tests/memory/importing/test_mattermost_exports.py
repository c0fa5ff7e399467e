"""Mattermost's bulk export: channels, threads, direct messages, and what is left out."""

from datetime import UTC, datetime

import pytest

from memory.importing import Unreadable, open_export, read
from tests.memory.importing.chat_exports import items, kind, left_out, mattermost, post, said


def write(tmp_path, *posts, cut=None):
    path = tmp_path / "export.jsonl"
    text = mattermost(*posts)
    path.write_text(text[:cut] if cut else text, encoding="utf-8")
    return path


def test_a_post_keeps_what_the_lines_before_say_of_it(tmp_path):
    path = write(tmp_path, post("Hello."))
    [found] = items(path)
    assert kind(path) == "Mattermost export"
    assert (found.guild.key, found.guild.name) == ("mattermost:north", "North")
    message = found.message
    assert (message.channel.id, message.channel.name, message.channel.audience) == ("north/town", "Town", None)
    assert (message.author.id, message.author.display_name, message.author.is_bot) == ("alice", "Ali", False)
    assert message.sent_at == datetime(2025, 10, 9, 8, 53, 20, 123000, tzinfo=UTC)


def test_private_and_unknown_channels_stay_their_readers_own(tmp_path):
    found = said(items(write(tmp_path, post("One.", "board"), post("Two.", "somewhere"))))
    assert [message.channel.audience for message in found] == ["channel", "channel"]


def test_replies_are_a_thread_of_the_channel(tmp_path):
    reply = {"user": "robo", "message": "At nine.", "create_at": 1760000001000}
    first, second = said(items(write(tmp_path, post("When?", replies=[reply]))))
    assert (second.channel.kind, second.channel.parent_id) == ("thread", "north/town")
    assert second.reply_to == first.message_id
    assert second.author.is_bot


def test_what_a_webhook_posts_is_not_said_by_the_person_who_made_it(tmp_path):
    hook = {"from_webhook": "true", "override_username": "ci"}
    [found] = said(items(write(tmp_path, post("Build passed.", props=hook))))
    assert (found.author.id, found.author.name, found.author.is_bot) == ("alice/ci", "ci", True)


def test_direct_messages_are_a_guild_of_their_own(tmp_path):
    direct = {"channel_members": ["bob", "alice"], "user": "bob", "message": "Psst.", "create_at": 1760000000123}
    [found] = items(write(tmp_path, {"type": "direct_post", "direct_post": direct}))
    assert found.guild.key == "mattermost-dm:alice-bob"
    assert (found.message.channel.kind, found.message.channel.audience) == ("direct", "channel")


@pytest.mark.parametrize(
    ("more", "why"), [({"type": "system_join_channel"}, "system_message"), ({"delete_at": 1}, "deleted")]
)
def test_what_nobody_said_or_somebody_deleted_is_left_out(tmp_path, more, why):
    assert left_out(items(write(tmp_path, post("x", **more)))) == [why]


def test_half_a_file_yields_what_is_whole_and_says_so(tmp_path):
    path, found = write(tmp_path, post("One."), post("Two."), cut=-30), []
    with open_export(str(path)) as source, pytest.raises(Unreadable, match="breaks off in line 8"):
        found.extend(read(source))
    assert [message.text for message in said(found)] == ["One."]
