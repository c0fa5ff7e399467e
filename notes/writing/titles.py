"""Names a conversation after its people and the matters that come back in it: names, nouns and pairs of words."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from memoryhub.language import content, stem, word_lists
from memoryhub.language.clip import clip, flat, listing
from notes.writing.key_sentences import LEAST_TERMS, Sentence, terms
from notes.writing.schemas import TITLE_CHARS

_LISTS = word_lists.load(Path(__file__).with_name("chat_words.txt"))
BEFORE_NOUN, BEFORE_VERB = _LISTS["before a noun"], _LISTS["before a verb"]
SAYS_LITTLE = _LISTS["chatter"] | _LISTS["not a matter"]
NAME_WEIGHT = 1.5
PAIR_WEIGHT = 1.5
NOUN_WEIGHT = 1.0
# What may as well be a verb, an adjective or the capital of a sentence.
DOUBT = 0.4
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:st|nd|rd|th)?")
_BREAK = re.compile(r"[.!?,;:()\"“”…。！？、，\n]+|\s[-–—]\s")
_CAPITAL = r"[A-Z][\w'’-]*\w"
_LONG_NAME = re.compile(rf"\b{_CAPITAL}(?:(?: of| of the| de| la| von| van)? {_CAPITAL})+")

HEADLINE_CHARS, HEADLINE_LEAST = 72, 14
_CLAUSE_ENDS = re.compile(r"(?<=\w)(?:[,;:]| [-–—]| \((?!@)| (?:and|but|so|because|since|which|while|although)(?= ))")
# What it speaks of was said before: by itself it tells nobody anything.
_DANGLES = re.compile(
    r"\byou(?:r|rs|['’]\w+)?\b"
    r"|\b(?:it|that|this|these|those|them|one|ones|there)(?:['’]\w+)?$"
    r"|(?::| said) (?:it|that|this|those|he|she|yes|no)\b",
    re.IGNORECASE,
)
# What only answers somebody, goes on from them, quotes or counts: read by itself it says too little.
_LEANS = re.compile(
    r"(?:I|we) (?:(?:can|could|did|do|does|have|had|will|would|was|am|are)(?:n['’]t)?|know|see|agree|pass)[,.;]"
    r"|(?:and|but|because|since then|even|unless|not|too|also|both|neither|either|same|another|next to|then)\b"
    r"|(?:he|she|they|it|him|her|them|his|hers|its|their|that|this|these|those)(?:['’]\w+)?\b"
    r"|(?:row )?\d[\d.]*[,:)]|[^\w@#]",
    re.IGNORECASE,
)
_ANOTHER = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)
_NAMED = re.compile(r"(?<!^)\b(?!I\b)[A-Z]\w+|\b(?:a|an|my|our|your|the|another|new) [a-z]")
_PLACED = re.compile(r"\b(?:I|we)\b.* (?:in|to|at|from|for|with) [A-Z]")
_SAID = re.compile(r"^(?P<name>\S(?:[^:\n]{0,80}?\S)?) said: (?=\S)")
# "We are moving @Alice" calls her; "with @Alice" names her.
_CALLED = re.compile(r"(?<! with)(?<! for)(?<! to)(?<! by)(?<! of)(?<! from)(?<! and)(?<!:)\s+@[\w.'’-]+$")
_AT = re.compile(r"(?<!\()@")  # not of "Alex (@alex_w)", which tells two of one name apart
_QUOTES = re.compile(r"(?!Decided)[^:\n]{1,80}(?P<own>: )|\S+(?: \S+)? said ")
MATTERS = 3
# A word of the note itself counts more than one that the note leaves out.
KEPT_WEIGHT = 1.5
ENOUGH = 1.8
LEAST = 0.8
FILLED = 2
CROWD = 6  # people; the names of two of more tell no talk from another


def says_enough(sentence: Sentence) -> bool:
    """Tell whether a sentence may be a title: one of few words only where it says where, or with whom, somebody is."""
    return len(sentence.terms) >= LEAST_TERMS or bool(_PLACED.search(sentence.text))


def stands_alone(sentence: str) -> bool:
    """Tell whether a sentence, as it was said, can be understood by who has not read what stands before it."""
    who = _ANOTHER.search(sentence)
    return not _LEANS.match(sentence) and (not who or bool(_NAMED.search(sentence[: who.start()])))


def headline(statements: Iterable[str]) -> str:
    """Return the first statement that says something by itself, short enough for a title; "" where none does.

    A statement is a sentence as a note tells it, with who it is about; what somebody did comes before what they said.
    It is cut where a clause ends.
    """
    plain = (_SAID.sub(r"\g<name>: ", flat(each)).rstrip(" .!") for each in statements)
    found = [_AT.sub("", _CALLED.sub("", text)) for text in plain]
    for text in sorted(found, key=lambda text: _QUOTES.match(text) is not None):
        name = _QUOTES.match(text)
        least = HEADLINE_LEAST + (name.end() if name else 0)
        if len(text) > HEADLINE_CHARS:
            ends = [match.start() for match in _CLAUSE_ENDS.finditer(text, least, HEADLINE_CHARS + 1)]
            text = text[: ends[-1]] if ends else clip(text, HEADLINE_CHARS)
        if len(text) >= least and (text.startswith("Decided: ") or not _DANGLES.search(text)):
            at = name.end() if name and name["own"] else 0
            return f"{text[:at]}{text[at:][:1].upper()}{text[at + 1 :]}"
    return ""


def title(texts: Sequence[str], people: Iterable[str], *, kept: Sequence[str] = (), channel: str = "") -> str:
    """Return at most 80 characters: the people and up to three matters; the channel where nothing comes back.

    More people than a crowd are not named where there is a matter.
    """
    names = list(people)
    matters = topics(texts, names, limit=MATTERS, kept=kept)
    if matters and len(names) > CROWD:
        text = ", ".join(matters)
        return clip(text[:1].upper() + text[1:], TITLE_CHARS)
    who = listing(names, limit=3)
    for many in range(len(matters), 0, -1):
        whole = ": ".join(filter(None, [who, ", ".join(matters[:many])]))
        if len(whole) <= TITLE_CHARS:
            return whole
    what = f"a short talk in {channel}" if channel else "a short talk"
    return clip(": ".join(filter(None, [who, *(matters[:1] or [what])])), TITLE_CHARS)


def topics(texts: Sequence[str], people: Iterable[str], *, limit: int, kept: Sequence[str] = ()) -> list[str]:
    """Return the names, word pairs and nouns that come back in the texts, the most telling first."""
    taboo = {word for name in people for word in content(name)}
    scores, forms = _scored(texts, taboo, kept=kept)
    # A pair of words that was said once is chance; a name may stand alone.
    ranked = [
        key
        for key in sorted(scores, key=lambda key: (-scores[key], key))
        if " " not in key or forms[key].total() > 1 or any(form.istitle() for form in forms[key])
    ]
    enough = [key for at, key in enumerate(ranked) if scores[key] >= (ENOUGH if at >= FILLED else LEAST)]
    return [max(forms[key], key=lambda form: (forms[key][form], form)) for key in _apart(enough, limit=limit)]


def _scored(
    texts: Sequence[str], taboo: set[str], *, kept: Sequence[str]
) -> tuple[dict[str, float], dict[str, Counter[str]]]:
    """Return by its key what each phrase is worth in all of the texts, and the forms in which it was said."""
    kept_keys = {phrase.key for text in kept for phrase in phrases(text, taboo)}
    scores: defaultdict[str, float] = defaultdict(float)
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for phrase in {phrase.key: phrase for phrase in phrases(text, taboo)}.values():
            scores[phrase.key] += phrase.weight * (KEPT_WEIGHT if phrase.key in kept_keys else 1)
            forms[phrase.key][phrase.text] += 1
    mentions = Counter(word for text in texts for word in set(terms(text)))
    for key in scores:
        scores[key] *= math.sqrt(min(mentions[word] for word in key.split()) or 1)
    return scores, forms


def _apart(keys: Sequence[str], *, limit: int) -> list[str]:
    """Return the first keys of which no two share a word; a longer phrase stands in for a word of it."""
    found: list[str] = []
    for key in keys:
        parts = set(key.split())
        if len(found) < limit and parts.isdisjoint(word for other in found for word in other.split()):
            found.append(next((other for other in keys if parts < set(other.split())), key))
    return found


# --- Phrases, without a parser -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Phrase:
    """What a talk may be about, and how sure a single mention makes us."""

    text: str
    weight: float

    @property
    def key(self) -> str:
        """Return what makes two forms of it one."""
        return " ".join(stem(word) for word in self.text.lower().replace("’", "'").removesuffix("'s").split())


def phrases(text: str, taboo: set[str]) -> Iterator[Phrase]:
    """Yield the phrases of a text; words of `taboo` (the people's own names) and words of small talk are none."""
    for part in _BREAK.split(text):
        for match in _LONG_NAME.finditer(part):
            words, opens = match[0].split(), match.start() == 0
            # The first word of a sentence has a capital anyway.
            drops_first = opens and (len(words) > 2 or not _is_telling(words[0], taboo))
            name = words[1:] if drops_first else words
            if taboo.isdisjoint(word.lower() for word in name) and _is_telling(name[-1], taboo):
                yield Phrase(" ".join(name), NAME_WEIGHT * (DOUBT if opens and not drops_first else 1))
        words = _WORD.findall(_LONG_NAME.sub(" , ", part))
        start = 0
        for telling, group in groupby(words, key=lambda word: _is_telling(word, taboo)):
            run = list(group)
            if telling:
                yield from _nouns(run, words[start - 1].lower() if start else "")
            start += len(run)


def _nouns(run: Sequence[str], before: str) -> Iterator[Phrase]:
    """Yield the last word of a run of telling words, and the pair that it ends with; `before` stands before the run."""
    words = list(run[1:] if before in BEFORE_VERB else run)
    while len(words) > 1 and words[-1].endswith(("ed", "ly")):
        words.pop()
    if not words:
        return
    sure = before in BEFORE_NOUN
    last = words[-1]
    if last[0].isupper() and (before or len(words) > 1):
        yield Phrase(last, NAME_WEIGHT)
    else:
        doubt = not sure and (len(words) == 1 or last.endswith(("ing", "ed")))
        yield Phrase(last.lower(), NOUN_WEIGHT * (DOUBT if doubt else 1))
    if len(words) > 1:
        first = words[-2] if before else words[-2].lower()
        yield Phrase(f"{first} {last}", PAIR_WEIGHT * (1 if sure else DOUBT))


def _is_telling(word: str, taboo: set[str]) -> bool:
    low = word.lower().replace("’", "'")
    if len(word) < 3 or _NUMBER.fullmatch(low) or not content(low):
        return False
    plain = low.removesuffix("'s")
    return not ({low, plain} & SAYS_LITTLE) and not any(name.startswith(plain) for name in taboo)
