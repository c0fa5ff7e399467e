"""Judge a model's revision of a profile before it is written: tidy what is a little too much, refuse what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from profiles.claims import Claim, merged, within_limits
from profiles.sameness import meaning, same
from profiles.shapes import LIMITS, SOURCES, TOTAL, WORDS, Entry, Revision, RevisionInput
from profiles.wording import clip_words

# How far over a limit an answer is tidied instead of refused (the system of seed 001 as shipped).
OVER_SECTION = 1
OVER_TOTAL = 4
OVER_WORDS = 4
OVER_SOURCES = 1
# A revision that drops more than this share of a profile is not believed, whatever reasons it gives.
LOSS = 0.5
FEW = 4


class RefusedRevisionError(Exception):
    """The answer must not be written; the profile is to be rebuilt. `reasons` name rules, never text of the profile."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(", ".join(reasons))
        self.reasons = reasons


def accept(given: RevisionInput, answer: Revision) -> Revision:
    """Return the answer within the limits, its repeats merged; raise RefusedRevisionError if it breaks a rule."""
    reasons = [reason for reason, broken in _RULES.items() if broken(given, answer)]
    if reasons:
        raise RefusedRevisionError(reasons)
    claims = [
        Claim(e.section, clip_words(e.text, WORDS), tuple(e.notes), order=-at, pinned=_is_pinned(given, e), id=e.id)
        for at, e in enumerate(answer.entries)
    ]
    entries = [claim.as_entry(id=claim.id) for claim in within_limits(merged(claims))]
    return answer.model_copy(update={"entries": entries})


def _unsure(_given: RevisionInput, answer: Revision) -> bool:
    return answer.unsure


def _too_much(_given: RevisionInput, answer: Revision) -> bool:
    counts = Counter(entry.section for entry in answer.entries)
    return (
        len(answer.entries) > TOTAL + OVER_TOTAL
        or any(count > LIMITS[section] + OVER_SECTION for section, count in counts.items())
        or any(len(entry.text.split()) > WORDS + OVER_WORDS for entry in answer.entries)
        or any(len(set(entry.notes)) > SOURCES + OVER_SOURCES for entry in answer.entries)
    )


def _invented(given: RevisionInput, answer: Revision) -> bool:
    notes = {note for entry in given.entries for note in entry.notes} | {
        note for fact in given.facts for note in fact.notes
    }
    notes |= {given.note.id} if given.note else set()
    ids = {entry.id for entry in given.entries} | {None}
    used = Counter(entry.id for entry in answer.entries if entry.id is not None)
    return (
        any(set(entry.notes) - notes or entry.id not in ids for entry in answer.entries)
        or any(not entry.notes and not _is_pinned(given, entry) for entry in answer.entries)
        or any(count > 1 for count in used.values())
    )


def _lost(given: RevisionInput, answer: Revision) -> bool:
    stored = {entry.id for entry in given.entries if entry.id is not None}
    left = stored - {entry.id for entry in answer.entries}
    return bool(left - {gone.id for gone in answer.gone}) or (len(stored) >= FEW and len(left) > LOSS * len(stored))


def _pinned_changed(given: RevisionInput, answer: Revision) -> bool:
    kept = {(entry.id, entry.section, entry.text) for entry in answer.entries}
    return any((entry.id, entry.section, entry.text) not in kept for entry in given.entries if entry.pinned)


def _refused_again(given: RevisionInput, answer: Revision) -> bool:
    taken = [meaning(text) for text in given.refused]
    return any(same(meaning(entry.text), other) for entry in answer.entries for other in taken)


def _is_pinned(given: RevisionInput, entry: Entry) -> bool:
    return entry.id is not None and any(old.pinned and old.id == entry.id for old in given.entries)


_RULES: dict[str, Callable[[RevisionInput, Revision], bool]] = {
    "unsure": _unsure,
    "over the limits": _too_much,
    "invented sources or ids": _invented,
    "entries lost": _lost,
    "pinned entries changed": _pinned_changed,
    "refused entries came back": _refused_again,
}
