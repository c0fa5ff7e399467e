"""The bot posts a recap in the channel that was chosen, once, pinging nobody."""

from __future__ import annotations

from datetime import UTC, datetime

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from botrunner import threads
from botrunner.actions.community import texts_recap
from botrunner.chat import recap_poster
from memory.models import Recap
from memory.recap_tables import RecapLine
from memory.recaps import recap_posting
from memoryhub.community.models import Guild
from tests.factories import days

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting(world):
    """Have a recap wait to be posted in a channel of the server."""

    async def waiting(*texts, channel=None, **fields):
        def make():
            now = discord.utils.utcnow()
            place, _ = Guild.objects.get_or_create(key=f"discord:{world.north.id}", defaults={"name": "North"})
            recap = Recap.objects.create(guild=place, since=now - days(7), until=now, **fields)
            RecapLine.objects.bulk_create(
                RecapLine(guild=place, recap=recap, section="happened", place=number, text=text)
                for number, text in enumerate(texts)
            )
            where = channel or str(world.general.id)
            recap_posting.have_posted(recap, channel_id=where, actor="moderator:mona", now=now)
            return recap

        return await threads.run(make)

    return waiting


def poster(world):
    return world.env.bot.get_cog("RecapPoster")


def said(place):
    return [message.content for message in place.history()]


async def fresh(recap):
    return await threads.run(Recap.objects.get, pk=recap.pk)


async def test_it_stands_in_the_channel_and_is_noted(world, waiting):
    recap = await waiting("The lantern festival", intro="Hello!")
    await poster(world).post_waiting()
    await poster(world).post_waiting()
    (text,) = said(world.general)
    assert text.startswith("**North: ")
    assert "\nHello!\n__What happened__\n• The lantern festival\n-# Recap " in text
    done = await fresh(recap)
    assert (done.status, done.message_id) == ("posted", str(world.general.history()[0].id))


async def test_what_members_wrote_pings_nobody_and_formats_nothing(world, waiting):
    await waiting("@everyone **look** [a](https://qx.example) <@123456789012345678>", intro="||@here||")
    await poster(world).post_waiting()
    (text,) = said(world.general)
    assert "@everyone" not in text
    assert "@here" not in text
    assert r"\*\*look\*\*" in text


async def test_a_post_that_stands_there_is_not_posted_again(world, waiting, monkeypatch):
    recap = await waiting("The lantern festival")
    with monkeypatch.context() as dying:
        dying.setattr(recap_poster.recap_posting, "posted", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await poster(world).post_waiting()
    assert len(said(world.general)) == 1
    await threads.run(Recap.objects.update, claimed_until=None, claimed_by="")
    await poster(world).post_waiting()
    assert len(said(world.general)) == 1
    assert (await fresh(recap)).message_id == str(world.general.history()[0].id)


async def test_what_was_begun_and_does_not_stand_there_is_posted(world, waiting):
    recap = await waiting("The lantern festival")
    await threads.run(Recap.objects.update, tried_at=discord.utils.utcnow())
    await world.alice.send(world.general, f"I say {texts_recap.mark(recap)}")
    await poster(world).post_waiting()
    assert len(said(world.general)) == 2
    assert (await fresh(recap)).status == "posted"


async def test_it_is_sent_with_a_nonce_that_stays_the_same(world, waiting, monkeypatch):
    recap = await waiting("The lantern festival")
    sent = []
    before = discord.TextChannel.send

    async def send(self, *args, **fields):
        sent.append(fields["nonce"])
        return await before(self, *args, **fields)

    monkeypatch.setattr(discord.TextChannel, "send", send)
    await poster(world).post_waiting()
    assert sent == [f"recap-{recap.pk}"]


async def test_a_channel_that_is_not_there_waits_for_a_person(world, waiting):
    recap = await waiting("The lantern festival", channel="123456789012345678")
    await poster(world).post_waiting()
    found = await fresh(recap)
    assert (found.status, found.last_error, bool(found.parked_at)) == ("waiting", recap_poster.NO_CHANNEL, True)


async def test_another_servers_channel_is_none_of_this_one(world, waiting):
    recap = await waiting("The lantern festival", channel=str(world.lounge.id))
    await poster(world).post_waiting()
    assert said(world.lounge) == []
    assert (await fresh(recap)).last_error == recap_poster.NO_CHANNEL


async def test_where_the_bot_may_not_write_a_person_is_told(world, waiting):
    recap = await waiting("The lantern festival")
    mute = [Overwrite(world.north.id, OverwriteType.ROLE, deny=discord.Permissions(send_messages=True).value)]
    world.env.backend.edit_channel(world.general.id, {}, overwrites=mute)
    await poster(world).post_waiting()
    assert said(world.general) == []
    assert (await fresh(recap)).last_error == recap_poster.NOT_ALLOWED


async def test_what_discord_does_not_take_is_tried_again_later(world, waiting, monkeypatch):
    recap = await waiting("The lantern festival")

    async def fails(*_, **__):
        raise discord.HTTPException(type("Answer", (), {"status": 503, "reason": "no"})(), "no")

    monkeypatch.setattr(discord.TextChannel, "send", fails)
    await poster(world).post_waiting()
    found = await fresh(recap)
    assert (found.status, found.parked_at, found.last_error) == ("waiting", None, "Discord answered 503.")
    assert found.next_attempt_at


async def test_one_that_lost_all_its_lines_is_not_posted(world, waiting):
    recap = await waiting("The lantern festival")
    await threads.run(RecapLine.objects.all().delete)
    await poster(world).post_waiting()
    assert said(world.general) == []
    assert (await fresh(recap)).status == "empty"


def test_a_long_one_is_cut_to_a_message_and_keeps_its_mark():
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    recap = Recap(pk=7, guild=Guild(name="*North*"), since=begin, until=begin + days(7), intro="_" * 600)
    lines = [RecapLine(section="happened", text="*" * 200) for _ in range(30)]
    text = texts_recap.post(recap, lines)
    assert len(text) <= 2000
    assert text.endswith(texts_recap.mark(recap))
    assert text.count("•") > 1


def test_who_is_new_stands_in_one_line_and_a_month_has_its_name():
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    recap = Recap(pk=7, guild=Guild(name="North"), every="monthly", since=begin, until=begin + days(31))
    lines = [RecapLine(section="joined", text=name) for name in ("Alice", "Bob")]
    assert "__New here__\nAlice, Bob\n" in texts_recap.post(recap, lines)
    assert texts_recap.post(recap, lines).startswith("**North: March 2026**")
