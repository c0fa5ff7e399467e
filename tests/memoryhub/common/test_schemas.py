"""Answers of the JSON API that are written at once."""

import json

from memoryhub.common.schemas import ConsentOut, FindableOut, written


def test_an_answer_is_written_as_json():
    answer = written(ConsentOut(id="Käse", remember=True))
    assert answer["Content-Type"] == "application/json; charset=utf-8"
    assert json.loads(answer.content) == {"id": "Käse", "remember": True}


def test_what_is_not_set_can_be_left_out():
    answer = written(FindableOut.model_construct({"id"}, id="u-1", findable=False), exclude_unset=True)
    assert json.loads(answer.content) == {"id": "u-1"}


def test_half_a_character_is_left_to_ninja():
    shown = ConsentOut.model_construct(id="\ud83d", remember=True)
    assert written(shown) is shown
