import json
from contextlib import nullcontext

import pytest
from django.core.management import CommandError, call_command

from memory.lab.evaluation import beam
from memory.lab.evaluation import updates as measured
from memory.lab.evaluation.locomo import DataMissing
from memory.lab.management.commands import evaluate as command
from memory.models import Fact
from tests import toy_embedder

pytestmark = pytest.mark.django_db

SAID = [
    "I live in Toronto, close to the lake, and I like it.",
    "Good to know, where do you swim?",
    "I have a cat called Miso, she is grey.",
    "I moved to Montreal last week, for a new job.",
    "Nice, which quarter?",
    "I have never had a cat in my life.",
]
ROLES = {
    "knowledge_update": ("original_info", "updated_info"),
    "contradiction_resolution": ("first_statement", "second_statement"),
}
ASKED = [
    ("In which city do I live?", "knowledge_update", [0], [3]),
    ("Do I have a cat?", "contradiction_resolution", [5], [2]),
    ("Do I have a cat in one breath?", "contradiction_resolution", [2], [2]),
    ("What shall I cook?", "preference_following", [], []),
]


def write(folder, name, rows):
    (folder / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def question(text, kind, first, second):
    roles = dict(zip(ROLES.get(kind, ()), (first, second), strict=False))
    return {"conversation": "one", "question": text, "category_name": kind, "evidence_roles": roles}


@pytest.fixture
def folder(tmp_path):
    messages = [
        {
            "conversation": "one", "session": 1 + number // 3, "message_id": str(number), "text": text,
            "timestamp": f"2025-03-{1 + number // 3:02}T12:{number:02}:00",
            "author": "assistant" if text.endswith("?") else "user",
        }
        for number, text in enumerate(SAID)
    ]  # fmt: skip
    write(tmp_path, "messages.jsonl", messages)
    write(tmp_path, "questions.jsonl", [question(*each) for each in ASKED])
    return tmp_path


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    monkeypatch.setattr(measured, "embedder", toy_embedder.ToyEmbedder)
    return toy_embedder.install(monkeypatch)


def silent(_what, _done, _total):
    pass


def measure(folder):
    return measured.updates(beam.read(folder), progress=silent)


def test_reading_takes_what_changes_and_puts_the_earlier_statement_first(folder):
    (changing,) = beam.read(folder)
    assert [(update.name, update.old, update.new) for update in changing.updates] == [
        ("knowledge_update", {"0"}, {"3"}),
        ("contradiction_resolution", {"2"}, {"5"}),
    ]
    assert [message.author.is_bot for message in changing.conversation.messages] == [
        False, True, False, False, True, False,
    ]  # fmt: skip


def test_a_limit_counts_updates(folder):
    (changing,) = beam.read(folder, limit=1)
    assert len(changing.updates) == 1


def test_a_folder_without_the_data_is_said(tmp_path):
    with pytest.raises(DataMissing, match=r"questions\.jsonl"):
        beam.read(tmp_path)


def test_an_outdated_statement_is_counted_as_no_longer_active(folder):
    found = measure(folder)
    assert found["knowledge_update"]["learnt"] == 1
    assert found["knowledge_update"]["inactive"] == 1
    assert found["all"]["n"] == 2


def test_a_statement_that_stays_active_is_not(folder, monkeypatch):
    monkeypatch.setattr("memory.rules.decider.RULES", {})
    assert measure(folder)["knowledge_update"]["inactive"] == 0


def test_what_was_not_learnt_has_no_fate(folder, monkeypatch):
    monkeypatch.setattr("memory.learning.consolidation.carry_out", lambda *_args, **_fields: None)
    found = measure(folder)
    assert found["all"]["learnt"] == 0
    assert "inactive" not in found["all"]
    assert Fact.objects.count() == 0


def test_the_command_prints_a_table_and_writes_json(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "scratch_database", lambda: nullcontext(tmp_path))
    call_command("evaluate", "beam", str(folder), "--json", str(tmp_path / "found.json"))
    assert set(json.loads((tmp_path / "found.json").read_text())) == {"updates"}
    assert "inactive" in capsys.readouterr().out


def test_a_message_longer_than_the_hub_takes_is_cut_and_counted(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "scratch_database", lambda: nullcontext(tmp_path))
    rows = [json.loads(line) for line in (folder / "messages.jsonl").read_text().splitlines()]
    rows[0]["text"] += " and so on" * 10_000
    write(folder, "messages.jsonl", rows)
    call_command("evaluate", "beam", str(folder))
    printed = capsys.readouterr()
    assert "inactive" in printed.out
    assert "Messages longer than 100,000 characters: 1." in printed.err


@pytest.mark.parametrize("line", ["{", '{"conversation": "one"}', '{"conversation": ["one"]}'])
def test_a_data_set_that_can_not_be_read_is_named(folder, line):
    (folder / "messages.jsonl").write_text(line)
    with pytest.raises(CommandError, match="is not in the form that"):
        call_command("evaluate", "beam", str(folder))
