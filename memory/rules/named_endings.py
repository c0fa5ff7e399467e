"""What a member tells of a name that a known fact of theirs has: it died, they broke up, it is spelled otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from memory.rules import claims, contradictions, patterns, trim
from memoryhub import language
from memoryhub.language.word_lists import Shapes, pattern, spoken

_SHAPES = Shapes(__file__, patterns.SHAPES.rows)
_WORDS = _SHAPES.words("words")
_STATEMENTS, _THINGS, _RESTATED = (
    [(told, pattern(said, _SHAPES.rows)) for told, said in (row.split(" => ") for row in _SHAPES.rows[heading])]
    for heading in ("statements", "things", "restated")
)
_OVER = [
    (pattern(ended, _SHAPES.rows), pattern(said, _SHAPES.rows))
    for ended, said in (row.split(" => ") for row in _SHAPES.rows["over"])
]
_COUNTS = [pattern(said, _SHAPES.rows) for said in _SHAPES.rows["counts"]]


def statements(sentence: str, known: Collection[str]) -> Iterator[str]:
    """Yield what the sentence ends or corrects of the known facts, as statements about the member."""
    text = _with_known_names(trim.bare(sentence), known)
    over = next(_over(text, known), None)
    if over:
        yield over
        return
    arrived = _SHAPES["arrived"].search(text)
    if arrived and any(f"oving to {arrived['name']}" in fact for fact in known):
        yield f"Moved to {arrived['name']}"
    yield from _counted(text, known)
    if found := _SHAPES["cancelled"].search(text):
        about = language.stems(found["thing"])
        if any(about & language.stems(fact) for fact in known):
            yield f"Cancelled the {found['thing']}"
    if found := _SHAPES["corrected"].search(text):
        for fact in known:
            if _has(fact, found["wrong"]) and not _has(fact, "not"):
                right = re.sub(rf"\b{re.escape(found['wrong'])}\b", found["name"], fact.rstrip("."))
                yield f"{right}, not {found['wrong']}"


def _with_known_names(text: str, known: Collection[str]) -> str:
    """Return the text with a capital for each name of a known fact: "ola and me split up"."""
    names = {word for fact in known if _SHAPES["bond"].search(fact) for word in re.findall(r"(?<=named )\w+", fact)}
    for name in names:
        text = re.sub(rf"(?<![\w'’-]){re.escape(name.lower())}(?![\w'’-])", name, text)
    return text


def may_end(text: str) -> bool:
    """Say if a message has a word of those that tell that something is over: only then is what is known read."""
    return not _WORDS.isdisjoint(spoken(text))


def _over(text: str, known: Collection[str]) -> Iterator[str]:
    """Yield what is over of somebody or something that a known fact names; two part who were together only."""
    for told, said in _STATEMENTS:
        found = _ending(said, text)
        name = (found["name"] or found.groupdict().get("other")) if found else ""
        apart = told.startswith(("Broke up", "Got divorced"))
        if name and any(_has(fact, name) and (not apart or _SHAPES["bond"].search(fact)) for fact in known):
            yield told.format(name)
    for told, said in _THINGS:
        found = _ending(said, text)
        if found and any(_is_about(fact, found["thing"]) for fact in known):
            stated = told.format(found["thing"])
            is_name = (found.groupdict().get("whose") or "").lower() == "the" and found["thing"][0].isupper()
            yield f"The {stated.removeprefix('Their ')}" if is_name else stated  # "the Wet Socks broke up"


def _ending(said: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return where the text says so, unless it goes on that all is as before: "we broke up, but are back together"."""
    found = said.search(text)
    return found if found and not _SHAPES["restored"].match(text[found.end() :]) else None


def denied(sentence: str, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each known fact that is over in its own words, denied: "used to keep bees" ends "Keeps bees".

    A clause that tells of anything else, or of somebody else, denies nothing: "no longer works weekends".
    """
    text = trim.bare(sentence)
    if _SHAPES["together_again"].search(text):
        return
    for clause in _SHAPES["clause_end"].split(text):
        for ended, what in _told_over(clause):
            for fact in known:
                if ended(fact) and _tells_all(claims.read(fact), what):
                    yield fact, _denial(_as_far_as_said(claims.read(fact).bare, clause))


def _told_over(clause: str) -> Iterator[tuple[Callable[[str], object], str]]:
    """Yield what a clause says is over, with a test for the facts that this may end."""
    if _SHAPES["no_more"].search(clause) and not _SHAPES["of_others"].search(clause):
        first = clause.split()[0].casefold()  # of whom it is done with: "Tom used to play chess"
        yield lambda fact: first not in claims.read(fact).names, _SHAPES["no_more"].sub(" ", clause)
    for ended, said in _OVER:
        if found := said.search(clause):
            yield ended.search, found["what"]


def _tells_all(claim: claims.Claim, what: str) -> bool:
    """Say if the words are all of the fact, and its thing among them; a membership is as good as what it is of."""
    words = claims.read(_SHAPES["carriers"].sub(" ", _SHAPES["filler"].sub(" ", what))).words
    things = claim.heads | {claims.canonical(word) for name in claim.names for word in name.split()}
    return words <= claim.words and bool(words & things - claims.FRAME) and not (claim.negative or claim.past)


def _as_far_as_said(fact: str, clause: str) -> str:
    """Return a fact without what stands at its end and is not in the clause: what is denied was said."""
    fact = _SHAPES["by_name"].sub(lambda found: found["name"] if found["name"] in clause else found[0], fact)
    said = set(map(claims.canonical, language.tokens(clause)))
    while (end := _SHAPES["company"].search(fact)) and said.isdisjoint(claims.read(end.group()).words):
        fact = fact[: end.start()]
    thing = _SHAPES["thing_at_end"].search(fact)
    words = thing["words"].split() if thing else []
    told = [word for word in words if claims.canonical(word.lower()) in said]
    return f"{fact[: thing.start()]}the {' '.join(told)}" if thing and 0 < 2 * len(told) <= len(words) else fact


def _denial(fact: str) -> str:
    first, _, rest = fact.partition(" ")
    if first == "Their":
        return re.sub(r" (is|are) ", r" \1n't ", fact, count=1) + " anymore."
    return f"Is no longer {rest}." if first == "Is" else f"No longer {fact[0].lower()}{fact[1:]}."


def with_subject(sentence: str) -> str:
    """Return a sentence that tells a turn as one of its speaker's: "dropped Notion", "back to five days", "let go"."""
    text = trim.bare(sentence)
    for told, said in _RESTATED:
        if found := said.search(text):
            return f"{found.expand(told)}{text[found.end() :]}"
    if found := _SHAPES["elided"].match(text):
        return f"I{'' if found['did'] else ' am'} {text[0].lower()}{text[1:]}"
    return f"I {text[0].lower()}{text[1:]}" if _SHAPES["done"].match(text) else sentence


def _counted(text: str, known: Collection[str]) -> Iterator[str]:
    """Yield how many of a known thing there are by now: "Has four hens now" where "Has six hens" is known."""
    for found in filter(None, (shape.search(text) for shape in _COUNTS)):
        for before in filter(None, map(contradictions.count_in, known)):
            told = {"was": before["value"], **{name: said for name, said in found.groupdict().items() if said}}
            thing, was, now = (claims.canonical(told[name].lower()) for name in ("thing", "was", "now"))
            if thing == claims.canonical(before["first"].lower()) and now != was == claims.canonical(before["value"]):
                yield f"{before['verb']} {told['now']} {before['thing']} now"
                return


def _is_about(fact: str, thing: str) -> bool:
    """Say if the thing's last word stands in the fact."""
    return claims.canonical(thing.split()[-1].lower()) in claims.read(fact).words


def _has(fact: str, name: str) -> bool:
    return bool(re.search(rf"\b{re.escape(name)}\b", fact))
