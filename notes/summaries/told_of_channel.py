"""What a context tells of a channel, read by one statement: its summaries and open questions, with their messages."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime
from typing import Any, NamedTuple

from memoryhub import db
from memoryhub.community.models import Channel

CITED = 20  # messages, the newest, that a summary names: a channel's profile rests on very many
Citation = tuple[str, datetime]
"""A message's id on its platform, and when it was sent."""

# Written out, since every context asks it. The rows of each kind of line have the same columns: what it is, of which
# summary or question, its own id, the kind of a summary, its words or the message's id, decisions, and when.
# ruff: noqa: S608  (every value is a parameter)
SUMMARIES = f"channel_id = %(channel)s AND {db.unindexed('guild_id')} = %(guild)s AND kind <> 'past'"
QUESTIONS = f"""FROM notes_question WHERE channel_id = %(channel)s AND {db.unindexed("guild_id")} = %(guild)s
    AND {{open_then}} ORDER BY asked_at, id LIMIT %(most)s"""
TOLD = f"""SELECT 'summary', id, id, kind, text, decisions, to_at FROM notes_summary WHERE {SUMMARIES}
    UNION ALL SELECT 'cited', summary_id, id, '', platform_id, NULL, sent_at FROM (
        SELECT link.summary_id, said.id, said.platform_id, said.sent_at, row_number() OVER (
            PARTITION BY link.summary_id ORDER BY said.sent_at DESC, said.id DESC) AS place
        FROM notes_summary_messages AS link {db.in_order()} notes_message AS said
            ON said.id = link.message_id AND said.guild_id = link.guild_id
        WHERE link.summary_id IN (SELECT id FROM notes_summary WHERE {SUMMARIES})
            AND {db.unindexed("link.guild_id")} = %(guild)s) AS placed WHERE place <= %(cited)s
    UNION ALL SELECT 'question', id, id, '', text, NULL, asked_at FROM (SELECT id, text, asked_at {QUESTIONS}) AS first
    UNION ALL SELECT 'asked', link.question_id, said.id, '', said.platform_id, NULL, said.sent_at
        FROM notes_question_messages AS link {db.in_order()} notes_message AS said
            ON said.id = link.message_id AND said.guild_id = link.guild_id
        WHERE link.question_id IN (SELECT id {QUESTIONS}) AND {db.unindexed("link.guild_id")} = %(guild)s
    ORDER BY 7, 3"""


class ToldSummary(NamedTuple):
    """A summary of the channel, with the newest messages that it rests on, the newest first."""

    pk: int
    kind: str
    text: str
    decisions: list[str]
    to_at: datetime
    cited: list[Citation]


class OpenQuestion(NamedTuple):
    """A question that the channel left open, with the messages that ask it."""

    pk: int
    text: str
    asked_at: datetime
    asked_in: list[Citation]


def told_of(channel: Channel, *, at: datetime | None, most: int) -> tuple[list[ToldSummary], list[OpenQuestion]]:
    """Return the channel's summaries, and so many of its open questions, the oldest first: now, or as of a moment."""
    values: dict[str, Any] = {"channel": channel.pk, "guild": channel.guild_id, "most": most, "cited": CITED}
    open_then = "answered_at IS NULL"
    if at is not None:
        open_then, values["at"] = (
            "(answered_at IS NULL OR answered_at > %(at)s) AND asked_at <= %(at)s",
            db.to_column(at),
        )
    summaries, questions = list[ToldSummary](), list[OpenQuestion]()
    messages = defaultdict[tuple[str, int], list[Citation]](list)
    for what, owner, _, kind, text, decisions, moment in db.select(TOLD.format(open_then=open_then), values):
        if what == "summary":
            if at is None or moment <= at:
                summaries.append(ToldSummary(owner, kind, text, json.loads(decisions), moment, []))
        elif what == "question":
            questions.append(OpenQuestion(owner, text, moment, []))
        else:
            messages[what, owner].append((text, moment))
    return (
        [row._replace(cited=messages["cited", row.pk][::-1]) for row in sorted(summaries)],
        [row._replace(asked_in=messages["asked", row.pk]) for row in questions],
    )
