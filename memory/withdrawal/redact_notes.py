"""Takes somebody's lines out of notes that can't be written anew, since retention let the messages' texts go."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from memory.index import writing
from memory.withdrawal import withdraw
from notes.models import InteractionNote, Message
from notes.writing.key_sentences import shown_name
from notes.writing.schemas import UNTITLED
from profiles.relationships import count
from profiles.revision import lost_sources

_LINE = re.compile(r"(?P<name>[^:\n]{1,80}): (?P<words>.+)")


def redact_authors(notes: Iterable[InteractionNote], *, without: Sequence[Message]) -> list[InteractionNote]:
    """Take the lines of these messages' authors out of notes that tell line by line who said what; return those notes.

    Only where nothing of what the others said there can be read again: else the note is better written anew. A note in
    free words goes as a whole, since nobody can tell whose words a sentence came from. Call it in a transaction.
    """
    gone = {message.author_id for message in without}
    shortened = [note for note in notes if _all_let_go(note, gone) and _shorten(note, gone)]
    withdraw.drop_notes(list(InteractionNote.objects.filter(notes__in=shortened).distinct()))  # topics retell them
    lost_sources.drop_notes([note.pk for note in shortened], of=gone)
    writing.index_notes(shortened)
    count.recount_notes(shortened)
    return shortened


def _all_let_go(note: InteractionNote, gone: Collection[int]) -> bool:
    others = note.messages.filter(deleted_at=None).exclude(author__in=gone)
    talk = note.kind == InteractionNote.Kind.CONVERSATION
    return talk and others.exists() and not others.filter(let_go_at=None).exists()


def _shorten(note: InteractionNote, gone: Collection[int]) -> bool:
    """Keep the others' lines that do not name who goes; False where there are none, or it is told in free words."""
    people = {shown_name(str(member)): member for member in note.participants.all()}
    said = [_LINE.fullmatch(line) for line in note.summary.splitlines()[1:]]
    if any(line is None or line["name"] not in people for line in said):
        return False
    names = [name for name, member in people.items() if member.pk in gone]
    lines = [line for line in said if line and people[line["name"]].pk not in gone]
    kept = [line[0] for line in lines if not _names(line["words"], names)]
    if kept:
        note.title, note.summary = UNTITLED, "\n".join([f"On {note.ended_at:%-d %B %Y}.", *kept])
        note.save(update_fields=["title", "summary"])
        note.messages.remove(*note.messages.filter(author__in=gone))
        note.participants.remove(*gone)
    return bool(kept)


def _names(words: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words, re.IGNORECASE) for name in names)
