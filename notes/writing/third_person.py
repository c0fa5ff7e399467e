"""Reports what somebody said in the third person, as a summary does: `I moved house` becomes `they moved house`."""

from __future__ import annotations

import re

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
    r"|i (?:am|was|have|had|need|think|just|can|could|do|did|don['’]t|want|know|would|will|went|got|still)"
    r")(?![\w'’])"
)
# Words of another, which stay as they are; else a word.
_QUOTE = r"“[^”]*(?:”|$)|\"[^\"]*(?:\"|$)|«[^»]*»|„[^“”]*[“”]|(?<!\w)[‘'][^‘’'\n]*[’'](?!\w)"
_WORD = re.compile(rf"(?:{_QUOTE})|(?<![\w'’])[A-Za-z]+(?:['’][a-z]+)?(?![\w'’]|\.\w)")
# A past that goes without its subject: the one who speaks.
_WITHOUT_I = re.compile(r"(?:Had|Went|Got|Lost|Saw|Met|Found|Bought|Took|Came) (?!to be\b|you\b)(?=[a-z])")
_AGREE = (
    (re.compile(r"\bthey am\b"), "they are"),
    (re.compile(r"\bthey was\b"), "they were"),
    (re.compile(r"\b([Aa])m they\b"), r"\1re they"),
)
_OPENS = re.compile(
    r"(?:they(?:['’]re)?|their|the|a|an|this|that|these|those|it|he|she|his|her|there|everybody|nobody|somebody|you)(?!\w)",
    re.IGNORECASE,
)


def reported(name: str, text: str, *, asks: bool) -> str:
    """Return one sentence in the third person, after the name of the one who said or asked it."""
    english = bool(_ENGLISH.search(text))
    if english:
        text = _WORD.sub(lambda word: _SELF.get(word[0].replace("’", "'").lower(), word[0]), text)
        for pattern, words in _AGREE:
            text = pattern.sub(words, text)
    if text.startswith("Gonna "):
        text = f"They're gonna {text.removeprefix('Gonna ')}"
    if asks:
        return f"{name} asked: {text}"
    if _WITHOUT_I.match(text):
        return f"{name} {text[0].lower()}{text[1:]}"
    return f"{name} said {text[0].lower()}{text[1:]}" if english and _OPENS.match(text) else f"{name}: {text}"
