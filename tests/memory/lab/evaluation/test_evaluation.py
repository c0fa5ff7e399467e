import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing, nullcontext
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from memory.lab.evaluation import baselines, guild, locomo
from memory.lab.evaluation import gold_facts as gold
from memory.lab.evaluation.contexts import BUDGETS, contexts
from memory.lab.evaluation.loaded_guild import load
from memory.lab.evaluation.peers import mixed_lines
from memory.lab.evaluation.scoring import KINDS_OF, score
from memory.lab.management.commands import evaluate as command
from memory.models import Fact
from memory.recall.ranking import PRESETS
from memoryhub.language import stems
from tests import toy_embedder

pytestmark = pytest.mark.django_db

SAID = {
    1: [
        ("Alice", "I moved to Toronto last month and I love it there."),
        ("Bob", "Lovely! How is the weather in your new city?"),
        ("Alice", "Cold. I work as a nurse at the general hospital now."),
        ("Bob", "My sister is a nurse too, she works nights."),
    ],
    2: [
        ("Bob", "I bought a red kayak at the flea market."),
        ("Alice", "Where will you keep it? You have no shed."),
        ("Bob", "In my garage, it just fits beside the bicycles."),
    ],
}
ASKED = [
    ("Where does Alice live?", 4, "single-hop", ["D1:1"]),
    ("What did Bob buy at the flea market?", 4, "single-hop", ["D2:1"]),
    ("Where is the kayak kept?", 1, "multi-hop", ["D2:1", "D2:3"]),
    ("What did Alice buy at the flea market?", 5, "adversarial", ["D2:1"]),
    ("Why?", 4, "single-hop", []),
]


def write(folder, name, rows):
    (folder / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    messages = []
    for session, lines in SAID.items():
        start = datetime(2025, 3, session, 12)  # noqa: DTZ001
        for number, (author, text) in enumerate(lines, 1):
            at = (start + timedelta(seconds=30 * number)).isoformat()
            message = {"message_id": f"D{session}:{number}", "author": author, "text": text, "timestamp": at}
            messages.append({"conversation": "one", "session": session, **message})
    write(tmp_path, "messages.jsonl", messages)
    names = ("question", "category", "category_name", "evidence")
    write(tmp_path, "questions.jsonl", [{"conversation": "one", **dict(zip(names, row, strict=True))} for row in ASKED])
    gold = [("Alice lives in Toronto.", ["D1:1"]), ("Alice plays the harp.", ["D1:1"]), ("Bob owns a kayak.", ["D2:1"])]
    write(tmp_path, "facts.jsonl", [{"conversation": "one", "fact": text, "evidence": ids} for text, ids in gold])
    summaries = [(1, "Alice lives in Toronto and works as a nurse."), (2, "Bob bought a red kayak.")]
    write(tmp_path, "session_summaries.jsonl", [
        {"conversation": "one", "session": session, "summary": text} for session, text in summaries
    ])  # fmt: skip
    return tmp_path


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(gold, "embedder", toy_embedder.ToyEmbedder)
    monkeypatch.setattr(baselines, "embedder", toy_embedder.ToyEmbedder)
    monkeypatch.setattr(mixed_lines, "embedder", toy_embedder.ToyEmbedder)
    return toy_embedder.install(monkeypatch)


def silent(_what, _done, _total):
    pass


@pytest.fixture
def worlds(folder, toy):
    return [load(each, progress=silent) for each in locomo.read(folder)]


def test_reading_keeps_sessions_questions_with_evidence_and_gold_facts(folder):
    (conversation,) = locomo.read(folder)
    assert [message.message_id for message in conversation.messages] == [f"D1:{n}" for n in range(1, 5)] + [
        f"D2:{n}" for n in range(1, 4)
    ]
    assert len(conversation.questions) == 4
    assert conversation.sessions["D2:1"] == 2
    assert len(conversation.facts) == 3
    assert conversation.summaries[2] == "Bob bought a red kayak."


def test_a_limit_counts_questions(folder):
    (conversation,) = locomo.read(folder, limit=2)
    assert [question.text for question in conversation.questions] == [ASKED[0][0], ASKED[1][0]]


def test_a_folder_without_the_data_is_said(tmp_path):
    with pytest.raises(locomo.DataMissing, match=r"questions\.jsonl"):
        locomo.read(tmp_path)


def test_every_unit_is_scored_by_category_and_all_leaves_out_adversarial(worlds):
    found = score(worlds, units=[*KINDS_OF, *baselines.BASELINES], progress=silent)
    assert set(found) == {*KINDS_OF, *baselines.BASELINES}
    assert {name: scores["n"] for name, scores in found["messages"].items()} == {
        "all": 3, "single-hop": 2, "multi-hop": 1, "adversarial": 1,
    }  # fmt: skip
    assert set(found["facts"]["all"]) == {"recall@5", "recall@10", "recall@20", "hit@10", "mrr", "n"}


def test_what_is_easy_to_find_is_found(worlds):
    found = score(worlds, units=["messages", "notes", "bm25_messages"], progress=silent)
    assert found["messages"]["all"]["recall@10"] == 1.0
    assert found["notes"]["all"]["recall@5"] == 1.0
    assert found["bm25_messages"]["single-hop"]["hit@10"] == 1.0


def test_another_ranking_can_be_measured(worlds):
    found = {preset: score(worlds, units=["facts"], preset=preset, progress=silent) for preset in PRESETS}
    assert all(each["facts"]["all"]["n"] == 3 for each in found.values())


def test_each_session_becomes_a_conversation_of_its_own(worlds):
    assert worlds[0].guild.notes.count() == 2


def test_extraction_is_compared_with_the_gold_facts(worlds):
    Fact.objects.exclude(evidence__message__platform_id="D1:1").delete()
    scores = gold.extraction(worlds)
    assert scores["gold"] == 3
    assert scores["gold found"] == pytest.approx(1 / 3, abs=1e-3)
    assert scores["extracted matching gold"] > 0
    assert scores["extracted matching none"] == scores["extracted"] - 1


def test_notes_are_compared_with_the_summaries_of_their_sessions(worlds):
    scores = gold.summaries(worlds)
    assert scores["n"] == 2
    assert 0 < scores["rouge_l"] < 1
    worlds[0].guild.notes.all().delete()
    assert gold.summaries(worlds)["rouge_l"] == 0


def test_a_note_holds_only_what_it_tells(worlds, monkeypatch):
    monkeypatch.setattr("memory.lab.evaluation.contexts.COUNTED", ("notes",))
    assert contexts(worlds, progress=silent)["context"]["2000"]["evidence inside"] > 0
    worlds[0].guild.notes.update(title="Something else", summary="Nothing of it.")
    found = contexts(worlds, progress=silent)
    assert found["context"]["2000"]["evidence inside"] == 0
    assert found["cited"]["2000"]["evidence inside"] > 0


def test_the_dense_baseline_needs_an_embedder(worlds, monkeypatch):
    monkeypatch.setattr(baselines, "embedder", lambda: None)
    found = score(worlds, units=["dense_messages"], progress=silent)
    assert found["dense_messages"]["all"]["recall@20"] == 0


def test_contexts_are_measured_beside_all_baselines(worlds):
    found = contexts(worlds, progress=silent)
    assert set(found) == {"context", "cited", "newest", "words", "mixed"}
    assert found["mixed"]["500"]["evidence inside"] > 0
    assert set(found["context"]) == {str(budget) for budget in BUDGETS}
    assert found["context"]["2000"]["evidence inside"] == 1.0
    assert found["context"]["500"]["n"] == 3


def test_the_mix_ranks_every_message_by_words_alone_without_an_embedder(worlds, monkeypatch):
    question, evidence = worlds[0].conversation.questions[0].text, worlds[0].conversation.questions[0].evidence
    ordered = mixed_lines.mixed(worlds[0])(question)
    assert set(ordered) == set(worlds[0].conversation.sessions)
    assert evidence & set(ordered[:3])
    monkeypatch.setattr(mixed_lines, "embedder", lambda: None)
    assert evidence & set(mixed_lines.mixed(worlds[0])(question)[:3])


def test_the_command_prints_a_table_and_writes_json(folder, toy, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "scratch_database", lambda: nullcontext(tmp_path))
    arguments = ["--unit", "note", "--context", "--json", str(tmp_path / "found.json")]
    call_command("evaluate", "locomo", str(folder), *arguments)
    found = json.loads((tmp_path / "found.json").read_text())
    assert set(found) == {"notes", "summaries", "context"}
    assert found["notes"]["all"]["n"] == 3
    assert "recall@10" in capsys.readouterr().out


def test_the_command_leaves_the_operators_database_alone(folder, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    environment = {**os.environ, "MEMORYHUB_DATA_DIR": str(data), "MEMORYHUB_EMBEDDING_MODEL": "none"}
    arguments = ["evaluate", "locomo", str(folder), "--limit", "1", "--json", str(tmp_path / "found.json")]
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "found.json").read_text())["messages"]["all"]["n"] == 1
    with closing(sqlite3.connect(data / "memoryhub.sqlite3")) as operators:
        assert operators.execute("SELECT name FROM sqlite_master").fetchall() == []


INTERRUPTED = """
import os, signal, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
import django
django.setup()
from memory.lab.management.commands import evaluate
evaluate.load = lambda *_args, **_kwargs: signal.raise_signal(signal.SIGINT)
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "evaluate", "locomo", *sys.argv[1:]])
"""


def test_interrupted_the_command_leaves_nothing_behind(folder, tmp_path):
    places = {"MEMORYHUB_DATA_DIR": str(tmp_path / "data"), "TMPDIR": str(tmp_path / "tmp")}
    for each in places.values():
        Path(each).mkdir()
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(folder), "--json", str(tmp_path / "found.json")],
        cwd=settings.BASE_DIR,
        env={**os.environ, **places, "MEMORYHUB_EMBEDDING_MODEL": "none"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 130
    assert "Stopped." in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "found.json").exists()


def test_the_command_says_what_is_missing(tmp_path):
    with pytest.raises(CommandError, match=r"questions\.jsonl"):
        call_command("evaluate", "locomo", str(tmp_path))


def test_without_bm25s_the_command_says_what_to_install(folder, toy, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "scratch_database", lambda: nullcontext(tmp_path))
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(CommandError, match=r"needs bm25s, .* `make dev` installs it"):
        call_command("evaluate", "locomo", str(folder), "--unit", "bm25_messages")


def test_the_shipped_chats_hold_the_evidence_of_their_questions():
    chats = guild.read(None)
    assert len(chats) == 10
    for chat in chats:
        assert len(chat.messages) == len(chat.sessions) >= 100
        assert all(question.evidence <= chat.sessions.keys() for question in chat.questions)


def test_questions_in_other_words_share_at_most_a_word_with_their_answers():
    for chat in guild.read(None):
        texts = {message.message_id: message.text for message in chat.messages}
        for question in chat.questions:
            if question.name == "other words":
                assert all(len(stems(question.text) & stems(texts[each])) <= 1 for each in question.evidence)


def test_a_window_is_found_by_the_message_before_it(worlds):
    ask = baselines.bm25_windows(worlds[0], silent)
    assert {"D2:1"} in ask("red kayaks")[:2]
    assert {"D2:2"} in ask("red kayaks")[:2]


def test_the_command_measures_the_shipped_chats(toy, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(command, "scratch_database", lambda: nullcontext(tmp_path))
    call_command("evaluate", "guild", "--limit", "2", "--unit", "message")
    assert "messages" in capsys.readouterr().out


def test_a_data_set_that_is_not_shipped_needs_its_folder():
    with pytest.raises(CommandError, match="Which folder holds locomo"):
        call_command("evaluate", "locomo")
