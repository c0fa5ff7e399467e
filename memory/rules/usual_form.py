"""Statements in their usual form, so that the same thing is said in the same words."""

from __future__ import annotations

import re

from memory.rules.nouns import KIN, PET
from memoryhub.language.word_lists import listed

_SAME: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), put)
    for pattern, put in (
        (r"^is (?:currently |now |still )?(?:living|residing|based|located) (?=in|at|near)", "lives "),
        (r"^is (?:currently |now |still )?working (?=as|at|for)", "works "),
        (r"^has (?:just |recently |finally )?moved\b", "moved"),
        (
            r"^(?:just|recently|finally) (?=moved|got|started|bought|adopted|joined|launched|finished|quit"
            r"|left|became|graduated|turned|has\b|opened|published|signed)",
            "",
        ),
        (
            r"^(?:really|also|actually|totally|absolutely|definitely|basically|honestly|personally|kinda|just"
            r"|literally|even|so|then|once|already) (?=\w+)",
            "",
        ),
        (rf"^their ({PET})(?:['’]s name is| is (?:called|named)) (\w+)$", r"has a \1 named \2"),
        (rf"^their ({KIN})(?:['’]s name is| is (?:called|named)) (\w+)$", r"has a \1 named \2"),
        (
            rf"^(?:has|got|adopted) (a|an|two) ([\w ]*?(?:{PET})s?),? (?:and (?:his|her|its|the|their) names? "
            r"(?:is|are)|called|named|name is) (.+?)(?: (?:on|in) (?:\d{1,2} )?(?:\w+ )?\d{4})?$",
            r"has \1 \2 named \3",
        ),
        (
            rf"^their ((?:older |younger |little |big |twin |step|half-)?(?:{KIN})) (lives|works|studies"
            r"|is an?|plays|teaches|runs|owns|moved|has|speaks)\b",
            r"has a \1 who \2",
        ),
        (r"^their (?:full |first )?name is (\w+)$", r"is called \1"),
        (r"^their birthday is (?:on )?(.+)$", r"has a birthday on \1"),
        (r"^favou?rite (?=\w+ (?:is|are)\b)", "their favourite "),
    )
)
_PET_NAMED = re.compile(
    rf"\bmy (?P<pet>{PET}) (?P<name>(?-i:[A-Z][a-z]+)|[a-z]{{3,12}}(?= (?:is|was|has|keeps|loves|just"
    r"|ate|does)\b))",
    re.IGNORECASE,
)
_PRONOUNS = re.compile(r"\bmy pronouns are ((?:he|she|they|ze|xe|it|any)(?:/\w+)+)", re.IGNORECASE)
_NO_NAMES = listed(
    "is was has had loves keeps just ate does died got and who that never always food bed walks sitter named called"
    " really literally also can will now"
)


def put(text: str) -> str:
    """Return a third-person statement in its usual form: "is living in" becomes "lives in"."""
    bare = text.rstrip(".")
    for pattern, form in _SAME:
        bare = pattern.sub(form, bare)
    bare = re.sub(r"^has a (?=[aeiou])", "has an ", bare)
    return f"{bare[0].upper()}{bare[1:]}."


def pronouns(sentence: str) -> str | None:
    """Return "Pronouns are they/them." from "my pronouns are they/them"."""
    found = _PRONOUNS.search(sentence)
    return f"Pronouns are {found[1].lower()}." if found else None


def named_pet(sentence: str) -> str | None:
    """Return "Has a dog named Bento." from "my dog bento is so dumb"."""
    found = _PET_NAMED.search(sentence)
    if not found or found["name"].lower() in _NO_NAMES:
        return None
    return f"Has a {found['pet'].lower()} named {found['name'].capitalize()}."
