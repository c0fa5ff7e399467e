"""What a talk would cost in calls is counted without a provider, for each way of learning."""

import json

import pytest
from django.core.management import CommandError, call_command

from memory.facts.schemas import ConsolidationCases, ConsolidationInput, ExtractionInput
from memory.importing import ReadMessage
from memory.lab.count_calls import Mode, count
from memory.learning.prompts import CONSOLIDATION, EXTRACTION
from memoryhub.ai import ask, model_choice
from memoryhub.ai.call_counter import counting
from tests.factories import NOON, minutes
from tests.incoming import NORTH, incoming

TALK = ["I live in Toronto.", "hello", "I work as a carpenter.", "I have a dog named Bento.", "I play the cello."]


def said():
    return [ReadMessage(NORTH, incoming(text, id=f"m-{n}", at=NOON + minutes(n / 2))) for n, text in enumerate(TALK)]


def nothing(*_):
    pass


@pytest.mark.django_db
@pytest.mark.parametrize(("mode", "calls"), [(Mode.MESSAGE, 4), (Mode.BATCH, 1), (Mode.FLUSH, 1)])
def test_each_way_of_learning_has_its_price(mode, calls):
    cost = count(said(), mode=mode, progress=nothing)
    assert (cost.messages, cost.calls["extraction"]) == (5, calls)
    assert cost.per_thousand("extraction") == 200.0 * calls
    assert cost.per_thousand() >= cost.per_thousand("extraction")
    assert cost.tokens_in > calls * len(EXTRACTION.instructions) // 4


@pytest.mark.django_db
def test_a_talk_is_over_before_the_next_begins():
    two = [*said(), ReadMessage(NORTH, incoming("I moved to Rome.", id="late", at=NOON + minutes(600)))]
    assert count(two, mode=Mode.FLUSH, progress=nothing).calls["extraction"] == 2


@pytest.mark.django_db
def test_notes_profiles_and_the_night_are_counted_by_their_purpose():
    words = "I painted boat {0} blue and moored it at the pier behind the old mill by the river bridge last week. " * 2
    words += "I live in Toronto. I play the cello."
    talks = [
        ReadMessage(NORTH, incoming(words.format(n), id=f"m-{day}-{n}", at=NOON + minutes(day * 1440 + n * 30)))
        for day in range(2)
        for n in range(3)
    ]
    cost = count(talks, mode=Mode.FLUSH, progress=nothing)
    assert (cost.calls["note"], cost.calls["clusters"], cost.calls["profile_rebuild"]) == (6, 2, 2)


def test_while_it_counts_every_tier_has_a_model_and_afterwards_none():
    with counting() as asked:
        assert {model_choice.chosen(tier) for tier in model_choice.TERMS} == {model_choice.STAND_IN}
        ask(EXTRACTION, ExtractionInput(guild="North", lines=[], learn_from=[]), guild=None)
        ask(CONSOLIDATION, ConsolidationCases(cases=[ConsolidationInput(new="Likes tea.", old=[])]), guild=None)
    assert [each.purpose for each in asked] == ["extraction", "consolidation"]
    assert all(each.tokens_in > 0 and each.tokens_out > 0 for each in asked)
    assert model_choice.chosen("fast") is None


@pytest.fixture
def here(monkeypatch):
    """The test's own database in place of a scratch one."""
    from contextlib import nullcontext

    monkeypatch.setattr("memory.lab.management.commands.count_calls.scratch_database", nullcontext)


@pytest.mark.django_db
def test_the_command_prints_a_table_and_writes_the_numbers(tmp_path, capsys, here):
    file, numbers = tmp_path / "talk.jsonl", tmp_path / "numbers.json"
    lines = [{**each.message.model_dump(mode="json"), "guild": {"key": "discord:1"}} for each in said()]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    call_command("count_calls", str(file), "--mode", "batch", "--json", str(numbers))
    assert "Every 5 minutes" in capsys.readouterr().out
    batch = json.loads(numbers.read_text())["batch"]
    assert (batch["messages"], batch["extraction"]) == (5, 200.0)


def test_a_file_that_cant_be_read_is_told(tmp_path):
    with pytest.raises(CommandError, match="is not there"):
        call_command("count_calls", str(tmp_path / "none.jsonl"))
