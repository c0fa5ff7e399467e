"""What the caller brings: system text and the words to be answered, inside a budget."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.context.budget import tokens
from memory.context.fitting import CUT, TAIL, ending, fit_frame, in_order
from memory.context.items import Frame, Item
from memory.context.rendering import write

BASE = "You are Hubbot. " * 60
TEXT = "".join(f"and point number {number} matters. " for number in range(80)) + "So, what do you think?"
FACTS = {"facts": [Item(text="Owns a kayak.", about="Alice")]}


def frame(**fields):
    return Frame(**{"parts": {}, "base": BASE, "text": TEXT, **fields})


def test_what_fits_stays_whole():
    held = fit_frame(frame(), form="messages", max_tokens=5_000)
    assert (held.base, held.text) == (BASE, TEXT)


def test_the_text_keeps_its_end_and_says_that_it_was_cut():
    held = fit_frame(frame(), form="messages", max_tokens=tokens(BASE) + 300)
    assert held.base == BASE
    assert held.text.startswith(CUT)
    assert held.text.endswith("So, what do you think?")
    assert tokens(held.text) >= TAIL


def test_the_base_is_cut_before_the_readable_tail_of_the_text():
    held = fit_frame(frame(), form="messages", max_tokens=TAIL + 60)
    assert 0 < len(held.base) < len(BASE)
    assert tokens(held.text) >= TAIL - tokens(CUT)
    assert held.text.endswith("So, what do you think?")


@pytest.mark.parametrize("budget", [5, 12, 40, 100])
def test_less_than_a_tail_is_all_for_the_text(budget):
    held = fit_frame(frame(), form="messages", max_tokens=budget)
    assert held.base == ""
    assert TEXT.endswith(held.text.removeprefix(CUT))


@pytest.mark.parametrize("form", ["xml", "markdown", "user_memory"])
def test_the_base_stands_before_what_is_remembered(form):
    written = write(Frame(parts=FACTS, base="You are Hubbot."), form=form)
    assert written.text.startswith("You are Hubbot.\n\n")
    assert "Owns a kayak." in written.text
    assert written.tokens == tokens(written.text)


def test_json_has_the_base_as_a_field_of_its_own():
    written = write(Frame(parts=FACTS, base='Be "brief".'), form="json")
    assert json.loads(written.text)["base"] == 'Be "brief".'


@pytest.mark.parametrize("form", ["xml", "json"])
def test_a_base_that_is_too_long_is_cut_at_its_end(form):
    held = fit_frame(frame(), form=form, max_tokens=50)
    assert BASE.startswith(held.base)
    assert write(held, form=form).tokens <= 50


def test_a_chat_costs_its_words_and_four_tokens_a_message():
    written = write(Frame(parts={}, base="Be brief.", text="hello"), form="messages")
    assert written.tokens == tokens("Be brief.") + tokens("hello") + 8
    assert json.loads(written.text) == written.messages


def test_an_end_is_no_longer_than_its_room():
    assert all(tokens(ending(TEXT, room)) <= max(0, room) for room in range(-3, 400, 7))


def test_messages_stand_in_their_order_in_the_night_in_which_clocks_change():
    berlin, first = ZoneInfo("Europe/Berlin"), datetime(2026, 10, 25, 0, 50, tzinfo=UTC)
    moments = [first.astimezone(berlin), (first + timedelta(minutes=20)).astimezone(berlin)]  # 02:50, then 02:10
    items = [Item(text=str(number), at=at) for number, at in enumerate(moments)]
    assert in_order("messages", items[::-1]) == items
