"""Judge a model's revision of a profile before it is written: tidy what is a little too much, refuse what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from memoryhub.language.clip import clip_words
from memoryhub.language.same_statement import meaning, says
from memoryhub.safety import carries_instruction
from profiles.revision.attribution import Spoken
from profiles.revision.entry_merge import Claim, merged, within_limits
from profiles.revision.grounds import Grounds, grounds, is_unfit, tells_of, told_by
from profiles.revision.refused_entries import reworded
from profiles.revision.rules import Pairs, allowed, bygone, summarise
from profiles.revision.schemas import LIMITS, SOURCES, TOTAL, WORDS, ByRules, Entry, Gone, Revision, RevisionInput

NOTHING_SAID = Spoken()
# How far over a limit an answer is tidied instead of refused (the system of seed 001 as shipped).
OVER_SECTION = 1
OVER_TOTAL = 4
OVER_WORDS = 4
OVER_SOURCES = 1
# Guesses and lines about others are left out; an answer with more than this, and mostly them, is not believed at all.
GUESSES = 2
# A revision that drops more than this share of a profile is not believed, whatever reasons it gives; merging is none.
LOSS = 0.5
FEW = 4


class RefusedRevisionError(Exception):
    """The answer must not be written; the profile is to be rebuilt. `reasons` name rules, never text of the profile."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(", ".join(reasons))
        self.reasons = reasons


def accept(given: RevisionInput, answer: Revision, *, said: Spoken = NOTHING_SAID) -> Revision:
    """Return the answer within the limits, its repeats merged; raise RefusedRevisionError if it breaks a rule.

    `said` are the words of the notes: what another one said of themselves is left out.
    """
    if isinstance(answer, ByRules):
        return answer
    reasons = [reason for reason, broken in _RULES.items() if broken(given, answer)]
    if reasons:
        raise RefusedRevisionError(reasons)
    fitting = _fit(given, answer, said)
    alike = _alike(given, fitting)
    claims = [_claim(given, answer, entry, at, alike) for at, entry in enumerate(fitting)]
    entries = [claim.as_entry(id=claim.id) for claim in within_limits(merged(claim for claim in claims if claim))]
    kept = told_by(answer.summary, entries, given.member) and not is_unfit(answer.summary, given)
    summary = answer.summary if kept else summarise(given.member, entries)
    return answer.model_copy(update={"entries": entries, "summary": summary})


# --- What is refused ---------------------------------------------------------------------------------------------


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
    notes = {note for entry in given.entries for note in entry.notes} | {note.id for note in given.notes}
    notes |= {note for fact in given.facts for note in fact.notes}
    used = Counter(entry.id for entry in answer.entries if entry.id is not None)
    return (
        any(set(entry.notes) - notes for entry in answer.entries)
        or any(not entry.notes and entry.id not in _pinned(given) for entry in answer.entries)
        or bool(used.keys() - {entry.id for entry in given.entries})
        or any(count > 1 for count in used.values())
    )


def _lost(given: RevisionInput, answer: Revision) -> bool:
    """Whether an entry is missing that no reason is given for, or too many are."""
    stored = {entry.id for entry in given.entries if entry.id is not None}
    left = stored - {entry.id for entry in answer.entries}
    dropped = left - {gone.id for gone in _merges(answer)}
    return bool(left - {gone.id for gone in answer.gone}) or (len(stored) >= FEW and len(dropped) > LOSS * len(stored))


def _sources_lost(given: RevisionInput, answer: Revision) -> bool:
    """Whether an entry is said to be merged, and nothing that is left rests on any of its notes."""
    kept = {note for entry in answer.entries for note in entry.notes}
    into = {gone.id for gone in _merges(answer)}
    merged_away = {gone.id for gone in answer.gone if gone.why == "merged"} - into
    return any(entry.notes and kept.isdisjoint(entry.notes) for entry in given.entries if entry.id in merged_away)


def _pinned_changed(given: RevisionInput, answer: Revision) -> bool:
    kept = {(entry.id, entry.section, entry.text) for entry in answer.entries}
    return any((entry.id, entry.section, entry.text) not in kept for entry in given.entries if entry.pinned)


def _obeyed(given: RevisionInput, answer: Revision) -> bool:
    """Whether what chat told the model to do stands in its answer."""
    fresh = [entry.text for entry in answer.entries if not _stored(given, entry)]
    return any(carries_instruction(text) for text in (*fresh, answer.summary))


def _guessed(given: RevisionInput, answer: Revision) -> bool:
    ground = grounds(given)
    fresh = [entry for entry in answer.entries if not _stored(given, entry)]
    guesses = sum(not _stands(given, ground, entry) for entry in fresh)
    return guesses > GUESSES and 2 * guesses > len(fresh)


_RULES: dict[str, Callable[[RevisionInput, Revision], bool]] = {
    "unsure": _unsure,
    "over the limits": _too_much,
    "invented sources or ids": _invented,
    "entries lost": _lost,
    "sources lost": _sources_lost,
    "pinned entries changed": _pinned_changed,
    "instructions": _obeyed,
    "not grounded": _guessed,
}


# --- What is tidied ----------------------------------------------------------------------------------------------


def _fit(given: RevisionInput, answer: Revision, said: Spoken) -> list[Entry]:
    """Return the entries that may stand in a profile."""
    ground, gone = grounds(given), bygone(given)

    def fits(entry: Entry) -> bool:
        past = any(says(meaning(entry.text), each) for each in gone)
        stands = not past and not is_unfit(entry.text, given) and _stands(given, ground, entry)
        return stands and not _anothers(given, said, entry)

    return [entry for entry in answer.entries if entry.id in _pinned(given) or fits(entry)]


def _alike(given: RevisionInput, entries: Sequence[Entry]) -> Pairs:
    """Return the refused texts that new lines tell in other words, and those lines."""
    fresh = [entry.text for entry in entries if not _stored(given, entry)]
    return reworded([refusal.text for refusal in given.refused], fresh, member=given.member)


def _claim(given: RevisionInput, answer: Revision, entry: Entry, at: int, alike: Pairs) -> Claim | None:
    """Return the entry with the sources of what it goes on from and of what was merged into it; none if refused."""
    pinned = entry.id in _pinned(given)
    if not pinned and not (own := allowed(given, entry, alike)):
        return None
    absorbed = {gone.id for gone in _merges(answer) if gone.into == entry.id and entry.id is not None}
    older = [
        old
        for old in given.entries
        if old.id in absorbed or (old.id == entry.id and says(meaning(entry.text), meaning(old.text)))
    ]
    notes = entry.notes if pinned else own
    sources = dict.fromkeys([*(note for old in older for note in allowed(given, old)), *notes])
    return Claim(entry.section, clip_words(entry.text, WORDS), tuple(sources), order=-at, pinned=pinned, id=entry.id)


def _merges(answer: Revision) -> list[Gone]:
    """Return the merges that name an entry which is there."""
    there = {entry.id for entry in answer.entries}
    return [gone for gone in answer.gone if gone.why == "merged" and gone.into in there and gone.into is not None]


def _stands(given: RevisionInput, ground: Grounds, entry: Entry) -> bool:
    """Whether the entry is stored already, or what was given says it, of this member."""
    return _stored(given, entry) or (tells_of(entry, given) and ground.bear(entry.text))


def _anothers(given: RevisionInput, said: Spoken, entry: Entry) -> bool:
    """Whether the entry is new, no fact of the member says it, and somebody else told it of themselves."""
    if _stored(given, entry) or any(says(meaning(fact.text), meaning(entry.text)) for fact in given.facts):
        return False
    return said.is_anothers(entry.text)


def _pinned(given: RevisionInput) -> set[int | None]:
    return {entry.id for entry in given.entries if entry.pinned and entry.id is not None}


def _stored(given: RevisionInput, entry: Entry) -> bool:
    return any(old.id == entry.id and old.text == entry.text for old in given.entries)
