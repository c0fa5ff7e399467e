"""Filters of the pages of notes: what a note tells where its title, its day and who took part stand beside it."""

from __future__ import annotations

from django import template

from notes.models import InteractionNote
from notes.writing.header import body

register = template.Library()


@register.filter
def retold(note: InteractionNote) -> str:
    """Return what a note says besides its title and its first line, which names the people and the time."""
    return body(note.title, note.summary)
