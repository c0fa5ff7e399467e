"""Whether a message says what a fact claims: fair paraphrase in any language passes, a guess does not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryhub import language
from memoryhub.language.word_lists import listed

MIN_SHARE = 0.4  # of the words that carry the claim; seed 000 asked for 0.45

# A claim in the fact, and the words of a message that back it. Both as word starts.
_CLAIMS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(claim, re.IGNORECASE), re.compile(backing, re.IGNORECASE))
    for claim, backing in (
        (
            r"\b(?:loves|likes|enjoys|adores|prefers|fond of|fan of|favou?rite)\b",
            r"\b(?:lov|lik|enjoy|ador|prefer|fond|fan\b|favou?rit|fave|best|into\b|great|amazing|awesome"
            r"|obsess|addict|passion|delicious|yum|fun\b|crazy about|can't get enough|cool|beautiful|therap"
            r"|relax|happy|joy|"
            r"interest|excit|thrill|keen|good\b|nice|calm|sooth|fulfill|reward|perfect|wonderful|fantastic"
            r"|incredible|must-?see|recommend|special|value|appreciat|cherish|grateful|treasure|important"
            r"|always\b|every\b|glad|proud)|[❤♥😍🥰]|<3",
        ),
        (
            r"\b(?:hates?|dislikes?|despises?|loathes?|can't stand)\b",
            r"\b(?:hat|dislik|despis|loath|stand|not|n't|dont|cant|never|awful|terrible|gross|disgust|worst"
            r"|sick of|ugh|ew|annoy|boring|suck|nah|nope|no\b|allerg)",
        ),
        (
            r"\b(?:works (?:as|at|for|in)|is employed|has a job)\b",
            r"\b(?:work|job|i'?m\b|i am\b|as an?\b|at\b|for\b|shift|office|boss|career|hired|position|compan"
            r"|employ|colleague|coworker|client|my patients|gig|profession|intern|since)",
        ),
    )
)
# Words of the frame of a fact: they claim little of their own.
_FRAME = listed(
    """user member person they someone lives live living lived moved move works work working worked owns own has
    have having had named name called likes like loves love enjoys enjoy dislikes hates prefers prefer wants
    want goes go went gets got makes is was been currently recently about around since plans planning started
    start began feels feel thinks believes finds considers uses use studies bought based located fan favourite
    favorite very much people thing things also who used formerly longer year month day week spring summer
    autumn fall winter january february march april may june july august september october november december"""
)
_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_IN_DIGITS = {
    word: str(number)
    for number, words in enumerate(
        (
            "two zwei dos deux due dois duas два две двое twee", "three drei tres trois tre três три трое drie",
            "four vier cuatro quatre quattro quatro четыре", "five fünf cinco cinq cinque пять vijf",
            "six sechs seis шесть", "seven sieben siete sept sette sete семь", "eight acht ocho huit otto oito восемь",
            "nine neun nueve neuf nove девять", "ten zehn diez dix dieci dez десять",
        ),
        start=2,
    )
    for word in words.split()
}  # fmt: skip
_CHINESE_DIGITS = str.maketrans("二两兩三四五六七八九", "2223456789")
_TIME_SAID = re.compile(
    r"\b(?:last|this|next|ago|yesterday|today|tonight|tomorrow|since|for|recently|just|now|week|month"
    r"|year|day|spring|summer|winter|autumn|fall|morning|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|monday"
    r"|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|\d{4}|pasad\w|ayer|hace"
    r"|gestern|letzt\w+|vor|dernier|dernière|hier|ontem|passad\w|há)\b",
    re.IGNORECASE,
)
_POSITIVE = re.compile(r"\b(?:loves?|likes?|enjoys?|adores?|lives? in|owns?|has an?|works?)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:not|no longer|never|dislikes?|hates?|used to|stopped|without)\b|n['’]t\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:do|did|does|am|is|are|was|ca|have|has|wo)(?:n['’]?t| not)\s+(?:\w+\s+){0,2}?(?:love|like"
    r"|enjoy|live|own|have|work|stand)\b|\b(?:hate|no longer|can'?t stand|never (?:lik|lov|liv|own"
    r"|had|work)\w*)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.,;!?\n]+|\b(?:but|though|although|and i)\b", re.IGNORECASE)


_CLAUSE_ABROAD = re.compile(r"[.,;!?\n。、，！？]+|\b(?:aber|pero|mais|ma|mas|но|а)\b", re.IGNORECASE)
_NOT_ABROAD = re.compile(
    r"\b(?:не|нет|nicht|kein\w*|nie|no|nunca|ne|jamais|pas|non|não|nunca|nie|niet|geen|لا|ليس|לא)\b|[不没沒无無]"
    r"|ない|ません|なかった|않|안 ",
    re.IGNORECASE,
)


def supported(text: str, source: str) -> bool:
    """Say if `source` (the message) backs `text` (a fact, or the words quoted from the message)."""
    told = _folded(text)
    if f" {told} " in f" {_folded(source)} ":
        return bool(told)
    said = _Said(source)
    if not (_numbers_said(text, source) and _names_said(text, source, said)):
        return False
    if _share(text, said) >= MIN_SHARE:
        return said.foreign_words() or (_claims_backed(text, source) and not _denied(text, source, said))
    return _translated(text, source, said)


def share_said(text: str, source: str) -> float:
    """Return which part of the words that carry the claim stands in the message, 0 to 1; 1 where it is translated."""
    said = _Said(source)
    _names_said(text, source, said)
    share = _share(text, said)
    return 1.0 if share < MIN_SHARE and _translated(text, source, said) else share


class _Said:
    """The words of a message, to be asked for by stem or by a long common beginning."""

    def __init__(self, source: str) -> None:
        self.words = set(language.tokens(source))
        self.stems = {language.stem(word) for word in self.words}
        self.abroad: set[str] = set()  # words of names that the message has in another tongue

    def has(self, word: str) -> bool:
        """Say if the message has the word, in any of its forms."""
        if word in self.words or word in self.abroad or language.stem(word) in self.stems:
            return True
        return len(word) >= 4 and any(_alike(word, said) for said in self.words)

    def foreign_words(self) -> bool:
        """Say if nothing in the message is in the Latin script."""
        return not any(word[0].isascii() for word in self.words)


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    common = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(shorter))
    return common >= 4 and common >= 0.6 * len(longer)


def _folded(text: str) -> str:
    return " ".join(language.tokens(text))


def _names_said(text: str, source: str, said: _Said) -> bool:
    """Say if the message has every name, or what its own language calls the same language, country or city."""
    for name in language.names(text):
        unsaid = [word for word in language.content(name) if not said.has(word)]
        if unsaid and not _said_abroad([name], text, source, said):
            inside = [word for word in name.split() if not said.has(word.casefold())]
            if not _said_abroad(inside, text, source, said):
                return False
    return True


def _said_abroad(names: Sequence[str], text: str, source: str, said: _Said) -> bool:
    tongues = _tongues(text, source)
    found = [name for name in names if language.named_elsewhere(name, source, tongues=tongues)]
    said.abroad.update(word for name in found for word in language.content(name))
    return len(found) == len(names)


def _tongues(text: str, source: str) -> list[str]:
    """Return the languages that a fact and its message may be in; of a message too short to tell, those it may be."""
    spoken = language.detect(source)
    likely = [spoken] if spoken else language.by_any_common_word(language.tokens(source))
    return list(dict.fromkeys(["en", *filter(None, [language.detect(text)]), *likely]))


def _numbers_said(text: str, source: str) -> bool:
    """Numbers must be in the message, but for the date that a word such as "last spring" was resolved to."""
    unsaid = _figures(text) - _figures(source)
    resolved = bool(_YEAR.search(text)) and bool(_TIME_SAID.search(source)) and len(unsaid) <= 2
    return not unsaid or resolved


def _figures(text: str) -> set[str]:
    words = (_IN_DIGITS.get(word, word) for word in language.tokens(text.translate(_CHINESE_DIGITS)))
    return {digits for word in words for digits in _NUMBER.findall(word)}


def _share(text: str, said: _Said) -> float:
    words = [word for word in dict.fromkeys(language.content(text)) if not word.isdigit()]
    telling = [word for word in words if word not in _FRAME] or words
    if not telling:
        return 1.0 if _figures(text) else 0.0
    return sum(said.has(word) for word in telling) / len(telling)


def _claims_backed(text: str, source: str) -> bool:
    return all(backing.search(source) for claim, backing in _CLAIMS if claim.search(text))


def _denied(text: str, source: str, said: _Said) -> bool:
    """A positive claim whose words stand only in a clause that says no: "I don't like olives"."""
    if not _POSITIVE.search(text) or _NEGATIVE.search(text):
        return False
    telling = [word for word in language.content(text) if word not in _FRAME and said.has(word)]
    with_them = [clause for clause in _CLAUSE.split(source) if any(_Said(clause).has(word) for word in telling)]
    return bool(with_them) and all(_DENIED.search(clause) for clause in with_them)


def _translated(text: str, source: str, said: _Said) -> bool:
    """A fact in English of a message in another language shares only names and numbers, which were checked before."""
    told, spoken = language.detect(text) or "en", _spoken(source, said)
    return spoken not in (None, "en", told) and not _denied(text, source, said) and not _denied_abroad(text, source)


def _spoken(source: str, said: _Said) -> str | None:
    short = language.by_common_words(language.tokens(source))
    return language.detect(source) or short or ("other" if said.foreign_words() else None)


def _denied_abroad(text: str, source: str) -> bool:
    """A positive claim of a message whose every clause says no: "я не люблю оливки"."""
    if not _POSITIVE.search(text) or _NEGATIVE.search(text):
        return False
    clauses = [clause for clause in _CLAUSE_ABROAD.split(source) if language.tokens(clause)]
    return bool(clauses) and all(_NOT_ABROAD.search(clause) for clause in clauses)
