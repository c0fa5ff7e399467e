"""Says what a memory rests on: the messages behind a fact or a note, and what was done to a fact."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from memory.api import facts, messages
from memory.model_context.schemas import Change, Fact, Reasons, Source, ToExplain
from memory.model_context.visits import Visit
from memoryhub.common.pagination import LARGEST_ID, Window
from notes.api import notes
from notes.models import Message

MOST_MESSAGES = 50
MOST_CHANGES = 20


def explain(visit: Visit, given: ToExplain) -> Reasons:
    """Return what it rests on; raises Http404."""
    if given.kind == "message":
        return _of_message(visit, given.id)
    if not given.id.isascii() or not given.id.isdigit() or not 0 < int(given.id) <= LARGEST_ID:
        raise Http404(f"There is no such {given.kind} in this guild. Ids of {given.kind}s are numbers.")
    return (_of_fact if given.kind == "fact" else _of_note)(visit, int(given.id))


def _of_fact(visit: Visit, row: int) -> Reasons:
    fact = Fact.of(facts.show_fact(visit.request, HttpResponse(), visit.guild.key, row))
    history = facts.show_history(visit.request, visit.guild.key, row, Window(limit=MOST_CHANGES))
    changes = [Change(**change.model_dump(exclude={"before"})) for change in history.items]
    return Reasons(
        kind="fact", id=fact.id, text=fact.text, member_name=fact.member_name, sources=fact.sources, changes=changes
    )


def _of_note(visit: Visit, row: int) -> Reasons:
    note = notes.show_note(visit.request, visit.guild.key, row)
    rows = Message.objects.of(visit.guild).filter(platform_id__in=note.messages[:MOST_MESSAGES], deleted_at=None)
    said = [
        Source(message_id=message.platform_id, author=str(message.author), quote=message.text, at=message.sent_at)
        for message in rows.select_related("author").order_by("sent_at", "pk")
    ]
    below = [Source(note_id=pk) for pk in note.notes]
    return Reasons(kind="note", id=note.id, text=f"{note.title}: {note.summary}", sources=[*said, *below])


def _of_message(visit: Visit, named: str) -> Reasons:
    message = messages.show_message(visit.request, HttpResponse(), visit.guild.key, named)
    source = Source(message_id=message.id, author=message.author, quote=message.text, at=message.sent_at)
    return Reasons(kind="message", id=message.id, text=message.text, sources=[source])
