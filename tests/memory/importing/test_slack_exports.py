"""Slack's exports: who said what where, who could read it, and what is left out."""

from datetime import UTC, datetime

import pytest

from memory.importing import Unreadable
from tests.memory.importing.chat_exports import folder, items, kind, left_out, said, slack, slack_export, zipped


def one(tmp_path, message, **options):
    [found] = items(folder(tmp_path, slack_export(message, **options)))
    return found


def test_a_folder_and_a_zip_are_read_alike_also_in_a_folder_of_their_own(tmp_path):
    files = slack_export(slack("The ferry leaves at nine."))
    inner = {f"North export/{name}": data for name, data in files.items()}
    places = [folder(tmp_path / "a", files), zipped(tmp_path / "a.zip", files), zipped(tmp_path / "b.zip", inner)]
    found = [items(place) for place in places]
    assert found[0] == found[1] == found[2]
    assert {kind(place) for place in places} == {"Slack export"}


def test_a_message_keeps_what_the_export_says_of_it(tmp_path):
    found = one(tmp_path, slack("The ferry leaves at nine.", edited={"user": "U1", "ts": "1760000100.0"}))
    message = found.message
    assert (found.guild.key, message.message_id) == ("slack:T1", "C1:1760000000.000100")
    assert message.sent_at == datetime(2025, 10, 9, 8, 53, 20, 100, tzinfo=UTC)
    assert (message.channel.id, message.channel.name, message.channel.audience) == ("C1", "general", None)
    assert (message.author.id, message.author.name, message.author.display_name) == ("U1", "alice", "Alice")


@pytest.mark.parametrize(
    ("channel", "guild", "of"),
    [("board", "slack:T1", "text"), ("D1", "slack-dm:D1", "direct"),
     ("mpdm-alice--bob--carol-1", "slack-dm:M1", "direct"), ("nobody-knows", "slack:T1", "text")],
)  # fmt: skip
def test_what_only_some_could_read_stays_theirs(tmp_path, channel, guild, of):
    found = one(tmp_path, slack("Nobody else reads this."), channel=channel)
    assert (found.guild.key, found.message.channel.kind, found.message.channel.audience) == (guild, of, "channel")


def test_answers_are_a_thread_of_their_channel(tmp_path):
    root = slack("Who sails?", thread_ts="1760000000.000100")
    answer = slack("I do.", ts="1760000050.000200", user="U2", thread_ts="1760000000.000100")
    first, second = said(items(folder(tmp_path, slack_export(root, answer))))
    assert (first.channel.id, first.reply_to) == ("C1", None)
    assert (second.channel.id, second.channel.kind, second.channel.parent_id) == (
        "C1:1760000000.000100",
        "thread",
        "C1",
    )
    assert second.reply_to == first.message_id


def test_marks_become_words_and_mentions(tmp_path):
    text = "<@U2> see <#C1|general> &amp; <https://example.org|the plan>, <https://example.org/b>, <!here>"
    message = one(tmp_path, slack(text)).message
    assert message.text == "@Bob see #general & the plan (https://example.org), https://example.org/b, @here"
    assert message.mentions == ["U2"]


@pytest.mark.parametrize(
    ("more", "why"),
    [({"subtype": "channel_join"}, "system_message"), ({"subtype": "channel_topic"}, "system_message"),
     ({"subtype": "tombstone"}, "deleted"), ({"hidden": True}, "system_message")],
)  # fmt: skip
def test_what_nobody_said_or_somebody_deleted_is_left_out(tmp_path, more, why):
    assert left_out(items(folder(tmp_path, slack_export(slack("x", **more))))) == [why]


def test_bots_are_known_as_such(tmp_path):
    hook = slack("Build passed.", user="", subtype="bot_message", bot_id="B1", username="ci")
    own, other = said(items(folder(tmp_path, slack_export(slack("I am a bot.", user="UB"), hook))))
    assert (own.author.is_bot, other.author.is_bot, other.author.id, other.author.name) == (True, True, "B1", "ci")


def test_what_an_app_posts_in_a_persons_name_is_not_said_by_them(tmp_path):
    [posted] = said(items(folder(tmp_path, slack_export(slack("Alice started a poll.", user="U1", bot_id="B1")))))
    assert (posted.author.id, posted.author.is_bot) == ("B1", True)


def test_a_day_that_breaks_off_is_told_and_the_others_are_read(tmp_path):
    broken = '[{"type": "message", "user": "U1", "text": "Whole.", "ts": "1760000001.0"}, {"type": "mess'
    files = slack_export(slack("Whole, too."), **{"general/2025-10-10.json": broken})
    found = items(folder(tmp_path, files))
    assert [message.text for message in said(found)] == ["Whole, too.", "Whole."]
    assert "after 1 whole" in left_out(found)[0]


def test_a_list_that_breaks_off_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(Unreadable, match=r"users\.json"):
        items(folder(tmp_path, slack_export(slack("x")) | {"users.json": '[{"id"'}))


def test_a_workspace_without_an_id_asks_for_a_guild(tmp_path):
    files = slack_export(slack("x")) | {"users.json": []}
    with pytest.raises(Unreadable, match="--guild"):
        items(folder(tmp_path, files))
    assert len(said(items(tmp_path, guild="slack:north"))) == 1
