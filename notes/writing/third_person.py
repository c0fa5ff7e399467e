"""Reports what somebody said in the third person, as a summary does: `I moved house` becomes `they moved house`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memoryhub.language import content, grammar
from memoryhub.language.calendar import MONTHS, WEEKDAYS
from memoryhub.language.word_lists import listed, load

_SELF = {
    "i": "they", "i'm": "they're", "i've": "they've", "i'll": "they'll", "i'd": "they'd", "im": "they're",
    "ive": "they've", "we": "they", "we're": "they're", "we've": "they've", "we'll": "they'll", "we'd": "they'd",
    "my": "their", "our": "their", "mine": "theirs", "ours": "theirs", "me": "them", "us": "them",
    "myself": "themselves", "ourselves": "themselves",
}  # fmt: skip
# Other languages have some of these words, too, so they are turned only in a sentence that is surely English.
_ENGLISH = re.compile(
    r"(?<![\w'’])(?:I|I['’](?:m|ve|ll|d)|[Mm]y|[Oo]ur|[Ww]e['’](?:re|ve|ll|d)|the|is|are|and"
    r"|[Ww]e (?:\w+ed|have|had|need|are|were|will|can|could|should|go|went|got|start|meet|made|want)"
    r"|i (?:am|was|have|had|need|think|just|can|could|do|did|\w+n['’]t|want|know|would|will|went|got|still)"
    r")(?![\w'’])"
)
# Words of another, which stay as they are; else a word.
_QUOTE = r"“[^”]*(?:”|$)|\"[^\"]*(?:\"|$)|«[^»]*»|„[^“”]*[“”]|(?<!\w)[‘'][^‘’'\n]*[’'](?!\w)"
_WORD = re.compile(rf"(?:{_QUOTE})|(?<![\w'’])[A-Za-z]+(?:['’][a-z]+)?(?![\w'’]|\.\w)")
# A past that goes without its subject: the one who speaks.
_WITHOUT_I = re.compile(
    r"(?:Had|Went|Got|Lost|Saw|Met|Found|Bought|Took|Came) (?!to be\b|you\b)(?=[a-z])"
    r"|(?:Did|Made|Wrote|Sent|Sold|[A-Z][a-z]+[^e]ed) (?=(?:the|an?|their) (?!(?:\w+ )?(?:day|week|month|year)|\d))"
)
_AGREE = (
    (re.compile(r"\bthey am\b"), "they are"),
    (re.compile(r"\bthey was(?=n['’]t\b|\b)"), "they were"),
    (re.compile(r"\b([Aa])m they\b"), r"\1re they"),
)
_OPENS = re.compile(
    r"(?:they(?:['’]re)?|their|the|a|an|this|that|these|those|it|he|she|his|her|there|everybody|nobody|somebody|you)(?!\w)",
    re.IGNORECASE,
)


_SUBJECT = re.compile(r"(?:I|i)(?:['’](?P<short>m|ve|ll))?\s+(?P<rest>\w.*)", re.DOTALL)
_SHORT = {"m": "is", "ve": "has", "ll": "will"}
_VERB = re.compile(
    rf"(?P<before>(?:(?:{grammar.ADVERB}|\w+ly)\s+)*)(?P<verb>[A-Za-z]+(?:['’]t)?)\b(?P<after>.*)", re.DOTALL
)
_NO_VERB = listed("and or with who as too no not both all so then kinda kind now once already first soon ever neither")
_CHAT = load(Path(__file__).with_name("chat_words.txt"))
_NO_NAMES = (_CHAT["chatter"] | _CHAT["not a matter"]) - MONTHS.keys() - WEEKDAYS.keys()
# Opens what tells others to do something, or leaves its verb out.
_TELLS_TO = listed(
    "don't please let's ask take read stop come bring put tell send drop change keep film look listen check remember go"
    " get give make build buy leave wait open see pay use call try welcome happy greetings back been says written sent"
    " like because"
)
_GERUND = re.compile(r"[A-Z][a-z]{2,}ing")
# Told of others, or to one who is called; retold, "they" would be the one who speaks.
_OF_OTHERS = re.compile(r"(?:they|their|them)(?!\w)|@\w", re.IGNORECASE)
# What somebody thinks of what they just told.
_AFTERTHOUGHT = re.compile(r",? (?:which|and it|and that|- it|it)(?:['’]s(?: been)?| was| is| has been)\b[^,;]*$")


def told(name: str, text: str, *, asks: bool, of_another: bool = False) -> str:
    """Return one sentence as a note tells it: `I moved house, it was great.` becomes `Alice moved house.`.

    A small letter at its beginning says that the first word is no name. After a sentence `of_another` one that leaves
    its subject out stays as it was said: in "My aunt rang. Came round" it is the aunt who came.
    """
    text = text if asks else grammar.spelled_out(text)
    if not asks and _OF_OTHERS.match(text):
        return f"{name}: {text[:1].upper()}{text[1:]}"
    found = _SUBJECT.match(text) if _ENGLISH.search(text) and not asks and '"' not in text else None
    verb = _VERB.match(found["rest"]) if found else None
    if not found or not verb or verb["verb"].lower() in _NO_VERB:
        whole = f"{text[:1].upper()}{text[1:]}"
        if of_another and _WITHOUT_I.match(whole):
            return f"{name}: {whole}"
        if asks or not _ENGLISH.search(text):
            return reported(name, whole, asks=asks)
        return _said(name, whole, is_name=text[:1].isupper() and not _opens_plainly(whole))
    if found["short"]:
        return f"{name} {_SHORT[found['short']]} {_without_afterthought(grammar.to_third_person(found['rest']))}"
    form = verb["verb"] if grammar.is_past(verb["verb"], dated=True) else grammar.third_person(verb["verb"])
    rest = _without_afterthought(grammar.agree_after_and(grammar.to_third_person(verb["after"])))
    return f"{name} {verb['before']}{form}{rest}"


def _said(name: str, text: str, *, is_name: bool) -> str:
    """Return an English sentence after "said", so that all of it is in the third person."""
    turned = _turned(f"I'm gonna {text.removeprefix('Gonna ')}" if text.startswith("Gonna ") else text)
    if _WITHOUT_I.match(turned):
        return f"{name} {turned[0].lower()}{turned[1:]}"
    if turned.lower().startswith("them ") or text.split()[0].lower().strip(",").replace("’", "'") in _TELLS_TO:
        return f"{name}: {text}"  # "me back on Thursdays" is no sentence that could be retold, nor is "Ask my aunt"
    return f"{name} said {turned[0] if is_name else turned[0].lower()}{turned[1:]}"


def _opens_plainly(text: str) -> bool:
    """Tell whether the first word has its capital only from where it stands."""
    first = text.split()[0]
    plain = not content(first) or first.lower().strip(",") in _NO_NAMES
    return bool(_OPENS.match(text) or _GERUND.fullmatch(first) or plain) and (len(first) == 1 or not first.isupper())


def _without_afterthought(text: str) -> str:
    shorter = _AFTERTHOUGHT.sub("", text.rstrip(".!"))
    return f"{shorter.rstrip(' ,-–')}."


def reported(name: str, text: str, *, asks: bool) -> str:
    """Return one sentence after the name of the one who said or asked it: in the third person, or as it was said.

    What stands after a colon is their own words, so "I" stays "I" there.
    """
    text = text if asks else grammar.spelled_out(text)
    if text.startswith("Gonna "):
        text = f"I'm gonna {text.removeprefix('Gonna ')}"
    english = bool(_ENGLISH.search(text))
    if asks:
        return f"{name} asked: {text}"
    turned = _turned(text) if english else text
    if _WITHOUT_I.match(turned):
        return f"{name} {turned[0].lower()}{turned[1:]}"
    return f"{name} said {turned[0].lower()}{turned[1:]}" if english and _OPENS.match(turned) else f"{name}: {text}"


def _turned(text: str) -> str:
    """Return an English sentence with its first person turned to the third; words between quotation marks stay."""
    text = _WORD.sub(lambda word: _SELF.get(word[0].replace("’", "'").lower(), word[0]), text)
    for pattern, words in _AGREE:
        text = pattern.sub(words, text)
    return text


def joined(name: str, said: Sequence[str]) -> list[str]:
    """Return what one person says in a row, two and two sentences made one: "Alice moved and has a dog"."""
    rows: list[str] = []
    open_to_more = False
    for sentence in said:
        # What they did, not what they said: what were added there would be their words, too.
        follows = sentence.startswith(f"{name} ") and not sentence.startswith((f"{name} asked:", f"{name} said"))
        if open_to_more and follows:
            rows[-1] = f"{rows[-1].rstrip('.!')} and{sentence.removeprefix(name)}"
        else:
            rows.append(sentence)
        open_to_more = follows and not open_to_more
    return rows
