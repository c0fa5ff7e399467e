"""Removes somebody's lines from notes that can't be written again, since retention removed the messages' texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from memory.index import writing
from memory.withdrawal import withdraw
from memoryhub import language
from memoryhub.community.labels import bearers, plain_name
from notes.models import InteractionNote, Message
from notes.writing.key_sentences import shown_name
from notes.writing.schemas import UNTITLED
from profiles.relationships import count
from profiles.revision import lost_sources

_LINE = re.compile(r"(?P<name>[^:\n]{1,80}): (?P<words>.+)")


def redact_lost(notes: Iterable[InteractionNote], *, without: Sequence[Message]) -> list[InteractionNote]:
    """Take the lines of these messages' authors out of notes, as `redact` does, where they can't be written again.

    That is where nothing of what the others said there can be read: else the note is better written again.
    """
    authors = {message.author_id for message in without}
    others = Message.objects.filter(deleted_at=None, let_go_at=None).exclude(author__in=authors)
    redacted = redact([note for note in notes if not others.filter(notes=note).exists()], authors=authors)
    count.recount_notes(redacted)
    return redacted


def redact(notes: Iterable[InteractionNote], *, authors: Collection[int]) -> list[InteractionNote]:
    """Take these authors' lines out of notes that say line by line who said what; return those notes.

    A note in free words is left as it is, since nobody can tell whose words a sentence came from, and so is one in
    which nobody else spoke. Call it in a transaction.
    """
    redacted = [note for note in notes if note.kind == InteractionNote.Kind.CONVERSATION and _redact(note, authors)]
    topics = InteractionNote.objects.filter(notes__in=redacted).distinct()  # they repeat the notes
    withdraw.drop_notes(list(topics))
    lost_sources.drop([note.pk for note in redacted], of=authors)
    writing.index_notes(redacted)
    return redacted


def _redact(note: InteractionNote, authors: Collection[int]) -> bool:
    """Keep the others' sentences that do not name these; False where none is left, or it is unclear whose they are."""
    if not note.messages.filter(deleted_at=None).exclude(author__in=authors).exists():
        return False
    members = {member.pk: member for member in note.participants.all()}
    named = bearers((shown_name(str(member)), pk) for pk, member in members.items())
    lines = [_LINE.fullmatch(line) for line in note.summary.splitlines()[1:]]
    if any(line is None or line["name"] not in named for line in lines):
        return False
    gone = [member for pk, member in members.items() if pk in authors]
    spelled = {form for m in gone for form in (plain_name(shown_name(str(m))), m.name, m.platform_id) if form}
    naming = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, spelled))})(?!\w)" if spelled else r"(?!)", re.IGNORECASE)
    kept = []
    for line in lines:
        if line and named[line["name"]] not in authors:
            words = " ".join(each for each in language.sentences(line["words"]) if not naming.search(each))
            kept += [f"{line['name']}: {words}"] if words else []
    if kept:
        note.title, note.summary = UNTITLED, "\n".join([f"On {note.ended_at:%-d %B %Y}.", *kept])
        note.save(update_fields=["title", "summary"])
        note.messages.remove(*note.messages.filter(author__in=authors))
        note.participants.remove(*authors)
    return bool(kept)
