"""The part of a chat sentence that states something: no greeting before it, no laughter or aside after it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory.rules import patterns
from memoryhub.language import place_names
from memoryhub.language.grammar import FIRST_WORDS
from memoryhub.language.word_lists import Shapes, pattern

_SHAPES = Shapes(__file__, patterns.SHAPES.rows)
LEAST_LEFT, LEAST_CORE = 4, 3  # words of a statement before a request, and before an aside
_LAUGHTER, _NOUN_AFTER = _SHAPES.words("tail"), _SHAPES.words("noun after")
_IMPLIED_WORDS = _SHAPES.words("implied words")
_IMPLIED = [
    (told, pattern(said, _SHAPES.rows)) for told, said in (row.split(" => ", 1) for row in _SHAPES.rows["implied"])
]
FIRST = 6  # words of a line, by which one that leaves its subject out is known


def bare(sentence: str) -> str:
    """Return the sentence without greetings, fillers, image captions and the laughter at its end."""
    text = _SHAPES["image"].sub(" ", sentence).strip() if "[" in sentence else sentence.strip()
    text = _SHAPES["ampersand"].sub(" and ", _SHAPES["since"].sub("", text))
    text = _SHAPES["no_possessive"].sub(r"\1's", _SHAPES["no_apostrophe"].sub(r"\1n't", text))
    for _ in range(6):
        match = _SHAPES["lead"].match(text)
        if not match or not match.end():
            break
        text = text[match.end() :]
    text = _SHAPES["within"].sub("", _SHAPES["afterthought"].sub("", text.rstrip(" .!…")))
    words = text.split(" ")
    while words and (words[-1].lower().strip(".,!…") in _LAUGHTER or not any(map(str.isalnum, words[-1]))):
        if len(words) > 1 and words[-2].lower() in _NOUN_AFTER:
            break  # "like an old man" calls nobody
        words.pop()
    return _SHAPES["together"].sub("we ", " ".join(words).strip(" .!,;…-–—"))


def without_own_name(sentence: str, name: str) -> str:
    """Return what a member says of themselves after their own name: "Bo here, driver" is "I'm a driver"."""
    first = name.split()[0] if name.split() else ""
    own = "|".join(map(re.escape, sorted({name, first} - {""}, key=len, reverse=True)))
    surname = r"(?: (?-i:[A-Z])\w+)?"
    opening = rf"{_SHAPES['hello'].pattern}(?:{own}){surname}(?: here)?\s*[,.:;–—-]+\s+(?=\w)"
    told = re.match(opening, sentence, re.IGNORECASE)
    if not own or not told:
        return sentence
    rest = sentence[told.end() :]
    if age := _SHAPES["age_alone"].match(rest):
        return _with_rest(f"I'm {age.group()}", rest[age.end() :])
    if origin := _SHAPES["origin_alone"].match(rest):
        return _with_rest(f"I'm {origin.group().capitalize()}", rest[origin.end() :])
    if team := _SHAPES["team_alone"].match(rest):
        return _with_rest(f"I work in {team.group()}", rest[team.end() :])
    place = _SHAPES["place_alone"].match(rest)
    if place and place_names.is_place(place["place"]):
        return _with_rest(f"I'm from {place['place']}", rest[place.end() :])
    trade = _SHAPES["trade_alone"].match(rest)
    return f"I'm {'an' if rest[0].lower() in 'aeiou' else 'a'} {rest}" if trade else rest


def _with_rest(stated: str, rest: str) -> str:
    """Return what is stated with those parts of the rest that tell of the speaker, too."""
    parts = ((part, implied(part)) for part in rest.split(", "))
    own = (said or part for part, said in parts if said or FIRST_WORDS & set(part.lower().split()))
    return ", ".join([stated, *own])


def without_address(sentence: str, names: Iterable[str]) -> str:
    """Return the sentence without the name of somebody who is called at its end: "I'm 31, Bob"."""
    head, comma, called = sentence.rstrip(" .!").rpartition(", ")
    first = {name.split()[0].casefold() for name in names if name.split()}
    return head if comma and called.casefold() in first and len(head.split()) > 1 else sentence


def with_names(sentence: str, names: Iterable[str]) -> str:
    """Return the sentence with a capital for whom the speaker names beside themselves: "me and dani" found a flat."""
    first = {name.split()[0].casefold() for name in names if name.split()}
    known = (found for found in _SHAPES["beside"].findall(sentence) if found.casefold() in first)
    for name in known:
        sentence = re.sub(rf"\b{name}\b", name.capitalize(), sentence)
    return sentence


def with_other(sentence: str) -> str:
    """Return what somebody says of themselves and another as told of the speaker: "I'm moving with Bo, to Cork"."""
    told = _SHAPES["with_other"].match(bare(sentence)) if not {"and", "&"}.isdisjoint(sentence.split()) else None
    if not told:
        return sentence
    who = told["who"] or told["other"]
    verb = {"are": "am", "were": "was"}.get((told["be"] or "").lower(), told["be"] or "")
    first, comma, rest = told["rest"].partition(", ")
    first = _SHAPES["both"].sub("", first)
    return " ".join(f"I {verb} {first} with {who}{comma}{rest}".split())


def without_question(sentence: str) -> str:
    """Return the sentence without a question or a request hung on to its end: "I finished it - want to see?"."""
    asks = sentence.endswith("?")
    stated = _SHAPES["asked_tail"].sub(".", sentence) if asks else sentence
    left = (_SHAPES["questioned"] if asks else _SHAPES["requested"]).sub(".", stated)
    return left if len(left.split()) >= LEAST_LEFT else stated


def may_imply(sentence: str) -> bool:
    """Say if a sentence begins as one might that leaves its subject out: the cheap look."""
    words = [word.strip(".,:;!").removesuffix("'s") for word in sentence.lower().split(maxsplit=FIRST)[:FIRST]]
    return not _IMPLIED_WORDS.isdisjoint(words) and words[0] not in FIRST_WORDS


def implied(sentence: str) -> str | None:
    """Return a sentence with the subject that it leaves out, "I live in Turku" for "live in Turku"; None for others."""
    if not may_imply(sentence):
        return None
    text = bare(sentence)
    text = text if re.match(r"\S+[A-Z]", text) else text[:1].lower() + text[1:]  # "PhD"
    for told, said in _IMPLIED:
        if found := said.match(text):
            stated, (head, comma, rest) = found.expand(told), text[found.end() :].partition(", ")
            if head == " here":  # "nurse here, drink water"
                return with_article(_with_rest(stated, rest))
            return with_article(f"{stated}{head.removeprefix(' here')}{comma}{rest}")
    return None


def with_article(sentence: str) -> str:
    """Return a sentence with "an" where the word that it opens on takes it: "I'm an engineer"."""
    return re.sub(r"^(I(?:'m| was| have) a)(?= (?!euro|one|uni|us)[aeiou])", r"\1n", sentence, flags=re.IGNORECASE)


def clauses(text: str) -> list[str]:
    """Return the parts of a sentence that open with a first person of their own, and what stands before them."""
    return [part for part in _SHAPES["new_clause"].split(text) if part.strip()]


def core(text: str) -> str:
    """Return a bare sentence with what stood before the subject behind it, and no asides that point elsewhere."""
    fronted = _SHAPES["fronted"].match(text) or _SHAPES["fronted_plain"].match(text)
    if fronted and not _SHAPES["pointer"].search(fronted["when"]):  # "Last year, I moved" becomes "I moved last year"
        when, rest = fronted["when"], _SHAPES["aside"].sub("", fronted["rest"])
        on = "on " if when.lower().endswith("days") and " " not in when else ""
        stated, comma, more = rest.partition(", ") if len(rest.split(", ")[0].split()) >= LEAST_LEFT else (rest, "", "")
        text = f"{stated} {on}{when[0].lower()}{when[1:]}{comma}{more}" if len(rest) < 90 else rest
    aside = _SHAPES["which"].search(text)
    before = text[: aside.start()] if aside else ""
    empty = aside and (_SHAPES["pointer"].search(aside["rest"]) or _SHAPES["nothing_new"].match(aside["rest"]))
    if aside and len(before.split()) >= 4 and not empty:
        verb = "has been" if aside["been"] else aside["verb"] or "is"
        return f"{before.strip(' ,')}, which {verb} {aside['rest']}"
    text = _SHAPES["outcome"].sub("", text) if " so " in text else text
    head = _SHAPES["aside"].sub("", text)
    return head if len(head.split()) >= LEAST_CORE else text
