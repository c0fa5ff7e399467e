"""Which sentences of chat state no fact: asked, supposed, wished, joked, quoted, told of others, dreamt."""

from __future__ import annotations

import re

from memoryhub.language.word_lists import listed, spoken

# One mark anywhere makes the whole message doubtful: it says that none of it is meant.
_JOKE_WORDS = listed(
    "jk kidding joking ooc rp roleplay copypasta sarcasm sarc s j meme lol fools jan right ever dreams not"
)
_JOKE = re.compile(
    r"(?:^|\s)/(?:s|j|jk|sarc|sarcasm|lh)(?=\s|$|[.!])|\b(?:jk|j/k|just kidding|i'?m kidding|just joking|i'?m joking"
    r"|said no one ever|yeah,? right|sure,? jan|in my dreams|april fools?|rp|ooc|roleplay|as a joke|for the meme"
    r"|copypasta)\b|\bnot!\s*$",
    re.IGNORECASE,
)
_JOKE_FACES = re.compile(r"[🙄🤡😜🤪]|¯\\_")
_ACTED = re.compile(r"^\s*[*_][^*_]{2,80}[*_]\s*$")  # *walks into the tavern*
_COMMAND = re.compile(r"\s*(?:[!/$.;?][a-z]\w*|<@[!&]?\d+>\s*(?:play|skip|help)\b)", re.IGNORECASE)
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)

_BY_WORD = {
    word: reason
    for reason, words in (
        ("supposed", "if unless whether suppose supposing imagine pretend hypothetically would wouldn't would've"),
        ("supposed", "could could've should should've might maybe perhaps possibly probably almost nearly"),
        ("supposed", "doubt i'd we'd"),
        ("wished", "wish wishing hope hopefully tempted"),
        ("reported", "apparently rumour rumor rumors rumours allegedly supposedly"),
        ("dreamt", "dreamt dreamed nightmare in-game"),
        ("quoted", "lyrics lyric quote"),
        ("exaggerated", "gazillion deceased"),
    )
    for word in words.split()
}  # fmt: skip
_ASKING = listed("do does did is are was were can could should would will who what where why how which has")
_ASKING_PAIRS = re.compile(r"(?:when|have|had)\s+(?:you|do|did|is|are|was|were|will|can|does|has)\b", re.IGNORECASE)
_PHRASES: tuple[tuple[str, frozenset[str], re.Pattern[str]], ...] = tuple(
    (reason, listed(triggers), re.compile(pattern, re.IGNORECASE))
    for reason, triggers, pattern in (
        (
            "supposed",
            "supposed feels feel felt like as sure guess bet",
            r"\b(?:supposed to be|feels? like i|felt like i|like i'?m|as if|as though|not sure|i guess|i bet)\b",
        ),
        (
            "supposed",
            "may",
            r"(?<!\bin )(?<!\blast )(?<!\bnext )(?<!\bsince )(?<!\bof )(?<!\bby )(?<!\bthis )(?<!\buntil )"
r"(?<!\d )(?<!\bearly )(?<!\blate )"
            r"\bmay\b(?! \d)",
        ),
        ("supposed", "what theory case", r"\b(?:what if|in theory|in case)\b"),
        ("wished", "only fingers dying kinda", r"\b(?:if only|fingers crossed|dying to|kinda want)\b"),
        (
            "quoted",
            "saying line movie film book song game show",
            r"\b(?:as the saying goes|the line goes|in the (?:movie|film|book|song|game|show),? (?:he|she|they|i))\b",
        ),
        (
            "reported",
            "says say said told tells thinks thought claims claimed asked asks saying",
            r"\b(?:he|she|they|my \w+|people|someone|everyone|somebody|everybody|(?-i:[A-Z]\w+)) (?:says?|said|told"
            r"|tells|thinks?|thought|claims?|claimed|asked|asks|keeps? saying)\b",
        ),
        ("reported", "heard read told", r"\b(?:heard that|i heard|i read that|i was told)\b"),
        ("dreamt", "dream character sim as", r"\bin (?:my|a) dream\b|\bmy (?:character|sim)\b|\bhad a dream\b"
         r"|\bas a (?:wizard|bard|paladin|rogue|cleric)\b"),
        (
            "exaggerated",
            "literally dead dying screaming crying trash million billion millionth mess broken done kill",
            r"\bliterally (?:dead|dying|died)\b|\bi'?m (?:dead|dying|screaming|crying|a mess|trash|broken|so done)\b"
            r"|\bkill me\b|\ba (?:million|billion) \w+|\bfor the (?:million|billion)th\b",
        ),
    )
)  # fmt: skip
_ALL_QUOTED = re.compile(r"[\"“'‘«].*[\"”'’»][.!?]*$")


def without_quotes(text: str) -> str:
    """Return a message without the lines it quotes from others."""
    return _QUOTED_LINE.sub(" ", text) if ">" in text else text


def joking(message: str) -> bool:
    """Say if the message marks itself as not meant: a joke, an acted scene, a command to a bot."""
    if _COMMAND.match(message) or _ACTED.match(message) or _JOKE_FACES.search(message):
        return True
    return not _JOKE_WORDS.isdisjoint(spoken(message)) and bool(_JOKE.search(message))


def doubt(sentence: str) -> str | None:
    """Return why the sentence states nothing to keep ("question", "supposed", ...), None when it seems to."""
    if "even if" in sentence:  # concedes, and supposes nothing
        sentence = sentence.replace("even if", "although")
    words = spoken(sentence)
    first = sentence.split(maxsplit=1)[0].lower().strip(",.!") if sentence.split() else ""
    if "?" in sentence or first in _ASKING or _ASKING_PAIRS.match(sentence):
        return "question"
    if _ALL_QUOTED.match(sentence):
        return "quoted"
    known = words & _BY_WORD.keys()
    if known:
        return _BY_WORD[min(known)]
    return next(
        (reason for reason, few, pattern in _PHRASES if not few.isdisjoint(words) and pattern.search(sentence)), None
    )
