"""Whether what a model wrote of a member stands in what it was given, is theirs, and is fit to be kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from memoryhub import language
from memoryhub.community.labels import plain_name
from memoryhub.language.chat_marks import addresses
from memoryhub.language.same_statement import meaning
from memoryhub.safety import carries_diagnosis, carries_secret, is_code, sensitive, supported
from profiles.revision.schemas import Entry, RevisionInput

# The share of an entry's words that must have been said: a profile may sum up, so it is less than a fact needs.
SHARE = 0.25
# The share of a statement's words that one sentence of another's must hold to be what they told.
TOLD = 0.8
_NUMBER = re.compile(r"\d+")
# "We" may be the two of them, so it tells nothing of whose it is.
_SELF = re.compile(
    r"(?<![\w'’])(?:I|[Ii]['’](?:m|ve|ll|d)|i|im|ive|my|mine|myself"
    r"|ich|mein\w{0,2}|j['’]\w+|je|mon|yo|soy|estoy|eu|sou|meu|minha|я|мой|моя|мне)(?![\w'’])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Grounds:
    """The words that a text about the member may rest on."""

    text: str

    @cached_property
    def stems(self) -> set[str]:
        """Return the stems of all words."""
        return _stems(self.text)

    @cached_property
    def numbers(self) -> set[str]:
        """Return the numbers, those within a word too: "6'5"."""
        return set(_NUMBER.findall(self.text))

    @cached_property
    def spoken(self) -> str | None:
        """Return the language of the text."""
        return language.detect(self.text)

    def bear(self, text: str, *, besides: frozenset[str] = frozenset()) -> bool:
        """Whether names, numbers and addresses were said, and enough of the words, unless it is a translation.

        `besides` are stems that do not count: the name of whom it tells says nothing of them.
        """
        if not addresses(text) <= addresses(self.text):
            return False
        names = (word for name in language.names(text) for word in language.content(name))
        if any(language.stem(word) not in self.stems for word in names) or not self.numbers.issuperset(
            _NUMBER.findall(text)
        ):
            return False
        marks = meaning(text).marks - besides
        if len(marks & self.stems) >= SHARE * len(marks):
            return True
        return self.spoken is not None and self.spoken != (language.detect(text) or "en")


def grounds(given: RevisionInput) -> Grounds:
    """Return the words of everything that the model was given."""
    notes = (f"{note.day.day} {note.day.year} {note.title}. {note.summary}" for note in given.notes)
    entries, facts = (entry.text for entry in given.entries), (fact.text for fact in given.facts)
    return Grounds("\n".join([given.member, *entries, *facts, *notes]))


def is_about_member(entry: Entry, given: RevisionInput) -> bool:
    """Whether the entry is about the member, as far as its beginning shows: "Bob lives in Oslo" is about Bob."""
    if entry.section == "relationships":
        return True
    text, own = entry.text.casefold(), plain_name(given.member)
    names = {*given.others, *map(plain_name, given.others)} - {own}
    return not any(text.startswith((f"{name.casefold()} ", f"{name.casefold()}'s ")) for name in names)


def sums_up_entries(summary: str, entries: Iterable[Entry], member: str) -> bool:
    """Whether each sentence of the short summary stands in the entries."""
    ground, name = Grounds("\n".join([member, *(entry.text for entry in entries)])), frozenset(_stems(member))
    sentences = language.sentences(summary)
    return bool(sentences) and all(ground.bear(sentence, besides=name) for sentence in sentences)


def is_unfit(text: str, given: RevisionInput) -> bool:
    """Whether the text is of a kind that the profile does not keep: a secret, a diagnosis, code, health or money."""
    never = carries_secret(text) or carries_diagnosis(text) or is_code(text)
    return never or sensitive(text, kept=given.kept) is not None


# --- Whose a statement is ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spoken:
    """What was said in the notes at hand: by the member or with their name in it, and by others of themselves."""

    own: Sequence[str] = ()
    others: Sequence[str] = ()

    def is_anothers(self, text: str) -> bool:
        """Tell whether another one said it of themselves, and neither the member nor anybody who names them did."""
        marks = meaning(text).marks
        said_by_other = any(len(marks & _stems(sentence)) >= TOLD * len(marks) for sentence in self.others)
        return said_by_other and not any(supported(text, words) for words in self.own)


def by_speaker(member: str, messages: Iterable[tuple[bool, str]]) -> Spoken:
    """Sort messages (whether they are the member's own, and the words) by whom they tell of."""
    own, others = list[str](), list[str]()
    named = re.compile(rf"(?<!\w){re.escape(plain_name(member))}(?!\w)", re.IGNORECASE)
    for is_own, words in messages:
        if is_own or named.search(words):
            own.append(words)
        else:
            others += [sentence for sentence in language.sentences(words) if _SELF.search(sentence)]
    return Spoken(own, others)


def _stems(text: str) -> set[str]:
    return {language.stem(word) for word in language.tokens(text)}
