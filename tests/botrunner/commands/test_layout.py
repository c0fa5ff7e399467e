"""A list in Discord: one container that no setting hides, within Discord's limits whatever stands in it."""

from __future__ import annotations

import discord
import pytest
from discord.ui import ActionRow, Button
from simcord.components import COMPONENTS_V2_FLAG, validate_components, walk_components

from botrunner.actions.listing import Line, Page, place
from botrunner.commands import layout

LINES = [Line("`#1` Lives in Toronto.", "Facts"), Line("`#2` Keeps bees.", "Facts"), Line("`p3` Bio: Tall", "Profile")]


def parts(page, *rows):
    """Return the components as the simulated Discord takes them in: it refuses what Discord would."""
    sent = layout.still(page, *rows).to_components()
    return list(walk_components(validate_components(sent, flags=COMPONENTS_V2_FLAG)))


def texts(page, *rows):
    return [part["content"] for part in parts(page, *rows) if "content" in part]


def row_of(*labels):
    return ActionRow(*(Button(label=label, custom_id=label) for label in labels))


def test_a_list_is_a_container_with_a_heading_and_a_colour():
    (box,) = layout.still(Page("What is known", LINES)).to_components()
    assert (box["type"], box["accent_color"]) == (discord.ComponentType.container.value, layout.LEAF)
    assert box["components"][0]["content"] == "### What is known"


def test_what_stands_under_one_heading_stands_together():
    assert texts(Page("What is known", LINES))[1:] == [
        "__Facts__\n`#1` Lives in Toronto.\n`#2` Keeps bees.",
        "__Profile__\n`p3` Bio: Tall",
    ]


def test_the_last_line_says_which_page_it_is_where_there_are_more():
    assert texts(Page("Known", LINES, "Ask why.", number=2, last=3))[-1] == "-# Page 2 of 3. Ask why."
    assert texts(Page("Known", LINES, "Ask why."))[-1] == "-# Ask why."
    assert len(texts(Page("Known", LINES))) == 3


def test_an_answer_without_lines_is_a_sentence_and_no_heading():
    assert texts(Page("Nothing is known.")) == ["Nothing is known."]


def test_buttons_stand_in_the_container():
    found = parts(Page("Known", LINES), row_of("Back", "Next"))
    assert [part["label"] for part in found if "custom_id" in part] == ["Back", "Next"]


@pytest.mark.parametrize("lines", [[Line("x" * 5_000)], [Line("x" * 300, f"Heading {n}") for n in range(90)]])
@pytest.mark.parametrize("head", ["Known", "Known" * 900])
def test_whatever_is_too_much_is_cut_at_its_end_and_keeps_the_last_line_and_the_buttons(lines, head):
    found = parts(Page(head, lines, "Ask why.", number=2, last=3), row_of("Back", "Next"), row_of("Correct"))
    assert len(found) <= layout.MOST_PARTS
    assert sum(len(part["content"]) for part in found if "content" in part) <= layout.MOST_TEXT
    assert [part["content"] for part in found if "content" in part][-1] == "-# Page 2 of 3. Ask why."
    assert len([part for part in found if "custom_id" in part]) == 3


@pytest.mark.parametrize(
    ("asked", "total", "found"), [(1, 0, (1, 1)), (0, 9, (1, 2)), (99, 16, (2, 2)), (2, 17, (2, 3))]
)
def test_the_nearest_page_that_there_is_is_shown(asked, total, found):
    assert place(asked, total, a_page=8) == found
