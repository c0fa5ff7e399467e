"""Keeps profiles in step with what is known: after a conversation by the fast tier, after a change by the rules."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime

from django.db.models import F, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from memory.models import Evidence, Fact, FactChange
from memory.records.action_log import log
from memoryhub import db
from memoryhub.ai import Task, model_choice
from memoryhub.community.consent import remembers
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import leases
from memoryhub.db.guild_scope import in_its_guild, inside
from notes.models import ChannelBuffer, InteractionNote, Message, NoteMessage, NoteParticipant
from profiles.models import Profile
from profiles.revision.new_information import brings_news
from profiles.revision.prompts import REVISION
from profiles.revision.revise import KnownFacts, Worth, always, draft, follow, revise_by_rules, write
from profiles.revision.schemas import ProfileFact, Revision, RevisionInput

logger = logging.getLogger(__name__)

CONVERSATION, Step = InteractionNote.Kind.CONVERSATION, ChannelBuffer.Step
CHANGED = ("changed meanwhile",)
TRIES = 2
AT_ONCE = 20  # profiles that are read and written together
FORMER = 40  # facts no longer believed that a revision is told of, the newest
REWORDING = (FactChange.Action.EDIT, FactChange.Action.MERGE, FactChange.Action.UNDO)
OUTDATED_A_TICK = 200

# Written out: joined by Django, each message of each member would meet each of their facts.
# ruff: noqa: S608  (the tables' names are those of models; every value is a parameter)
MESSAGES, MEMBERS, FACTS = (model._meta.db_table for model in (Message, Member, Fact))
SAID = f"SELECT {{column}} FROM {MESSAGES} WHERE buffer_id = %s AND {db.unindexed('guild_id')} = %s"
LEARNED = f"""SELECT fact_id FROM {Evidence._meta.db_table} WHERE {db.unindexed("guild_id")} = %s
    AND {db.among_found("message_id", SAID.format(column="id"))}"""
SPOKEN_OF = f"""SELECT subject_id FROM {FACTS} WHERE {db.unindexed("guild_id")} = %s AND subject_id IS NOT NULL
    AND {db.among_found("id", LEARNED)}"""
THERE = f"""WHERE {db.unindexed("guild_id")} = %s AND NOT is_bot AND id > %s
    AND {db.among_found("id", f"{SAID.format(column='author_id')} UNION {SPOKEN_OF}")}
    AND (EXISTS (SELECT 1 FROM {FACTS} AS own WHERE own.subject_id = {MEMBERS}.id AND own.guild_id = %s)
        OR EXISTS (SELECT 1 FROM {Profile._meta.db_table} AS profile
            WHERE profile.member_id = {MEMBERS}.id AND profile.guild_id = %s)
        OR EXISTS (SELECT 1 FROM {NoteParticipant._meta.db_table} AS part WHERE part.interactionnote_id = %s
            AND part.member_id = {MEMBERS}.id AND part.guild_id = %s))
    ORDER BY id"""

# Believed facts in the order in which they were said, then those of each member that are not, the newest first.
ABOUT = f"""SELECT id, subject_id, text, kind, confidence, CASE WHEN status = 'active' THEN NULL ELSE turn END FROM (
    SELECT id, subject_id, text, kind, confidence, status, said_at, row_number() OVER (
        PARTITION BY subject_id, status = 'active' ORDER BY updated_at DESC, id DESC) AS turn
    FROM {FACTS} WHERE {db.among("subject_id")} AND {db.unindexed("guild_id")} = %s AND COALESCE(audience_id, 0) = %s
    ) AS about WHERE status = 'active' OR turn <= %s
    ORDER BY CASE WHEN status = 'active' THEN 0 ELSE turn END, said_at, id"""
RESTS_ON = f"""SELECT proof.fact_id, proof.message_id, said.buffer_id, talk.step, talk.digested_at
    FROM {Evidence._meta.db_table} AS proof
    JOIN {MESSAGES} AS said ON said.id = proof.message_id AND said.guild_id = proof.guild_id
    LEFT JOIN {ChannelBuffer._meta.db_table} AS talk ON talk.id = said.buffer_id AND talk.guild_id = said.guild_id
    WHERE {db.among("proof.fact_id")} AND {db.unindexed("proof.guild_id")} = %s ORDER BY proof.said_at, proof.id"""
# By itself: joined to the others, PostgreSQL compares all notes of a guild with all that was said in it.
TELLS_OF = f"""SELECT link.message_id, note.id FROM {NoteMessage._meta.db_table} AS link
    JOIN {InteractionNote._meta.db_table} AS note
        ON note.id = link.interactionnote_id AND note.guild_id = link.guild_id AND note.kind = '{CONVERSATION}'
    WHERE {db.among("link.message_id")} AND {db.unindexed("link.guild_id")} = %s
    ORDER BY note.ended_at DESC, note.id DESC"""
PAST_NOTES = (Step.PROFILES, Step.RELATE, Step.DONE)


def revise_participants(
    buffer: ChannelBuffer, *, now: datetime, note: InteractionNote | None = None,
    keep_going: Callable[[Member], bool] = lambda member: True,
) -> dict[str, int]:  # fmt: skip
    """Revise everybody who spoke, or was spoken of, in the conversation; one member's failure stops nobody else.

    `note` is the conversation's if it was just written. Begins behind the member that an earlier try reached; before
    the next ones `keep_going` is told of the last one that is done, and may end it.
    """
    note = note or InteractionNote.objects.filter(buffer=buffer).first()
    audience = note.audience_id if note else Channel.objects.get(pk=buffer.channel_id).heard_by_at(buffer.opened_at)
    counts = {"revised": 0, "dirty": 0}
    members = [member for member in _there(buffer, note) if remembers(buffer.guild, member)]
    together, notes = (
        AT_ONCE if model_choice.is_offline("fast", own=buffer.guild.model_fast) else 1,
        [note] if note else [],
    )
    for start in range(0, len(members), together):
        group = members[start : start + together]
        if start and not keep_going(members[start - 1]):
            break
        done = _revise_by_rules(group, audience=audience, notes=notes, now=now) if together > 1 else set()
        for member in group:
            if member.pk not in done and revise(member, audience=audience, notes=notes, now=now, worth=brings_news):
                done.add(member.pk)
        counts["revised"] += len(done)
        counts["dirty"] += len(group) - len(done)
    return counts


def _there(buffer: ChannelBuffer, note: InteractionNote | None) -> list[Member]:
    """Return who spoke, or was spoken of, of those who took part in the note, or about whom something is known.

    Those behind the one that was reached, in order of their row ids.
    """
    guild, said = buffer.guild_id, [buffer.pk, buffer.guild_id]
    params = [guild, int(buffer.reached or 0), *said, guild, guild, *said, guild, guild, note.pk if note else 0, guild]
    members = db.read(Member, THERE, params)
    for member in members:
        member.guild = buffer.guild
    return members


def _revise_by_rules(
    members: Sequence[Member], *, audience: int | None, notes: Sequence[InteractionNote], now: datetime
) -> set[int]:
    """Revise several profiles in one transaction, as the rules do it; return of whom, by row id: the rest is left.

    What fails is done by itself afterwards, so that one member's failure stops nobody else.
    """
    try:
        written = revise_by_rules(
            members, audience=audience, know=lambda there: known_of(there, audience), notes=notes, now=now
        )
    except Exception:
        logger.exception("profiles could not be revised together", extra={"members": [each.pk for each in members]})
        return set()
    return {member.pk for member, done in zip(members, written, strict=True) if done}


@in_its_guild
def revise(
    member: Member, *, audience: int | None, notes: Sequence[InteractionNote], now: datetime,
    task: Task[RevisionInput, Revision] = REVISION, worth: Worth = always,
) -> bool:  # fmt: skip
    """Work notes and the facts learned from them into the member's profile; what can't be written leaves it dirty."""
    broken = try_revision(member, audience=audience, notes=notes, now=now, task=task, worth=worth)
    if broken:
        Profile.objects.get_or_create(member=member)
        Profile.objects.filter(member=member).update(dirty=True, next_attempt_at=None, **leases.FREE)
    return not broken


def try_revision(
    member: Member, *, audience: int | None, notes: Sequence[InteractionNote], now: datetime,
    task: Task[RevisionInput, Revision], worth: Worth = always, attempt: int = 1,
) -> tuple[str, ...]:  # fmt: skip
    """Revise the profile as `revise` does, but leave no mark; return the rules that the answer broke, none on success.

    The model is asked once more where the profile changed meanwhile: another worker may have put a fact aside.
    """
    broken: tuple[str, ...] = ()
    try:
        for _ in range(TRIES):
            facts = known(member, audience)
            drafted = draft(
                member, audience=audience, known=facts, notes=notes, task=task, worth=worth, attempt=attempt
            )
            if write(drafted, now=now):
                return ()
            broken = drafted.broken or CHANGED
            if drafted.broken:
                break
    except Exception as error:
        logger.exception("the revision of a profile failed", extra={"member": member.pk})
        broken = (type(error).__name__,)
    log("profile_left_dirty", guild=member.guild, now=now, member=member.pk, reasons=list(broken))
    return broken


def follow_messages(messages: list[Message], *, now: datetime) -> None:
    """Have the profiles follow at once, by the rules, where words went or changed."""
    guilds = {message.guild_id for message in messages}
    authors = [message.author_id for message in messages]
    touched = Q(member__in=authors) | Q(outdated=True, member__guild__in=guilds)
    _follow(Profile.objects.filter(touched), now=now)


def follow_facts(guild: Guild | None = None, *, now: datetime) -> int:
    """Have all profiles of the guild, or some of all, follow facts that changed outside a digest; return how many."""
    outdated = Profile.objects.filter(outdated=True).order_by("updated_at")
    return _follow(outdated.filter(member__guild=guild) if guild else outdated[:OUTDATED_A_TICK], now=now)


def _follow(profiles: QuerySet[Profile], *, now: datetime) -> int:
    """Follow for every audience; the mark goes unless somebody marked the profile once more meanwhile."""
    rows = list(profiles.select_related("member__guild"))
    for profile in rows:
        member = profile.member
        with inside(member):
            written = [follow(member, audience=each, known=known(member, each), now=now) for each in audiences(member)]
            ours = Profile.objects.filter(pk=profile.pk, revision=profile.revision + sum(written))
            ours.update(outdated=False)
    return len(rows)


def audiences(member: Member) -> list[int | None]:
    """Return the audiences that the member's profile has, or may have, lines of; the whole guild first."""
    facts = Fact.objects.active().filter(subject=member).values_list("audience", flat=True)
    entries = Profile.objects.filter(member=member, entries__isnull=False).values_list("entries__audience", flat=True)
    closed = {pk for pk in (*facts.distinct(), *entries.distinct()) if pk is not None}
    return [None, *sorted(closed)]


def known(member: Member, audience: int | None) -> KnownFacts:
    """Return what the member's profile may rest on, of one audience: see `known_of`."""
    return known_of([member], audience)[member.pk]


def known_of(members: Sequence[Member], audience: int | None) -> dict[int, KnownFacts]:
    """Return what the profiles may rest on, by member: active facts of one audience, oldest first, with sources.

    Their past are facts that were replaced or put aside, and wordings that a person or a merge changed, newest first.
    """
    guild, whom = members[0].guild_id, db.id_list(member.pk for member in members)
    rows = db.select(ABOUT, [whom, guild, audience or 0, FORMER])
    sources = _sources(guild, [row[0] for row in rows if row[-1] is None])
    facts: dict[int, list[ProfileFact]] = defaultdict(list)
    past: dict[int, list[str]] = defaultdict(list)
    for pk, subject, text, kind, sure, former in rows:
        if former is None:
            facts[subject].append(ProfileFact(text=text, notes=sources[pk], kind=kind, confidence=sure))
        else:
            past[subject].append(text)
    turn = Window(RowNumber(), partition_by=F("fact__subject"), order_by=["-at", "-pk"])
    edits = FactChange.objects.filter(fact__subject__in=members, fact__audience=audience, action__in=REWORDING)
    newest = edits.annotate(turn=turn).filter(turn__lte=FORMER).order_by("fact__subject", "turn")
    for subject, before, text in newest.values_list("fact__subject", "before", "fact__text"):
        if before.get("text") not in (None, text):
            past[subject].append(before["text"])
    return {each.pk: KnownFacts(facts=facts[each.pk], past=list(dict.fromkeys(past[each.pk]))) for each in members}


def _sources(guild: int, facts: Sequence[int]) -> dict[int, list[int]]:
    """Return the conversation notes that each fact rests on; without any, its messages that no note will tell."""
    notes: dict[int, list[int]] = defaultdict(list)
    untold: dict[int, list[int]] = defaultdict(list)
    told_in: dict[int, list[int]] = defaultdict(list)
    rows = db.select(RESTS_ON, [db.id_list(facts), guild])
    for message, note in db.select(TELLS_OF, [db.id_list({row[1] for row in rows}), guild]):
        told_in[message].append(note)
    for fact, message, buffer, step, digested_at in rows:
        notes[fact] += told_in[message]
        if buffer is None or digested_at or step in PAST_NOTES:
            untold[fact].append(-message)
    return {fact: list(dict.fromkeys(notes[fact] or untold[fact])) for fact in facts}
