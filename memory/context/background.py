"""What a context tells whatever was asked: profiles, the channel's summaries, the newest messages. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from memory.context.items import Item
from memory.index.view import View
from memory.recall.results import Source
from memory.recall.sql import newest_said
from memory.recall.word_overlap import shared_words
from memoryhub import db, language
from memoryhub.community.consent import remembers
from memoryhub.community.models import Guild, Member
from memoryhub.db.guild_scope import current
from memoryhub.language.clip import clip
from notes.models import Summary
from notes.summaries.told_of_channel import told_of
from notes.writing.header import parted
from profiles.models import Profile, ProfileEntry
from profiles.relationships.hints import hints
from profiles.revision.schemas import LIMITS
from profiles.revision.visible_entries import entries_for

TRANSCRIPT = 40  # messages
NOT_REMEMBERED = "[not remembered]"  # in the place of what somebody said who is not to be remembered
MESSAGE = 400  # characters of one message that are shown
QUESTIONS = 6  # open ones that are named
MET = 3  # members of the notes that were found, described beside those present
# Written out, since every context asks them.
SUMMARIZED = f"WHERE {db.among('member_id')} AND guild_id = %s AND summary <> ''"
OF_NOTES = f"""JOIN notes_interactionnote_participants AS part
        ON part.member_id = community_member.id AND part.guild_id = community_member.guild_id
    JOIN {db.listed(alias="known")} ON known.value = part.interactionnote_id
    WHERE {db.unindexed("part.guild_id")} = %s AND NOT community_member.is_bot ORDER BY known.key, part.id"""
SECTIONS = [str(section) for section in LIMITS]


def profiles(view: View, members: Sequence[Member], question: str, *, met: Sequence[Member] = ()) -> list[Item]:
    """Return the first one's short summary, the lines that share words with the question, then the others.

    What is told of those who were only `met` comes last. Of a moment in the past, the lines that rest on nothing later.
    """
    guild = view.guild
    known = {
        member.pk: member for member in (*members, *met) if member.guild_id == guild.pk and remembers(guild, member)
    }
    told = entries_for(guild, list(known.values()), channel=view.channel, as_of=view.as_of)
    profile_of = {} if view.as_of else _summarized(guild, known, told)
    items = [
        Item(
            text=profile_of[pk].summary, kind="member", id=pk, about=str(member), member=member.platform_id,
            section="summary", at=profile_of[pk].updated_at,
        )
        for pk, member in known.items() if pk in profile_of
    ]  # fmt: skip
    entries = []
    for entry in told:
        cited, member = list(entry.sources.all()), entry.profile.member
        score = shared_words(question, entry.text)
        entries.append(
            Item(
                text=entry.text, kind="entry", id=entry.pk, about=str(member), member=member.platform_id,
                section=entry.section, score=score, scores={"words": score},
                cited=[(source.title, source.day) for source in cited],
                sources=[
                    Source(
                        note_id=str(source.note_id) if source.note_id else None,
                        message_id=source.message.platform_id if source.message else None,
                        quote=source.title, at=source.at,
                    )
                    for source in cited
                ],
            )
        )  # fmt: skip
    items += sorted(entries, key=lambda item: (-item.score, SECTIONS.index(item.section)))
    author = members[0].platform_id if members else ""
    only_met = {member.platform_id for member in met}

    def place(item: Item) -> tuple[bool, bool, bool, bool]:
        """Order by: the author's summary, fitting lines, summaries, other lines."""
        summary = item.kind == "member"
        return item.member in only_met, not (summary and item.member == author), not item.score, not summary

    return sorted(items, key=place)


def _summarized(guild: Guild, members: Collection[int], told: Sequence[ProfileEntry]) -> dict[int, Profile]:
    """Return the profiles of the members that have a summary, by member; those of the entries are at hand."""
    known = {entry.profile.member_id: entry.profile for entry in told}
    others = [pk for pk in members if pk not in known]
    rows = db.read(Profile, SUMMARIZED, [db.id_list(others), guild.pk]) if others else []
    return {profile.member_id: profile for profile in (*known.values(), *rows) if profile.summary}


def met_in(notes: Sequence[int], *, without: Sequence[Member]) -> list[Member]:
    """Return a few members who took part in what the notes tell, those of the best note first."""
    known = {member.pk for member in without}
    met = db.read(Member, OF_NOTES, [db.id_list(notes), current()])
    return list({member.pk: member for member in met if member.pk not in known}.values())[:MET]


def summaries(view: View) -> dict[str, list[Item]]:
    """Return by kind what the channel is about, sentence by sentence, so that a long one can be cut.

    Who talked there and when is told by the messages; it would be all that a small budget has room for.

    Of a moment in the past, only what was written of no later talk.
    """
    if view.channel is None:
        return {}
    written, asked = told_of(view.channel, at=view.as_of, most=QUESTIONS)
    items = dict[str, list[Item]]()
    for row in written:
        sources = [Source(message_id=message, at=sent_at) for message, sent_at in row.cited]
        decided = [f"Decided: {text}" for text in row.decisions if row.kind == Summary.Kind.ROLLING]
        items[row.kind] = [
            Item(text=text, kind="summary", id=row.pk, section=row.kind, at=row.to_at, sources=sources)
            for text in dict.fromkeys([*language.sentences(parted(row.text)[1] or row.text), *decided])
        ]
    items.setdefault(Summary.Kind.ROLLING, []).extend(
        Item(
            text=f"Not answered yet: {question.text}", kind="question", id=question.pk, at=question.asked_at,
            sources=[Source(message_id=message, at=sent_at) for message, sent_at in question.asked_in],
        )
        for question in asked
    )  # fmt: skip
    return items


def relationships(view: View, present: Sequence[Member], now: datetime) -> list[Item]:
    """Return the strongest relationships of those present, worded as probable."""
    return [
        Item(
            text=hint.text, kind="relationship", id=hint.members[0].pk, score=hint.strength,
            scores={"strength": hint.strength, "confidence": hint.confidence},
            sources=[
                Source(message_id=each.message_id, note_id=str(each.note_id) if each.note_id else None, at=each.at)
                for each in hint.sources
            ],
        )
        for hint in hints(view.guild, members=present, channel=view.channel, now=now, as_of=view.as_of)
    ]  # fmt: skip


def transcript(view: View) -> list[Item]:
    """Return the newest messages of the channel, newest first, with what bots said.

    What somebody said who is not to be remembered keeps its place, so that the talk can be followed.
    """
    return [
        Item(
            text=clip(row.text, MESSAGE), kind="message", id=row.platform_id, about=row.name, member=row.member_id,
            at=row.sent_at, sources=[Source(message_id=row.platform_id, author=row.name, at=row.sent_at)],
        )
        if may_be_told
        else Item(
            text=NOT_REMEMBERED, kind="message", id=row.platform_id, about="somebody", at=row.sent_at
        )
        for may_be_told, row in newest_said(view, TRANSCRIPT)
    ]  # fmt: skip
