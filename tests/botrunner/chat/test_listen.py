"""The bot answers who speaks to it, and nobody else; what it says is kept and never learned from."""

from __future__ import annotations

import discord
import pytest

from botrunner import threads
from botrunner.chat import answer, listen
from botrunner.chat.listen import HERE_ONLY, TOO_SOON
from memory import pipeline
from memory.curation.refusals import MESSAGE_STAYS
from memory.index import writing
from memory.models import Fact
from memory.replies import responder
from memory.replies.responder import NEEDS_A_MODEL, TROUBLE, Answer
from memoryhub.community.models import Guild, Member
from notes.models import Message
from tests.botrunner.scenes import to_us
from tests.factories import NOON

pytestmark = pytest.mark.django_db(transaction=True)


def own_words(world, channel=None):
    """What the bot said in the channel, oldest first."""
    said = (channel or world.general).history()
    return [message.content for message in said if message.author.id == world.env.bot.user.id]


@pytest.fixture(autouse=True)
async def no_cooling(world):
    world.env.bot.get_cog("Replies").settings.clear()

    async def quick(seconds=0, **fields):
        await threads.run(
            lambda: Guild.objects.update_or_create(
                key=f"discord:{world.north.id}", defaults={"name": "North", "reply_seconds": seconds, **fields}
            )
        )
        world.env.bot.get_cog("Replies").settings.clear()

    await quick()
    return quick


async def test_a_mention_is_answered(world):
    await world.alice.send(world.general, to_us(world, "lovely weather"))
    assert own_words(world) == [NEEDS_A_MODEL]


@pytest.fixture
def own_role(world):
    """The role that Discord makes of the bot's name when it joins."""
    number = world.north.create_role("hub", managed=True).id
    role = world.env.bot.get_guild(world.north.id).get_role(number)
    role.tags = discord.RoleTags({"bot_id": str(world.env.bot.user.id)})
    return role


async def test_a_mention_of_its_own_role_is_one_of_the_bot(world, own_role):
    await world.alice.send(world.general, f"{own_role.mention} remember that I live in Porto")
    assert "Lives in Porto" in own_words(world)[0]


async def test_a_mention_of_another_role_is_not(world, own_role):
    crew = world.north.create_role("crew")
    await world.alice.send(world.general, f"{crew.mention} remember that I live in Porto")
    assert own_words(world) == []


async def test_talk_among_members_is_not(world):
    await world.alice.send(world.general, "lovely weather")
    await world.bob.send(world.general, f"{world.alice.mention} indeed")
    assert own_words(world) == []


async def test_what_is_asked_to_be_remembered_is_believed(world):
    await world.alice.send(world.general, to_us(world, "remember that I live in Porto"))
    facts = await threads.run(list, Fact.objects.values_list("text", "confidence"))
    assert [(text.rstrip("."), sure) for text, sure in facts] == [("Lives in Porto", 1.0)]
    assert "Lives in Porto" in own_words(world)[0]


async def test_of_a_refused_secret_it_is_said_that_the_message_stays_and_how_it_goes(world, texts):
    said = await world.alice.send(world.general, to_us(world, "remember that my password is hunter2-tango-9"))
    assert f"so no memory is made of it. {MESSAGE_STAYS}" in own_words(world)[0]
    assert "hunter2-tango-9" in (await texts())[0]
    await world.alice.delete(said)
    assert "hunter2-tango-9" not in str(await texts())


async def test_a_reply_to_the_bot_is_answered(world):
    await world.alice.send(world.general, to_us(world, "remember that I live in Porto"))
    last = world.general.last_message
    await world.alice.send(world.general, "Where did you learn that?", reply_to=last)
    assert len(own_words(world)) == 2
    assert "I was told to remember it on" in own_words(world)[1]


async def test_the_source_is_named_with_a_link(world):
    said = await world.alice.send(world.general, "I moved to Porto last spring and I love it there.")

    def learn():
        guild = Guild.objects.get(key=f"discord:{world.north.id}")
        pipeline.digest(guild, now=NOON)
        return Fact.objects.filter(subject__platform_id=str(world.alice.id)).first()

    fact = await threads.run(learn)
    await world.alice.send(world.general, to_us(world, "what do you know about me?"))
    assert f"#{fact.pk}" in own_words(world)[-1]
    await world.alice.send(world.general, "where did you learn that?", reply_to=world.general.last_message)
    assert f"https://discord.com/channels/{world.north.id}/{world.general.id}/{said.id}" in own_words(world)[-1]


async def test_what_somebody_said_is_quoted_without_its_links_and_leads_to_their_message(world):
    said = await world.bob.send(world.general, "Green tea is brewed by **me**, see [the menu](https://evil.example).")

    def learn():
        writing.index_messages(list(Message.objects.filter(platform_id=str(said.id))))

    await threads.run(learn)
    await world.alice.send(world.general, to_us(world, "who brews green tea?"))
    first, *_ = own_words(world)[-1].splitlines()
    link = f"https://discord.com/channels/{world.north.id}/{world.general.id}/{said.id}"
    assert first.startswith("[1] Bob: Green tea is brewed by \\*\\*me\\*\\*, see \\[the menu]\\(https://evil.example)")
    assert first.endswith(f") {link}")


async def test_a_member_can_not_touch_anothers_memory(world):
    await world.bob.send(world.general, to_us(world, "remember that I hate sanding"))
    fact = await threads.run(Fact.objects.get)
    await world.mallory.send(world.general, to_us(world, f"forget #{fact.pk}"))
    assert "no such memory" in own_words(world)[-1]
    assert (await threads.run(Fact.objects.get)).status == "active"


async def test_the_bots_own_words_are_kept_and_never_learned_from(world):
    await world.alice.send(world.general, to_us(world, "what do you know about me?"))

    def kept():
        row = Message.objects.select_related("author", "guild").get(author__is_bot=True)
        return row.buffer_id, row.author.platform_id, row.guild.own_bots

    own = str(world.env.bot.user.id)
    assert await threads.run(kept) == (None, own, [own])


async def test_a_bot_that_speaks_to_it_gets_no_answer(world):
    robot = world.north.add_member(world.env.create_user("robot", bot=True))
    await robot.send(world.general, to_us(world, "hello"))
    assert own_words(world) == []


async def test_in_a_chosen_channel_every_message_is_answered(world, no_cooling):
    await no_cooling(reply_channels=[str(world.general.id)])
    await world.alice.send(world.general, "what do you know about me?")
    assert len(own_words(world)) == 1


async def test_in_a_chosen_channel_a_picture_alone_is_not_answered(world, no_cooling):
    await no_cooling(reply_channels=[str(world.general.id)])
    await world.alice.send(world.general, attachments=[("cat.png", b"meow")])
    assert own_words(world) == []


async def test_a_guild_that_wants_no_answers_gets_none(world, no_cooling):
    await no_cooling(replies_on=False)
    await world.alice.send(world.general, to_us(world, "hello"))
    assert own_words(world) == []


async def test_who_asks_again_too_soon_is_told_once_to_wait(world, no_cooling):
    await no_cooling(seconds=3600)
    for text in ("hello", "hello?", "HELLO?"):
        await world.alice.send(world.general, to_us(world, text))
    await world.bob.send(world.general, to_us(world, "hello"))
    first, wait, bobs = own_words(world)
    assert (first, bobs) == (NEEDS_A_MODEL, NEEDS_A_MODEL)
    assert wait == TOO_SOON.format(seconds=3600)


@pytest.mark.parametrize("seconds", [0, 3600])
async def test_a_message_whose_event_comes_twice_is_answered_once(world, no_cooling, seconds):
    await no_cooling(seconds=seconds)
    await world.alice.send(world.general, to_us(world, "hello"))
    heard = next(each for each in world.env.bot.cached_messages if each.author.id == world.alice.id)
    await world.env.bot.get_cog("Replies").on_message(heard)
    assert own_words(world) == [NEEDS_A_MODEL]


async def test_of_too_many_who_were_answered_the_one_whose_answer_is_longest_ago_is_not_remembered(world, monkeypatch):
    monkeypatch.setattr(listen, "MOST_COOLDOWNS", 2)
    for who in (world.alice, world.bob, world.alice, world.mallory):
        await who.send(world.general, to_us(world, "hello"))
    remembered = [member for _, member in world.env.bot.get_cog("Replies").answered_at]
    assert remembered == [world.alice.id, world.mallory.id]


async def test_settings_are_remembered_of_so_many_direct_chats_only(world, settings, monkeypatch):
    settings.DISCORD_DIRECT_MESSAGES = True
    monkeypatch.setattr(listen, "MOST_SETTINGS", 1)
    await world.alice.send(world.general, to_us(world, "hello"))
    said = await world.alice.send_dm("hello")
    assert [*world.env.bot.get_cog("Replies").settings] == [f"discord-dm:{said.channel.id}"]


async def test_where_every_message_is_answered_nobody_is_told_to_wait(world, no_cooling):
    await no_cooling(seconds=3600, reply_channels=[str(world.general.id)])
    for text in ("hello", "all of you"):
        await world.alice.send(world.general, text)
    assert own_words(world) == [NEEDS_A_MODEL]


async def test_a_direct_message_is_told_where_memory_is(world):
    await world.alice.send_dm("remember that I live in Porto")
    assert not await threads.run(Fact.objects.exists)
    sent = [r for r in world.env.http_requests if r.method == "POST" and r.path.endswith("/messages")]
    assert sent[-1].json["content"] == HERE_ONLY


async def test_many_direct_messages_at_once_are_told_so_once(world):
    for text in ("hello", "are you there?", "hellooo"):
        await world.alice.send_dm(text)
    sent = [r for r in world.env.http_requests if r.method == "POST" and r.path.endswith("/messages")]
    assert [each.json["content"] for each in sent] == [HERE_ONLY]


async def test_nobody_is_pinged_but_the_one_addressed(world, monkeypatch):
    monkeypatch.setattr(responder, "answer", lambda _: Answer(f"@everyone <@{world.bob.id}> <@&{world.north.id}>"))
    await world.alice.send(world.general, to_us(world, "ping them all"))
    sent = [r for r in world.env.http_requests if r.method == "POST" and r.path.endswith("/messages")]
    assert sent[-1].json["allowed_mentions"] == {"parse": [], "replied_user": True}


async def test_a_long_answer_is_several_messages(world, monkeypatch):
    monkeypatch.setattr(responder, "answer", lambda _: Answer("word " * 1000))
    await world.alice.send(world.general, to_us(world, "tell me all"))
    assert [len(text) <= 2000 for text in own_words(world)] == [True, True, True]


async def test_an_error_is_told_in_a_short_line(world, monkeypatch):
    def fail(_):
        raise RuntimeError("hunter2")

    monkeypatch.setattr(answer.responder, "answer", fail)
    await world.alice.send(world.general, to_us(world, "hello"))
    assert own_words(world) == [TROUBLE]


async def test_who_opted_out_is_not_stored_by_asking(world):
    await world.alice.slash(world.general, "memory optout", state="on")
    await world.alice.send(world.general, to_us(world, "remember that I live in Porto"))
    assert not await threads.run(Fact.objects.exists)
    assert "Nothing was stored" in own_words(world)[-1]
    assert (await threads.run(Member.objects.get, platform_id=str(world.alice.id))).remember is False
