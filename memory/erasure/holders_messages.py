"""Erases what was said: messages, conversations, and what was written from them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet

from memory import pipeline
from memory.erasure.holder import Holder, columns, counting, deleting
from memory.erasure.mask import Masks
from memory.erasure.target import Target
from memory.index import writing
from memory.jobs import profile_updates
from memory.models import Fact
from memory.records import snapshots
from memory.withdrawal import withdraw
from memoryhub.community.models import Channel, Member
from memoryhub.search import keywords, vectors
from notes.messages import conversations
from notes.models import ChannelBuffer, InteractionNote, Message, Question, Summary
from profiles.models import Profile

CHUNK = 200  # rows in a transaction: other writers wait no longer than a moment
SWEPT = 1000
GONE = "[erased]"
SUMMARY_TEXTS = ("text", "topics", "threads", "unresolved", "decisions", "glossary")


def _erase_messages(target: Target, now: datetime) -> None:
    """Delete as every deletion does, so that what was derived follows; then the rows go, too."""
    if target.kind == "guild":
        _sweep(target)
        return
    if target.member:  # the most of what hangs on their messages, which need not follow message by message
        Profile.objects.filter(member=target.member).delete()
        while facts := list(Fact.objects.filter(subject=target.member)[:CHUNK]):
            withdraw.erase_facts(facts)
    for rows in (target.answers, target.messages):
        while chunk := list(rows()[:CHUNK]):
            with transaction.atomic():
                ids = [message.platform_id for message in chunk]
                pipeline.delete(chunk[0].guild, message_ids=ids, now=now, follow=False)
                Message.objects.filter(pk__in=[message.pk for message in chunk]).delete()
    profile_updates.follow_guild(target.guild, now=now)


def _sweep(target: Target) -> None:
    """Delete all messages of a guild: nothing that could follow them stays."""
    while ids := list(target.messages().order_by().values_list("pk", flat=True)[:SWEPT]):
        with transaction.atomic():
            keywords.delete(kind="message", ids=ids)
            vectors.delete(kind="message", ids=ids)
            Message.objects.filter(pk__in=ids).delete()


def _export_messages(member: Member, _masks: Masks) -> Iterator[dict[str, Any]]:
    rows = Message.objects.filter(author=member, deleted_at=None).select_related("channel").order_by("sent_at", "pk")
    for row in rows.iterator(500):
        yield {
            "id": row.platform_id,
            "channel": row.channel.name or row.channel.platform_id,
            **columns(row, "sent_at", "edited_at"),
            "reply_to": row.reply_to or None,
            **columns(row, "source", "text"),
        }


MESSAGES = Holder(
    name="messages",
    holds="What was said, and what bots answered; in the word index with it.",
    models=("notes.Message",),
    count=lambda target: target.messages().count() + target.answers().count(),
    erase=_erase_messages,
    file="messages.json",
    export=_export_messages,
)


def _mentioning(target: Target) -> QuerySet[Message]:
    if target.member is None:
        return Message.objects.none()
    rows = Message.objects.of(target.guild).exclude(author=target.member).filter(target.mentioning())
    return rows.select_related("author", "guild", "channel")


def _unmention(target: Target, now: datetime) -> None:
    """Take the id out of others' messages: Discord put it there. What they wrote in their own words stays theirs."""
    account = target.member.platform_id if target.member else ""
    while chunk := list(_mentioning(target)[:CHUNK]):
        with transaction.atomic():
            for message in chunk:
                message.mentions = [mention for mention in message.mentions if mention != account]
                for mark in (f"<@{account}>", f"<@!{account}>"):
                    message.text = message.text.replace(mark, GONE)
                    for row in message.evidence.filter(quote__contains=mark):
                        row.quote = row.quote.replace(mark, GONE)[:240]
                        row.save(update_fields=["quote"])
                message.save(update_fields=["mentions", "text"])
            writing.index_messages(chunk)
            snapshots.rerender(target.guild, messages=chunk, now=now)


MENTIONS = Holder(
    name="mentions",
    holds="The account's id in others' messages; a name in their own words stays theirs.",
    models=(),
    count=counting(_mentioning),
    erase=_unmention,
)


def _buffers(target: Target) -> QuerySet[ChannelBuffer]:
    rows = ChannelBuffer.objects.of(target.guild)
    return target.select(rows, member=None, channel=Q(channel__in=target.channels))


BUFFERS = Holder(
    name="conversations",
    holds="Which messages were one conversation and how far its digest came; a member's are digested anew.",
    models=("notes.ChannelBuffer",),
    count=counting(_buffers),
    erase=deleting(_buffers),
)


def _erase_notes(target: Target, now: datetime) -> None:
    """Drop the notes; new ones are written from what the others said in these conversations."""
    while chunk := list(target.notes()[:CHUNK]):
        with transaction.atomic():
            withdraw.drop_notes(chunk)
            conversations.reopen({note.buffer_id for note in chunk if note.buffer_id}, now=now)


def _export_notes(member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
    for row in InteractionNote.objects.filter(participants=member).select_related("channel").iterator(500):
        yield {
            "title": masks.hide(row.title),
            "summary": masks.hide(row.summary),
            "kind": row.kind,
            "channel": str(row.channel) if row.channel else None,
            "day": row.note_date,
        }


NOTES = Holder(
    name="notes",
    holds="What happened in a conversation or on a day; written anew from what the others said.",
    models=(
        "notes.InteractionNote", "notes.InteractionNote_participants", "notes.InteractionNote_messages",
        "notes.InteractionNote_notes", "profiles.EntrySource",
    ),
    count=lambda target: target.notes().count(),
    erase=_erase_notes,
    file="notes.json",
    export=_export_notes,
)  # fmt: skip


def _summaries(target: Target) -> QuerySet[Summary]:
    member = Q(messages__author=target.member)
    for column in SUMMARY_TEXTS:
        member |= Q(**{f"{column}__regex": target.naming})
    rows = target.select(Summary.objects.of(target.guild), member=member, channel=Q(channel__in=target.channels))
    return rows.distinct()


def _erase_summaries(target: Target, _now: datetime) -> None:
    rows = list(_summaries(target))
    Summary.objects.filter(pk__in=[row.pk for row in rows]).delete()
    Channel.objects.filter(pk__in={row.channel_id for row in rows}).update(unsummarized=F("unsummarized") + 1)


SUMMARIES = Holder(
    name="summaries",
    holds="What a channel is about; written anew from what the others said.",
    models=("notes.Summary", "notes.Summary_messages"),
    count=counting(_summaries),
    erase=_erase_summaries,
)


def _questions(target: Target) -> QuerySet[Question]:
    member = Q(asked_by=target.member) | Q(messages__author=target.member) | Q(text__regex=target.naming)
    rows = target.select(Question.objects.of(target.guild), member=member, channel=Q(channel__in=target.channels))
    return rows.distinct()


def _erase_questions(target: Target, _now: datetime) -> None:
    Question.objects.filter(pk__in=list(_questions(target).values_list("pk", flat=True))).delete()


def _export_questions(member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
    for row in Question.objects.filter(asked_by=member).iterator(500):
        yield {"text": masks.hide(row.text), "asked_at": row.asked_at, "answered_at": row.answered_at}


QUESTIONS = Holder(
    name="questions",
    holds="Questions that a channel left open.",
    models=("notes.Question", "notes.Question_messages", "notes.Question_answers"),
    count=counting(_questions),
    erase=_erase_questions,
    file="questions.json",
    export=_export_questions,
)

COUNTS = Holder(
    name="counts",
    holds="Numbers of the nightly job and of what was left out, without a word or a member; they go with the guild.",
    models=("memory.JobRun", "memory.LeftOut"),
)
