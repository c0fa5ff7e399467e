"""What never may be kept, what only where a guild wants it, and who is spoken to."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import Mock

import discord
import pytest
from discord import MessageType

from botrunner.capture import convert, filters, handlers
from tests.botrunner.stand_ins import channel, message, thread, user

ME = user(9, "hub", bot=True)


def test_what_a_member_says_is_not_refused():
    assert filters.refusal(message()) == ""


def test_a_reply_is_not_refused():
    answered = SimpleNamespace(message_id=7, type=discord.MessageReferenceType.reply)
    reply = message(type=MessageType.reply, reference=answered)
    assert filters.refusal(reply) == ""
    assert convert.incoming_message(reply).reply_to == "7"


@pytest.mark.parametrize(
    ("reason", "fields"),
    [
        ("own", {"author": user(9, bot=True)}),
        ("own", {"webhook_id": 9, "application_id": 9, "author": user(9, bot=True)}),
        ("command", {"interaction_metadata": object()}),
        ("forward", {"message_snapshots": [object()]}),
        ("forward", {"reference": SimpleNamespace(type=discord.MessageReferenceType.forward)}),
        ("unknown_channel", {"channel": Mock(spec=discord.PartialMessageable)}),
        ("unknown_channel", {"channel": thread(None)}),
        ("not_permitted", {"content": ""}),
        ("no_text", {"content": "", "attachments": [object()]}),
        *[("no_text", {"content": "", part: [object()]}) for part in ("stickers", "embeds", "components")],
        ("no_text", {"content": "", "poll": object()}),
        ("no_text", {"content": " \n "}),
    ],
)
def test_what_must_not_be_kept_is_refused_with_its_reason(reason, fields):
    assert filters.refusal(message(**fields)) == reason


@pytest.mark.parametrize("kind", sorted(set(MessageType) - filters.HUMAN, key=lambda kind: kind.value))
def test_every_type_but_default_and_reply_is_refused(kind):
    assert filters.refusal(message(type=kind)) == "system"


def test_a_channel_that_does_not_say_whether_it_is_nsfw_is_taken_to_be():
    category = Mock(spec=discord.abc.GuildChannel)
    assert "nsfw" in filters.needs(message(channel=category))


def test_another_bot_is_not_refused_yet_since_a_guild_may_hear_it():
    assert filters.refusal(message(author=user(bot=True))) == ""


@pytest.mark.parametrize(
    ("need", "fields"),
    [
        ("private_thread", {"channel": thread(channel(), private=True)}),
        ("nsfw", {"channel": channel(nsfw=True)}),
        ("no_entry", {"content": "🚫 my number is 555-0100"}),
        ("no_entry", {"content": "my number is 555-0100 ⛔"}),
        ("unaddressed", {}),
        ("proxied", {"webhook_id": 5, "application_id": 466378653216014359}),
    ],
)
def test_what_only_some_guilds_keep_says_what_it_needs(need, fields):
    assert need in filters.needs(message(**fields))


def test_each_need_is_answered_by_a_setting():
    assert {name for name, _ in (*filters.PLACES, *filters.IF_WANTED)} == handlers.WANTED.keys()


def test_a_webhook_of_its_own_is_no_proxy():
    assert not filters.is_proxied(message(webhook_id=5))


@pytest.mark.parametrize(
    "fields",
    [
        {"mentions": [ME]},
        {"reference": SimpleNamespace(resolved=Mock(spec=discord.Message, author=ME), type=None)},
        {"guild": None, "channel": Mock(spec=discord.DMChannel, me=ME)},
    ],
)
def test_it_is_spoken_to_by_a_mention_a_reply_and_directly(fields):
    assert filters.is_addressed(message(**fields))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"mentions": [user(2)]},
        {"reference": SimpleNamespace(resolved=Mock(spec=discord.Message, author=user(2)), type=None)},
        {"reference": SimpleNamespace(resolved=None, type=None)},
    ],
)
def test_talk_among_others_is_not_for_it(fields):
    assert not filters.is_addressed(message(**fields))
