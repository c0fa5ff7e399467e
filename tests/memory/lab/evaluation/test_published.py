import json
from contextlib import nullcontext

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory.lab.evaluation import baselines, published
from memory.lab.evaluation.locomo import DataMissing
from memory.lab.management.commands import evaluate as command
from tests import toy_embedder


def line(speaker, time, dialogue, index):
    return {"speaker": speaker, "time": time, "dialogue": dialogue, "message_index": index}


def node(number, author, content, timestamp, reply_to=None):
    said = {"msg_node": f"Msg_{number}", "content": content, "author": author, "role": "Engineer"}
    return {**said, "timestamp": timestamp, "reply_to": reply_to}


SAID = {
    "2025-03-01": {
        "Group 1": [
            line("Ann", "09:00:00", "We ship the harbour app in June.", 1),
            line("Bob", "09:01:00", "June, noted.", 2),
        ],
        "Group 2": [line("Ann", "10:00:00", "Lunch is at one.", 1)],
    },
    "2025-03-02": {
        "Group 1": [
            line("Bob", "2025-03-02 09:00:00", "The harbour app moves to July.", 1),
            line("Cyd", "2025-03-02 09:02:00", " ", 2),
        ],
        "Group 2": None,
    },
}
REFERENCE = [
    {"date": "2025-03-01", "group": "Group 1", "message_index": "1-2"},
    {"date": "2025-03-02", "group": "Group 1", "message_index": 1},
]
NODES = {
    "ops": [
        node(2, "User_1", "The pump is broken.", "2025-01-02T08:00:00"),
        node(3, "User_2", "I order a new pump.", "2025-01-02T08:05:00", "Msg_2"),
    ],
    "sales": [node(1, "User_2", "Good year!", "2025-01-01T08:00:00")],
}
ASKED = [
    {"question": "Who orders it?", "answer": "Msg_1", "question_type": "multi_hop", "evidence": [{"node": "Msg_3"}]},
    {"question": "Who sings?", "answer": "nobody", "question_type": "abstention", "evidence": []},
]


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")


@pytest.fixture
def ever(tmp_path):
    write(tmp_path / "01" / "dialogue.json", {"dialogues": SAID})
    questions = [
        {"id": "F_MH_Top01_001", "Q": "When does the app ship?", "A": "July", "R": REFERENCE, "options": None},
        {"id": "F_SH_Top01_002", "Q": "Who is Dan?", "A": "nobody", "R": [], "options": None},
    ]
    write(tmp_path / "01" / "qa_01.json", {"qars": questions})
    return tmp_path


@pytest.fixture
def group(tmp_path):
    write(tmp_path / "Plant" / "channels.json", NODES)
    write(tmp_path / "Plant" / "questions.json", ASKED)
    return tmp_path


def test_evermembench_has_a_guild_a_folder_with_its_groups_as_channels(ever):
    (chat,) = published.evermembench(ever)
    assert [(message.channel.id, message.author.name) for message in chat.messages] == [
        ("Group 1", "Ann"), ("Group 1", "Bob"), ("Group 2", "Ann"), ("Group 1", "Bob"),
    ]  # fmt: skip
    assert chat.messages[-1].sent_at.isoformat() == "2025-03-02T09:00:00+00:00"
    assert len(set(chat.sessions.values())) == 3


def test_evermembench_references_name_messages_and_questions_without_any_are_left_out(ever):
    (chat,) = published.evermembench(ever)
    (question,) = chat.questions
    assert question.name == "F_MH"
    assert question.evidence == {"2025-03-01 Group 1 1", "2025-03-01 Group 1 2", "2025-03-02 Group 1 1"}


def test_evermembench_is_read_from_rows_with_a_date_too(ever):
    rows = [{"topic_id": "01", "date": day, "dialogues": groups} for day, groups in SAID.items()]
    write(ever / "01" / "dialogue.json", rows)
    assert len(published.evermembench(ever)[0].messages) == 4


def test_groupmembench_is_read_in_the_order_of_time_with_replies(group):
    (chat,) = published.groupmembench(group)
    assert [message.message_id for message in chat.messages] == ["Msg_1", "Msg_2", "Msg_3"]
    assert chat.messages[-1].reply_to == "Msg_2"
    assert {message.channel.id for message in chat.messages} == {"ops", "sales"}


def test_groupmembench_takes_evidence_from_any_field_but_the_answer(group):
    (chat,) = published.groupmembench(group)
    (question,) = chat.questions
    assert (question.name, question.evidence) == ("multi_hop", {"Msg_3"})


def test_a_limit_counts_questions(ever):
    assert len(published.evermembench(ever, limit=1)[0].questions) == 1
    with pytest.raises(DataMissing, match="No question"):
        published.evermembench(ever, limit=0)


@pytest.mark.parametrize("read", [published.evermembench, published.groupmembench])
def test_a_folder_without_the_data_is_said(read, tmp_path):
    with pytest.raises(DataMissing, match="There is no"):
        read(tmp_path)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["evermembench", "groupmembench"])
def test_the_command_reports_retrieval_beside_bm25_and_embeddings(name, request, tmp_path, capsys, monkeypatch):
    folder = request.getfixturevalue("ever" if name == "evermembench" else "group")
    monkeypatch.setattr(baselines, "embedder", toy_embedder.ToyEmbedder)
    toy_embedder.install(monkeypatch)
    monkeypatch.setattr(command, "scratch_database", lambda: nullcontext(tmp_path))
    call_command("evaluate", name, str(folder))
    told = capsys.readouterr().out
    assert all(unit in told for unit in ("messages", "everything", "bm25_messages", "bm25_windows", "dense_messages"))


@pytest.mark.parametrize("said", ["[1, 2]", '{"dialogues": {"2025-03-01": {"G": [{"dialogue": "A"}]}}}', "{"])
def test_another_form_is_said(said, tmp_path):
    (tmp_path / "dialogue.json").write_text(said)
    with pytest.raises(CommandError, match="not in the form"):
        call_command("evaluate", "evermembench", str(tmp_path), "--unit", "message")
