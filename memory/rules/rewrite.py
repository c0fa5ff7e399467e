"""A first-person sentence as a statement in the third person, or nothing when it can't stand alone."""

from __future__ import annotations

import re

from memory.rules import patterns
from memory.rules.trim import bare, clauses, core
from memoryhub import language
from memoryhub.language import grammar
from memoryhub.language.dates import is_past_form
from memoryhub.language.grammar import to_third_person
from memoryhub.language.word_lists import Shapes

MIN_CONTENT = 1  # words that carry meaning
MIN_POINTED_AT = 3  # of them before a word that points back: it must follow a noun of the same sentence
LONG = 22  # words; from there the clauses are read one by one
MAX_WORDS = 34
MIN_HEAD = 3  # of what stands before a part that points outside

_SHAPES = Shapes(__file__, patterns.SHAPES.rows)
OPENING_WORDS = frozenset("|".join([*_SHAPES.rows["done"], *_SHAPES.rows["likes"], "stand|used"]).split("|"))
"""Words that open a statement whose subject was left out."""
_AUXILIARY = {"been": "has ", "born": "was "}
_SHORT = {"'m": "is", "m": "is", "'re": "is", "'ve": "has", "ve": "has", "'ll": "will"}


def readings(sentence: str) -> list[list[str]]:
    """Return what a first-person sentence states, in the third person: its clauses one by one, and it as a whole.

    Clauses that each stand alone come first: what ends one of them must not end the others. A reason does not.
    """
    spoken = sentence.lower() if sentence.isupper() else sentence  # shouted
    text = _SHAPES["contrast"].sub("", bare(spoken))
    parts = [bare(part) for part in clauses(text)]
    apart = [statement for part in parts if (statement := _statement(part))] if len(parts) > 1 else []
    if apart and len(text.split()) > LONG:
        return [apart]
    if cause := _cause(text):
        return [[cause]]
    whole = _statement(text)
    if whole is None:
        return [apart]
    return [apart, [whole]] if apart and len(apart) == len(parts) and not _SHAPES["reason"].search(text) else [[whole]]


def _cause(text: str) -> str | None:
    """Return the clear statement that a sentence opens with, without what follows from it: "I'm vegan so I skip it".

    None where what follows may take it back.
    """
    found = _SHAPES["consequence"].match(text)
    if not found or (found["but"] and _SHAPES["turning"].search(text, found.end("cause"))):
        return None
    stated = _statement(found["cause"])
    slot = patterns.slot_of(patterns.usual_form(stated)) if stated else None
    return stated if slot and slot.name not in patterns.VAGUE else None


def _statement(text: str) -> str | None:
    """Return a clause as a statement, without a part that points at something outside; none where no other is left."""
    text = core(text)
    if not text or len(text.split()) > MAX_WORDS:
        return None
    if (outside := _points_outside(text)) is not None:
        borders = [found.start() for found in _SHAPES["border"].finditer(text, 0, outside)]
        head, rest = (text[: borders[-1]], text[borders[-1] :]) if borders else ("", "")
        return _statement(head) if len(head.split()) >= MIN_HEAD and not _SHAPES["turning"].search(rest) else None
    stated = _third_person(_SHAPES["as_well"].sub("", text))
    return finish(stated) if stated else None


def _points_outside(text: str) -> int | None:
    """Return where a clause speaks to somebody, or points at what it does not hold; None where it stands alone."""
    if you := _SHAPES["you"].search(text):
        return you.start()
    seen = _SHAPES["harmless"].sub(lambda found: "-" * len(found[0]), text)
    pointing = _SHAPES["pointing"].search(seen)
    if pointing and len(language.content(seen[: pointing.start()].replace("-", " "))) < MIN_POINTED_AT:
        return pointing.start()
    pronoun = _SHAPES["person"].search(text)
    return pronoun.start() if pronoun and not _is_resolved(text) else None


def _is_resolved(text: str) -> bool:
    """Say if whoever "he" or "she" stands for is the one person named before."""
    pronoun = _SHAPES["person"].search(text)
    return not pronoun or len(set(_SHAPES["somebody"].findall(text[: pronoun.start()]))) == 1


def finish(text: str) -> str | None:
    """Return `text` as a sentence with capital and full stop, None when it is a torso."""
    text = " ".join(text.split()).strip(" ,;:-–—.!")
    if text.count("(") > text.count(")"):  # cut where a sentence ended inside
        text = text[: text.rindex("(")].rstrip(" ,;:-–—")
    if _SHAPES["dangling"].search(text) or len(set(language.content(text))) < MIN_CONTENT:
        return None
    return f"{text[0].upper()}{text[1:]}."


def _third_person(text: str) -> str | None:
    if subject := _SHAPES["subject"].match(text):
        short = (subject["short"] or "").lower().replace("’", "'")
        rest = text[subject.end() :]
        return f"{_SHORT[short]} {to_third_person(rest)}" if short else _with_verb(rest)
    if _SHAPES["effect"].match(text) or _SHAPES["my"].match(text):
        return to_third_person(text)
    if elided := _SHAPES["elided"].match(text):
        word = (elided["verb"] or "").lower()
        auxiliary = _AUXILIARY.get(word, "is " if word.endswith("ing") else "")
        return auxiliary + text[0].lower() + to_third_person(text[1:])
    if _SHAPES["liking"].match(text):
        return _with_verb(text[0].lower() + text[1:])
    if _SHAPES["of_own"].match(text) and (is_past_form(text.split()[0]) or _SHAPES["at_it"].match(text)):
        doing = "" if is_past_form(text.split()[0]) else "is "
        return doing + text[0].lower() + to_third_person(text[1:])
    return None


def _with_verb(rest: str) -> str | None:
    """Return what follows the subject with its verb in the third person; a past form stays."""
    adverbs = _SHAPES["adverbs"].match(rest)
    before = adverbs.group() if adverbs else ""
    told = re.fullmatch(r"(?P<verb>[A-Za-z]+(?:n['’]t)?)(?P<after>,? .*|)", rest[len(before) :])
    if not told:
        return None
    verb, after = told["verb"], told["after"]
    if grammar.is_past(verb, dated=bool(_SHAPES["past_time"].search(after))):
        return f"{before}{verb.lower()}{to_third_person(after)}"
    return f"{before}{grammar.third_person(verb)}{grammar.agree_after_and(to_third_person(after))}"
