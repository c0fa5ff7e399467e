"""Revise a profile without a model: from the facts, what a person worded, and what a model wrote that still holds."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from memoryhub.language.clip import clip, clip_words
from memoryhub.language.same_statement import Meaning, again, meaning, says
from memoryhub.language.word_lists import listed
from profiles.revision.durability import is_mood
from profiles.revision.entry_merge import Claim, merged, within_limits
from profiles.revision.schemas import (
    LIMITS,
    PROFILE_CHARS,
    WORDS,
    ByRules,
    Entry,
    Gone,
    Learned,
    Revision,
    RevisionInput,
    StoredEntry,
    Why,
)
from profiles.revision.sections import section_of

# How a statement without its subject begins: with a verb in the third person or the past, or one of these.
_IRREGULAR = listed(
    """was had did could can will would got went met won grew came quit took left lost bought made gave built ran sold
    taught thought wrote began became broke chose drove ate fell felt found flew forgot kept knew read saw sent sang
    slept spoke spent swam told wore caught cut hurt put set never"""
)
_VERB = re.compile(r"\w+(?:ed|(?<![su])s)|\w+n['’]t")


Pairs = Collection[tuple[str, str]]


def revise(given: RevisionInput) -> Revision:
    """Return the profile that the facts support now: an entry of ours whose fact is gone goes too.

    Moods are no lines. What a model wrote stays while it has a source and is not past; beside it, only what the notes
    at hand brought is added, since the model has worked in the facts before in words of its own.
    """
    every = merged([*_pinned(given.entries), *_written(given), *_learned(given)])
    shown = within_limits(claim for claim in every if claim.pinned or not is_mood(claim.text))
    entries = _named(shown, [entry for entry in given.entries if not entry.pinned])
    return ByRules(entries=entries, summary=summarise(given.member, entries), gone=_gone(given, entries, every))


def summarise(member: str, entries: Sequence[Entry]) -> str:
    """Return a paragraph of at most 800 characters: a sentence for each section, from its strongest entries."""
    for most in (3, 2, 1):
        parts = [_sentence(member, [e.text for e in entries if e.section == section][:most]) for section in LIMITS]
        text = " ".join(filter(None, parts))
        if len(text) <= PROFILE_CHARS:
            return text
    return clip(text, PROFILE_CHARS)


def bygone(given: RevisionInput) -> list[Meaning]:
    """Return what is no longer believed: facts of the past that no active fact says again."""
    active = [meaning(_bare(fact.text, given.member)) for fact in given.facts]
    past = (meaning(_bare(text, given.member)) for text in given.past)
    return [gone for gone in past if not any(says(fact, gone) for fact in active)]


def allowed(given: RevisionInput, entry: Entry, alike: Pairs = frozenset()) -> list[int]:
    """Return those of the entry's notes on which it may rest: of what was refused, only what was told since.

    `alike` are pairs of a refused text and one that means the same, whatever their words.
    """
    told = meaning(entry.text)
    for refusal in given.refused:
        if again(meaning(refusal.text), told) or (refusal.text, entry.text) in alike:
            return [note for note in entry.notes if note in refusal.later]
    return entry.notes


def _pinned(entries: Sequence[StoredEntry]) -> list[Claim]:
    return [Claim(e.section, e.text, tuple(e.notes), pinned=True, id=e.id) for e in entries if e.pinned]


def _written(given: RevisionInput) -> list[Claim]:
    """Return what a model wrote and still holds."""
    ours = [entry for entry in given.entries if entry.by_model and not entry.pinned]
    claims = [
        Claim(entry.section, entry.text, tuple(allowed(given, entry)), order=-at) for at, entry in enumerate(ours)
    ]
    gone = bygone(given)
    return [claim for claim in claims if claim.notes and not any(says(claim.meaning, past) for past in gone)]


def _learned(given: RevisionInput) -> list[Claim]:
    claims = [_claim(fact, order, given) for order, fact in enumerate(given.facts)]
    usable = [claim for claim in claims if claim.text and claim.notes]
    if not any(entry.by_model for entry in given.entries):
        return usable
    new = {note.id for note in given.notes}
    ours = {entry.text for entry in given.entries if not entry.by_model}
    return [claim for claim in usable if claim.text in ours or not new.isdisjoint(claim.notes)]


def _claim(fact: Learned, order: int, given: RevisionInput) -> Claim:
    text = _bare(fact.text, given.member)
    section = section_of(text, kind=fact.kind)
    notes = allowed(given, Entry(section=section, text=text or "-", notes=fact.notes))
    return Claim(section, text, tuple(notes), confidence=fact.confidence, order=order)


def _bare(text: str, member: str) -> str:
    return clip_words(_without_name(text, member), WORDS).rstrip(".")


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
        near = (id_ for id_, text in free.items() if at not in named and says(claim.meaning, meaning(text)))
        if (id_ := next(near, None)) is not None:
            named[at] = id_
            del free[id_]
    return [claim.as_entry(id=claim.id if claim.pinned else named.get(at)) for at, claim in enumerate(claims)]


def _gone(given: RevisionInput, entries: Sequence[Entry], every: Sequence[Claim]) -> list[Gone]:
    kept = {entry.id for entry in entries}
    lost = [entry for entry in given.entries if entry.id is not None and entry.id not in kept]
    shown = [(entry.id, meaning(entry.text)) for entry in entries]
    known = [claim.meaning for claim in every]
    return [_left_out(given, entry, shown, known) for entry in lost]


def _left_out(
    given: RevisionInput, lost: Entry, shown: Sequence[tuple[int | None, Meaning]], known: Sequence[Meaning]
) -> Gone:
    told = meaning(lost.text)
    into = [id_ for id_, other in shown if says(other, told)]
    why: Why = "no longer true"
    if lost.notes and not allowed(given, lost):
        why = "refused"
    elif into:
        why = "merged"
    elif any(says(other, told) for other in known):
        why = "no room"
    return Gone(id=lost.id or 0, why=why, into=into[0] if why == "merged" else None)


def _sentence(member: str, texts: Sequence[str]) -> str:
    """Return what the member does in one sentence, and what has a subject of its own in others."""
    told = [text.rstrip(".") for text in texts]
    done = [text[:1].lower() + text[1:] for text in told if _is_predicate(text)]
    named = [f"{member} {'; '.join(done)}"] if done else []
    return " ".join(f"{each}." for each in [*named, *(text for text in told if not _is_predicate(text))])


def _is_predicate(text: str) -> bool:
    first = text.partition(" ")[0].lower()
    return first in _IRREGULAR or bool(_VERB.fullmatch(first))
