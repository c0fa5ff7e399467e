"""What a member asks the community to remember: rules, customs, running stories."""

from __future__ import annotations

import re

from memory.facts.confidence import LORE_CONFIDENCE
from memory.facts.schemas import MAX_FACT, Candidate
from memoryhub import language
from memoryhub.ai.chat_fence import Line

_POLITE = r"(?:(?:please|pls|hey|ok|okay|everyone|guys|bot|@\S+|<@\S+>)[ ,]+)*"
_CALL = re.compile(
    rf"^{_POLITE}(?:(?:remember|note(?: this)?|important|don['’]t forget|keep in mind|fyi"
    r"|for the record|memo|reminder"
    r"|(?:guild|server|house|channel|community|group) (?:rule|lore|custom|tradition)s?|rule|lore|tradition)"
    r"(?:\s+(?:that|this))?\s*(?:[:,–—]|-\s)\s*|(?:remember|note|don['’]t forget"
    r"|keep in mind) that\s+)(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"\b(?:i|i['’]?m|i['’]ve|my|me|mine)\b", re.IGNORECASE)
_NO_LORE = re.compile(r"\?|\b(?:you|your)\b|^(?:to|when|how|me|\w+ing)\b", re.IGNORECASE)


def line(sentence: str) -> str | None:
    """Return the line of lore in "remember: game night is on Fridays", None for anything else."""
    found = _CALL.match(sentence)
    if not found or _PERSONAL.search(found["rest"]) or _NO_LORE.search(found["rest"]):
        return None
    rest = found["rest"].strip(" .!,;")
    return rest if len(language.content(rest)) >= 2 else None


def without_call(sentence: str) -> str:
    """Return the sentence without "remember that" before it: what a member says of themselves is no lore."""
    found = _CALL.match(sentence)
    return found["rest"] if found else sentence


def candidate(rest: str, sentence: str, said: Line) -> Candidate:
    """Return the line as a fact about the guild, by seed 000's confidence."""
    return Candidate(
        text=f"{rest[0].upper()}{rest[1 : MAX_FACT - 1]}.",
        subject=None,
        kind="lore",
        confidence=LORE_CONFIDENCE,
        explicit=True,
        quote=sentence,
        messages=[said.message],
        said_on=said.sent_at.date(),
    )
