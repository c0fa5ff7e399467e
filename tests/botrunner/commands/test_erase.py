"""/memory optout and export: members have all of their own erased, or handed to them, and nobody else's."""

from __future__ import annotations

import io
import zipfile

import pytest

from botrunner import threads
from botrunner.actions import erase, privacy, texts_members
from botrunner.commands.buttons import NOT_YOURS, TIME_IS_OVER
from memory import erasure, tasks
from memory.models import Action, Erasure
from memoryhub.community.models import Member
from tests.botrunner.scenes import ask, facts, press, promised
from tests.factories import NOON, days

pytestmark = pytest.mark.django_db(transaction=True)


async def opt_out(world):
    return await promised(world.alice, world.alice.slash(world.general, "memory optout", state="on"))


async def test_optout_asks_whether_what_is_stored_shall_go_and_erases_it_when_told_to(world, known, texts):
    await known("Lives in Toronto.")
    await known("Owns a cat.", who="bob")
    result = await opt_out(world)
    assert "Shall it go too" in result.response.content
    assert len(await facts()) == 2
    await world.alice.click(result.response, label="Erase all of it")
    assert await facts() == ["Owns a cat."]
    assert await texts() == ["Owns a cat."]
    assert not await threads.run(Member.objects.filter(platform_id=str(world.alice.id)).exists)
    receipt = result.response.content.split("```")[1].strip()
    assert (await threads.run(erasure.verify, receipt)).kind == "member"


async def test_what_takes_long_goes_on_by_itself_and_has_a_number(world, known, monkeypatch):
    await known("Lives in Toronto.")
    monkeypatch.setattr(erase, "WAITED", -1.0)
    result = await opt_out(world)
    await world.alice.click(result.response, label="Erase all of it")
    job = await threads.run(Erasure.objects.get)
    assert f"Its number is `{job.pk}`" in result.response.content
    await threads.run(tasks.erase, str(job.pk))
    assert await facts() == []
    assert (await threads.run(Erasure.objects.get)).receipt


async def test_who_had_all_erased_stays_out_when_they_speak_again(world, known, texts):
    await known("Lives in Toronto.")
    result = await opt_out(world)
    await world.alice.click(result.response, label="Erase all of it")
    assert "What you say is not stored." in await ask(world.alice, world.general, "privacy")
    await world.alice.send(world.general, "hello again")
    assert await texts() == []


@pytest.mark.parametrize("answer", ["Keep it", None])
async def test_optout_keeps_what_is_stored_unless_told_otherwise(world, known, texts, answer):
    await known("Lives in Toronto.")
    result = await opt_out(world)
    await (world.alice.click(result.response, label=answer) if answer else world.env.advance_time(31))
    assert result.response.content.endswith(texts_members.OUT_KEPT)
    assert result.response.content.startswith(TIME_IS_OVER) == (answer is None)
    assert await facts() == ["Lives in Toronto."]
    await world.alice.send(world.general, "after")
    assert await texts() == ["Lives in Toronto."]


async def test_nobody_else_erases(world, known):
    await known("Lives in Toronto.")
    pressed = await press(world.bob, await opt_out(world), "Erase all of it")
    assert pressed.response.content == NOT_YOURS
    assert await facts() == ["Lives in Toronto."]


async def test_optout_off_asks_nothing(world):
    result = await promised(world.alice, world.alice.slash(world.general, "memory optout", state="off"))
    assert result.response.components == []
    assert result.response.content == texts_members.IN


# --- export ------------------------------------------------------------------------------------------------------


async def test_export_hands_out_ones_own_as_a_file(world, known):
    await known("Lives in Toronto.")
    await known("Owns a cat.", who="bob")
    result = await promised(world.alice, world.alice.slash(world.general, "memory export"))
    assert result.response.content == texts_members.EXPORTED
    (file,) = result.response.attachments
    with zipfile.ZipFile(io.BytesIO(await file.read())) as archive:
        said = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "Lives in Toronto." in said["facts.json"]
    assert "Owns a cat." not in "".join(said.values())


async def test_export_of_nothing_says_so(world):
    assert await ask(world.bob, world.general, "export") == texts_members.NOTHING_STORED


async def test_export_is_made_once_a_minute(world, known):
    await known("Lives in Toronto.")
    await ask(world.alice, world.general, "export")
    assert await ask(world.alice, world.general, "export") == texts_members.NOT_SO_FAST
    await threads.run(Action.objects.update, at=NOON - days(365))
    assert await ask(world.alice, world.general, "export") == texts_members.EXPORTED


async def test_an_export_that_discord_does_not_take_is_told_of(world, known, monkeypatch):
    def huge(_caller, folder, **_):
        with (folder / "memory.zip").open("wb") as file:
            file.truncate(30_000_000)
        return folder / "memory.zip"

    monkeypatch.setattr(privacy, "export", huge)
    assert "too large for Discord (30 MB)" in await ask(world.alice, world.general, "export")
