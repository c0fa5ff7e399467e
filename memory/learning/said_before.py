"""Reads in one statement what memory and bots said that a line of chat may repeat word for word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memoryhub import db
from memoryhub.community.models import Channel

# The rows of each kind have the same columns: what it is, its id, its words, the label of a profile's member, when.
# ruff: noqa: S608  (every value is a parameter)
MEMBERS = "SELECT who.id FROM community_member AS who WHERE who.guild_id = %(guild)s"
SAID = f"""SELECT 'summary', s.id, s.text, '', s.to_at FROM notes_summary AS s
        WHERE s.channel_id = %(channel)s AND {db.unindexed("s.guild_id")} = %(guild)s AND s.kind <> 'past'
    UNION ALL SELECT 'reply', id, text, '', sent_at FROM (
        SELECT said.id, said.text, said.sent_at FROM notes_message AS said
        JOIN community_member AS bot ON bot.id = said.author_id AND bot.guild_id = said.guild_id AND bot.is_bot
        WHERE said.channel_id = %(channel)s AND {db.unindexed("said.guild_id")} = %(guild)s
            AND said.deleted_at IS NULL AND NOT said.tool_summary AND said.sent_at BETWEEN %(first)s AND %(last)s
        ORDER BY said.sent_at DESC LIMIT %(most)s) AS replies
    UNION ALL SELECT 'fact', f.id, f.normalized, '', NULL FROM memory_fact AS f
        WHERE {db.among("f.id", "%(facts)s")} AND {db.unindexed("f.guild_id")} = %(guild)s
    UNION ALL SELECT 'note', n.id, n.summary, '', NULL FROM notes_interactionnote AS n
        WHERE {db.among("n.id", "%(notes)s")} AND {db.unindexed("n.guild_id")} = %(guild)s
    UNION ALL SELECT 'entry', e.id, e.normalized, who.label, NULL FROM community_member AS who
        JOIN profiles_profile AS p ON p.member_id = who.id AND p.guild_id = who.guild_id
        JOIN profiles_profileentry AS e ON e.profile_id = p.id AND e.guild_id = p.guild_id
        WHERE who.guild_id = %(guild)s AND {db.among("e.normalized", "%(parts)s", kind="text")}
    UNION ALL SELECT 'about', p.id, p.summary, '', NULL FROM profiles_profile AS p
        WHERE {db.among_found("p.member_id", MEMBERS)}
            AND {db.unindexed("p.guild_id")} = %(guild)s AND ({{having}})"""
HAVING = "lower(p.summary) LIKE %(word{number})s ESCAPE '!'"
_FOR_LIKE = str.maketrans({sign: f"!{sign}" for sign in "!%_"})


@dataclass
class SaidBefore:
    """What was said: the texts by kind and row id, the members' labels by entry, the bots' newest first."""

    texts: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    labels: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    replies: list[tuple[datetime, str]] = field(default_factory=list)


def said_before(
    channel: Channel, *, parts: Collection[str], words: Collection[str], facts: Collection[int],
    notes: Collection[int], first: datetime, last: datetime, most_replies: int,
) -> SaidBefore:  # fmt: skip
    """Return the channel's summaries, its bots' replies from first to last, these facts and notes, all entries of
    profiles that are one of the `parts`, and the short summaries of members that have one of the `words` in them.
    """
    having = dict(_like(words))
    values: dict[str, Any] = {
        "channel": channel.pk, "guild": channel.guild_id, "first": db.to_column(first), "last": db.to_column(last),
        "most": most_replies, "facts": db.id_list(facts), "notes": db.id_list(notes), "parts": db.text_list(parts),
        **having,
    }  # fmt: skip
    conditions = " OR ".join(HAVING.format(number=number) for number in range(len(having)))
    found = SaidBefore()
    for what, number, text, label, at in db.select(SAID.format(having=conditions), values):
        if what == "reply":
            found.replies.append((at, text))
        elif what == "entry":
            found.labels[text].add(label)
        else:
            found.texts[what][number] = text
    found.replies.sort(key=lambda reply: reply[0], reverse=True)
    return found


def _like(words: Collection[str]) -> Iterator[tuple[str, str]]:
    for number, word in enumerate(sorted(words)):
        yield f"word{number}", f"%{word.lower().translate(_FOR_LIKE)}%"
