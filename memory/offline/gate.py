"""Which sentences of chat are no statement of fact: asked, supposed, wished, joked, quoted, told of others, or passing."""

from __future__ import annotations

import re

_I = re.IGNORECASE

# One mark anywhere makes the whole message doubtful: it says that none of it is meant.
_JOKE = re.compile(
    r"(?:^|\s)/(?:s|j|jk|sarc|sarcasm|lh|srs\?)(?=\s|$|[.!])|\b(?:jk|j/k|just kidding|i'?m kidding"
    r"|kidding!*$|just joking|i'?m joking"
    r"|said no one ever|yeah,? right|sure,? jan|in my dreams|april fools?|rp|ooc|roleplay|as a joke"
    r"|for the meme|copypasta)\b"
    r"|[🙄🤡😜🤪]|¯\\_|\blol jk\b|\bnot!\s*$",
    _I,
)
_ACTED = re.compile(r"^\s*[*_][^*_]{2,80}[*_]\s*$")  # *walks into the tavern*
_COMMAND = re.compile(r"^\s*(?:[!/$.;?%&+~-][a-z]\w*|<@[!&]?\d+>\s*(?:play|skip|help)\b)", _I)
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)

_DOUBTS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (reason, re.compile(pattern, _I))
    for reason, pattern in (
        ("question", r"\?"),
        (
            "question",
            r"^(?:do|does|did|is|are|was|were|can|could|should|would|will|who|what|when|where|why|how|which"
            r"|have you|has)\b",
        ),
        (
            "supposed",
            r"\b(?:if|unless|whether|what if|suppose|supposing|imagine|pretend|hypothetically|in theory"
            r"|as though)\b",
        ),
        (
            "supposed",
            r"\b(?:would(?:n'?t)?|could(?:'?ve)|should(?:'?ve)?|might|may|maybe|perhaps|possibly|probably)\b"
            r"|\b(?:i|we|you|they|he|she|it)'d\b(?! (?:been|always|never))",
        ),
        (
            "supposed",
            r"\b(?:supposed to be|feels? like i|felt like i|like i'?m|as if|almost|nearly|not sure|i guess"
            r"|i bet|i doubt)\b",
        ),
        ("wished", r"\b(?:wish|wishing|if only|hope|hopefully|fingers crossed|dying to|kinda want|tempted)\b"),
        (
            "quoted",
            r"\b(?:lyrics?|quote|as the saying goes|the line goes|in the (?:movie|film|book|song|game"
            r"|show),? (?:he|she|they))\b|^[\"“'‘«].*[\"”'’»][.!?]*$",
        ),
        (
            "reported",
            r"\b(?:he|she|they|my \w+|people|someone|everyone|somebody|everybody|[A-Z]\w+) (?:says?|said|told"
            r"|tells|thinks?|thought|claims?|claimed|asked|asks|keeps? saying)\b(?! (?:me )?(?:yes|no)\b)",
        ),
        ("reported", r"\b(?:apparently|rumou?r|allegedly|supposedly|heard that|i heard|i read that|i was told)\b"),
        (
            "dreamt",
            r"\b(?:dream(?:t|ed)|nightmare|in my dream|in-?game|my character|my sim|as a (?:wizard|bard"
            r"|paladin|rogue|cleric))\b",
        ),
        (
            "exaggerated",
            r"\b(?:literally (?:dead|dying|died)|i'?m (?:dead|deceased|dying|screaming|crying|a mess|trash"
            r"|broken|so done)|kill me|a (?:million|billion|gazillion)|for the (?:millionth|billionth))\b",
        ),
    )
)


def without_quotes(text: str) -> str:
    """Return a message without the lines it quotes from others."""
    return _QUOTED_LINE.sub(" ", text)


def joking(message: str) -> bool:
    """Say if the message marks itself as not meant: a joke, an acted scene, a command to a bot."""
    return bool(_JOKE.search(message) or _ACTED.search(message) or _COMMAND.match(message))


def doubt(sentence: str) -> str | None:
    """Return why the sentence states nothing to keep ("question", "supposed", ...), None when it seems to."""
    return next((reason for reason, pattern in _DOUBTS if pattern.search(sentence)), None)
