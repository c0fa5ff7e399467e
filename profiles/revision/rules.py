"""Revises a profile without a model: from the facts, what a person worded, and what a model wrote that still holds."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from memoryhub.community.labels import plain_name
from memoryhub.language.clip import clip_words
from memoryhub.language.same_statement import Meaning, meaning, repeats, says
from profiles.revision.entry_merge import Claim, merged, one_of_each, within_limits
from profiles.revision.schemas import (
    WORDS,
    ByRules,
    Entry,
    Gone,
    Revision,
    RevisionInput,
    Why,
)
from profiles.revision.sections import is_mood, is_vague, section_of
from profiles.revision.summary import summarise

Pairs = Collection[tuple[str, str]]


def revise(given: RevisionInput) -> Revision:
    """Return the profile that the facts support now: an entry of ours whose fact is gone goes too.

    Moods are no entries, nor is what says nothing by itself, and of each matter there is one. What a model wrote stays
    while it has a source and is not past; beside it, only what the notes at hand brought is added, since the model has
    worked in the facts before in words of its own.
    """
    pinned = [Claim(e.section, e.text, tuple(e.notes), pinned=True, id=e.id) for e in given.entries if e.pinned]
    by_model = [entry for entry in given.entries if entry.by_model and not entry.pinned]
    claims = [Claim(e.section, e.text, tuple(allowed(given, e)), order=-at) for at, e in enumerate(by_model)]
    past = bygone(given)
    held = [claim for claim in claims if claim.notes and not any(says(claim.meaning, gone) for gone in past)]
    every = merged([*pinned, *held, *_of_facts(given)])
    shown = within_limits(claim for claim in every if claim.pinned or not (is_mood(claim.text) or is_vague(claim.text)))
    entries = _with_ids(shown, [entry for entry in given.entries if not entry.pinned])
    return ByRules(entries=entries, summary=summarise(given.member, entries), gone=_gone(given, entries, every))


def _of_facts(given: RevisionInput) -> list[Claim]:
    """Return what the facts say; beside a model's entries, only what is of ours or came with the notes at hand."""
    claims = []
    for order, fact in enumerate(given.facts):
        text = _bare(fact.text, given.member)
        section = section_of(text, kind=fact.kind)
        notes = allowed(given, Entry(section=section, text=text or "-", notes=fact.notes))
        if text and notes:
            claims.append(Claim(section, text, tuple(notes), confidence=fact.confidence, order=order))
    claims = one_of_each(claims)
    if not any(entry.by_model for entry in given.entries):
        return claims
    # A message that no note tells of is at hand until the model has cited it.
    cited = {source for entry in given.entries if entry.by_model for source in entry.notes}
    new = {note.id for note in given.notes} | {n for fact in given.facts for n in fact.notes if n < 0} - cited
    ours = {entry.text for entry in given.entries if not entry.by_model}
    return [claim for claim in claims if claim.text in ours or not new.isdisjoint(claim.notes)]


def _with_ids(claims: Sequence[Claim], stored: Sequence[Entry]) -> list[Entry]:
    """Give each claim the id of the stored entry that it continues: same words first, then same meaning."""
    free = {entry.id: entry.text for entry in stored if entry.id is not None}
    ids: dict[int, int] = {}
    for by_words in (True, False):
        for at, claim in enumerate(claims):
            if at in ids:
                continue
            for id_, text in free.items():
                if text == claim.text if by_words else says(claim.meaning, meaning(text)):
                    ids[at] = id_
                    del free[id_]
                    break
    return [claim.as_entry(id=claim.id if claim.pinned else ids.get(at)) for at, claim in enumerate(claims)]


def _gone(given: RevisionInput, entries: Sequence[Entry], every: Sequence[Claim]) -> list[Gone]:
    """Return the stored entries that are left out, each with the reason."""
    kept = {entry.id for entry in entries}
    shown = [(entry.id, meaning(entry.text)) for entry in entries]
    gone = []
    for lost in given.entries:
        if lost.id is None or lost.id in kept:
            continue
        statement = meaning(lost.text)
        into = [id_ for id_, other in shown if says(other, statement)]
        why: Why = "no longer true"
        if lost.notes and not allowed(given, lost):
            why = "refused"
        elif into:
            why = "merged"
        elif any(says(claim.meaning, statement) for claim in every):
            why = "no room"
        gone.append(Gone(id=lost.id, why=why, into=into[0] if why == "merged" else None))
    return gone


def bygone(given: RevisionInput) -> list[Meaning]:
    """Return what is no longer believed: facts of the past that no active fact says again."""
    active = [meaning(_bare(fact.text, given.member)) for fact in given.facts]
    past = (meaning(_bare(text, given.member)) for text in given.past)
    return [gone for gone in past if not any(says(fact, gone) for fact in active)]


def allowed(given: RevisionInput, entry: Entry, alike: Pairs = frozenset()) -> list[int]:
    """Return those of the entry's notes on which it may rest: of what was refused, only what was told since.

    `alike` are pairs of a refused text and one that means the same, whatever their words.
    """
    statement = meaning(entry.text)
    for refusal in given.refused:
        if repeats(meaning(refusal.text), statement) or (refusal.text, entry.text) in alike:
            return [note for note in entry.notes if note in refusal.later]
    return entry.notes


def _bare(text: str, member: str) -> str:
    """Return a fact as an entry words it: without the member's name before it, short, and without a full stop."""
    text = text.strip()
    either = f"{re.escape(member)}|{re.escape(plain_name(member))}"
    if named := re.match(rf"(?:{either})(['’]s)?\s+", text, re.IGNORECASE):
        rest = text[named.end() :]
        text = f"Their {rest}" if named[1] else rest[:1].upper() + rest[1:]
    return clip_words(text, WORDS).rstrip(".")
