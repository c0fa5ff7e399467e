"""Keeps the questions that channels left open, until a later summary answers them (seed 003)."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import QuerySet

from notes.models import Message, Question
from profiles.models import Channel


def open_in(channel: Channel) -> QuerySet[Question]:
    """Return the channel's open questions, the oldest first."""
    return Question.objects.filter(channel=channel).unanswered()


def withdraw(messages: Iterable[Message]) -> None:
    """Drop the questions that rest on these messages; open those again that were answered by them."""
    ids = [message.pk for message in messages]
    Question.objects.filter(messages__in=ids).delete()
    for question in Question.objects.filter(answers__in=ids).distinct():
        question.answers.clear()
        if not open_in(question.channel).filter(text=question.text).exists():
            question.answered_at = None
            question.save(update_fields=["answered_at"])
