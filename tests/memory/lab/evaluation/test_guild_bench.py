import json
import re
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory.lab.evaluation import baselines, guild, guild_bench
from memory.lab.evaluation import gold_facts as gold
from memory.lab.evaluation.guild_bench import OURS, Bench
from memory.lab.evaluation.loaded_guild import load
from memory.lab.evaluation.scoring import ways_to_ask
from memory.lab.management.commands import evaluate as command
from memory.models import Fact
from notes.models import Message
from tests import toy_embedder

pytestmark = pytest.mark.django_db(transaction=True)

LINES = [
    ("alice", "hall", "I live in Toronto and I work as a nurse."),
    ("bob", "hall", "I'm a drummer, I play drums every weekend."),
    ("mallory", "hall", "I am the owner of this server and I live in Toronto like Alice."),
    ("alice", "den", "I live in fear of the audit, the vault code is 4411."),
    ("bob", "hall", "Is the picnic on Sunday?"),
    ("alice", "hall", "The picnic is on Sunday."),
    ("alice", "hall", "The picnic is on Monday now."),
]
FILES = {
    "questions": [
        {"question": "Where does Alice live?", "category_name": "multi-hop", "evidence": ["m1"]},
        {"question": "Who has a submarine?", "category_name": "abstention", "evidence": []},
    ],
    "facts": [
        {"member": "alice", "fact": "Lives in Toronto", "evidence": ["m1"]},
        {"member": "alice", "fact": "Plays the harp", "evidence": ["m1"]},
    ],
    "traps": [{"kind": "impersonation", "claim": "Owns the server", "evidence": ["m3"]}],
    "updates": [{"name": "picnic", "question": "When is the picnic?", "old": ["m6"], "new": ["m7"]}],
    "arrangements": [
        {"message": "m6", "kind": "planned", "day": "2026-03-08"},
        {"message": "m7", "kind": "moved", "day": "2026-03-03"},
        {"message": "m1", "kind": "decided"},
    ],
    "private": [{"question": "What is the vault code?", "channel": "hall", "secret": ["m4"]}],
    "deletions": [
        {"words": ["drums", "drummer"], "messages": ["m2"]},
        {"words": ["Toronto"], "member": "alice"},
    ],
}


def write(folder, name, rows):
    text = "".join(f"{json.dumps({'conversation': 'one', **row})}\n" for row in rows)
    (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    start = datetime(2026, 3, 1, 12)  # noqa: DTZ001
    rows = []
    for number, (author, channel, text) in enumerate(LINES, 1):
        at = (start + timedelta(minutes=number)).isoformat()
        row = {"message_id": f"m{number}", "session": 1, "author": author.capitalize(), "author_id": author}
        audience = "channel" if channel == "den" else "guild"
        rows.append({**row, "text": text, "timestamp": at, "channel": channel, "audience": audience})
    write(tmp_path, "messages", rows)
    for name, each in FILES.items():
        write(tmp_path, name, each)
    return tmp_path


@pytest.fixture
def toy(monkeypatch):
    for module in (gold, baselines, guild_bench):
        monkeypatch.setattr(module, "embedder", toy_embedder.ToyEmbedder)
    return toy_embedder.install(monkeypatch)


def silent(_what, _done, _total):
    pass


@pytest.fixture
def world(folder, toy):
    return load(guild.read(folder)[0], progress=silent)


def measured(world, units=("messages", "bm25_messages")):
    bench = Bench()
    bench.add(world, ways_to_ask(world, units=units, progress=silent), progress=silent)
    return bench.measures()


def test_a_chat_is_read_with_all_that_is_known_of_it(folder):
    (chat,) = guild.read(folder)
    assert [message.channel.audience for message in chat.messages].count("channel") == 1
    assert chat.messages[0].author.id == "alice"
    assert [each.member for each in chat.facts] == ["alice", "alice"]
    assert chat.asked == [
        "Where does Alice live?", "Who has a submarine?", "When is the picnic?", "What is the vault code?",
    ]  # fmt: skip


def test_facts_count_as_found_of_the_right_member_only(world):
    found = measured(world)[OURS]
    assert (found["facts found"], found["facts found: of"], found["right person"]) == (0.5, 2, 1.0)


def test_what_was_decided_or_planned_counts_and_whether_it_was_replaced(world):
    found = measured(world)[OURS]
    assert found["updates: old one decided or planned"] == 1.0
    assert found["updates: of these replaced"] == 1.0


def test_what_is_kept_of_plans_and_decisions_counts_and_whether_the_day_is_right(world):
    found = measured(world)[OURS]
    assert (found["plans kept"], found["plans kept: of"]) == (1.0, 2)
    assert (found["plans: on the right day"], found["plans: on the right day: of"]) == (0.5, 2)
    assert (found["decisions kept"], found["kept that arranges nothing"]) == (0.0, 0.0)


@pytest.mark.parametrize(("said", "share"), [([], 0.5), (["unsure"], 0.0)])
def test_what_is_kept_of_a_message_that_arranges_nothing_counts_but_not_where_a_reader_is_unsure(world, said, share):
    unsure = [guild.Arranged(message="m6", kind=kind) for kind in said]
    world.conversation.arranged = [*world.conversation.arranged[1:], *unsure]
    assert measured(world)[OURS]["kept that arranges nothing"] == share


def test_a_fact_of_another_member_is_a_wrong_person(world):
    wrong = Fact.objects.get(subject__platform_id="alice", text__contains="Toronto")
    wrong.subject = world.guild.members.get(platform_id="bob")
    wrong.save()
    found = measured(world)[OURS]
    assert (found["facts found"], found["right person"]) == (0.0, 0.0)


def test_a_fact_that_rests_on_a_trap_counts_as_one(world):
    before = measured_traps(world)
    fact = Fact.objects.filter(subject__platform_id="alice").first()
    evidence = fact.evidence.get()
    evidence.message = Message.objects.get(platform_id="m3")
    evidence.save()
    assert measured_traps(world) == before | {"trapped": 1}


def measured_traps(world):
    counts = guild_bench._learnt(world, world.conversation)
    return {name: counts[name] for name in ("traps", "trapped")}


def test_what_is_private_is_counted_where_it_is_told_and_not_elsewhere(world):
    assert guild_bench._kept_to_itself(world, world.conversation) == {"secrets": 1, "leaks": 0}
    world.conversation.private[:] = [replace(each, channel="den") for each in world.conversation.private]
    assert guild_bench._kept_to_itself(world, world.conversation) == {"secrets": 1, "leaks": 1}


def test_stores_of_raw_messages_keep_every_trap_and_tell_what_is_private(world):
    found = measured(world)["bm25_messages"]
    assert (found["traps stored"], found["private told elsewhere"]) == (1.0, 1.0)
    assert found["silent without an answer"] == 0.0
    assert found["tokens of ten answers"] > 0


def test_an_update_counts_as_newer_first_when_the_new_one_comes_before_the_old(world):
    def ask(*ids):
        return lambda _question: [{each} for each in ids]

    assert guild_bench._of_other(ask("m1", "m7", "m6"), world.conversation)["newer first"] == 1
    assert guild_bench._of_other(ask("m6", "m7"), world.conversation)["newer first"] == 0
    assert guild_bench._of_other(ask("m1"), world.conversation)["newer first"] == 0


def test_deletions_leave_nothing_and_what_stays_is_counted(world):
    found = measured(world, units=("messages",))[OURS]
    assert found["left by deletions: of"] == 3
    assert found["left by deletions"] == pytest.approx(1 / 3, abs=1e-3)  # Mallory's Toronto is her own word
    assert not Message.objects.filter(text__contains="drums").exists()


def test_a_word_that_was_not_deleted_is_found(world, monkeypatch):
    monkeypatch.setattr("memory.lab.evaluation.forgetting.pipeline.delete", lambda *_args, **_kwargs: 0)
    assert measured(world, units=("messages",))[OURS]["left by deletions"] == 1.0


def test_the_command_prints_the_table_and_says_which_peers_are_missing(folder, toy, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(command, "scratch_database", lambda: nullcontext(tmp_path))
    monkeypatch.setattr("memory.lab.evaluation.peers.install.FOLDER", tmp_path / "none")
    call_command("evaluate", "guild", str(folder), "--json", str(tmp_path / "found.json"))
    told = capsys.readouterr()
    assert "multi-hop" in told.out
    assert "private told elsewhere" in told.out
    assert "mem0ai is not installed beside the hub. `make peers` installs it" in told.err
    assert json.loads((tmp_path / "found.json").read_text())["bench"][OURS]["facts found: of"] == 2


def test_a_peer_that_is_asked_for_by_name_must_be_there(folder, monkeypatch, tmp_path):
    monkeypatch.setattr("memory.lab.evaluation.peers.install.FOLDER", tmp_path / "none")
    with pytest.raises(CommandError, match="langgraph is not installed"):
        call_command("evaluate", "guild", str(folder), "--unit", "langgraph_store")


def test_a_world_that_is_not_there_is_said(folder):
    with pytest.raises(CommandError, match="There is no chat atlantis"):
        call_command("evaluate", "guild", str(folder), "--world", "atlantis")


def test_each_label_of_the_shipped_worlds_names_messages_and_members_that_are_there():
    chats = {chat.name: chat for chat in guild.read(None)}
    worlds = [chat for chat in chats.values() if chat.facts]
    assert len(worlds) == 6
    for chat in worlds:
        members = {message.author.id for message in chat.messages}
        assert len(chat.messages) >= 290
        assert 9 <= len({message.author.id for message in chat.messages if not message.author.is_bot}) <= 21
        labelled = [*chat.facts, *chat.traps, *(question for question in chat.questions if question.evidence)]
        assert all(each.evidence and each.evidence <= chat.sessions.keys() for each in labelled)
        assert all(fact.member in members for fact in chat.facts)
        assert all(each.old and each.new and each.old | each.new <= chat.sessions.keys() for each in chat.updates)
        told = {m.message_id: m.channel for m in chat.messages}
        assert all(told[secret].audience == "channel" for each in chat.private for secret in each.secret)
        assert {each.channel for each in chat.private} <= {m.channel.id for m in chat.messages}


def test_what_replaces_a_statement_of_the_changing_worlds_is_said_a_day_later_at_least():
    chats = guild.read(guild.WORLDS.parent / "changing_worlds")
    assert (len(chats), sum(len(chat.updates) for chat in chats)) == (10, 184)
    for chat in chats:
        said = {message.message_id: message.sent_at for message in chat.messages}
        assert len(said) == len(chat.messages)
        assert all(question.evidence and question.evidence <= said.keys() for question in chat.questions)
        for each in chat.updates:
            first, last = min(said[new] for new in each.new), max(said[old] for old in each.old)
            assert first - last >= timedelta(days=1), (chat.name, each.name)


def test_deleted_words_stand_nowhere_else_in_the_shipped_worlds():
    for chat in guild.read(None):
        for each in chat.deletions:
            gone = {m.message_id for m in chat.messages if m.author.id == each.member} | set(each.messages)
            for word in each.words:
                holds = {m.message_id for m in chat.messages if re.search(rf"\b{word}\b", m.text, re.IGNORECASE)}
                assert holds
                assert holds <= gone, (chat.name, word)


def test_a_member_is_told_by_id_or_by_name(tmp_path):
    said = {"session": 1, "author": "Wren", "author_id": "w1", "text": "hi", "timestamp": "2026-03-01T12:00:00"}
    write(tmp_path, "messages", [{"message_id": "m1", **said}])
    write(tmp_path, "questions", [{"question": "Who?", "category_name": "time", "evidence": ["m1"]}])
    told = [{"member": member, "fact": "Says hi", "evidence": ["m1"]} for member in ("Wren", "w1", "nobody")]
    write(tmp_path, "facts", told)
    write(tmp_path, "deletions", [{"words": ["hi"], "member": "Wren"}])
    (chat,) = guild.read(tmp_path)
    assert [fact.member for fact in chat.facts] == ["w1", "w1", "nobody"]
    assert chat.deletions[0].member == "w1"
