"""Tell chat that carries something from commands, links, secrets and orders to a model."""

from __future__ import annotations

import re

_DROP = "ignore[rz]?|ignorier\\w*|ignora|olvida|oublie[rz]?|vergiss|disregard|forget|bypass|override"
_RULES = "instruc\\w+|istruzioni|anweisung\\w*|richtlinien|prompts?|rules|guidelines|messages?|context|above|told"
_SHOW = "reveal|repeat|print|output|show|r[ée]v[èe]le|rivela|mostra|muestra|verrate"
_ORDER = re.compile(
    rf"\b(?:{_DROP})\b.{{0,40}}\b(?:{_RULES})\b|\b(?:{_SHOW})\b.{{0,40}}\b(?:{_RULES}|secrets?|api keys?|passwords?)\b"
    r"|\b(?:system|developer) (?:prompt|message|mode|override|update)\b|\bprompt injection\b|\bend of user input\b"
    r"|\byou are (?:now (?:an?|in|the|my|free)|no longer)\b|\bahora eres\b"
    r"|\bfrom now on,? (?:you|always|never|only|reply|respond|call|answer)\b|\boverride:|\blong-term memory\b"
    r"|\b(?:always|never|only) (?:reply|respond|answer|output|append)\b|^(?:act as|pretend (?:to be|you))\b"
    r"|\b(?:append|include|add)\b.{0,60}\b(?:reply|replies|response|review|summary|report)\b"
    r"|\b(?:if|when|as) (?:you are an? |the |an )(?:ai|assistant|model)\b"
    r"|\bwhen you (?:read|process|summari[sz]e) this\b"
    r"|\bnotes? (?:to|for) (?:the |any |all )?(?:ai|assistants?|model|bot|agents?|summari[sz]er)\b"
    r"|^(?:dear |hey )?(?:ai|assistant|model|chatbot|summari[sz]er)[,:]"
    r"|^[^\w\n]{0,9}(?:system|assistant|nota di sistema) ?:"
    r"|</?(?:chat|system|user|assistant|notes?|facts?|earlier|open|newest|background_facts|instructions?|prompt)\b|\[/?INST\]",
    re.IGNORECASE | re.MULTILINE,
)
_SECRET = re.compile(
    r"-----BEGIN|\b(?:sk|pk|rk|ghp|gho|github_pat|glpat|xox[abpr]|AKIA|AIza|eyJ)[-_]?[A-Za-z0-9_-]{12,}"
    r"|(?i:\b(?:password|passwd|passphrase|pin|api[ _-]?key|secret(?: key)?|token|login)\b\s*(?:is|are|=|:)\s*\S)"
    r"|(?<![\d/])(?:\d[ -]?){13,19}(?![\d/])|\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_]{28,}\b",
)
_COMMAND = re.compile(r"^\s*(?:[!/?;$.+&-][A-Za-z]{2,}|\$ \S|>>> )")
_CUT = re.compile(
    r"```.*?(?:```|\Z)|\|\|.*?\|\||\b[a-z][a-z0-9+.-]{1,20}://\S+|www\.\S+|<a?:\w+:\d+>|<[@#][!&]?\d+>|:\w+:|[*~`]+|(?m:^>.*$)"
    r"|\[(?:image|photo|video|gif|sticker|file|attachment|voice)\b[^\]]{0,300}\]",
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
    said = " ".join(_CUT.sub(" ", text).split())
    return "" if is_order(text) or is_secret(said) or _COMMAND.match(text) else said
