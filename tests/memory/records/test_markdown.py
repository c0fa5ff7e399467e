"""Markdown made of chat never becomes more than text."""

import pytest

from memory.records.markdown import to_html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![pixel](https://mallory.example/pixel.png)",
        "[click](javascript:alert(1))",
        "[click](data:text/html;base64,PHNjcmlwdD4=)",
        "<!-- <script> -->",
    ],
)
def test_nothing_in_it_runs_or_calls_out(text):
    html = to_html(text)
    assert not any(tag in html for tag in ("<script", "<img", 'href="javascript', 'href="data', "<!--"))


def test_headings_start_below_the_pages_own():
    assert to_html("# Memory\n\n###### Deep") == "<h2>Memory</h2>\n<h6>Deep</h6>\n"


def test_a_link_tells_its_target_nothing():
    assert 'rel="noopener noreferrer nofollow"' in to_html("[the boat](https://boats.example/)")


@pytest.mark.parametrize("label", ["your bank", "https://bank.example/", "`https://bank.example/`", "**bank**"])
def test_a_link_shows_the_address_that_it_leads_to(label):
    assert "</a> (https://mallory.example/?a&amp;b)" in to_html(f"[{label}](https://mallory.example/?a&b)")


def test_an_address_that_is_its_own_label_is_shown_once():
    assert to_html("<https://boats.example/>").count("boats.example") == 2  # where it leads, and the label
