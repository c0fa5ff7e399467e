"""Keeps profiles in step with what is known: after a conversation by the fast tier, after a change by the rules."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from django.db.models import Prefetch, Q, QuerySet

from memory.models import Evidence, Fact, FactChange
from memory.records.action_log import log
from memoryhub.ai import Task
from memoryhub.community.consent import remembers
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db import leases
from memoryhub.db.guild_scope import in_its_guild, inside
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import Profile
from profiles.revision.new_information import brings_news
from profiles.revision.prompts import REVISION
from profiles.revision.revise import KnownFacts, Worth, always, draft, follow, write
from profiles.revision.schemas import ProfileFact, Revision, RevisionInput

logger = logging.getLogger(__name__)

CONVERSATION, Step = InteractionNote.Kind.CONVERSATION, ChannelBuffer.Step
CHANGED = ("changed meanwhile",)
TRIES = 2
FORMER = 40  # facts no longer believed that a revision is told of, the newest
REWORDING = (FactChange.Action.EDIT, FactChange.Action.MERGE, FactChange.Action.UNDO)
OUTDATED_A_TICK = 200


def revise_participants(
    buffer: ChannelBuffer, *, now: datetime, keep_going: Callable[[Member], bool] = lambda member: True
) -> dict[str, int]:
    """Revise everybody who spoke, or was spoken of, in the conversation; one member's failure stops nobody else.

    Begins behind the member that an earlier try reached; `keep_going` is told of each that is done, and may end it.
    """
    note = InteractionNote.objects.filter(buffer=buffer).first()
    audience = note.audience_id if note else Channel.objects.get(pk=buffer.channel_id).heard_by_at(buffer.opened_at)
    counts = {"revised": 0, "dirty": 0}
    # All who took part in a note, and those about whom something is known.
    spoke, told_of = Q(messages__buffer=buffer), Q(facts__evidence__message__buffer=buffer)
    there = Q(facts__isnull=False) | Q(profile__isnull=False) | (Q(notes=note) if note else Q())
    left = Member.objects.filter(guild=buffer.guild, is_bot=False, pk__gt=int(buffer.reached or 0))
    for member in left.filter(spoke | told_of, there).select_related("guild").order_by("pk").distinct():
        if not remembers(buffer.guild, member):
            continue
        done = revise(member, audience=audience, notes=[note] if note else [], now=now, worth=brings_news)
        counts["revised" if done else "dirty"] += 1
        if not keep_going(member):
            break
    return counts


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
    """Return what the member's profile may rest on, of one audience: active facts, oldest first, with sources.

    Its past are facts that were replaced or put aside, and wordings that a person or a merge changed, newest first.
    """
    notes = Prefetch("message__notes", InteractionNote.objects.filter(kind=CONVERSATION).only("pk"), to_attr="told_in")
    rows = Fact.objects.active().filter(subject=member, audience=audience).order_by("said_at", "pk")
    evidence = Prefetch("evidence", Evidence.objects.select_related("message__buffer").prefetch_related(notes))
    facts = [
        ProfileFact(text=fact.text, notes=_sources(fact), kind=fact.kind, confidence=fact.confidence)
        for fact in rows.prefetch_related(evidence)
    ]
    about = Fact.objects.filter(subject=member, audience=audience)
    aside = about.exclude(status=Fact.Status.ACTIVE).order_by("-updated_at", "-pk").values_list("text", flat=True)
    edits = FactChange.objects.filter(fact__in=about, action__in=REWORDING).order_by("-at", "-pk")
    former = [(edit.before.get("text"), edit.fact.text) for edit in edits.select_related("fact")[:FORMER]]
    reworded = [before for before, now in former if before not in (None, now)]
    return KnownFacts(facts=facts, past=list(dict.fromkeys([*aside[:FORMER], *reworded])))


def _sources(fact: Fact) -> list[int]:
    """Return the conversation notes that the fact rests on; without any, its messages that no note will tell."""
    messages = [row.message for row in fact.evidence.all() if row.message]
    notes = [note.pk for message in messages for note in message.told_in]  # type: ignore[attr-defined]
    past_notes = (Step.PROFILES, Step.RELATE, Step.DONE)
    untold = [
        -message.pk
        for message in messages
        if not message.buffer or message.buffer.digested_at or message.buffer.step in past_notes
    ]
    return list(dict.fromkeys(notes or untold))
