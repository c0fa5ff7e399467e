"""The bot posts recaps, and what moderators are told, in the channel that was chosen: once, pinging nobody."""

from __future__ import annotations

from datetime import UTC, datetime

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from botrunner import threads
from botrunner.actions.community import posts, texts_log, texts_recap
from botrunner.chat import poster as posting
from memory.curation import guild_settings
from memory.models import Erasure, ModeratorLog, Recap, RecapLine
from memory.recaps import recap_posting
from memory.records import action_log, waiting_posts
from memoryhub.community.models import Guild, Member
from tests.botrunner.scenes import ask, manager, named, promised
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
    return world.env.bot.get_cog("Poster")


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
        dying.setattr(posts.recap_posting, "posted", lambda *_, **__: 1 / 0)
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
    assert (found.status, found.last_error, bool(found.parked_at)) == ("waiting", posting.NO_CHANNEL, True)


async def test_another_servers_channel_is_none_of_this_one(world, waiting):
    recap = await waiting("The lantern festival", channel=str(world.lounge.id))
    await poster(world).post_waiting()
    assert said(world.lounge) == []
    assert (await fresh(recap)).last_error == posting.NO_CHANNEL


async def test_where_the_bot_may_not_write_a_person_is_told(world, waiting):
    recap = await waiting("The lantern festival")
    mute = [Overwrite(world.north.id, OverwriteType.ROLE, deny=discord.Permissions(send_messages=True).value)]
    world.env.backend.edit_channel(world.general.id, {}, overwrites=mute)
    await poster(world).post_waiting()
    assert said(world.general) == []
    assert (await fresh(recap)).last_error == posting.NOT_ALLOWED


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


# --- What moderators are told ----------------------------------------------------------------------------------------


@pytest.fixture
def log_room(world):
    """Make a channel in which the moderators of North are told of the action log; return it once it stands so."""

    async def log_room(**fields):
        room = world.north.create_text_channel("mod-log")

        def choose():
            guild, _ = Guild.objects.get_or_create(key=f"discord:{world.north.id}", defaults={"name": "North"})
            settings = {"log_channel": str(room.id), **fields}
            guild_settings.change_settings(guild, settings, actor="operator:olga", now=discord.utils.utcnow())

        await threads.run(choose)
        return room

    return log_room


def texts(room):
    return [text.split("\n") for text in said(room)]


async def log_row():
    return await threads.run(ModeratorLog.objects.get)


async def acted(world, kind, **fields):
    """Log something that a moderator did in North."""

    def act():
        guild = Guild.objects.get(key=f"discord:{world.north.id}")
        action_log.log(kind, guild=guild, **{"actor": "operator:olga", **fields})

    await threads.run(act)


async def test_moderators_are_told_once_and_in_order_what_was_done_by_whom(world, log_room):
    room = await log_room()
    olga = manager(world, manage_channels=True, manage_guild=True)
    await ask(olga, world.general, "channel off")
    await threads.run(
        lambda: guild_settings.change_settings(
            Guild.objects.get(), {"memory_on": False}, actor="api:bot", now=discord.utils.utcnow()
        )
    )
    await poster(world).post_waiting()
    await poster(world).post_waiting()
    chosen, switched, off = texts(room)
    assert chosen[0] == "**Chose the channel in which moderators are told of this log**"
    assert chosen[1].startswith("By olga, <t:")
    assert switched[0] == f"**Turned memory off in 1 channel**: <#{world.general.id}>"
    assert switched[1].startswith(f"By account {olga.id}, <t:")
    assert off[0] == "**Turned memory off in the whole guild**"
    assert off[1].startswith("By bot (by the API), <t:")
    assert said(world.general) == []


async def test_what_was_done_before_the_channel_was_chosen_is_not_told(world, log_room, known):
    await known("Lives in Toronto.")
    await acted(world, "channel_switch", on=False, channels=[])
    room = await log_room()
    await poster(world).post_waiting()
    (chosen,) = texts(room)
    assert "Chose the channel" in chosen[0]


async def test_what_no_moderator_needs_to_know_at_once_is_not_told(world, log_room):
    room = await log_room()
    await poster(world).post_waiting()
    await acted(world, "memory_edit", fact=1)
    await poster(world).post_waiting()
    assert len(texts(room)) == 1


@pytest.mark.parametrize("mode", ["opt_out", "opt_in"])
@pytest.mark.parametrize("remember", [True, False, None])
async def test_who_did_it_is_named_where_they_may_be_and_formats_nothing(world, log_room, mode, remember):
    room = await log_room(consent_mode=mode)

    def meet():
        guild, name = Guild.objects.get(), "**@everyone** <@1>"
        fields = {"platform_id": "77", "display_name": name, "label": name, "look": name, "remember": remember}
        Member.objects.create(guild=guild, **fields)

    await threads.run(meet)
    await acted(world, "member_disowned", actor="moderator:77", member=1, messages=3)
    await poster(world).post_waiting()
    by = texts(room)[-1][1]
    named = remember is True or (remember is None and mode == "opt_out")
    assert ("By account 77, " in by) is not named
    assert "@everyone" not in by
    assert (r"\*\*" in by) is named


async def test_an_erasure_is_told_when_it_is_asked_for_and_when_it_is_done_and_names_nobody(world, log_room, known):
    room = await log_room()
    await known("Lives in Toronto.")
    olga = manager(world, manage_guild=True)
    result = await promised(olga, olga.slash(world.general, named("admin clear"), member=world.alice))
    await olga.click(result.response, label="Erase")
    await poster(world).post_waiting()
    _, asked, done = texts(room)
    number = await threads.run(lambda: Erasure.objects.get().pk)
    assert asked[0] == "**Asked to erase all of a member for good**"
    assert done[0] == "**Erased for good; 0 traces were left**"
    assert all(f"erasure `{number}`" in each[1] for each in (asked, done))
    assert not any(word in "\n".join(said(room)) for word in ("Alice", "alice", str(world.alice.id), "Toronto"))


async def test_who_erased_themselves_is_named_nowhere(world, log_room, known):
    room = await log_room()
    await known("Lives in Toronto.")
    result = await promised(world.alice, world.alice.slash(world.general, "memory optout", state="on"))
    await world.alice.click(result.response, label="Erase all of it")
    await poster(world).post_waiting()
    assert all("somebody who is erased" in each[1] for each in texts(room)[1:])
    assert str(world.alice.id) not in "\n".join(said(room))


async def test_a_purge_is_told_before_the_channel_is_forgotten(world, log_room, known):
    room = await log_room()
    await known("Lives in Toronto.")
    olga = manager(world, manage_guild=True)
    result = await promised(olga, olga.slash(world.general, named("admin purge-guild"), name="North"))
    await olga.click(result.response, label="Erase")
    assert "The receipt" in result.response.content
    assert not await threads.run(Guild.objects.filter(key=f"discord:{world.north.id}").exists)
    last = texts(room)[-1]
    assert last[0] == "**Asked to erase all of the guild for good**"
    assert last[2] == texts_log.LAST_WORDS


async def test_a_purge_goes_on_where_the_channel_is_gone(world, log_room, known):
    room = await log_room()
    await known("Lives in Toronto.")
    world.env.backend.delete_channel(room.id)
    olga = manager(world, manage_guild=True)
    result = await promised(olga, olga.slash(world.general, named("admin purge-guild"), name="North"))
    await olga.click(result.response, label="Erase")
    assert "The receipt" in result.response.content


async def test_who_dies_between_post_and_note_leaves_no_second_post(world, log_room, monkeypatch):
    room = await log_room()
    with monkeypatch.context() as dying:
        dying.setattr(posts.log_posting, "told", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            await poster(world).post_waiting()
    assert len(said(room)) == 1
    await threads.run(ModeratorLog.objects.update, claimed_until=None, claimed_by="")
    await acted(world, "channel_switch", on=True, channels=[])
    await poster(world).post_waiting()
    assert ["Chose" in first[0] for first in texts(room)] == [True, False]


async def test_who_dies_before_the_post_leaves_it_to_the_next(world, log_room):
    room = await log_room()
    await threads.run(ModeratorLog.objects.update, tried_at=discord.utils.utcnow())
    await poster(world).post_waiting()
    await poster(world).post_waiting()
    assert len(said(room)) == 1
    assert (await log_row()).tried_at is None


async def test_an_outage_is_waited_for_and_nothing_is_lost(world, log_room, monkeypatch):
    room = await log_room()

    async def fails(*_, **__):
        raise discord.HTTPException(type("Answer", (), {"status": 503, "reason": "no"})(), "no")

    with monkeypatch.context() as away:
        away.setattr(discord.TextChannel, "send", fails)
        await poster(world).post_waiting()
    row = await log_row()
    assert (row.last_error, row.parked_at) == ("Discord answered 503.", None)
    await acted(world, "channel_switch", on=False, channels=[])
    await poster(world).post_waiting()
    assert said(room) == []
    await threads.run(ModeratorLog.objects.update, next_attempt_at=None)
    await threads.run(lambda: waiting_posts.mark(Guild.objects.get()))
    await poster(world).post_waiting()
    assert ["Chose" in first[0] for first in texts(room)] == [True, False]
    assert (await log_row()).last_error == ""


async def test_a_room_that_may_not_be_written_in_holds_up_no_recap(world, log_room, waiting):
    room = await log_room()
    mute = [Overwrite(world.north.id, OverwriteType.ROLE, deny=discord.Permissions(send_messages=True).value)]
    world.env.backend.edit_channel(room.id, {}, overwrites=mute)
    recap = await waiting("The lantern festival")
    await poster(world).post_waiting()
    assert (await fresh(recap)).status == "posted"
    assert (await log_row()).last_error == posting.NOT_ALLOWED


async def test_another_servers_channel_is_told_nothing(world, log_room):
    await log_room(log_channel=str(world.lounge.id))
    await poster(world).post_waiting()
    assert said(world.lounge) == []
    assert (await log_row()).last_error == posting.NO_CHANNEL


async def test_a_whole_category_fits_into_a_message_and_leaves_the_names_to_discord(world, log_room):
    room = await log_room()
    olga = manager(world, manage_channels=True)
    attic = world.north.create_category("Attic")
    for number in range(12):
        world.north.create_text_channel(f"secret-{number}", category=attic)
    await ask(olga, world.general, "channel off", channel=attic)
    await poster(world).post_waiting()
    last = texts(room)[-1][0]
    assert last.startswith("**Turned memory off in 12 channels**: <#")
    assert last.endswith(" and 2 more")
    assert "secret" not in last
