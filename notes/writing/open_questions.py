"""What a conversation left open or settled: questions without an answer, decisions, words explained."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import islice, pairwise

from memoryhub.language.clip import clip
from memoryhub.language.word_lists import Shapes
from notes.writing.key_sentences import Sentence, shown_name, terms
from notes.writing.schemas import ITEM_CHARS, LIST_ITEMS, Term

ANSWER_LINES = 6
ANSWER_TIME = timedelta(minutes=30)
_SHAPES = Shapes(__file__)
# The decision itself, where the sentence names it as one.
_SETTLED = re.compile(
    r"(?:(?:ok|okay|so|alright|right|then)[, ]+){0,3}"
    r"(?:(?:we(?:'ve| have)? |it's |it is |that's )?(?:decided|settled|agreed)(?: (?:on|to|that))?|decision)"
    r":? (?P<what>(?!with\b|by\b|for\b|then\b)\w.{10,})",
    re.IGNORECASE,
)
# Said by itself, it is of what follows in the same message: "decided. 2.0 keeps it".
_SETTLED_NEXT = re.compile(
    r"(?:(?:ok|okay|so|alright|right|then)[, ]+){0,3}(?:(?:it's|it is|that's|we) )?(?:decided|settled|agreed)[.!:]*",
    re.IGNORECASE,
)
# What wants no answer: agreement that is asked for, and a hint that is put as a question.
_NO_QUESTION = re.compile(
    r"(?:,|\s[-–])\s*(?:right|huh|eh|yeah|ok(?:ay)?|no|yes|you know|know what I mean"
    r"|(?:is|are|was|were|do|does|did|has|have|wo|would|could|ca)n['’]t (?:it|they|we|you|he|she|I|that))\s*\?+\s*$"
    r"|^(?:maybe|perhaps|possibly)\b",
    re.IGNORECASE,
)
_CONTENT = re.compile(
    r"(?:(?:ah|oh|ok|okay|great|perfect|cool)[, !]+)?(?:thanks|thank you|thx|ty\b|never ?mind|got it|found it|solved)",
    re.IGNORECASE,
)
# What an answer looks like, by what was asked for; the first that the question has counts.
_KINDS = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(kind))
    for asked, kind in (
        (
            r"\b(?:when|what (?:time|day|date)|how (?:long|soon|late))\b",
            r"\d|(?i:\b(?:noon|midnight|(?:to|yester)day|tonight|tomorrow|now|soon|later|never|at \w+|\w+day)\b)",
        ),
        (
            r"\bhow (?:many|much|old|far|big|tall)\b",
            r"\d|(?i:\b(?:none|one|two|three|four|five|six|ten|dozen|all|few)\b)",
        ),
        (
            r"\bwho(?:se|m)?\b",
            r"(?i:\b(?:I|me|mine|nobody|everyone|everybody|we)\b)|\w [A-Z][a-z]+"
            r"|^(?!(?:It|Th\w+|What|[SH]e)\b)[A-Z][a-z]+(?:$| (?:has|had|is|was|did|does|took|got|can|will)\b)",
        ),
        (r"\bwhere\b", r"(?i:\b(?:in|at|on|under|behind|near|next to|here|there|upstairs|home)\b)"),
        (r"\bwhy\b", r"(?i:\b(?:because|since|so that|due|cos|'?cause)\b)"),
        (r"\b(?:how|what|which)\b", r"(?!)"),
    )
)
_YES_OR_NO = re.compile(
    r"(?:yes|yeah|yep|yup|no|nope|nah|sure|of course|maybe|probably|not|I (?:do|did|can|will|have|am)(?:n['’]t)?)\b",
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
    made = [_quote(s, words) for s, words, _ in agreed(found)]
    return list(dict.fromkeys(made))[-most:]


def decides(text: str) -> bool:
    """Tell whether a sentence says that something is agreed."""
    return _SHAPES["decision"].search(text) is not None


def settled(found: Sequence[Sentence]) -> list[str]:
    """Return what was decided in so many words, without who said so, newest first: "Tuesday at six"."""
    return [words for _, words, named in agreed(found) if named][::-1]


def agreed(found: Sequence[Sentence]) -> Iterator[tuple[Sentence, str, bool]]:
    """Yield each sentence that says what is agreed, its words without "ok decided:", and whether it names it so."""
    for before, s in pairwise([None, *found]):
        if s is None or s.asks or s.doubted or not s.terms:
            continue
        match = _SETTLED.match(s.text)
        follows = before and before.line.message == s.line.message and _SETTLED_NEXT.fullmatch(before.text)
        if match or follows or decides(s.text):
            yield s, match["what"] if match else s.text, bool(match or follows)


def glossary(found: Sequence[Sentence], *, most: int = LIST_ITEMS) -> list[Term]:
    """Return short forms that somebody explained, newest kept."""
    matches = (match for s in found if not s.asks for match in _MEANING.finditer(s.text))
    explained = (
        Term(term=match["term"] or match["short"], meaning=(match["means"] or match["long"]).strip())
        for match in matches
    )
    return list({term.term: term for term in explained}.values())[-most:]


def _got_answer(question: Sentence, after: Iterable[Sentence]) -> bool:
    """Tell whether somebody answered soon after, among the next few lines; that somebody speaks is not enough.

    It is where two are alone. Of more, an answer is a reply to it, or has a word of it, or is of the kind asked for;
    and the asker says thanks or never mind.
    """
    soon = [s for s in islice(after, ANSWER_LINES) if s.line.after(question.line) <= ANSWER_TIME]
    others = [s for s in soon if s.line.author != question.line.author]
    if len({s.line.author for s in others}) == 1:
        return any(not s.asks for s in others)
    own = (s for s in soon if s.line.author == question.line.author and s.line.message != question.line.message)
    return any(_answers(question, s) for s in others if not s.asks) or any(_CONTENT.match(s.text) for s in own)


def _answers(question: Sentence, other: Sentence) -> bool:
    if other.line.answers == question.line.message or set(question.terms) & set(other.terms):
        return True
    wanted = next((kind for asked, kind in _KINDS if asked.search(question.text)), _YES_OR_NO)
    return wanted.search(other.text) is not None


def _quote(sentence: Sentence, words: str = "") -> str:
    return clip(f"{shown_name(sentence.line.name)}: {words or sentence.text}", ITEM_CHARS)
