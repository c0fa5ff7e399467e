import ast

import pytest

from memory.models import RESCAN
from memory.records.action_log import NAMED
from memory.records.model_budgets import SPENT
from memory.records.sentences import ACTIONS, action_in_words, by_whom, phase_in_words
from memory.withdrawal.close_channel import ACTOR
from memory.withdrawal.retention import REPORT
from tests.house.test_architecture import sources

CONSTANTS = {RESCAN, SPENT, REPORT, *NAMED.values()}
"""Kinds that are logged by the name of a constant."""


def logged():
    """Yield each kind that the source logs by its own word: what is handed to `log`, to `_save`, or as `log_as`."""
    for name, path in sources().items():
        if name.startswith("memory.lab"):
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                asked = getattr(call.func, "id", "")
                given = {"log": call.args[:1], "_save": call.args[1:2]}.get(asked, [])
                given += [each.value for each in call.keywords if each.arg == "log_as"]
                for each in given:
                    found = [each.body, each.orelse] if isinstance(each, ast.IfExp) else [each]
                    yield from (kind.value for kind in found if isinstance(kind, ast.Constant))


@pytest.mark.parametrize(
    ("phase", "counts", "said"),
    [
        ("decay", {"unreviewed": 0, "stale": 0, "over_limit": 0}, "Nothing to archive"),
        ("decay", {"stale": 1, "unreviewed": 0}, "1 old observation archived"),
        ("decay", {"over_limit": 2}, "2 memories archived beyond a member’s limit"),
        ("profiles", {"revised": 8, "dirty": 0}, "8 profiles revised"),
        ("profiles", {"revised": 0, "dirty": 0}, "All profiles up to date"),
        ("cluster", {"notes": 2, "topics": 0}, "2 notes read"),
        ("papers", {"journals": 1, "snapshots": 1}, "1 journal written, 1 snapshot written"),
    ],
)  # fmt: skip
def test_a_phase_says_what_it_did(phase, counts, said):
    assert phase_in_words(phase, counts) == said


def test_a_night_is_one_sentence():
    detail = {"day": "2026-10-25", "phase": "decay", "status": "done", "stale": 0}
    assert action_in_words("consolidation", detail) == (
        "Nightly run of 25 October 2026, archive old memories: nothing to archive"
    )


def test_what_was_learned_and_left_out_is_one_sentence():
    detail = {"counts": {"facts": 2, "left_out_emoji": 1, "refused_instruction": 1}}
    said = "Read a conversation: 2 memories learned, 1 message held nothing to learn, 1 refused"
    assert action_in_words("memory_fact", detail) == said


@pytest.mark.parametrize(
    ("counts", "said"),
    [({"facts": 2, "notes": 0}, "Put away what is not kept any more of health and money: facts 2"),
     ({}, "Looked for what is not kept any more of health and money: nothing")],
)  # fmt: skip
def test_what_was_put_away_is_counted(counts, said):
    assert action_in_words("rescan", {"counts": counts, "done": True}) == said


@pytest.mark.parametrize("kind", sorted(ACTIONS))
def test_every_kind_can_be_told_without_details(kind):
    assert action_in_words(kind, {})[0].isupper()


def test_whatever_is_logged_has_a_sentence_of_its_own():
    assert {*logged(), *CONSTANTS} == set(ACTIONS)


def test_a_kind_without_a_sentence_is_told_by_its_name():
    assert action_in_words("odd_thing", {"x": 1}) == "Odd thing"


@pytest.mark.parametrize(
    ("actor", "said"),
    [("extraction", "automatically"), ("operator:admin", "admin"), ("api:bot", "bot (by the API)"), ("", "the hub"),
     ("hub", "the hub"), ("forgetting", "because a source went"), (ACTOR, "because its channel was closed"),
     (RESCAN, "by the rules of privacy")],
)  # fmt: skip
def test_who_signed_is_told_by_name(actor, said):
    assert by_whom(actor) == said
