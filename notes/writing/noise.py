"""Tell chat that carries something from commands, links, secrets and orders to a model."""

from __future__ import annotations

import re

from memoryhub.safety import carries_instruction, carries_secret

_COMMAND = re.compile(r"^\s*(?:[!/?;$.+&-][A-Za-z]{2,}|\$ \S|>>> )")
_CUT = re.compile(
    r"```.*?(?:```|\Z)|\|\|.*?\|\||<?\b[a-z][a-z0-9+.-]{1,20}://\S+|www\.\S+|<a?:\w+:\d+>|<[@#][!&]?\d+>"
    r"|(?<![\w:])(?::\w+:)+(?![\w:])|[*~`]+|(?m:^>.*$)"
    r"|\[(?:image|photo|video|gif|sticker|file|attachment|voice)\b[^\]]{0,300}\]",
    re.IGNORECASE | re.DOTALL,
)
_LINKED = re.compile(r"\[([^\]\n]{1,200})\]\([^\s)]+\)")


def spoken(text: str) -> str:
    """Return what a person said in a message: no links, code, quotes, emoji codes or spoilers; empty for noise."""
    said = " ".join(_CUT.sub(" ", _LINKED.sub(r"\1", text)).split())
    return "" if carries_instruction(text) or carries_secret(said) or _COMMAND.match(text) else said
