"""Whether what a model wrote of a member stands in what it was given, and is fit to be kept."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from memoryhub import language
from memoryhub.language.same_statement import meaning
from memoryhub.safety import carries_diagnosis, carries_secret, is_code, sensitive
from profiles.revision.schemas import Entry, RevisionInput

# The share of an entry's words that must have been said: a profile may sum up, so it is less than a fact needs.
SHARE = 0.25
_NUMBER = re.compile(r"\d+")
_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>()\[\]\"']+", re.IGNORECASE)


@dataclass(frozen=True)
class Grounds:
    """The words that a text about the member may rest on."""

    text: str

    @cached_property
    def stems(self) -> set[str]:
        """Return the stems of all words."""
        return {language.stem(word) for word in language.tokens(self.text)}

    @cached_property
    def spoken(self) -> str | None:
        """Return the language of the text."""
        return language.detect(self.text)

    def bear(self, text: str) -> bool:
        """Whether names, numbers and addresses were said, and enough of the words, unless it is a translation."""
        if not set(_ADDRESS.findall(text)) <= set(_ADDRESS.findall(self.text)):
            return False
        if not self._said(_NUMBER.findall(text)):
            return False
        if not self._said(word for name in language.names(text) for word in language.content(name)):
            return False
        marks = meaning(text).marks
        if len(marks & self.stems) >= SHARE * len(marks):
            return True
        told = language.detect(text) or "en"
        return self.spoken is not None and self.spoken != told

    def _said(self, words: Iterable[str]) -> bool:
        return all(language.stem(word) in self.stems for word in words)


def grounds(given: RevisionInput) -> Grounds:
    """Return the words of everything that the model was given."""
    notes = [f"{note.title}. {note.summary}" for note in given.notes]
    told = [*(entry.text for entry in given.entries), *(fact.text for fact in given.facts), *notes]
    return Grounds("\n".join([given.member, *told]))


def tells_of(entry: Entry, given: RevisionInput) -> bool:
    """Whether the entry is about the member, as far as its beginning shows: "Bob lives in Oslo" is about Bob."""
    if entry.section == "relationships":
        return True
    text = entry.text.casefold()
    return not any(text.startswith((f"{name.casefold()} ", f"{name.casefold()}'s ")) for name in given.others)


def told_by(summary: str, entries: Iterable[Entry], member: str) -> bool:
    """Whether each sentence of the short summary stands in the entries."""
    told = Grounds("\n".join([member, *(entry.text for entry in entries)]))
    return bool(summary.strip()) and all(told.bear(each) for each in language.sentences(summary))


def is_unfit(text: str, given: RevisionInput) -> bool:
    """Whether the text is of a kind that the profile does not keep: a secret, a diagnosis, code, health or money."""
    never = carries_secret(text) or carries_diagnosis(text) or is_code(text)
    return never or sensitive(text, kept=given.kept) is not None
