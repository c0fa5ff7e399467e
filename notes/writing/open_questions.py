"""What a conversation left open or settled: questions without an answer, decisions, words explained."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import islice

from memoryhub.language.clip import clip
from notes.writing.key_sentences import Sentence, shown_name, terms
from notes.writing.schemas import ITEM_CHARS, LIST_ITEMS, Term

ANSWER_LINES = 6
ANSWER_TIME = timedelta(minutes=30)
_TURN = r"go with|use|meet|do|play|have|start|move|switch|make it (?:\w+ )?(?:\d|\w+day|noon)|say|stick"
_DECISION = re.compile(
    r"\b(?:we(?:'ve| have)? (?:decided|agreed|settled|chose)|(?:it's|it is|that's) (?:decided|settled|agreed)"
    rf"|let's (?:{_TURN})|we(?:'ll| will| are going to|'re going to) (?:{_TURN})"
    r"|(?:decision|decided|agreed|final answer)\s*:|(?:settled|agreed) on|deal[.!]|going with\b)",
    re.IGNORECASE,
)
# What wants no answer: agreement that is asked for, and a hint that is put as a question.
_NO_QUESTION = re.compile(
    r"(?:,|\s[-–])\s*(?:right|huh|eh|yeah|ok(?:ay)?|no|yes|you know|know what I mean"
    r"|(?:is|are|was|were|do|does|did|has|have|wo|would|could|ca)n['’]t (?:it|they|we|you|he|she|I|that))\s*\?+\s*$"
    r"|^(?:maybe|perhaps|possibly)\b",
    re.IGNORECASE,
)
# An equals sign stands in code, too: there it explains capitals alone, in words.
_MEANING = re.compile(
    r"\b(?P<term>[A-Z][A-Za-z]*[A-Z0-9][A-Za-z0-9]*|[A-Z]{2,8})\s+(?:means|stands for|is short for)\s+"
    r"(?P<means>[^.!?;]{3,120})"
    r"|(?<![:.\w] )\b(?P<short>[A-Z][A-Z0-9]{1,7})\s+=\s+"
    r"(?P<long>[A-Za-z'’-]+(?:[ ,]+[A-Za-z'’-]+){1,15})(?![\w(=+*/]| [=+*/(])"
)


def open_questions(found: Sequence[Sentence], earlier: Sequence[str] = ()) -> list[str]:
    """Return, as `Name: question`, what nobody else spoke after; earlier ones stay until they are answered."""
    closed = set(answered(found, earlier))
    still = [question for number, question in enumerate(earlier, start=1) if number not in closed]
    fresh = [
        _quote(s)
        for at, s in enumerate(found)
        if s.asks and len(s.terms) >= 2 and not _NO_QUESTION.search(s.text) and not _got_answer(s, found[at + 1 :])
    ]
    return list(dict.fromkeys([*still, *(question for question in fresh if question not in earlier)]))[-LIST_ITEMS:]


def answered(found: Sequence[Sentence], earlier: Sequence[str]) -> list[int]:
    """Return the numbers, from 1, of the earlier questions that somebody spoke after or whose words came back."""
    numbers = []
    for number, question in enumerate(earlier, start=1):
        # Only what was said after the question counts, where it stands among the sentences itself.
        at = next((n for n, s in enumerate(found) if s.asks and _quote(s) == question), None)
        after = found if at is None else found[at + 1 :]
        name, _, text = question.partition(": ")
        words = set(terms(text or name))
        taken_up = any(
            not s.asks and shown_name(s.line.name) != name and len(words & set(s.terms)) * 2 > len(words) for s in after
        )
        if taken_up or (at is not None and _got_answer(found[at], after)):
            numbers.append(number)
    return numbers


def decisions(found: Sequence[Sentence], *, most: int = LIST_ITEMS) -> list[str]:
    """Return what was agreed, as `Name: words`, newest kept."""
    made = [_quote(s) for s in found if not (s.asks or s.doubted) and s.terms and _DECISION.search(s.text)]
    return list(dict.fromkeys(made))[-most:]


def glossary(found: Sequence[Sentence], *, most: int = LIST_ITEMS) -> list[Term]:
    """Return short forms that somebody explained, newest kept."""
    matches = (match for s in found if not s.asks for match in _MEANING.finditer(s.text))
    explained = (
        Term(term=match["term"] or match["short"], meaning=(match["means"] or match["long"]).strip())
        for match in matches
    )
    return list({term.term: term for term in explained}.values())[-most:]


def _got_answer(question: Sentence, after: Iterable[Sentence]) -> bool:
    """Tell whether somebody else said something soon after, among the next few lines."""
    others = (s for s in after if s.line.author != question.line.author and not s.asks)
    return any(s.line.sent_at - question.line.sent_at <= ANSWER_TIME for s in islice(others, ANSWER_LINES))


def _quote(sentence: Sentence) -> str:
    return clip(f"{shown_name(sentence.line.name)}: {sentence.text}", ITEM_CHARS)
