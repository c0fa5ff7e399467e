"""Filters of the pages of memory: what the logs hold, in sentences, and what an erasure takes, in words."""

from __future__ import annotations

from django import template

from memory.erasure.erasure_progress import held
from memory.models import Action, JobRun
from memory.records.sentences import action_in_words, by_whom, phase_in_words

register = template.Library()
register.filter("signed", by_whom)
register.filter("held", held)


@register.filter
def told(row: Action | JobRun) -> str:
    """Say what a line of the action log or a phase of a nightly run did."""
    if isinstance(row, JobRun):
        return phase_in_words(row.phase, row.counts)
    return action_in_words(row.kind, row.detail)
