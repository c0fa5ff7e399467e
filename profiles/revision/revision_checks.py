"""Judge a model's revision of a profile before it is written: tidy what is a little too much, refuse what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from memoryhub.language.clip import clip_words
from memoryhub.language.same_statement import meaning, says
from memoryhub.safety import carries_instruction
from profiles.revision.entry_merge import Claim, merged, within_limits
from profiles.revision.grounds import Grounds, Spoken, grounds, is_about_member, is_unfit, sums_up_entries
from profiles.revision.refused_entries import reworded
from profiles.revision.rules import Pairs, allowed, bygone, revise
from profiles.revision.schemas import LIMITS, SOURCES, TOTAL, WORDS, ByRules, Entry, Revision, RevisionInput
from profiles.revision.summary import summarise

NOTHING_SAID = Spoken()
# How far over a limit an answer is tidied instead of refused.
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
    if answer.unchanged and not answer.entries:
        return _as_it_stands(given, answer)
    if reasons := [*_faults_of_form(given, answer), *_losses(given, answer), *_inventions(given, answer)]:
        raise RefusedRevisionError(reasons)
    entries = _fitting(given, answer, said)
    new_texts = [entry.text for entry in entries if not given.has(entry)]
    alike = reworded([refusal.text for refusal in given.refused], new_texts, member=given.member)
    claims = [_claim(given, answer, entry, at, alike) for at, entry in enumerate(entries)]
    kept = [claim.as_entry(id=claim.id) for claim in within_limits(merged(claim for claim in claims if claim))]
    return answer.model_copy(update={"entries": kept, "summary": _summary(given, answer.summary, kept)})


def _as_it_stands(given: RevisionInput, answer: Revision) -> Revision:
    """Return the profile as it stands, with its sources; raise RefusedRevisionError where an entry has lost its ground.

    An empty one gets from the rules what the facts say: "nothing changes" is no reason to know nothing of somebody.
    """
    if not given.entries and not answer.unsure:
        return revise(given)
    kept = _fitting(given, answer.model_copy(update={"entries": given.entries}), NOTHING_SAID)
    sound = all(each.id in given.pinned_ids or (each.notes and allowed(given, each) == each.notes) for each in kept)
    reasons = ["unsure"] if answer.unsure else []
    if len(kept) < len(given.entries) or not sound:
        reasons.append("has to change")
    if reasons:
        raise RefusedRevisionError(reasons)
    entries = [each if each.id in given.pinned_ids else _told_again(given, each) for each in kept]
    summary = _summary(given, given.summary, entries)
    return answer.model_copy(update={"entries": entries, "summary": summary, "gone": []})


def _told_again(given: RevisionInput, entry: Entry) -> Entry:
    """Return the entry with the sources of the facts that say the same: it outlasts the one that it came from."""
    statement = meaning(entry.text)
    again = {note for fact in given.facts if says(statement, meaning(fact.text)) for note in fact.notes}
    more = entry.model_copy(update={"notes": sorted({*entry.notes, *again})})
    return more.model_copy(update={"notes": allowed(given, more)[-SOURCES:]})


def _summary(given: RevisionInput, summary: str, entries: Sequence[Entry]) -> str:
    """Return the short summary, or that of the rules where it tells what the entries do not, or what is not kept."""
    stands = sums_up_entries(summary, entries, given.member) and not is_unfit(summary, given)
    return summary if stands else summarise(given.member, entries)


# --- What is refused ---------------------------------------------------------------------------------------------


def _faults_of_form(given: RevisionInput, answer: Revision) -> Iterator[str]:
    """Yield what is wrong with the answer whatever it says: too much of it, or sources and ids that there are not."""
    if answer.unsure:
        yield "unsure"
    counts = Counter(entry.section for entry in answer.entries)
    if (
        len(answer.entries) > TOTAL + OVER_TOTAL
        or any(count > LIMITS[section] + OVER_SECTION for section, count in counts.items())
        or any(len(entry.text.split()) > WORDS + OVER_WORDS for entry in answer.entries)
        or any(len(set(entry.notes)) > SOURCES + OVER_SOURCES for entry in answer.entries)
    ):
        yield "over the limits"
    notes = {note.id for note in given.notes}.union(*(entry.notes for entry in given.entries))
    notes.update(*(fact.notes for fact in given.facts))
    uses = Counter(entry.id for entry in answer.entries if entry.id is not None)
    if (
        any(set(entry.notes) - notes for entry in answer.entries)
        or any(not entry.notes and entry.id not in given.pinned_ids for entry in answer.entries)
        or uses.keys() - {entry.id for entry in given.entries}
        or any(count > 1 for count in uses.values())
    ):
        yield "invented sources or ids"


def _losses(given: RevisionInput, answer: Revision) -> Iterator[str]:
    """Yield what is missing: entries without a reason or too many, sources of merged ones, a person's own words."""
    stored = {entry.id for entry in given.entries if entry.id is not None}
    left_out = stored - {entry.id for entry in answer.entries}
    merged_ids = {gone.id for gone in answer.merges}
    dropped = left_out - merged_ids
    if left_out - {gone.id for gone in answer.gone} or (len(stored) >= FEW and len(dropped) > LOSS * len(stored)):
        yield "entries lost"
    # Said to be merged, and nothing that is left rests on any of its notes.
    kept_notes = {note for entry in answer.entries for note in entry.notes}
    merged_away = {gone.id for gone in answer.gone if gone.why == "merged"} - merged_ids
    if any(e.notes and kept_notes.isdisjoint(e.notes) for e in given.entries if e.id in merged_away):
        yield "sources lost"
    kept = {(entry.id, entry.section, entry.text) for entry in answer.entries}
    if any((entry.id, entry.section, entry.text) not in kept for entry in given.entries if entry.pinned):
        yield "pinned entries changed"


def _inventions(given: RevisionInput, answer: Revision) -> Iterator[str]:
    """Yield what a model put in: what chat told it to do, and guesses."""
    new = [entry for entry in answer.entries if not given.has(entry)]
    if any(carries_instruction(text) for text in (*(entry.text for entry in new), answer.summary)):
        yield "instructions"
    ground = grounds(given)
    guesses = sum(not _stands(given, ground, entry) for entry in new)
    if guesses > GUESSES and 2 * guesses > len(new):
        yield "not grounded"


# --- What is tidied ----------------------------------------------------------------------------------------------


def _fitting(given: RevisionInput, answer: Revision, said: Spoken) -> list[Entry]:
    """Return the entries that may stand in a profile.

    A new one may not that somebody else told of themselves, unless a fact of the member says it too.
    """
    ground, past = grounds(given), bygone(given)
    kept = []
    for entry in answer.entries:
        if entry.id not in given.pinned_ids:
            statement = meaning(entry.text)
            if any(says(statement, gone) for gone in past) or is_unfit(entry.text, given):
                continue
            if not _stands(given, ground, entry):
                continue
            is_known = given.has(entry) or any(says(meaning(fact.text), statement) for fact in given.facts)
            if not is_known and said.is_anothers(entry.text):
                continue
        kept.append(entry)
    return kept


def _claim(given: RevisionInput, answer: Revision, entry: Entry, at: int, alike: Pairs) -> Claim | None:
    """Return the entry with the sources of what it goes on from and of what was merged into it; none if refused."""
    pinned = entry.id in given.pinned_ids
    notes = entry.notes if pinned else allowed(given, entry, alike)
    if not pinned and not notes:
        return None
    absorbed = {gone.id for gone in answer.merges if gone.into == entry.id and entry.id is not None}
    older = [
        old
        for old in given.entries
        if old.id in absorbed or (old.id == entry.id and says(meaning(entry.text), meaning(old.text)))
    ]
    sources = dict.fromkeys([*(note for old in older for note in allowed(given, old)), *notes])
    return Claim(entry.section, clip_words(entry.text, WORDS), tuple(sources), order=-at, pinned=pinned, id=entry.id)


def _stands(given: RevisionInput, ground: Grounds, entry: Entry) -> bool:
    """Whether the entry is stored already, or what was given says it, of this member."""
    return given.has(entry) or (is_about_member(entry, given) and ground.bear(entry.text))
