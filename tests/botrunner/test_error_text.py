"""What is logged of an error: where it arose, with its module, and never what it says."""

from __future__ import annotations

import json

from botrunner import error_text
from botrunner.chat.split import split


def logged(fail):
    try:
        fail()
    except (AttributeError, ValueError) as error:
        return error_text.log_fields(error)


def test_the_place_comes_with_its_module():
    fields = logged(lambda: split(None))
    assert fields["error"] == "AttributeError"
    assert fields["where"].startswith("botrunner.chat.split.split:")


def test_where_our_code_was_left_and_where_that_led_are_both_named():
    fields = logged(lambda: error_text.log_fields(None))
    assert fields["where"].startswith("botrunner.error_text.log_fields:")
    fields = logged(lambda: json.loads("a secret"))
    assert fields["where"].startswith("json.decoder.JSONDecoder.raw_decode:")
    assert "secret" not in str(fields)
