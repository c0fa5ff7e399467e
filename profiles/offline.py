"""Revise a profile without a model: a pure function of the member's facts, the pinned entries and the refused texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from profiles.claims import Claim, merged, within_limits
from profiles.sameness import Meaning, holds, meaning, same
from profiles.sections import section_of
from profiles.shapes import LIMITS, PROFILE_CHARS, WORDS, Entry, Gone, Learned, Revision, RevisionInput, Why
from profiles.wording import clip_words

_PREDICATE = re.compile(
    r"^(?:\w+(?:ed|(?<![su])s)|was|had|did|could|can|will|would|got|went|met|won|grew|came)\b", re.IGNORECASE
)


def revise(given: RevisionInput) -> Revision:
    """Return the profile that the facts support now; an entry whose fact is gone goes too, unless pinned."""
    refused = [meaning(text) for text in given.refused]
    every = merged([*_pinned(given.entries), *_learned(given, refused)])
    shown = within_limits(every)
    entries = _named(shown, [entry for entry in given.entries if not entry.pinned])
    return Revision(
        entries=entries, summary=summarise(given.member, entries), gone=_gone(given, entries, every, refused)
    )


def summarise(member: str, entries: Sequence[Entry]) -> str:
    """Return a paragraph of at most 800 characters: a sentence for each section, from its strongest entries."""
    for most in (3, 2, 1):
        parts = [_sentence(member, [e.text for e in entries if e.section == section][:most]) for section in LIMITS]
        text = " ".join(filter(None, parts))
        if len(text) <= PROFILE_CHARS:
            return text
    return text


def _pinned(entries: Sequence[Entry]) -> list[Claim]:
    return [Claim(e.section, e.text, tuple(e.notes), pinned=True, id=e.id) for e in entries if e.pinned]


def _learned(given: RevisionInput, refused: Sequence[Meaning]) -> list[Claim]:
    claims = [_claim(fact, order, given.member) for order, fact in enumerate(given.facts) if fact.notes]
    return [claim for claim in claims if claim.text and not any(same(claim.meaning, taken) for taken in refused)]


def _claim(fact: Learned, order: int, member: str) -> Claim:
    text = clip_words(_without_name(fact.text, member), WORDS).rstrip(".")
    return Claim(section_of(text, kind=fact.kind), text, tuple(fact.notes), confidence=fact.confidence, order=order)


def _without_name(text: str, member: str) -> str:
    named = re.match(rf"{re.escape(member)}(['’]s)?\s+", text.strip(), re.IGNORECASE)
    if not named:
        return text.strip()
    rest = text.strip()[named.end() :]
    return f"Their {rest}" if named[1] else rest[:1].upper() + rest[1:]


def _named(claims: Sequence[Claim], stored: Sequence[Entry]) -> list[Entry]:
    """Give each claim the id of the stored entry that it continues: same words first, then same meaning."""
    free = {entry.id: entry.text for entry in stored if entry.id is not None}
    named: dict[int, int] = {}
    for at, claim in enumerate(claims):
        if (id_ := next((id_ for id_, text in free.items() if text == claim.text), None)) is not None:
            named[at] = id_
            del free[id_]
    for at, claim in enumerate(claims):
        near = (id_ for id_, text in free.items() if at not in named and _continues(claim.meaning, meaning(text)))
        if (id_ := next(near, None)) is not None:
            named[at] = id_
            del free[id_]
    return [claim.as_entry(id=claim.id if claim.pinned else named.get(at)) for at, claim in enumerate(claims)]


def _continues(new: Meaning, old: Meaning) -> bool:
    return same(new, old) or holds(new, old)


def _gone(
    given: RevisionInput, entries: Sequence[Entry], every: Sequence[Claim], refused: Sequence[Meaning]
) -> list[Gone]:
    kept = {entry.id for entry in entries}
    shown = [meaning(entry.text) for entry in entries]
    known = [claim.meaning for claim in every]
    lost = {entry.id: meaning(entry.text) for entry in given.entries if entry.id is not None and entry.id not in kept}
    return [Gone(id=id_, why=_why(text, shown, known, refused)) for id_, text in lost.items()]


def _why(lost: Meaning, shown: Sequence[Meaning], known: Sequence[Meaning], refused: Sequence[Meaning]) -> Why:
    if any(same(lost, taken) for taken in refused):
        return "refused"
    if any(_continues(other, lost) for other in shown):
        return "merged"
    return "no room" if any(_continues(other, lost) for other in known) else "no longer true"


def _sentence(member: str, texts: Sequence[str]) -> str:
    told = [text.rstrip(".") for text in texts]
    if not told:
        return ""
    if all(_PREDICATE.match(text) for text in told):
        return f"{member} {'; '.join(text[:1].lower() + text[1:] for text in told)}."
    return f"{'; '.join(told)}."
