"""Tell chat that carries something from commands, links, secrets, greetings and orders to a model."""

from __future__ import annotations

import re

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|bypass|override)\b.{0,40}\b(?:instructions?|prompts?|rules|guidelines|messages?|context|above|told)\b"
    r"|\b(?:system|developer) (?:prompt|message|mode|override)\b|\bjailbreak|\bprompt injection\b"
    r"|\byou are (?:now|no longer)\b|\bfrom now on,? (?:you|always|never|only|reply|respond|call|answer)\b"
    r"|\b(?:always|never|only) (?:reply|respond|answer|output)\b|^(?:please )?(?:act as|pretend (?:to be|you))\b"
    r"|\b(?:reveal|repeat|print|output|show)\b.{0,30}\b(?:instructions|prompt|secrets?|api keys?|passwords?)\b"
    r"|\bwhen (?:you )?(?:summari[sz]|writ)(?:e|ing)\b|\bnotes? to (?:the )?(?:ai|assistant|model|bot|summari[sz]er)\b"
    r"|^(?:dear |hey |attention,? )?(?:ai|assistant|model|chatbot|summari[sz]er)[,:]|</?\w+>"
    r"|\[\[|\[/?INST\]|^\W*system\s*:",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"-----BEGIN|\b(?:sk|pk|rk|ghp|gho|github_pat|glpat|xox[abpr]|AKIA|AIza|eyJ)[-_]?[A-Za-z0-9_-]{12,}"
    r"|(?i:\b(?:password|passwd|passphrase|pin|api[ _-]?key|secret(?: key)?|token|login)\b\s*(?:is|are|=|:)\s*\S)"
    r"|(?<!\d)(?:\d[ -]?){13,19}(?!\d)|\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_]{28,}\b",
)
_COMMAND = re.compile(r"^\s*(?:[!/?;$.+&-][A-Za-z]{2,}|>\s*\S|\$ \S|>>> )")
_CUT = re.compile(
    r"```.*?(?:```|\Z)|\|\|.*?\|\||\w+://\S+|www\.\S+|<a?:\w+:\d+>|<[@#][!&]?\d+>|:\w+:|[*~`]+|(?m:^>.*$)"
    r"|\[(?:image|photo|video|gif|sticker|file|attachment|voice)\b[^\]]*\]",
    re.IGNORECASE | re.DOTALL,
)


def is_order(text: str) -> bool:
    """Whether the text reads like an instruction to a model rather than talk between people."""
    return bool(_ORDER.search(text))


def is_secret(text: str) -> bool:
    """Whether the text shows a key, a password or a card number."""
    return bool(_SECRET.search(text))


def spoken(text: str) -> str:
    """Return what a person said in a message: no links, code, quotes, emoji codes or spoilers; empty for noise."""
    if is_order(text) or is_secret(text) or _COMMAND.match(text):
        return ""
    return " ".join(_CUT.sub(" ", text).split())
