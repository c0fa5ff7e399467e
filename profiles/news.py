"""Whether what calls for the revision of a profile brings anything to work in: else no model need be asked."""

from __future__ import annotations

from memoryhub.language import content, tokens
from profiles.sameness import meaning, says
from profiles.shapes import RevisionInput, Told


def brings_news(given: RevisionInput) -> bool:
    """Tell whether the notes at hand taught a fact that no entry says yet, or tell of the member by name."""
    return _taught(given) or any(_tells_of(note, given.member) for note in given.notes)


def leaves_work(given: RevisionInput) -> bool:
    """Tell whether there is anything to consolidate: news, or an entry of these notes beside another one."""
    new = {note.id for note in given.notes}
    fresh = any(not new.isdisjoint(entry.notes) for entry in given.entries)
    return (fresh and len(given.entries) > 1) or brings_news(given)


def _taught(given: RevisionInput) -> bool:
    new = {note.id for note in given.notes}
    held = [meaning(entry.text) for entry in given.entries]
    facts = (meaning(fact.text) for fact in given.facts if not new.isdisjoint(fact.notes))
    return any(not any(says(entry, fact) for entry in held) for fact in facts)


def _tells_of(note: Told, member: str) -> bool:
    """Tell whether one of the words of the member's name stands in the note; a name without words stands in any."""
    name = set(content(member) or tokens(member))
    return not name or not name.isdisjoint(tokens(f"{note.title} {note.summary}"))
