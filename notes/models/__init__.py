"""Tables of what was said and what happened: messages, buffers, notes, summaries, plans, journal."""

from notes.models.arrangements import Arrangement, ArrangementQuerySet
from notes.models.links import NoteMessage, NotePart, NoteParticipant, QuestionAnswer, QuestionMessage, SummaryMessage
from notes.models.messages import BufferQuerySet, ChannelBuffer, Message, MessageQuerySet
from notes.models.notes import InteractionNote, Journal, NoteQuerySet
from notes.models.summaries import Question, Summary

__all__ = [
    "Arrangement",
    "ArrangementQuerySet",
    "BufferQuerySet",
    "ChannelBuffer",
    "InteractionNote",
    "Journal",
    "Message",
    "MessageQuerySet",
    "NoteMessage",
    "NotePart",
    "NoteParticipant",
    "NoteQuerySet",
    "Question",
    "QuestionAnswer",
    "QuestionMessage",
    "Summary",
    "SummaryMessage",
]
