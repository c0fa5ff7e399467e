"""/memory profile: members read, word and strike the lines of their own profile, and of nobody else's."""

from __future__ import annotations

import pytest

from botrunner import threads
from botrunner.actions import texts_members
from memoryhub.community.models import Channel
from profiles.models import ProfileEntry
from tests.botrunner.scenes import ask, private_room

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_member_reads_the_lines_of_their_own_profile(world, line):
    number = await line("Lives in Toronto")
    await line("Hates sanding", who="bob")
    shown = await ask(world.alice, world.general, "profile")
    assert f"__Bio__\n`p{number}` Lives in Toronto" in shown
    assert "sanding" not in shown


async def test_a_line_that_is_told_in_one_channel_only_bears_a_mark(world, line):
    private_room(world)
    await world.alice.send(world.staff, "I will be promoted.")
    staff = await threads.run(Channel.objects.get, platform_id=str(world.staff.id))
    number = await line("Will be promoted", audience=staff)
    shown = await ask(world.alice, world.general, "profile")
    assert f"`p{number}` Will be promoted (only in <#{world.staff.id}>)" in shown


async def test_without_a_profile_it_says_so(world):
    assert "Nothing is in your profile" in await ask(world.alice, world.general, "profile")


async def test_a_member_words_a_line_anew(world, line):
    number = await line("Lives in Toronto")
    assert (
        await ask(world.alice, world.general, "profile", line=str(number), text="Lives in Porto")
        == texts_members.WORDED
    )
    entry = await threads.run(ProfileEntry.objects.get, pk=number)
    assert (entry.text, entry.pinned) == ("Lives in Porto", True)


async def test_a_member_takes_a_line_out(world, line):
    number = await line("Lives in Toronto")
    assert await ask(world.alice, world.general, "profile", line=f"#{number}", remove=True) == texts_members.STRUCK
    assert (await threads.run(ProfileEntry.objects.get, pk=number)).status == "refused"


async def test_a_line_that_can_not_stand_is_refused_in_words(world, line):
    number = await line("Lives in Toronto")
    said = await ask(world.alice, world.general, "profile", line=str(number), text="My password is hunter2-tango-9")
    assert "so I don't keep it. Nothing was stored." in said
    assert (await threads.run(ProfileEntry.objects.get, pk=number)).text == "Lives in Toronto"


@pytest.mark.parametrize("options", [{"text": "Lives in Porto"}, {"remove": True}])
async def test_a_change_without_a_line_says_that_nothing_was_changed(world, line, options):
    number = await line("Lives in Toronto")
    assert await ask(world.alice, world.general, "profile", **options) == texts_members.WHICH_LINE
    entry = await threads.run(ProfileEntry.objects.get, pk=number)
    assert (entry.text, entry.status) == ("Lives in Toronto", "shown")


@pytest.mark.parametrize("options", [{"text": "Sails the seas"}, {"remove": True}])
async def test_a_line_of_another_is_not_found(world, line, options):
    number = await line("Hates sanding", who="bob")
    said = await ask(world.mallory, world.general, "profile", line=str(number), **options)
    assert said == texts_members.NOT_YOUR_LINE
    entry = await threads.run(ProfileEntry.objects.get, pk=number)
    assert (entry.text, entry.status) == ("Hates sanding", "shown")


async def test_lines_are_offered_while_typing(world, line):
    number = await line("Lives in Toronto")
    offered = await world.alice.autocomplete(world.general, "memory profile", "line", "tor")
    assert [choice["value"] for choice in offered] == [f"p{number}"]
