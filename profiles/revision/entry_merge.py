"""Weigh and merge what is claimed of a member: one claim a statement, with every note that bears it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from memoryhub.language.same_statement import Meaning, holds, meaning, same
from profiles.revision.durability import lasts
from profiles.revision.schemas import LIMITS, SOURCES, Section, StoredEntry


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

    def as_entry(self, *, id: int | None) -> StoredEntry:  # noqa: A002 - the field's own name
        """Return the line of a profile, with its newest sources."""
        notes = sorted(set(self.notes))[-SOURCES:]
        return StoredEntry(section=self.section, text=self.text, notes=notes, id=id, pinned=self.pinned)


def merged(claims: Iterable[Claim]) -> list[Claim]:
    """Return the claims with those that say the same made one, the strongest first."""
    kept: list[Claim] = []
    for claim in claims:
        at = next((at for at, other in enumerate(kept) if _one(other, claim)), None)
        if at is None:
            kept.append(claim)
        else:
            kept[at] = _joined(kept[at], claim)
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


def _one(older: Claim, newer: Claim) -> bool:
    if same(older.meaning, newer.meaning):
        return True
    alike = holds(older.meaning, newer.meaning) or holds(newer.meaning, older.meaning)
    return alike and older.section == newer.section


def _joined(older: Claim, newer: Claim) -> Claim:
    notes = tuple(dict.fromkeys([*older.notes, *newer.notes]))
    fuller = newer if len(newer.meaning.marks) >= len(older.meaning.marks) and not older.pinned else older
    stored = next((claim for claim in (older, newer) if claim.id is not None), fuller)
    return replace(
        fuller,
        section=stored.section,
        notes=notes,
        confidence=max(older.confidence, newer.confidence),
        order=newer.order,
        id=stored.id,
    )
