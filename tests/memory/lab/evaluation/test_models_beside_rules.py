"""A model is measured on the same data as the rules, through the provider's own protocol on loopback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from memory.lab import model_answers
from memory.lab.evaluation.comparison import compared
from memory.lab.model_answers import ModelAnswers, Price, Stopped
from memoryhub.ai import ModelFailed, ask, model_choice
from memoryhub.ai.model_choice import Choice
from tests.memoryhub.ai.sample_tasks import EXPECTED, GOOD, LEARN, SAID
from tests.memoryhub.conftest import quick, unset  # noqa: F401  fixtures

LINES = [
    ("Alice", "I live in Toronto and I work as a nurse."),
    ("Bob", "The rest of us call the harp the beast, and Alice has one."),
    ("Alice", "Twelve winters of harp lessons, and the beast still wins."),
]


class Server(ThreadingHTTPServer):
    """Speaks chat completions: learns of the harp what rules overlook, and fails at a note."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = asked["messages"][-1]["content"]
        self.server.asked.append(prompt)
        said = re.search(r"\[(\d+)\].*harp lessons", prompt)
        author = re.search(r"(\d+) = Alice", prompt)
        facts = []
        if said and author:
            quote, ids = "Twelve winters of harp lessons", [int(said[1])]
            facts = [{"text": "Plays the harp.", "subject": int(author[1]), "quote": quote, "messages": ids}]
        properties = asked["response_format"]["json_schema"]["schema"]["properties"]
        text = json.dumps({"facts": facts}) if "facts" in properties else "I would rather not."
        answer = {"role": "assistant", "content": text}
        body = json.dumps({
            "id": "1", "object": "chat.completion", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": answer}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
        }).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    start, rows = datetime(2026, 3, 1, 12), []  # noqa: DTZ001
    for number, (author, text) in enumerate(LINES, 1):
        at = (start + timedelta(minutes=number)).isoformat()
        rows.append({"message_id": f"m{number}", "session": 1, "author": author, "text": text, "timestamp": at})
    question = {"question": "What does Alice play?", "category_name": "other words", "evidence": ["m3"]}
    facts = [{"member": "alice", "fact": "Plays the harp", "evidence": ["m3"]}]
    for name, lines in (("messages", rows), ("questions", [question]), ("facts", facts)):
        text = "".join(f"{json.dumps({'conversation': 'one', **row})}\n" for row in lines)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def evaluate(folder: Path, server: Server, *more: str) -> subprocess.CompletedProcess[str]:
    """Run the command as an operator does, in a process and a data folder of its own."""
    places = {"MEMORYHUB_DATA_DIR": str(folder / "data"), "MEMORYHUB_EMBEDDING_MODEL": "none"}
    models = {"MEMORYHUB_MODEL": "openai:not-asked", "MEMORYHUB_MODEL_BASE_URL": server.url}
    (folder / "data").mkdir(exist_ok=True)
    model = ("--model", "openai:small", "--json", str(folder / "found.json"))
    return subprocess.run(
        [sys.executable, "manage.py", "evaluate", "guild", str(folder), *model, *more],
        cwd=settings.BASE_DIR, env={**os.environ, **places, **models}, check=False, capture_output=True, text=True,
    )  # fmt: skip


def test_the_command_stops_at_its_limit_and_goes_on_without_paying_twice(folder, server):
    stopped = evaluate(folder, server, "--price", "1", "10", "--max-usd", "0.001")
    assert "has cost $0.0020, and the limit is $0.001" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert len(server.asked) == 1
    done = evaluate(folder, server, "--price", "1", "10")
    assert done.returncode == 0, done.stderr
    assert "not-asked" not in done.stdout
    found = json.loads((folder / "found.json").read_text())
    beside, paid = found["models"]["openai:small"], len(server.asked)
    assert (found["bench"]["memoryhub"]["facts found"], beside["bench"]["memoryhub"]["facts found"]) == (0.0, 1.0)
    assert (beside["cost"]["calls: extraction"], beside["cost"]["calls without a usable answer"] >= 1) == (1, True)
    assert beside["cost"]["dollars"] == pytest.approx(0.002 * paid, abs=1e-3)
    assert beside["cost"]["asked in this run"] == beside["cost"]["calls"] - 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--model", "small"], "--model is 'small'; write offline, openai:<model>"),
        (["--model", "offline"], "The rules are measured anyway"),
        (["--model", "openai:small", "--max-usd", "-1"], "argument --max-usd: invalid dollars value"),
        (["--model", "openai:small", "--price", "1", "much"], "argument --price: invalid dollars value"),
    ],
)
def test_what_cannot_be_measured_is_said_before_anything_is(folder, settings, arguments, told):
    settings.MEMORYHUB_MODEL = settings.MEMORYHUB_MODEL_BASE_URL = ""
    with pytest.raises(CommandError, match=re.escape(told)):
        call_command("evaluate", "guild", str(folder), *arguments)


# --- What is asked of one model --------------------------------------------------------------------------------------


@pytest.fixture
def model(request, unset, quick, llmock, tmp_path, monkeypatch):  # noqa: F811
    """Return a way to make the stand-in over llmock, as often as one starts the command."""
    monkeypatch.setattr(model_answers, "PAUSES", (0.0,))

    def made(**terms) -> ModelAnswers:
        choice = Choice("openai", "small", "test-key", llmock.base_url("openai"))
        fields = {"limit": Decimal(1), "price": Price(Decimal(1), Decimal(1))}
        return ModelAnswers(choice, file=tmp_path / "kept.jsonl", **(fields | terms))

    return made


def answered(stand_in: ModelAnswers, times: int = 1):
    with model_choice.standing_in(stand_in):
        return [ask(LEARN, SAID, guild=None) for _ in range(times)][-1]


def test_the_same_question_is_asked_as_often_as_it_was_and_no_more(model, llmock):
    llmock.reply(GOOD, times=None)
    assert answered(model(), times=2) == EXPECTED
    assert len(llmock.requests) == 2
    again = model()
    assert answered(again, times=2) == EXPECTED
    assert (len(llmock.requests), again.spent.asked_now, again.spent.calls.total()) == (2, 0, 2)
    assert again.spent.tokens_in > 0
    answered(again)
    assert len(llmock.requests) == 3


def test_an_answer_that_is_of_no_use_is_kept_as_such(model, llmock):
    llmock.reply("no", times=2)
    for _ in range(2):
        with pytest.raises(ModelFailed, match="did not fit"):
            answered(made := model())
        assert made.spent.failed == 1
    assert len(llmock.requests) == 2  # the first try, and its repair


def test_what_passes_is_waited_for_and_what_does_not_stops_all(model, llmock):
    llmock.fail(503, times=3, retry_after=0)
    llmock.reply(GOOD)
    assert answered(model()) == EXPECTED
    llmock.fail(401)
    with pytest.raises(Stopped, match=r"refused the key.*the same command goes on"):
        answered(model(), times=2)


def test_where_nobody_knows_the_price_no_limit_holds_and_the_answer_is_kept(model, llmock):
    llmock.reply(GOOD)
    with pytest.raises(Stopped, match=r"Nobody knows the price of openai:small.* Give --price"):
        answered(model(price=None))
    assert answered(model()) == EXPECTED
    assert len(llmock.requests) == 1


def test_a_line_that_was_cut_is_asked_for_again_and_hides_no_other(model, llmock, tmp_path):
    llmock.reply(GOOD, times=None)
    answered(model())
    kept = (tmp_path / "kept.jsonl").read_text()
    (tmp_path / "kept.jsonl").write_text(kept[: len(kept) // 2])
    answered(model())
    answered(model())
    assert len(llmock.requests) == 2


def test_measures_stand_beside_each_other_also_where_only_one_has_them():
    rules = {"facts": {"all": {"recall@10": 0.25, "mrr": 0.5}}, "extraction": {"gold": 12}}
    head, lines = compared({"rules": rules, "openai:small": {"cost": {"dollars": 0.0123, "calls": 1200}}})
    assert head == ["measure", "rules", "openai:small"]
    assert ["facts: recall@10", "0.25", "-"] in lines
    assert ["dollars", "-", "0.0123"] in lines
    assert ["calls", "-", "1,200"] in lines
