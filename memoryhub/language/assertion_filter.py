"""What of a chat sentence states something: not what is asked, supposed, wished, joked, quoted, told of others."""

from __future__ import annotations

import re

from memoryhub.language.word_lists import Shapes, listed, pattern, spoken

_SHAPES = Shapes(__file__)
_JOKING, _ASKING = _SHAPES.words("joking"), _SHAPES.words("asking")
_REASONS = ("supposed", "wished", "reported", "dreamt", "quoted", "exaggerated")
_REASON_BY_WORD = {word: reason for reason in _REASONS for word in _SHAPES.words(reason)}
_ROWS = [re.split(": |=> ", row, maxsplit=2) for row in _SHAPES.rows["phrases"]]
_OF_A_CLAUSE = frozenset({"supposed", "wished", "reported"})  # the other reasons cast doubt on the whole sentence
OPENING, LEAST_STATED = 3, 3  # words: of a clause, by which it is doubtful; of a statement before it
_PHRASES = [(reason, listed(triggers), pattern(phrase)) for reason, triggers, phrase in _ROWS]


def without_quotes(text: str) -> str:
    """Return a message without the lines it quotes from others, and without what it puts in somebody's mouth."""
    plain = _SHAPES["quoted_line"].sub(" ", text) if ">" in text else text
    return _SHAPES["quoted_speech"].sub(" ", plain) if _SHAPES["quote_mark"].search(plain) else plain


def is_joke(message: str) -> bool:
    """Say if the message marks itself as not meant: a joke, an acted scene, an advertisement, a command to a bot."""
    if _SHAPES["command"].match(message) or _SHAPES["acted"].match(message) or _SHAPES["joke_faces"].search(message):
        return True
    if _SHAPES["advert"].search(message):
        return True
    return not _JOKING.isdisjoint(spoken(message)) and bool(_SHAPES["joke"].search(message))


def doubt(sentence: str) -> str | None:
    """Return why the sentence states nothing to keep ("question", "supposed", ...), None when it seems to."""
    if "even if" in sentence:  # concedes, and supposes nothing
        sentence = sentence.replace("even if", "although")
    words = spoken(sentence)
    first = sentence.split(maxsplit=1)[0].lower().strip(",.!") if sentence.split() else ""
    if "?" in sentence or first in _ASKING or _SHAPES["asking_pairs"].match(sentence):
        return "question"
    if _SHAPES["asking_tail"].search(sentence):
        return "question"
    if _SHAPES["all_quoted"].match(sentence):
        return "quoted"
    known = words & _REASON_BY_WORD.keys()
    if known:
        return _REASON_BY_WORD[min(known)]
    return next(
        (reason for reason, few, phrase in _PHRASES if not few.isdisjoint(words) and phrase.search(sentence)), None
    )


def stated(sentence: str) -> str:
    """Return the part of a sentence that states something: what stands before or after a doubtful clause, or nothing.

    "I live in Oslo, but I might move" states where one lives, "I'd come but I work nights" when one works; "I had a dog
    and a cat, I wish" and "If I win, I move to Rome" state nothing.
    """
    reason = doubt(sentence)
    if reason is None:
        return sentence
    if after := _stated_after_doubt(sentence):
        return after
    if reason not in _OF_A_CLAUSE:
        return ""
    for joint in _SHAPES["joint"].finditer(sentence):
        head, opening = sentence[: joint.start()], " ".join(sentence[joint.end() :].split()[:OPENING])
        if doubt(head):
            break
        if doubt(opening) in _OF_A_CLAUSE:
            turned = _SHAPES["turned"].search(opening) or len(head.split()) < LEAST_STATED
            return "" if turned else f"{head.rstrip(' ,;')}."
    return ""


def _stated_after_doubt(sentence: str) -> str:
    """Return what somebody says of themselves after a clause that is doubtful by itself, and is no condition of it."""
    for joint in _SHAPES["own_clause"].finditer(sentence):
        head, rest = sentence[: joint.start()], sentence[joint.end() :]
        if _SHAPES["doubtful_alone"].match(head) and not _SHAPES["condition"].search(head) and doubt(rest) is None:
            return rest
    return ""
