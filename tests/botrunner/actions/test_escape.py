"""What members said stands in the bot's messages as it was typed: nothing of it formats, links or pings."""

from __future__ import annotations

import re

import pytest

from botrunner.actions.escape import QUOTED, as_read, plain, quoted

LINK = re.compile(r"\]\(")  # what every masked link of Discord's has between its words and its address


@pytest.mark.parametrize(
    "text",
    [
        "[Nitro](https://evil.example)",
        "[one](https://evil.example) [two](https://evil.example)",
        "click](https://evil.example)",
        "[[a]](<https://evil.example>)",
        r"[a\](https://evil.example)",
    ],
)
@pytest.mark.parametrize("shown", [plain, quoted])
def test_no_link_hides_its_address(shown, text):
    assert not LINK.search(f"[1] Bob: {shown(text)}")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("# Big\n> news", r"\# Big > news"),
        ("**bold** _so_ ||hidden|| `code`", r"\*\*bold\*\* \_so\_ \|\|hidden\|\| \`code\`"),
        ("@everyone", "@\u200beveryone"),
        ("see https://example.org/a_b", "see https://example.org/a_b"),
    ],
)
def test_nothing_formats_or_pings(typed, shown):
    assert quoted(typed) == shown
    assert as_read(shown) == " ".join(typed.split())


def test_a_fact_of_marks_alone_is_quoted_whole():
    assert quoted("_" * 190) == r"\_" * 190
    assert len(quoted("_" * 1000)) <= QUOTED


def test_words_behind_a_members_do_not_run_backwards():
    assert plain("\u202eeliF\u202c \u2067שלום\u2069") == "eliF שלום"
