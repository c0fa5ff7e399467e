"""`manage.py export_guild`: leaving with all of a guild's data, and coming back with it."""

from __future__ import annotations

import json
import stat
import zipfile

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory import pipeline
from memory.models import Action, AgentItem, Evidence, Fact
from memory.records import snapshots
from memory.withdrawal import retention
from memory.withdrawal.close_channel import change_audience
from memoryhub.community import consent
from memoryhub.community.models import Channel, Guild, Member
from notes.models import Message
from profiles import consent_effects
from tests.api_client import api_for
from tests.factories import NOON, days, make_fact, make_member, make_note, minutes
from tests.incoming import NORTH, incoming, north, say

pytestmark = pytest.mark.django_db
TALK = ("I live in Toronto and I work at the museum.", "My favourite food is ramen.", "The staff room is cold.")


@pytest.fixture
def guild() -> Guild:
    """Return a guild in which people talked, in the open and in a closed channel, and which remembers it."""
    for number, text in enumerate(TALK):
        channel = {"channel": {"id": "c-staff", "name": "staff", "audience": "channel"}} if number == 2 else {}
        say(text, "Alice", id=f"m-{number}", at=NOON + minutes(number), **channel)
    pipeline.receive(incoming("I like tea.", "Bob", id="m-bob", at=NOON), guild=NORTH, now=NOON)
    pipeline.digest(north(), now=NOON + minutes(60))
    staff, alice = Channel.objects.get(platform_id="c-staff"), Member.objects.get(platform_id="u-alice")
    make_fact("Plays the cello.", subject=alice, audience=staff)
    make_fact("Owned a boat.", guild=north(), status="archived")
    AgentItem.objects.create(guild=north(), namespace="memories.u1", key="k", value={"n": 1})
    consent.choose(
        Member.objects.get(platform_id="u-bob"), remember=False, actor="member:u-bob", now=NOON + minutes(90)
    )
    return north()


def files(path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_all_of_a_guild_is_handed_out_and_taken_in_by_another_hub(guild, tmp_path, capsys):
    kept = Fact.objects.of(guild).active().exclude(subject__platform_id="u-bob")
    facts = set(kept.values_list("text", "audience__platform_id"))
    call_command("export_guild", guild.key, tmp_path / "north.zip")
    assert "messages.jsonl" in capsys.readouterr().out
    assert stat.S_IMODE((tmp_path / "north.zip").stat().st_mode) == 0o600
    held = files(tmp_path / "north.zip")
    rows = {name: json.loads(text) for name, text in held.items() if name.endswith(".json")}
    assert {(row["memory"], row["run_id"]) for row in rows["memories.json"]} == facts
    assert {audience for _, audience in facts} == {None, "c-staff"}
    assert [row["memory"] for row in rows["set_aside.json"]] == ["Owned a boat."]
    assert rows["items.json"][0]["namespace"] == ["memories", "u1"]
    assert all(rows[name] for name in ("members.json", "channels.json", "profiles.json"))
    assert "I like tea." not in str(held)  # Bob said no since
    assert guild.key in held["README.txt"]
    assert Action.objects.filter(kind="guild_export").count() == 1

    Guild.objects.all().delete()
    (tmp_path / "memories.json").write_text(held["memories.json"])
    call_command("import_messages", tmp_path / "north.zip")
    call_command("import_memories", tmp_path / "memories.json", "--from", "mem0", "--guild", guild.key)
    assert set(Message.objects.values_list("text", flat=True)) == set(TALK)
    assert set(Fact.objects.active().values_list("text", "audience__platform_id")) == facts


@pytest.mark.parametrize("days_kept", [None, 1], ids=["with what was said", "with what was said lately"])
def test_what_was_learned_before_a_channel_was_opened_stays_in_it_in_another_hub(guild, tmp_path, days_kept):
    change_audience(Channel.objects.get(platform_id="c-staff"), "guild", now=NOON + days(9))
    say("Now everybody reads what the staff says.", channel={"id": "c-staff"}, at=NOON + days(10))
    guild.message_days = days_kept
    retention.apply_to_guild(guild, now=NOON + days(10))
    call_command("export_guild", guild.key, tmp_path / "north.zip")
    (tmp_path / "memories.json").write_text(files(tmp_path / "north.zip")["memories.json"])
    Guild.objects.all().delete()
    call_command("import_messages", tmp_path / "north.zip")
    call_command("import_memories", tmp_path / "memories.json", "--from", "mem0", "--guild", guild.key)
    assert Fact.objects.get(text="Plays the cello.").audience.platform_id == "c-staff"
    told = api_for(north(), scope="read").get("discord:1/search", q="Who plays the cello?").json()["items"]
    assert "Plays the cello." not in [each["text"] for each in told]


def test_nothing_of_who_said_no_is_handed_out(guild, tmp_path):
    alice, bob = (Member.objects.get(platform_id=account) for account in ("u-alice", "u-bob"))
    consent_effects.choose(bob, remember=True, actor="member:u-bob", now=NOON + minutes(91))
    fact = Fact.objects.filter(subject=alice, audience=None).first()
    Evidence.objects.create(guild=guild, fact=fact, speaker=bob, quote="She told me at the pier.", said_at=NOON)
    make_note("How the pier was found", participants=[alice, bob])
    AgentItem.objects.create(guild=guild, namespace="memories.u-bob", key="k", value={"n": 1})
    snapshots.render_journal(guild, day=NOON.date(), now=NOON + minutes(92))
    written = []
    for remember in (True, False):
        consent_effects.choose(bob, remember=remember, actor="member:u-bob", now=NOON + minutes(95))
        call_command("export_guild", guild.key, tmp_path / f"{remember}.zip")
        written.append(files(tmp_path / f"{remember}.zip"))
    theirs = ("u-bob", "Bob", "pier", "I like tea.")
    told = [{name for name, text in held.items() if any(word in text for word in theirs)} for held in written]
    assert {"members.json", "messages.jsonl", "memories.json", "notes.json", "journal.json", "items.json"} <= told[0]
    assert told[1] == set()
    assert fact.text in written[1]["memories.json"]


def test_what_is_there_is_not_written_over_and_nothing_half_is_left(guild, tmp_path):
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "north.zip"
    path.write_text("mine")
    for where, why in ((path, "already"), (tmp_path / "nowhere" / "a.zip", "No such file")):
        with pytest.raises(CommandError, match=why):
            call_command("export_guild", guild.key, where)
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(CommandError, match="Known guilds"):
        call_command("export_guild", "discord:404", tmp_path / "b.zip")


def test_an_empty_guild_is_a_zip_of_empty_files(tmp_path):
    make_member()
    call_command("export_guild", "discord:1", tmp_path / "empty.zip")
    held = files(tmp_path / "empty.zip")
    assert json.loads(held["memories.json"]) == []
    assert held["messages.jsonl"].strip() == ""
