"""Weigh and merge what is claimed of a member: one claim a statement, with every note that bears it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from memoryhub.language.same_statement import Meaning, holds, meaning, same
from profiles.revision.schemas import LIMITS, SOURCES, Section, StoredEntry
from profiles.revision.sections import lasts


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
    def strength(self) -> tuple[bool, bool, int, float, int]:
        """Return what ranks claims: a person's own words, what lasts, the number of sources, confidence, newness."""
        return (self.pinned, lasts(self.text), len(self.notes), self.confidence, self.order)

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
