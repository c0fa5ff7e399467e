"""Tables that tie notes, summaries and questions to their members and messages: each row knows its guild."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from memoryhub.community.guild_from import GuildFrom


class NoteParticipant(models.Model):
    """Who took part in what a note tells of."""

    guild = GuildFrom("interactionnote")
    interactionnote = models.ForeignKey("notes.InteractionNote", models.CASCADE, related_name="+")
    member = models.ForeignKey("community.Member", models.CASCADE, related_name="+")

    class Meta:
        db_table = "notes_interactionnote_participants"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["interactionnote", "member", "guild"], name="one_row_per_participant"),
        ]

    def __str__(self) -> str:
        return f"{self.interactionnote_id}: {self.member_id}"


class NoteMessage(models.Model):
    """Which message a note rests on."""

    guild = GuildFrom("interactionnote")
    interactionnote = models.ForeignKey("notes.InteractionNote", models.CASCADE, related_name="+")
    message = models.ForeignKey("notes.Message", models.CASCADE, related_name="+")

    class Meta:
        db_table = "notes_interactionnote_messages"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["interactionnote", "message", "guild"], name="one_row_per_note_and_message"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.interactionnote_id}: {self.message_id}"


class NotePart(models.Model):
    """Which conversations a topic of the day joins."""

    guild = GuildFrom("from_interactionnote")
    from_interactionnote = models.ForeignKey("notes.InteractionNote", models.CASCADE, related_name="+")
    to_interactionnote = models.ForeignKey("notes.InteractionNote", models.CASCADE, related_name="+")

    class Meta:
        db_table = "notes_interactionnote_notes"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["from_interactionnote", "to_interactionnote", "guild"], name="one_row_per_topic_and_note"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.from_interactionnote_id}: {self.to_interactionnote_id}"


class SummaryMessage(models.Model):
    """Which message a summary rests on."""

    guild = GuildFrom("summary")
    summary = models.ForeignKey("notes.Summary", models.CASCADE, related_name="+")
    message = models.ForeignKey("notes.Message", models.CASCADE, related_name="+")

    class Meta:
        db_table = "notes_summary_messages"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["summary", "message", "guild"], name="one_row_per_summary_and_message"),
        ]

    def __str__(self) -> str:
        return f"{self.summary_id}: {self.message_id}"


class QuestionMessage(models.Model):
    """Which message asked a question."""

    guild = GuildFrom("question")
    question = models.ForeignKey("notes.Question", models.CASCADE, related_name="+")
    message = models.ForeignKey("notes.Message", models.CASCADE, related_name="+")

    class Meta:
        db_table = "notes_question_messages"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["question", "message", "guild"], name="one_row_per_question_and_message"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.message_id}"


class QuestionAnswer(models.Model):
    """Which message may have answered a question."""

    guild = GuildFrom("question")
    question = models.ForeignKey("notes.Question", models.CASCADE, related_name="+")
    message = models.ForeignKey("notes.Message", models.CASCADE, related_name="+")

    class Meta:
        db_table = "notes_question_answers"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["question", "message", "guild"], name="one_row_per_question_and_answer"),
        ]

    def __str__(self) -> str:
        return f"{self.question_id}: {self.message_id}"
