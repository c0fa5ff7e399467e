"""Which sentences of chat state no fact: asked, supposed, wished, joked, quoted, told of others, dreamt."""

from __future__ import annotations

import re
from pathlib import Path

from memoryhub.language.word_lists import listed, load, pattern, rows, spoken

_LISTS = load(Path(__file__).with_suffix(".txt"))
_REASONS = ("supposed", "wished", "reported", "dreamt", "quoted", "exaggerated")
_REASON_BY_WORD = {word: reason for reason in _REASONS for word in _LISTS[reason]}
_ROWS = [re.split(": |=> ", row, maxsplit=2) for row in rows(Path(__file__).with_suffix(".txt"))["phrases"]]
_PHRASES = [(reason, listed(triggers), pattern(phrase)) for reason, triggers, phrase in _ROWS]
# One mark anywhere makes the whole message doubtful: it says that none of it is meant.
_JOKE = pattern(
    r"(?:^|\s)/(?:s|j|jk|sarc|sarcasm|lh)(?=\s|$|[.!])|\b(?:jk|j/k|just kidding|i'?m kidding|just joking|i'?m joking"
    r"|said no one ever|yeah,? right|sure,? jan|in my dreams|april fools?|rp|ooc|roleplay|as a joke|for the meme"
    r"|copypasta)\b|\bnot!\s*$"
)
_JOKE_FACES = re.compile(r"[🙄🤡😜🤪]|¯\\_")
_ACTED = re.compile(r"^\s*[*_][^*_]{2,80}[*_]\s*$")  # *walks into the tavern*
_COMMAND = pattern(r"\s*(?:[!/$.;?][a-z]\w*|<@[!&]?\d+>\s*(?:play|skip|help)\b)")
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)
_ASKING_PAIRS = pattern(r"(?:when|have|had)\s+(?:you|do|did|is|are|was|were|will|can|does|has)\b")
_ALL_QUOTED = re.compile(r"[\"“'‘«].*[\"”'’»][.!?]*$")


def without_quotes(text: str) -> str:
    """Return a message without the lines it quotes from others."""
    return _QUOTED_LINE.sub(" ", text) if ">" in text else text


def is_joke(message: str) -> bool:
    """Say if the message marks itself as not meant: a joke, an acted scene, a command to a bot."""
    if _COMMAND.match(message) or _ACTED.match(message) or _JOKE_FACES.search(message):
        return True
    return not _LISTS["joking"].isdisjoint(spoken(message)) and bool(_JOKE.search(message))


def doubt(sentence: str) -> str | None:
    """Return why the sentence states nothing to keep ("question", "supposed", ...), None when it seems to."""
    if "even if" in sentence:  # concedes, and supposes nothing
        sentence = sentence.replace("even if", "although")
    words = spoken(sentence)
    first = sentence.split(maxsplit=1)[0].lower().strip(",.!") if sentence.split() else ""
    if "?" in sentence or first in _LISTS["asking"] or _ASKING_PAIRS.match(sentence):
        return "question"
    if _ALL_QUOTED.match(sentence):
        return "quoted"
    known = words & _REASON_BY_WORD.keys()
    if known:
        return _REASON_BY_WORD[min(known)]
    return next(
        (reason for reason, few, phrase in _PHRASES if not few.isdisjoint(words) and phrase.search(sentence)), None
    )
