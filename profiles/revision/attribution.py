"""Whose a statement is: what another one told of themselves is no line of the member's profile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoryhub.language import sentences, stem, tokens
from memoryhub.language.same_statement import meaning
from memoryhub.safety import supported

# The share of a statement's words that one sentence of another's must hold to be what they told.
TOLD = 0.8
# "We" may be the two of them, so it tells nothing of whose it is.
_SELF = re.compile(
    r"(?<![\w'’])(?:I|[Ii]['’](?:m|ve|ll|d)|i|im|ive|my|mine|myself"
    r"|ich|mein\w{0,2}|j['’]\w+|je|mon|yo|soy|estoy|eu|sou|meu|minha|я|мой|моя|мне)(?![\w'’])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Spoken:
    """What was said in the notes at hand: by the member or with their name in it, and by others of themselves."""

    own: Sequence[str] = ()
    others: Sequence[str] = ()

    def is_anothers(self, text: str) -> bool:
        """Tell whether another one said it of themselves, and neither the member nor anybody who names them did."""
        marks = meaning(text).marks
        told = any(len(marks & _stems(words)) >= TOLD * len(marks) for words in self.others)
        return told and not any(supported(text, words) for words in self.own)


def spoken(member: str, said: Iterable[tuple[bool, str]]) -> Spoken:
    """Sort messages (whether they are the member's own, and the words) by whose they tell."""
    own, others = list[str](), list[str]()
    named = re.compile(rf"(?<!\w){re.escape(member)}(?!\w)", re.IGNORECASE)
    for is_own, words in said:
        if is_own or named.search(words):
            own.append(words)
        else:
            others += [each for each in sentences(words) if _SELF.search(each)]
    return Spoken(own, others)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in tokens(text)}
