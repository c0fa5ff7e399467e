"""`manage.py import_messages` with exports of chats: what it says, and that a second run adds nothing."""

import io

import pytest
from django.core.management import CommandError, call_command

from memoryhub.community.models import Channel, Guild
from notes.models import Message
from tests.memory.importing.chat_exports import (
    mattermost,
    post,
    slack,
    slack_export,
    telegram,
    telegram_chat,
    zipped,
)  # fmt: skip

pytestmark = pytest.mark.django_db


def run(*files, **options) -> str:
    out = io.StringIO()
    call_command("import_messages", *map(str, files), stdout=out, stderr=out, **options)
    return out.getvalue()


@pytest.fixture
def export(tmp_path):
    answer = slack("I do.", ts="1760090000.000200", user="U2", thread_ts="1760000000.000100")
    return zipped(tmp_path / "slack.zip", slack_export(slack("Who sails?"), answer))


def test_a_dry_run_names_the_kind_and_counts_people_channels_and_days(export):
    told = run(export, dry_run=True)
    assert "slack.zip: Slack export" in told
    assert "people: 2, channels: 2, days: 2" in told
    assert not Message.objects.exists()
    assert not Guild.objects.exists()


def test_a_second_run_adds_nothing(export):
    assert "stored: 2" in run(export)
    again = run(export)
    assert "stored: 0" in again
    assert "duplicate: 2" in again
    assert Channel.objects.get(kind="thread").parent.platform_id == "C1"


def test_several_kinds_are_read_in_one_run(tmp_path, export):
    chat = zipped(tmp_path / "telegram.zip", {"result.json": telegram_chat(telegram("Hello, harbour."))})
    lines = tmp_path / "mattermost.jsonl"
    lines.write_text(mattermost(post("Hello, town.")))
    told = run(export, chat, lines)
    assert "Telegram export" in told
    assert "Mattermost export" in told
    assert set(Guild.objects.values_list("key", flat=True)) == {"slack:T1", "telegram:99", "mattermost:north"}


def test_half_an_export_is_told_and_run_again_with_the_whole_one(tmp_path):
    lines = tmp_path / "export.jsonl"
    whole = mattermost(post("One."), post("Two.", create_at=1760000009000))
    lines.write_text(whole[:-40])
    with pytest.raises(CommandError, match="1 of 1 files"):
        run(lines)
    assert Message.objects.count() == 1
    lines.write_text(whole)
    assert "duplicate: 1" in run(lines)
    assert Message.objects.count() == 2


def test_a_zone_that_there_is_not_is_refused(export):
    with pytest.raises(CommandError, match="no such zone"):
        run(export, time_zone="Europe/Nowhere")
