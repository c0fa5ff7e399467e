"""Whether what calls for the revision of a profile brings anything to work in: else no model need be asked."""

from __future__ import annotations

from memoryhub.language import content, tokens
from memoryhub.language.same_statement import meaning, says
from profiles.revision.schemas import RevisionInput


def brings_news(given: RevisionInput) -> bool:
    """Tell whether the notes at hand taught a fact that no entry says yet, or tell of the member by name."""
    return _taught(given) or _named(given)


def leaves_work(given: RevisionInput) -> bool:
    """Tell whether there is anything to consolidate: a fact that no entry says, or an entry and what may touch it.

    What a note tells of a member without entries was worked in when it was written; there is no second look at it.
    """
    new = {note.id for note in given.notes}
    fresh = any(not new.isdisjoint(entry.notes) for entry in given.entries)
    touched = (fresh and len(given.entries) > 1) or _named(given)
    return _taught(given) or bool(given.entries and touched)


def _taught(given: RevisionInput) -> bool:
    new = {note.id for note in given.notes}
    held = [meaning(entry.text) for entry in given.entries]
    facts = (meaning(fact.text) for fact in given.facts if not new.isdisjoint(fact.notes))
    return any(not any(says(entry, fact) for entry in held) for fact in facts)


def _named(given: RevisionInput) -> bool:
    """Tell whether one of the words of the member's name stands in a note; a name without words stands in any."""
    name = set(content(given.member) or tokens(given.member))
    return any(not name or not name.isdisjoint(tokens(f"{note.title} {note.summary}")) for note in given.notes)
