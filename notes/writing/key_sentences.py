"""Finds the sentences that carry a conversation, by TF-IDF centrality."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memoryhub.ai.chat_fence import Line
from memoryhub.community.labels import LABEL_CHARS, plain_name
from memoryhub.language import assertion_filter, content, sentences, stem, word_lists
from memoryhub.language.chat_marks import DISCORD_MARK, FENCED_CODE, LINK
from memoryhub.language.clip import clip, flat
from memoryhub.safety import carries_instruction, carries_secret
from notes.writing.note_safety import is_order

CHATTER = word_lists.load(Path(__file__).with_name("chat_words.txt"))["chatter"]
SAME = 0.6
QUESTION_WEIGHT = 0.3
# What weighs in English: telling of oneself, reacting to another, bringing news, making talk, naming somebody.
_MANNER = (
    (1.8, re.compile(r"\b(?:I|I['’](?:m|ve|ll|d)|my|we|we['’](?:re|ve|ll)|our)\b", re.IGNORECASE)),
    (0.5, re.compile(r"\b(?:you|your|you['’](?:re|ve|ll|d)|u|ur)\b", re.IGNORECASE)),
    (
        1.6,
        re.compile(
            r"\b(?:I|we|my)\b.*\b(?:\w+ed|went|got|bought|won|met|made|took|saw|had|found|lost|gave|wrote|been)\b"
        ),
    ),
    (2.0, re.compile(r"\b(?:gonna|plan(?:ning)?|will|tomorrow|next|last|yesterday|ago|recently|week(?:end)?|month)\b")),
    (
        0.2,
        re.compile(
            r"\b(?:since|last time) (?:we|our|I)\b.*\b(?:talk|chat|sp[eo]ke|saw)|\bbusy (?:day|week|month)",
            re.IGNORECASE,
        ),
    ),
    (2.5, re.compile(r"(?<=\w )[A-Z][a-z]+|\d")),
)
FULL_LENGTH = 5
LEAST_TERMS = 3
CLAUSE_CHARS = 200
# Longer ones are pasted walls of text; patterns that look ahead would take a time that grows with the square.
SENTENCE_CHARS = 400
_INTERJECTIONS = (
    "wow|hey|hi|hello|yo|oh|ah|aw+|haha+|lol|yeah|yep|yup|yes|sure|ok|okay|well|so|btw|also|and|but|thanks|thank you"
    "|totally|definitely|absolutely|exactly|cool|nice|great|awesome|congrats|anyway|honestly|actually|true"
    "|sorry|heads up|fyi|psa|good luck|happy new year"
    r"|good (?:morning|evening|night)(?: \w+(?=[,!.]))?"
)  # never "no" or "not": without it, what was denied would be told as said
# "Thanks for asking" goes whole, "thanks for the map" stays whole.
_THANKED = r"(?:thanks|thank you)(?: so much| a lot)? for (?:asking|sharing|the (?:help|tips?|info|support))(?=[,!.])"
_NEWS = r"(?:I(?:['’]ve| have) )?(?:(?:some|big|great|good|bad|small) )*news(?: from me)?(?=\s*[:,])"
# "Great that it works" and "thanks to Bob" hang together, "ok that works" does not.
_HOLDS = r"(?:cool|nice|great|awesome|sorry|thanks|thank you|so) (?:that(?!['’])|to|about)\b"
_OPENING = re.compile(
    rf"^(?:(?:{_THANKED}|{_NEWS}|(?!{_HOLDS})(?:{_INTERJECTIONS})\b(?! for\b)(?-i: [A-Z]\w+(?=[,!.:]))?)"
    r"[,!.: ]+(?:[-–] )?)+(?=\w)",
    re.IGNORECASE,
)

_OF_ONESELF = re.compile(r"\b(?:I|I['’]\w+|im|ive|me|we|we['’]\w+|us)\b", re.IGNORECASE)
_OF_ANOTHER = re.compile(r"\b(?i:he|she|mrs?|ms|miss|my|our|his|her|their)\b|(?<=[a-z] )[A-Z][a-z]+")
_WORDS = re.compile(r"\w")
_COMMAND = re.compile(r"^\s*(?:[!/?;$.+&-][A-Za-z]{2,}|\$ \S|>>> )")
_CUT = re.compile(
    rf"{FENCED_CODE}|\|\|.*?\|\||{LINK}|{DISCORD_MARK}"
    r"|(?<![\w:])(?::\w+:)+(?![\w:])|[*~`]+|(?m:^>.*$)"
    r"|\[(?:image|photo|video|gif|sticker|file|attachment|voice)\b[^\]]{0,300}\]",
    re.IGNORECASE | re.DOTALL,
)
_LINKED = re.compile(r"\[([^\]\n]{1,200})\]\([^\s)]+\)")
_VERB = "do|does|did|are|is|was|were|can|could|should|would|will"
_WHO = "I|you|we|they|he|she|it|there|any(?:one|body)|some(?:one|body)"
_ASKS = re.compile(  # as a chat asks without a mark: "Bo did you eat the cake"
    rf"(?:(?:{_VERB}|have|has)|(?!so\b|neither\b|nor\b|as\b)\w+,? (?:do|does|did)) (?:{_WHO})\b"
    r"|(?:is|are|was|were) (?:this|that|these|those)\b"
    rf"|(?:\w+,? )?(?:who|what|where|when|why|how|which) (?:{_VERB})\b|(?:who|where|why) \w+s\b"
    r"|who (?:left|took|wrote|made|broke|ate|won|got|brought|said|sent|had|else|wants?|survived|wanna)\b"
    r"|(?:what|where|who)['’]?s (?:the|your|her|his|its|their|my|our|this|that)\b(?!.*\b(?:is|was)\b)"
    r"|(?:can|could|will|would|should) (?:the|my|your|our)\b|can (?!always\b|sometimes\b)\w{3,}[^su]s \w"
    r"|any(?:one|body) (?:knows?|wanna|wants?|here|up for|else|got|have|seen)\b|(?:what|who) (?:about|of)\b",
    re.IGNORECASE,
)
Vector = dict[str, float]


@dataclass(frozen=True)
class Sentence:
    """One sentence of a message and how much of the conversation it carries."""

    line: Line
    text: str
    terms: tuple[str, ...]
    of_another: bool = False  # what stands before it in its message is: without a subject it may go on about them
    doubted: bool = False  # a joke, an "if" or hearsay: it may answer a question, and is told by no note

    @property
    def asks(self) -> bool:
        """Whether it is a question."""
        return self.text.rstrip("!. )\"'").endswith(("?", "？")) or bool(not self.doubted and _ASKS.match(self.text))


def shown_name(name: str) -> str:
    """Return a member's label as a note shows it: on one line, unable to close a fence, and never an order."""
    return "a member" if carries_instruction(name) else clip(flat(name), LABEL_CHARS)


def terms(text: str) -> list[str]:
    """Return the stems of the words that say what a text is about."""
    return [stem(word) for word in content(text) if word not in CHATTER]


def spoken_sentences(lines: Sequence[Line]) -> list[Sentence]:
    """Return every sentence that is not noise, in order."""
    names, found = {plain_name(line.name).lower() for line in lines}, []
    for line in lines:
        text, joke = spoken(line.text), assertion_filter.is_joke(line.text)
        first, mark, rest = text.partition(" ")
        if mark and first[-1] in ":," and first[:-1].lstrip("@").lower() in names:  # addressed, as in `Bob: yes`
            text = rest
        short = [clip(sentence, SENTENCE_CHARS) for sentence in sentences(text) if _WORDS.search(sentence)]
        of_another = False
        for sentence in short:
            if not is_order(sentence):
                part = _told(sentence)
                told = part or sentence
                doubted = joke or not part
                found.append(Sentence(line, told, tuple(terms(told)), of_another=of_another, doubted=doubted))
            of_another = not _OF_ONESELF.search(sentence) and (of_another or bool(_OF_ANOTHER.search(sentence)))
    return found


def _told(sentence: str) -> str:
    """Return what of a sentence a note may tell: a question, or what it states; not a joke, an "if" or hearsay."""
    return sentence if assertion_filter.doubt(sentence) == "question" else assertion_filter.stated(sentence)


def spoken(text: str) -> str:
    """Return what a person said in a message: no links, code, quotes, emoji codes or spoilers.

    Empty for a bot's command, a secret and an order to a model.
    """
    words = " ".join(_CUT.sub(" ", _LINKED.sub(r"\1", text)).split())
    return "" if carries_instruction(text) or carries_secret(words) or _COMMAND.match(text) else words


def opening_cut(text: str) -> str:
    """Return a sentence without the interjections that it opens with."""
    return _OPENING.sub("", text)


def opened(text: str) -> str:
    """Return a sentence without the interjections that it opens with, and with a capital."""
    rest = opening_cut(text)
    return rest[:1].upper() + rest[1:]


def clause(text: str) -> str:
    """Return a sentence without the interjections that it opens with, at most 200 characters, with an end mark."""
    return ended(opened(text))


def ended(text: str) -> str:
    """Return a sentence of at most 200 characters, with an end mark."""
    rest = clip(text, CLAUSE_CHARS)
    return rest if rest.endswith((".", "!", "?", "…", "。", "！", "？")) else f"{rest}."


def vectors(documents: Sequence[Sequence[str]]) -> list[Vector]:
    """Return a TF-IDF vector of length 1 for each document; an empty one where it has no terms."""
    spread = Counter(term for document in documents for term in set(document))
    weight = {term: math.log(1 + len(documents) / count) for term, count in spread.items()}
    found = []
    for document in documents:
        vector = {term: n * weight[term] for term, n in Counter(document).items()}
        length = math.sqrt(sum(value * value for value in vector.values()))
        found.append({term: value / length for term, value in vector.items()} if length else {})
    return found


def cosine(one: Vector, other: Vector) -> float:
    """Return how alike two vectors of length 1 are, from 0 to 1."""
    small, large = sorted((one, other), key=len)
    return sum(value * large.get(term, 0.0) for term, value in small.items())


def central(found: Sequence[Sentence], limit: int) -> list[Sentence]:
    """Return at most `limit` sentences that carry the talk, as `weightiest` does, in the order they were said."""
    return sorted(weightiest(found, limit), key=found.index)


def weightiest(found: Sequence[Sentence], limit: int, *, least: int = LEAST_TERMS) -> list[Sentence]:
    """Return at most `limit` sentences that are closest to all the others, no two alike, best first.

    A short sentence, a question and talk about talking are worth less; telling of oneself and bringing news more.
    """
    weights = vectors([sentence.terms for sentence in found])
    scores = worths(found, weights, least=least)
    kept: list[int] = []
    for index in sorted(range(len(found)), key=lambda i: (-scores[i], i)):
        if len(kept) == limit or not scores[index]:
            break
        if all(cosine(weights[index], weights[other]) < SAME for other in kept):
            kept.append(index)
    return [found[index] for index in kept]


def worths(
    found: Sequence[Sentence], weights: Sequence[Vector], *, least: int = LEAST_TERMS, newest_first: bool = False
) -> list[float]:
    """Return how much of the talk each sentence carries, 0 where it has fewer than `least` terms or is doubted.

    `weights` are the sentences' vectors; with `newest_first` the first ones count half.
    """
    middle: Counter[str] = Counter()
    for vector in weights:
        middle.update(vector)
    scores = [0.0] * len(found)
    for at, (sentence, vector) in enumerate(zip(found, weights, strict=True)):
        if len(sentence.terms) >= least and not sentence.doubted:
            closeness = sum(value * middle[term] for term, value in vector.items())
            length = min(1.0, len(sentence.terms) / FULL_LENGTH)
            manner = math.prod(weight for weight, pattern in _MANNER if pattern.search(sentence.text))
            scores[at] = math.sqrt(closeness) * length * manner * (QUESTION_WEIGHT if sentence.asks else 1)
    return [score * (1 + at / len(found)) / 2 for at, score in enumerate(scores)] if newest_first else scores
