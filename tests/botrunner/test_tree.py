"""The tree of commands: told to Discord when it changed, honest when a command fails, silent about what was said."""

from __future__ import annotations

import pytest
from django.db import OperationalError

from botrunner.desk import looking
from tests.botrunner.scenes import ask

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(("error", "told"), [(RuntimeError, "did not work"), (OperationalError, "busy just now")])
@pytest.mark.simcord(check_errors=False)
async def test_a_command_that_fails_says_so_under_a_number_and_logs_no_words(world, monkeypatch, caplog, error, told):
    def away(*_, **__):
        raise error("I live in Toronto.")

    monkeypatch.setattr(looking, "listed", away)
    said = await ask(world.alice, world.general, "list")
    assert told in said
    (number,) = [record.number for record in caplog.records if hasattr(record, "number")]
    assert number in said
    assert "Toronto" not in caplog.text


async def test_the_commands_are_told_to_discord_only_when_they_changed(world):
    def told():
        return sum(entry.method == "PUT" for entry in world.env.http_requests)

    assert told() == 1
    await world.env.restart_bot(world.make_bot())
    assert told() == 1


async def test_the_commands_exist_only_in_guilds(world):
    assert "memory list" in world.alice.available_commands(world.general)
    assert world.alice.user.available_commands() == ()
