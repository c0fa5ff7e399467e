"""What PostgreSQL can hold neither in a text nor in JSON is left out of both, and nothing else is."""

import pytest

from notes.models import Message
from tests.factories import make_message

pytestmark = [pytest.mark.django_db, pytest.mark.postgres_only("SQLite holds it")]


def test_a_text_is_written_without_null_characters():
    make_message(text="a\x00b")
    assert Message.objects.get(text="a\x00b").text == "ab"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a\x00b\x00", "ab"),
        ("\ud83da\ude00", "a"),
        ("\ud83d\x00\ude00", ""),
        ("a fox 🦊🦊\x00", "a fox 🦊🦊"),
        ("\\u0000 \\ud83d \\", "\\u0000 \\ud83d \\"),
        ("\\\x00\\u0000\x00", "\\\\u0000"),
    ],
)
def test_json_is_written_without_them_and_without_half_characters(written, read):
    make_message(mentions=[{written: [written, 1]}])
    assert Message.objects.get().mentions == [{read: [read, 1]}]


def test_json_is_asked_for_as_it_is_written():
    make_message(mentions=["a\x00b"])
    assert Message.objects.filter(mentions__contains=["a\x00b"]).exists()
