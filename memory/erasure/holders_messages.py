"""Erases what was said: messages, conversations, and what was written from them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet

from memory.erasure.holder import Holder, columns
from memory.erasure.mask import Masks
from memory.erasure.target import Target
from memory.facts.changes import ERASED
from memory.index import writing
from memory.jobs import profile_updates
from memory.models import Recap, RecapLine
from memory.records import snapshots
from memory.withdrawal import redact_notes, withdraw
from memoryhub import db
from memoryhub.community.models import Channel, Member
from memoryhub.search import keywords, vectors
from notes.arrangements import keeping as arrangements
from notes.messages import conversations
from notes.models import Arrangement, ChannelBuffer, InteractionNote, Message, Question, Summary
from notes.summaries import summarize

SWEPT = 1000
SUMMARY_TEXTS = ("text", "topics", "threads", "unresolved", "decisions", "glossary")


class Messages(Holder):
    """What was said, and what bots answered; in the word index with it."""

    name, file = "messages", "messages.json"
    models = ("notes.Message",)

    def count(self, target: Target) -> int:
        """Return the number of messages, and of bots' answers to them."""
        return target.messages().count() + target.answers().count()

    def erase(self, target: Target, now: datetime) -> None:
        """Delete them, and what was derived from them follows; how often others spoke with whom stays as it was."""
        if target.kind == "guild":  # nothing that could follow them stays
            while ids := list(target.messages().order_by().values_list("pk", flat=True)[:SWEPT]):
                with transaction.atomic():
                    db.lock_guild(target.guild.pk)
                    keywords.delete(kind="message", ids=ids, guild=target.guild.pk)
                    vectors.delete(kind="message", ids=ids, guild=target.guild.pk)
                    Message.objects.filter(pk__in=ids).delete()
            return
        for rows in (target.answers(), target.messages()):
            for messages in target.chunks(rows):
                with transaction.atomic():
                    db.lock_guild(target.guild.pk)
                    withdraw.withdraw_message_text(messages, now=now)
                    summarize.withdraw(messages)
                    conversations.reopen({message.buffer_id for message in messages if message.buffer_id}, now=now)
                    writing.drop("message", [message.pk for message in messages], guild=target.guild.pk)
                    Message.objects.filter(pk__in=[message.pk for message in messages]).delete()
                    snapshots.rerender(target.guild, messages=messages, now=now, snapshots=False)
        profile_updates.follow_facts(target.guild, now=now)

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield the member's own messages, as they wrote them."""
        rows = Message.objects.filter(author=member, deleted_at=None).select_related("channel")
        for row in rows.order_by("sent_at", "pk").iterator(500):
            yield {
                "id": row.platform_id,
                "channel": row.channel.name or row.channel.platform_id,
                **columns(row, "sent_at", "edited_at"),
                "reply_to": row.reply_to or None,
                **columns(row, "source", "text"),
            }


class Mentions(Holder):
    """The account's id in others' messages; a name in their own words stays theirs."""

    name = "mentions"

    def rows(self, target: Target) -> QuerySet[Message]:
        """Return others' messages that hold the id."""
        if target.member is None:
            return Message.objects.none()
        return Message.objects.of(target.guild).exclude(author=target.member).filter(target.mentioning())

    def erase(self, target: Target, now: datetime) -> None:
        """Take the id out: Discord put it there. What they wrote in their own words stays theirs."""
        account = target.member.platform_id if target.member else ""
        for chunk in target.chunks(self.rows(target), "author", "guild", "channel"):
            with transaction.atomic():
                db.lock_guild(target.guild.pk)
                for message in chunk:
                    message.mentions = [mention for mention in message.mentions if mention != account]
                    for mark in (f"<@{account}>", f"<@!{account}>"):
                        message.text = message.text.replace(mark, ERASED)
                        for row in message.evidence.filter(quote__contains=mark):
                            row.quote = row.quote.replace(mark, ERASED)[:240]
                            row.save(update_fields=["quote"])
                    message.save(update_fields=["mentions", "text"])
                writing.index_messages(chunk)
                snapshots.rerender(target.guild, messages=chunk, now=now)


class Notes(Holder):
    """What happened in a conversation or on a day; written anew from what the others said."""

    name, file = "notes", "notes.json"
    models = (
        "notes.InteractionNote", "notes.NoteParticipant", "notes.NoteMessage",
        "notes.NotePart", "profiles.EntrySource",
    )  # fmt: skip

    def rows(self, target: Target) -> QuerySet[InteractionNote]:
        """Return the notes that the member had part in or that name them, or the channel's."""
        notes = InteractionNote.objects.of(target.guild)
        naming = Q(pk__in=target.naming(notes, "title", "summary"))
        member = Q(participants=target.member) | Q(messages__author=target.member) | naming
        channel = Q(channel__in=target.channels) | Q(audience__in=target.channels)
        rows = target.select(notes, member=member, channel=channel)
        return rows.distinct() if target.member else rows

    def erase(self, target: Target, now: datetime) -> None:
        """Take the member's lines out, or drop the note where it is in free words; the worker writes them anew.

        Until then the others' lines stay, in the note and in the profiles that cite it.
        """
        for notes in target.chunks(self.rows(target)):
            with transaction.atomic():
                db.lock_guild(target.guild.pk)
                authors = [target.member.pk] if target.member else []
                kept = {note.pk for note in redact_notes.redact(notes, authors=authors)} if authors else set[int]()
                kept -= set(target.naming(InteractionNote.objects.filter(pk__in=kept), "title", "summary"))
                withdraw.drop_notes([note for note in notes if note.pk not in kept], recount=False)
                conversations.reopen({note.buffer_id for note in notes if note.buffer_id}, now=now)

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield the notes that the member had part in, and nobody else who is not to be remembered."""
        rows = InteractionNote.objects.told(member.guild, to=member).filter(participants=member)
        for row in rows.select_related("channel").iterator(500):
            yield {
                "title": masks.hide(row.title),
                "summary": masks.hide(row.summary),
                "kind": row.kind,
                "channel": str(row.channel) if row.channel else None,
                "day": row.note_date,
            }


class Summaries(Holder):
    """What a channel is about; written anew from what the others said."""

    name = "summaries"
    models = ("notes.Summary", "notes.SummaryMessage")

    def rows(self, target: Target) -> QuerySet[Summary]:
        """Return the summaries that rest on the member's words or name them, or the channel's."""
        summaries = Summary.objects.of(target.guild)
        member = Q(messages__author=target.member) | Q(pk__in=target.naming(summaries, *SUMMARY_TEXTS))
        return target.select(summaries, member=member, channel=Q(channel__in=target.channels)).distinct()

    def erase(self, target: Target, now: datetime) -> None:
        """Delete them; their channels are summarized again."""
        rows = list(self.rows(target))
        Summary.objects.filter(pk__in=[row.pk for row in rows]).delete()
        Channel.objects.filter(pk__in={row.channel_id for row in rows}).update(unsummarized=F("unsummarized") + 1)


class Recaps(Holder):
    """What recaps tell of a week or a month; what rests on a member's words or names them goes."""

    name = "recaps"
    models = ("memory.Recap", "memory.RecapLine")

    def rows(self, target: Target) -> QuerySet[RecapLine]:
        """Return the lines that rest on the member's or the channel's words, or name them."""
        lines = RecapLine.objects.of(target.guild)
        naming = Q(pk__in=target.naming(lines, "text"))
        who = target.member
        member = Q(member=who) | Q(message__author=who) | Q(note__participants=who) | Q(fact__evidence__speaker=who)
        places = target.channels
        channel = Q(message__channel__in=places) | Q(note__channel__in=places) | Q(fact__channel__in=places)
        found = target.select(lines, member=member | naming, channel=channel)
        return RecapLine.objects.of(target.guild).filter(pk__in=found.values("pk"))

    def erase(self, target: Target, now: datetime) -> None:
        """Delete the lines, and what moderators wrote above them that names the member."""
        with transaction.atomic():
            db.lock_guild(target.guild.pk)
            self.rows(target).delete()
            recaps = Recap.objects.of(target.guild)
            recaps.filter(pk__in=target.naming(recaps, "intro")).update(intro="")
            if target.channel:
                recaps.filter(channel_id=target.channel.platform_id).update(channel_id="", message_id="")


class Questions(Holder):
    """Questions that a channel left open."""

    name, file = "questions", "questions.json"
    models = ("notes.Question", "notes.QuestionMessage", "notes.QuestionAnswer")

    def rows(self, target: Target) -> QuerySet[Question]:
        """Return those that the member asked, or that rest on their words or name them, or the channel's."""
        questions = Question.objects.of(target.guild)
        naming = Q(pk__in=target.naming(questions, "text"))
        member = Q(asked_by=target.member) | Q(messages__author=target.member) | naming
        return target.select(questions, member=member, channel=Q(channel__in=target.channels)).distinct()

    def erase(self, target: Target, now: datetime) -> None:
        """Delete them."""
        Question.objects.filter(pk__in=list(self.rows(target).values_list("pk", flat=True))).delete()

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield what the member asked."""
        for row in Question.objects.filter(asked_by=member).iterator(500):
            yield {"text": masks.hide(row.text), "asked_at": row.asked_at, "answered_at": row.answered_at}


class Arrangements(Holder):
    """What was decided and planned."""

    name, file = "arrangements", "decisions_and_plans.json"
    models = ("notes.Arrangement",)

    def rows(self, target: Target) -> QuerySet[Arrangement]:
        """Return what the member said or what names them, or the channel's."""
        rows = Arrangement.objects.of(target.guild)
        member = Q(message__author=target.member) | Q(pk__in=target.naming(rows, "text"))
        channel = Q(channel__in=target.channels) | Q(audience__in=target.channels)
        return target.select(rows, member=member, channel=channel)

    def erase(self, target: Target, now: datetime) -> None:
        """Delete them; what they stood for stands again."""
        for chunk in target.chunks(self.rows(target)):
            with transaction.atomic():
                db.lock_guild(target.guild.pk)
                arrangements.drop(Arrangement.objects.of(target.guild).filter(pk__in=[row.pk for row in chunk]))

    def export(self, member: Member, masks: Masks) -> Iterator[dict[str, Any]]:
        """Yield what the member decided and planned, in their own words."""
        for row in Arrangement.objects.filter(message__author=member).iterator(500):
            yield {"text": masks.hide(row.text), **columns(row, "said_at", "decided", "change", "due_at")}


class Conversations(Holder):
    """Which messages were one conversation and how far its digest came; a member's are digested anew."""

    name = "conversations"
    models = ("notes.ChannelBuffer",)

    def rows(self, target: Target) -> QuerySet[ChannelBuffer]:
        """Return the channel's or the guild's."""
        rows = ChannelBuffer.objects.of(target.guild)
        return target.select(rows, member=None, channel=Q(channel__in=target.channels))


class Counts(Holder):
    """Numbers of the nightly job and of what was left out, without a word or a member; they go with the guild."""

    name = "counts"
    models = ("memory.JobRun", "memory.LeftOut")
