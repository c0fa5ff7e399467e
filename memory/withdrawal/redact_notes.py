"""Removes somebody's lines from notes that can't be written again, since retention removed the messages' texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.index import writing
from memory.withdrawal import withdraw
from memoryhub import language
from memoryhub.community.days import local
from memoryhub.community.labels import bearers, plain_name
from notes.models import InteractionNote, Message
from notes.writing.header import day_only, parted
from notes.writing.key_sentences import shown_name
from notes.writing.schemas import UNTITLED
from profiles.relationships import count
from profiles.revision import lost_sources

_LISTED = re.compile(r"(?:Decided|Planned|Open): ")


@dataclass(frozen=True)
class _Line:
    """One line of a note: what it lists, if it does; who said it; what parts the name from the words."""

    listed: str
    member: int
    name: str
    link: str
    words: str


def redact_lost(notes: Iterable[InteractionNote], *, without: Sequence[Message]) -> list[InteractionNote]:
    """Take the lines of these messages' authors out of notes, as `redact` does, where they can't be written again.

    That is where nothing of what the others said there can be read: else the note is better written again.
    """
    authors = {message.author_id for message in without}
    others = Message.objects.readable().exclude(author__in=authors)
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
    header, told = parted(note.summary)
    rows = told.splitlines()
    lines = [line for row in rows if (line := _read(row, named))]
    if len(lines) < len(rows) or not header:
        return False
    gone = [member for pk, member in members.items() if pk in authors]
    spelled = {form for m in gone for form in (plain_name(shown_name(str(m))), m.name, m.platform_id) if form}
    naming = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, spelled))})(?!\w)" if spelled else r"(?!)", re.IGNORECASE)
    kept = []
    for line in lines:
        if line.member not in authors:
            first, *others = language.sentences(line.words)
            words = " ".join(each for each in (first, *others) if not naming.search(each))
            link = ": " if naming.search(first) else line.link
            kept += [f"{line.listed}{line.name}{link}{words}"] if words else []
    if kept:
        note.title, note.summary = UNTITLED, "\n".join([day_only(local(note.guild, note.ended_at)), *kept])
        note.save(update_fields=["title", "summary"])
        note.messages.remove(*note.messages.filter(author__in=authors))
        note.participants.remove(*authors)
    return bool(kept)


def _read(row: str, named: Mapping[str, int]) -> _Line | None:
    """Return whose line it is and what it says; None where it begins with nobody's name."""
    listed = found[0] if (found := _LISTED.match(row)) else ""
    said = row.removeprefix(listed)
    for name in sorted(named, key=len, reverse=True):
        link = next((each for each in (": ", " ") if said.startswith(f"{name}{each}")), "")
        if link and said.removeprefix(f"{name}{link}").strip():
            return _Line(listed, named[name], name, link, said.removeprefix(f"{name}{link}"))
    return None
