"""Weigh and merge what is claimed of a member: one claim a statement, with every note that bears it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from memoryhub.language import content, names, stem, stems
from memoryhub.language.same_statement import FRAME, Meaning, holds, meaning, same
from memoryhub.language.word_lists import listed
from profiles.revision.schemas import LIMITS, SOURCES, Section, StoredEntry
from profiles.revision.sections import facet_of, standing, tie_in


@dataclass(frozen=True)
class Claim:
    """A statement in its section; `order` grows with time."""

    section: Section
    text: str
    notes: tuple[int, ...]
    confidence: float = 1.0
    order: int = 0
    pinned: bool = False
    id: int | None = None
    meaning: Meaning = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "meaning", meaning(self.text))

    @property
    def strength(self) -> tuple[bool, int, int, float, int]:
        """Return what ranks claims: a person's own words, what lasts, the number of sources, confidence, newness."""
        return (self.pinned, standing(self.text), len(self.notes), self.confidence, self.order)

    def repeats(self, older: Claim) -> bool:
        """Whether it says what an older claim says; in one section, a little more or less makes no other claim."""
        if same(older.meaning, self.meaning):
            return True
        alike = holds(older.meaning, self.meaning) or holds(self.meaning, older.meaning)
        return alike and older.section == self.section

    def joined_to(self, older: Claim) -> Claim:
        """Return one claim with the notes of both: the fuller words, in the place of the one that is stored."""
        fuller = self if len(self.meaning.marks) >= len(older.meaning.marks) and not older.pinned else older
        stored = next((claim for claim in (older, self) if claim.id is not None), fuller)
        return replace(
            fuller,
            section=stored.section,
            notes=tuple(dict.fromkeys([*older.notes, *self.notes])),
            confidence=max(older.confidence, self.confidence),
            order=self.order,
            id=stored.id,
        )

    def as_entry(self, *, id: int | None) -> StoredEntry:  # noqa: A002 - the field's own name
        """Return the entry of a profile, with its newest sources."""
        notes = sorted(set(self.notes))[-SOURCES:]
        return StoredEntry(section=self.section, text=self.text, notes=notes, id=id, pinned=self.pinned)


def merged(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims with those that say the same made one, the strongest first."""
    kept: list[Claim] = []
    for claim in claims:
        at = next((at for at, other in enumerate(kept) if claim.repeats(other)), None)
        if at is None:
            kept.append(claim)
        else:
            kept[at] = claim.joined_to(kept[at])
    return sorted(kept, key=lambda claim: claim.strength, reverse=True)


def one_of_each(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims, given oldest first, with one of each matter: the newest, on its own sources.

    What says less of the same goes whenever it was said: "has a cousin named Priya", "got a new job".
    """
    kept: list[Claim] = []
    for claim in claims:
        if any(_says_less(claim, other) for other in kept):
            continue
        kept = [other for other in kept if not (_same_matter(other, claim) or _says_less(other, claim))]
        kept.append(claim)
    return kept


_ROLES = {"job": "work", "move": "home", "stay": "home"}
_STUDIED = listed("degree master bachelor phd diploma study studying student year second third first last final")
_NEW_JOB = re.compile(
    r"(?:has |got |starts? |started |found )+an? (?:new )?job(?: (?:now|too|at last))?", re.IGNORECASE
)
_GAVE_UP = re.compile(
    r"(?:has )?(?:gave up|given up|quit|stopped)|no longer|does(?:n['’]t| not)(?=.* (?:any ?more|any longer)$)",
    re.IGNORECASE,
)
_USING = {stem(word) for word in listed("drink eat smoke use take have want anymore any more longer")}


def _same_matter(one: Claim, other: Claim) -> bool:
    """Whether both tell of one workplace, home or study, or of one thing that was given up, in other words."""
    if other.repeats(one):
        return False
    if _GAVE_UP.match(one.text) and _GAVE_UP.match(other.text):
        return bool(given := _given_up(one)) and given == _given_up(other)
    facets = [facet_of(claim.text) for claim in (one, other)]
    first, second = (_ROLES.get(facet, facet) for facet in facets)
    if first != second or first not in ("work", "home", "study"):
        return False
    if first == "study":
        return not _about(one).isdisjoint(_about(other))
    return not _named(one.text).isdisjoint(_named(other.text))


def _says_less(less: Claim, more: Claim) -> bool:
    """Whether all that one says of somebody the other says too: the tie and the name, or that there is a job."""
    if _NEW_JOB.fullmatch(less.text):
        return less is not more and facet_of(more.text) in ("work", "job") and bool(_named(more.text))
    tie = tie_in(less.text)
    if not tie or tie != tie_in(more.text) or _named(less.text).isdisjoint(_named(more.text)):
        return False
    return less.meaning.turned == more.meaning.turned and less.meaning.marks - FRAME < more.meaning.marks - FRAME


def _named(text: str) -> set[str]:
    return {word for name in names(text) for word in content(name)}


def _given_up(claim: Claim) -> frozenset[str]:
    return stems(_GAVE_UP.sub("", claim.text)) - _USING


def _about(claim: Claim) -> frozenset[str]:
    return claim.meaning.marks - FRAME - {stem(word) for word in _STUDIED}


def within_limits(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims that their sections have room for, in the order of the sections; pinned ones always stay."""
    taken: Counter[Section] = Counter()
    kept: list[Claim] = []
    for claim in claims:
        taken[claim.section] += 1
        if claim.pinned or taken[claim.section] <= LIMITS[claim.section]:
            kept.append(claim)
    order = list(LIMITS)
    return sorted(kept, key=lambda claim: order.index(claim.section))
