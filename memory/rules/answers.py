"""Reads a line with those before it: an answer with its question, and a name with what it names.

"Cork, as ever", said to "where is everybody from", tells where one is from; "Biscuit", said after "we got a puppy" and
"what's she called", tells the name of a pet.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from memory.rules import other_languages, patterns, trim
from memoryhub import language
from memoryhub.ai.chat_fence import Line
from memoryhub.language import assertion_filter
from memoryhub.language.word_lists import Shapes, pattern, spoken

_SHAPES = Shapes(__file__, {**other_languages.SHAPES.rows, **patterns.SHAPES.rows})
Row = tuple[str, re.Pattern[str], re.Pattern[str]]
_JOINED, _OF_ANOTHER = (
    [
        (told, pattern(asked, _SHAPES.rows), pattern(said, _SHAPES.rows))
        for told, asked, said in (row.split(" => ") for row in _SHAPES.rows[heading])
    ]
    for heading in ("joined", "joined of another")
)
_BORN = {"girl": "daughter", "boy": "son"}
_NO_NAMES = _SHAPES.words("no names")
_OWNING = _SHAPES.words("owning")
_CAPITAL = re.compile(r"(?:^|\s)[A-ZÀ-Þ]\w")
SOON = timedelta(minutes=15)
OF_ONE, OF_ALL = 1, 8  # lines after a question that may answer it: of one who was asked, and of all or by a reply
NAMED_WITHIN = 8  # lines after what is named
LONGEST = 160  # characters of a line that is asked or answers


def statement(line: Line, before: Sequence[Line]) -> str | None:
    """Return what a line says as an answer, as a sentence of its author: "I'm from Cork."; None where it is none.

    `before` are the lines before it. The newest question of another that it may answer counts.
    """
    if len(line.text) > LONGEST or not (said := _SHAPES["answer"].match(line.text.strip())):
        return None
    for asked in _questions(line, before):
        whom = _whom(line, asked.text, before)
        if whom is not None:
            return _joined(asked.text, said["what"], _OF_ANOTHER, whom=whom) if whom else None
        if found := _joined(asked.text, said["what"], _JOINED) or _of_trade(asked.text, said["what"]):
            return found
    return None


def is_of_another(line: Line, before: Sequence[Line]) -> bool:
    """Say if a line without a person of its own answers what was asked of somebody else: "translator" of his wife."""
    return any(_whom(line, asked.text, before) is not None for asked in _questions(line, before))


def _questions(line: Line, before: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines that this one may answer, the newest first."""
    for distance, asked in enumerate(reversed(before[-OF_ALL:]), start=1):
        near = line.after(asked) <= SOON and len(asked.text) <= LONGEST
        if asked.author == line.author or not near or (line.answers and line.answers != asked.message):
            continue
        to_all = line.answers == asked.message or _SHAPES["to_all"].search(asked.text)
        if distance <= (OF_ALL if to_all else OF_ONE):
            yield asked


def _whom(line: Line, question: str, before: Sequence[Line]) -> str | None:
    """Return of whom of the author's own a question asks, "" where that is not clear, None where it asks the author."""
    if not (asked := _SHAPES["of_another"].search(question)):
        return None
    own = (other.text for other in reversed(before[-NAMED_WITHIN:]) if other.author == line.author)
    told = next(filter(None, map(_SHAPES["own_kin"].search, own)), None)
    return (asked["kin"] or (told and (told["mine"] or told["bare"])) or "").lower()


def _joined(question: str, answer: str, table: Sequence[Row], **given: str) -> str | None:
    """Return what an answer says with its question, whose groups, and what else is given, stand in braces."""
    for told, asked, said in table:
        if (found := said.fullmatch(answer)) and (shape := asked.search(question)):
            stated = found.expand(told).format(**shape.groupdict(), **given)
            several = given.get("whom", "").endswith("s")
            return trim.with_article(stated.replace(" is ", " are ", 1) if several else stated)
    return None


def _of_trade(question: str, answer: str) -> str | None:
    trade = _SHAPES["are_you"].search(question)
    if trade and _SHAPES["words"].fullmatch(answer) and trade["trade"].lower() in answer.lower().split():
        return trim.with_article(f"I'm a {answer}.")
    return None


def named(line: Line, before: Sequence[Line], *, names: Collection[str]) -> Iterator[tuple[str, str, list[int]]]:
    """Yield each fact with its quote and the messages it rests on; `names` are those of who is there."""
    sentences = language.sentences(language.clean(line.text)) if _CAPITAL.search(line.text) else []
    here, just_told = {word.casefold() for name in names for word in name.split()}, False
    found = filter(None, (_named(sentence, alone=True) for sentence in sentences))
    if all(_is_known(each["name"], here) for each in found):
        return  # at the price of one look, as most lines
    thing, source, asked = _told_of(line, before[-NAMED_WITHIN:])
    for sentence in sentences:
        named, own = _named(sentence, alone=asked or just_told), _thing(sentence)
        thing, source, just_told = (own, line.message, True) if own else (thing, source, False)
        if named and thing and not _is_known(named["name"], here) and not assertion_filter.doubt(sentence):
            article = "an" if thing[0] in "aeiou" else "a"
            yield f"Has {article} {thing} named {named['name']}.", sentence, sorted({source, line.message})
            return


def _named(sentence: str, *, alone: bool) -> re.Match[str] | None:
    """Return the match with a name in it; `alone`: also of one that stands alone."""
    found = _SHAPES["is_called"].match(sentence) or _SHAPES["with_name"].search(sentence)
    return found or (_SHAPES["name_alone"].match(sentence) if alone else None)


def _told_of(line: Line, before: Sequence[Line]) -> tuple[str, int, bool]:
    """Return what the author told of before, in which message, and whether its name was asked for since."""
    thing, source, asked, fed = "", line.message, False, ""
    for other in before:
        if line.after(other) > SOON:
            continue
        if other.author == line.author:
            found, pet = _thing(other.text), _SHAPES["fed"].search(other.text)
            fed = pet["fed"].lower() if pet else fed
            thing, source, asked = (found, other.message, False) if found else (thing, source, asked)
        elif whom := _SHAPES["asks_who"].search(other.text):
            asked = asked or whom["whom"].lower() == thing
        elif _SHAPES["asks_name"].search(other.text):
            yours = _SHAPES["yours"].search(other.text)
            thing, asked = (yours["what"].lower() if yours else thing or fed), True
    return thing, source, asked


def _thing(text: str) -> str:
    """Return whom or what of their own a member tells of, "" where it is nothing or several."""
    if _OWNING.isdisjoint(spoken(text)) or not _SHAPES["has_thing"].search(text) or assertion_filter.is_joke(text):
        return ""
    stated = " ".join(filter(None, map(assertion_filter.stated, language.sentences(language.clean(text)))))
    found = {next(filter(None, said.groups())).lower() for said in _SHAPES["has_thing"].finditer(stated)}
    told = found.pop() if found else ""
    return "" if found else _BORN.get(told) or other_languages.noun_in_english(told) or told


def _is_known(name: str, here: Collection[str]) -> bool:
    return name.casefold() in _NO_NAMES or name.split()[0].casefold() in here
