"""Chat text into sentences, without breaking abbreviations, numbers, links or initials."""

from __future__ import annotations

import re

from memoryhub.language import calendar

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_LINK = re.compile(r"<?(?:https?://|www\.)\S+>?", re.IGNORECASE)
_EMOJI_TAG = re.compile(r"<a?:(\w+):\d+>")
_TITLES = "mr|mrs|ms|dr|st|prof|jr|sr|vs|etc|e\\.g|i\\.e|approx|inc|ltd|mt|ft|u\\.s|u\\.k"
_CERTAIN_ABBREVIATION = re.compile(rf"(?:^|\s)(?:{_TITLES})\.$", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:^|\s)nos?\.$", re.IGNORECASE)  # "no. 5", and not "no. I can't"
_INITIAL = re.compile(r"(?:^|\s)[B-HJ-Z]\.$")
_ORDINAL = re.compile(r"(?<!\d)\d{1,2}\.$")
# "Am 24. um 19 Uhr", "Do 24. wieder hier": a day in German, where what follows does not begin a sentence.
_GERMAN_DAY = re.compile(
    r"\b(?:am|der|den|dem|zum|vom|bis|ab|seit|mo|di|mi|do|fr|sa|so|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch),?"
    r" (?:den )?\d{1,2}\.$",
    re.IGNORECASE,
)
_MONTH = re.compile(rf"(?:{'|'.join(sorted(calendar.MONTHS, key=len, reverse=True))})\b", re.IGNORECASE)
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？｡])[」』”’）]*|\n+")
# A face ends a sentence, too, where the next one opens: "engaged 💍 his name is Bo", "one hen died :( it was Dot".
_OPENS = r"(?:i|i['’](?:m|ve|ll)|im|ive|we|my|our|he|she|it|they|his|her|its|their|(?:he|she|it)['’]s|so|but|some)\b"
_FACE = re.compile(
    rf"(?:(?<=[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F])(?<!❤\uFE0F)(?<!❤)|(?<=\s[:;=][()D]))\s+(?={_OPENS})",
    re.IGNORECASE,
)
_LEAST_BEFORE_FACE = 2  # words: in "I 💚 my dog" it stands for one, and a heart does anywhere


def clean(text: str) -> str:
    """Return chat text without code, links and the machine form of custom emoji; every run of blanks becomes one."""
    without = _EMOJI_TAG.sub(r":\1:", _LINK.sub(" ", _CODE.sub(" ", text)))
    return " ".join(without.split())


def sentences(text: str) -> list[str]:
    """Return the sentences of `text` in order, stripped, none empty; a line break always ends one."""
    parts: list[str] = []
    start = 0
    ends = [(end, False) for end in _END.finditer(text)] + [(face, True) for face in _FACE.finditer(text)]
    for end, is_face in sorted(ends, key=lambda each: each[0].start()):
        head = text[start : end.start()].rstrip("\"'”’)]")
        if is_face and len(re.findall(r"\w[\w'’]*", head)) < _LEAST_BEFORE_FACE:
            continue
        if "\n" not in end.group() and (_CERTAIN_ABBREVIATION.search(head) or _INITIAL.search(head)):
            continue
        if _ORDINAL.search(head) and _MONTH.match(text, end.end()):
            continue  # "am 14. März"
        if _GERMAN_DAY.search(head) and text[end.end() : end.end() + 1].islower():
            continue
        if _NUMBERED.search(head) and text[end.end() : end.end() + 1].isdigit():
            continue
        parts.append(text[start : end.end()])
        start = end.end()
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]
