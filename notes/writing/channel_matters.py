"""Finds what people of a channel come back to: names and nouns that several of them said, never a number or a verb."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from memoryhub.language import content, stem, telling
from memoryhub.language.calendar import MONTHS, NUMBERS, UNITS, WEEKDAYS
from memoryhub.language.grammar import is_past
from memoryhub.language.word_lists import listed
from notes.writing.key_sentences import Sentence
from notes.writing.titles import BEFORE_NOUN, BEFORE_VERB, SAYS_LITTLE

SHORTEST, SHORT_FORM = 3, 4  # letters: fewer are no word, more in capitals alone are shouted
PAUSE = timedelta(minutes=25)  # after which another talk begins
SEVERAL = 2  # people, and talks
_ARTICLES = listed(
    """el la los las un una mi tu su der die das den dem des ein eine einen einem mein meine le les une mon ma mes o os
    as um uma meu minha il lo gli"""
)
_DETERMINERS = _ARTICLES | listed("a an the my our your his her their this that these those some any no each every")
_BEFORE_NOUN = BEFORE_NOUN | _ARTICLES
_AMOUNTS = listed(
    """thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
    ninety everybody everyone nobody somebody anybody half quarter third double triple dozen hundred thousand
    million percent first second third halb hälfte hundert tausend medio mitad cien mil moitié demi cent mille
    meio metade cem euro euros dollar dollars pounds"""
)
_NO_MATTER = frozenset({*NUMBERS, *MONTHS, *WEEKDAYS, *UNITS, *_AMOUNTS})
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[.,;:!?()\"“”]")
_ENDS = frozenset(".!?:")


def shared_matters(
    spoken: Sequence[Sentence], people: Iterable[str], *, limit: int, several_talks: bool = False
) -> list[str]:
    """Return what several people spoke of, first what most did in most talks: of who speaks alone, what they spoke of.

    With `several_talks` it came back in another talk, too, if there was one.
    """
    sure = [sentence for sentence in spoken if not sentence.doubted]
    places = [(sentence.line.author, talk) for sentence, talk in zip(sure, _talks(sure), strict=True)]
    authors, talks = len({author for author, _ in places}), len({talk for _, talk in places})
    wanted = min(SEVERAL, authors), min(SEVERAL if several_talks else 1, talks)
    taboo = {word for name in people for word in content(name)}
    found = list[tuple[int, int, str]]()
    for noun in _nouns([sentence.text for sentence in sure], taboo):
        spread = _spread([places[at] for at in noun.said])
        if all(map(int.__ge__, spread, wanted)):
            pairs = ((pair, _spread([places[at] for at in said])) for pair, said in noun.pairs.items())
            name = next((pair for pair, much in pairs if all(map(int.__ge__, much, wanted))), noun.name)
            found.append((-spread[0] * spread[1], -len(noun.said), name))
    kept, taken = list[str](), set[str]()
    for *_, name in sorted(found):
        if taken.isdisjoint(words := set(name.lower().split())):
            kept.append(name)
            taken |= words
    return kept[:limit]


def _spread(said: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return how many people said it, and in how many talks."""
    return len({author for author, _ in said}), len({talk for _, talk in said})


def _talks(spoken: Sequence[Sentence]) -> list[int]:
    """Return the number of the talk in which each sentence was said."""
    numbers, number = list[int](), 0
    for at, sentence in enumerate(spoken):
        number += bool(at and sentence.line.after(spoken[at - 1].line) > PAUSE)
        numbers.append(number)
    return numbers


# --- Nouns, without a parser -------------------------------------------------------------------------------------


@dataclass
class _Noun:
    """A word, in which texts it stands, alone and with the word before it, and how surely it is a noun."""

    said: list[int] = field(default_factory=list)
    pairs: dict[str, list[int]] = field(default_factory=dict)
    forms: Counter[str] = field(default_factory=Counter)
    surely: int = 0
    articled: bool = False

    @property
    def name(self) -> str:
        """Return the form in which it is said most; with its capital, where it takes no article as names don't."""
        names = [form for form in self.forms if form[:1].isupper()]
        if names and not self.articled:
            return names[0]
        return max(self.forms, key=lambda form: (self.forms[form], form))


def _nouns(texts: Sequence[str], taboo: set[str]) -> list[_Noun]:
    """Return the words that stand where a noun does, or are names, more often than where a verb does."""
    nouns: dict[str, _Noun] = defaultdict(_Noun)
    for number, text in enumerate(texts):
        words = [word.removesuffix("'s") for word in _WORD.findall(text.replace("’", "'"))]
        lows = [word.lower() for word in words]
        for at, (word, low) in enumerate(zip(words, lows, strict=True)):
            if not _may_be_noun(low, taboo):
                continue
            before = lows[at - 1] if at else ""
            opens = not at or words[at - 1] in _ENDS
            named = word[:1].isupper() and not opens and not (word.isupper() and len(word) > SHORT_FORM)
            noun = nouns[stem(low)]
            noun.said.append(number)
            noun.forms[word if named else low] += 1
            if named or (before in _BEFORE_NOUN and _is_last(lows[at + 1 : at + 2])):
                noun.surely += 1
            elif before in BEFORE_VERB:
                noun.surely -= 1
            noun.articled |= before in _DETERMINERS
            if before not in _BEFORE_NOUN and _may_be_noun(before, taboo):
                noun.pairs.setdefault(f"{before} {low}", []).append(number)
    return [noun for noun in nouns.values() if noun.surely > 0]


def _may_be_noun(low: str, taboo: set[str]) -> bool:
    """Whether a word says anything of a matter, and is no number, day or name of who is there."""
    if len(low) < SHORTEST or not low[0].isalpha() or not telling([low]) or low in SAYS_LITTLE:
        return False
    amount = {low, low.removesuffix("s")} & _NO_MATTER
    return not amount and not is_past(low) and not any(name.startswith(low) for name in taboo)


def _is_last(after: Sequence[str]) -> bool:
    """Whether nothing follows that the word may only describe: "the blue posters", "the blue one"."""
    if not after or not after[0][0].isalnum():
        return True
    return after[0] not in NUMBERS and after[0] != "ones" and (not telling(after) or after[0] in SAYS_LITTLE)
