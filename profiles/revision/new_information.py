"""Whether what calls for the revision of a profile brings anything to work in: else no model need be asked."""

from __future__ import annotations

from memoryhub.language import content, tokens
from memoryhub.language.same_statement import meaning, says
from profiles.revision.schemas import RevisionInput


def brings_news(given: RevisionInput) -> bool:
    """Tell whether the notes at hand taught a fact that no entry says yet.

    What a note merely tells of the member waits for the night, which reads all of a day's notes at once.
    """
    new = {note.id for note in given.notes}
    held = [meaning(entry.text) for entry in given.entries]
    facts = (meaning(fact.text) for fact in given.facts if not new.isdisjoint(fact.notes))
    return any(not any(says(entry, fact) for entry in held) for fact in facts)


def leaves_work(given: RevisionInput) -> bool:
    """Tell whether there is anything to go over: news, a note that names the member, or new entries beside others."""
    new = {note.id for note in given.notes}
    fresh = any(not new.isdisjoint(entry.notes) for entry in given.entries)
    return brings_news(given) or _named(given) or (fresh and len(given.entries) > 1)


def _named(given: RevisionInput) -> bool:
    """Tell whether one of the words of the member's name stands in a note; a name without words stands in any."""
    name = set(content(given.member) or tokens(given.member))
    return any(not name or not name.isdisjoint(tokens(f"{note.title} {note.summary}")) for note in given.notes)
