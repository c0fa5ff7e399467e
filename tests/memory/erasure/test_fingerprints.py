"""Fingerprints find the texts that were erased, wherever they stand, and no others, however alike."""

from __future__ import annotations

from itertools import product

from memory.erasure.fingerprints import PIECE, WINDOW, Needles

ERASED = [f"Groups {one}, then lap {two}" for one, two in product("acegikmoqsuwy", repeat=2)]
KEPT = [f"Groups {one}, then lap {two}" for one, two in product("bdfhjlnprtvxz", repeat=2)]


def test_texts_that_differ_in_a_few_letters_have_fingerprints_of_their_own():
    for _ in range(20):
        needles = Needles()
        needles.add(messages=ERASED)
        assert not [text for text in KEPT if needles.occur_in(text)]
        assert [text for text in ERASED if not needles.occur_in(text)] == []


def test_a_long_text_is_found_by_its_beginning_its_end_and_by_what_stands_between():
    long = " ".join(f"word{number}" for number in range(400))
    needles = Needles()
    needles.add(messages=[long])
    for part in (long[:300], long[-300:], f"before {long[1000:1600]} after"):
        assert needles.occur_in(part)
    assert not needles.occur_in(long.replace("word", "term"))


def test_a_text_is_found_wherever_one_piece_of_what_is_looked_through_ends():
    needles = Needles()
    needles.add(messages=["I own a red boat, and"])
    for before in range(PIECE - 2 * WINDOW, PIECE + WINDOW):
        assert len(needles.found_in(b"." * before + b"I own a red boat, and" + b"." * 5))
