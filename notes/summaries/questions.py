"""Keeps the questions that channels left open, until a later summary answers them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import QuerySet

from memoryhub.community.models import Channel, Member
from memoryhub.language import stems
from notes.models import Message, Question
from notes.writing.key_sentences import shown_name

GIVEN = 20  # open questions that a summary is asked about, the newest
ALIKE = 0.5  # of a question's words that its message must hold


def open_in(channel: Channel) -> QuerySet[Question]:
    """Return the channel's open questions, the oldest first."""
    return Question.objects.filter(channel=channel).unanswered()


def to_ask_about(channel: Channel) -> list[Question]:
    """Return the open questions that the next summary may find answered, the oldest first."""
    return list(open_in(channel).order_by("-asked_at", "-pk")[:GIVEN])[::-1]


def keep(
    channel: Channel, *, said: Sequence[Message], asked: Sequence[Question], answered: Iterable[int],
    unresolved: Iterable[str], now: datetime,
) -> None:  # fmt: skip
    """Bring the list up to date with what a summary of these messages says.

    `answered` counts from 1 among those that the summary was asked about; `unresolved` are questions as `Name: words`.
    """
    for number in set(answered) & set(range(1, len(asked) + 1)):
        question = asked[number - 1]
        question.answered_at = now
        question.save(update_fields=["answered_at"])
        later = [message for message in said if message.sent_at > question.asked_at]
        question.answers.set(later, through_defaults={"guild_id": question.guild_id})
    known = Question.objects.filter(channel=channel)
    for text in unresolved:
        source = _source(text, said)
        # On the list already, or asked by a message that asked it once.
        if open_in(channel).filter(text=text).exists() or (source and known.filter(messages=source).exists()):
            continue
        row = Question.objects.create(
            guild_id=channel.guild_id,
            channel=channel,
            text=text,
            asked_by=source.author if source else None,
            asked_at=source.sent_at if source else said[-1].sent_at,
            found_at=now,
        )
        row.messages.set([source] if source else said, through_defaults={"guild_id": row.guild_id})


def _source(text: str, said: Sequence[Message]) -> Message | None:
    """Return the message that asks the question: the one of its asker, or else of anybody, that holds most words."""
    name, _, words = text.partition(": ")
    wanted = stems(words or name)
    candidates = [message for message in said if shown_name(str(message.author)) == name] or said
    best = max(candidates, key=lambda message: len(wanted & stems(message.text)), default=None)
    return best if best and wanted and len(wanted & stems(best.text)) >= ALIKE * len(wanted) else None


def withdraw(messages: Iterable[Message]) -> None:
    """Drop the questions that rest on these messages; open those again that were answered by them."""
    ids = [message.pk for message in messages]
    Question.objects.filter(messages__in=ids).delete()
    _reopen(Question.objects.filter(answers__in=ids))


def leave_out(members: QuerySet[Member]) -> None:
    """Drop the questions that rest on these members' words; open those again that were answered by them."""
    Question.objects.filter(messages__author__in=members).delete()
    _reopen(Question.objects.filter(answers__author__in=members))


def _reopen(rows: QuerySet[Question]) -> None:
    for question in rows.distinct().select_related("channel"):
        question.answers.clear()
        if not open_in(question.channel).filter(text=question.text).exists():
            question.answered_at = None
            question.save(update_fields=["answered_at"])
