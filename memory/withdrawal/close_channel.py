"""Gives a channel another audience: what was learned there while it was open becomes narrow in the same transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from memory.facts import confidence
from memory.facts.changes import Action, Batch, mark_outdated
from memory.models import Evidence, Fact, FactChange
from memory.records import job_runs, snapshots
from memory.records.action_log import log
from memory.withdrawal import close_channel_index, withdraw
from memoryhub.community.models import Channel
from notes.messages import conversations as turning
from notes.models import InteractionNote, Message
from profiles.models import EntrySource, Profile, ProfileEntry

ACTOR = "narrowing"
AT_ONCE = 500  # ids of a query
Audience = Channel.Audience
WHERE_ONE_STANDS = (Fact.Status.ACTIVE, Fact.Status.PENDING)


@transaction.atomic
def change_audience(channel: Channel, audience: str, *, now: datetime) -> None:
    """Write who can read a channel; the one place where that of a known channel is written.

    Closed, whatever came from it while it was open is told to its own readers only, and so are its threads: the rows
    now, the indexes and papers in the background. Opened, what was said before stays narrow.
    """
    if audience == channel.audience:
        return
    opened = audience == Audience.GUILD
    channel.audience = audience
    channel.open_since, channel.narrowing = (
        (now, channel.narrowing) if opened else (channel.open_since, close_channel_index.BEGIN)
    )
    channel.save(update_fields=["audience", "open_since", "narrowing"])
    turning.close_all(guild=channel.guild, channel=channel, now=now)  # no conversation has two audiences
    log("channel_opened" if opened else "channel_closed", guild=channel.guild, now=now, channel=channel.pk)
    if opened:
        return
    _narrow_facts(channel, now=now)
    _narrow_notes(channel)
    _narrow_profiles(channel)
    snapshots.retract_channel(channel)
    for thread in channel.threads.filter(audience=Audience.GUILD).select_related("guild"):
        change_audience(thread, Audience.CHANNEL, now=now)


# --- Facts -------------------------------------------------------------------------------------------------------


def _narrow_facts(channel: Channel, *, now: datetime) -> None:
    """Give the channel's audience to what was learned there; what was learned elsewhere only loses its words."""
    _dissolve_in_two_closed(channel, now=now)
    known = Fact.objects.of(channel.guild).filter(audience=None)
    theirs = known.filter(Q(channel=channel) | Q(evidence__message__channel=channel))
    for block in _blocks(theirs):
        ids = set(block) - _learned_elsewhere(channel, block, now=now)
        _learn_again_where_open(channel, ids, now=now)
        ours = Fact.objects.filter(pk__in=ids).select_related("guild")
        _join_twins(channel, ours, now=now)
        ours.update(audience=channel)
        mark_outdated(list(ours))
    replaced = known.filter(status=Fact.Status.SUPERSEDED, replaced_by__audience=channel).select_related("guild")
    for fact in replaced:
        withdraw.restore_replaced(fact, now=now)


def _blocks(rows: QuerySet[Any]) -> Iterator[list[int]]:
    """Yield the ids of rows, as many at a time as a query takes."""
    ids = sorted(set(rows.values_list("pk", flat=True)))
    return (ids[at : at + AT_ONCE] for at in range(0, len(ids), AT_ONCE))


def _mixed(channel: Channel, ids: Iterable[int]) -> QuerySet[Fact]:
    """Return those of the facts that also rest on what was said elsewhere."""
    rows = Evidence.objects.filter(fact__in=list(ids), message__isnull=False)
    told = defaultdict[int, set[int | None]](set)
    for fact, place in rows.values_list("fact", "message__channel"):
        told[fact].add(place)
    mixed = [fact for fact, places in told.items() if channel.pk in places and len(places) > 1]
    return Fact.objects.filter(pk__in=mixed)


def _merged(facts: QuerySet[Fact]) -> set[int]:
    ids = list(facts.values_list("pk", flat=True))
    merged = FactChange.objects.filter(fact__in=ids, action=Action.MERGE, before={})
    return set(merged.values_list("fact", flat=True)) if ids else set()


def _learned_elsewhere(channel: Channel, ids: Iterable[int], *, now: datetime) -> set[int]:
    """Take this channel's evidence from facts that were learned elsewhere and only said again here; return these.

    What was said here is read once more, for this channel's own readers.
    """
    mixed = _mixed(channel, ids).exclude(channel=channel)
    own = list(mixed.exclude(pk__in=_merged(mixed)).select_related("guild"))
    _read_anew(Evidence.objects.filter(fact__in=own, message__channel=channel), now=now)
    for fact in own:
        weaker = confidence.weakened(fact.confidence)
        Batch(actor=ACTOR, now=now).change(fact, Action.EDIT, confidence=weaker)
    return {fact.pk for fact in own}


def _learn_again_where_open(channel: Channel, ids: Iterable[int], *, now: datetime) -> None:
    """Have open channels that said the same read once more: what was worded here can't be told there.

    A merged fact keeps all it rests on: it has the narrowest audience of its sources.
    """
    mixed = _mixed(channel, ids)
    own = set(mixed.exclude(pk__in=_merged(mixed)).values_list("pk", flat=True))
    elsewhere = Evidence.objects.filter(fact__in=own, message__isnull=False)
    _read_anew(elsewhere.exclude(message__channel=channel), now=now)


def _read_anew(cited: QuerySet[Evidence], *, now: datetime) -> None:
    """Take evidence away, and have its messages read once more."""
    rows = dict(cited.values_list("pk", "message"))
    if rows:
        turning.read_again(Message.objects.filter(pk__in=set(rows.values())), now=now)
        Evidence.objects.filter(pk__in=rows).delete()


def _join_twins(channel: Channel, ours: QuerySet[Fact], *, now: datetime) -> None:
    """Give what says the same as a fact that this channel's readers have already to that one."""
    standing = Fact.objects.filter(audience=channel, status__in=WHERE_ONE_STANDS)
    theirs = {_statement(fact): fact for fact in standing.filter(normalized__in=ours.values("normalized"))}
    for fact in ours.filter(normalized__in=[words for *_, words in theirs]) if theirs else ():
        twin = theirs.get(_statement(fact))
        if twin is None:
            continue
        batch = Batch(actor=ACTOR, now=now)
        batch.cite(twin, [_copy(row) for row in fact.evidence.all()])
        batch.change(fact, Action.MERGE, status=Fact.Status.SUPERSEDED, replaced_by_id=twin.pk)


def _statement(fact: Fact) -> tuple[int | None, str, str]:
    return fact.subject_id, fact.status, fact.normalized


def _copy(row: Evidence) -> Evidence:
    return Evidence(message=row.message, speaker=row.speaker, quote=row.quote, said_at=row.said_at)


def _dissolve_in_two_closed(channel: Channel, *, now: datetime) -> None:
    """Take this channel's words from what another closed channel's readers know: no one audience could read both."""
    narrow = Fact.objects.of(channel.guild).filter(audience__isnull=False).exclude(audience=channel)
    theirs = narrow.exclude(audience__parent=channel).filter(evidence__message__channel=channel)
    cited = Evidence.objects.filter(fact__in=list(theirs), message__channel=channel)
    turning.read_again(Message.objects.filter(evidence__in=cited), now=now)
    withdraw.withdraw_evidence(cited, now=now)


# --- Notes and profiles ------------------------------------------------------------------------------------------


def _narrow_notes(channel: Channel) -> None:
    """Give the channel's audience to its notes, and to the topics that tell of them; mixed days are sorted again."""
    notes = InteractionNote.objects.of(channel.guild)
    conversations = notes.filter(channel=channel, kind=InteractionNote.Kind.CONVERSATION)
    topics = notes.filter(kind=InteractionNote.Kind.TOPIC_CLUSTER, notes__in=conversations).distinct()
    mixed = list(topics.exclude(audience=channel).filter(pk__in=_telling_of_others(topics, channel)))
    in_two = [topic for topic in mixed if topic.audience_id is not None]
    conversations.filter(audience=None).update(audience=channel)
    notes.filter(pk__in=list(topics.filter(audience=None).values_list("pk", flat=True))).update(audience=channel)
    if in_two:
        withdraw.drop_notes(in_two)
    for day in {topic.note_date for topic in mixed}:
        job_runs.reopen(channel.guild, day)


def _telling_of_others(topics: QuerySet[InteractionNote], channel: Channel) -> list[int]:
    others = InteractionNote.objects.filter(clusters__in=list(topics)).exclude(channel=channel)
    links = InteractionNote.notes.through.objects.filter(to_interactionnote__in=others)
    return list(links.values_list("from_interactionnote", flat=True))


def _narrow_profiles(channel: Channel) -> None:
    """Give the channel's audience to lines that rest on its notes; what open talk says as well is worked out anew."""
    told = EntrySource.objects.filter(note__audience=channel)
    entries = ProfileEntry.objects.filter(profile__member__guild=channel.guild, sources__in=told).distinct()
    in_two = entries.exclude(audience=None).exclude(audience=channel).exclude(audience__parent=channel)
    for block in _blocks(entries.filter(audience=None)):
        lines = ProfileEntry.objects.filter(pk__in=block)
        mixed = (
            EntrySource.objects.filter(entry__in=block)
            .exclude(note__audience=channel)
            .values_list("entry__profile", flat=True)
        )
        Profile.objects.filter(pk__in=set(mixed)).mark_dirty()
        touched = Profile.objects.filter(pk__in=set(lines.values_list("profile", flat=True)))
        twins = _twins(lines, channel)
        for entry in lines.filter(pk__in=twins):
            _join(entry, twins[entry.pk])
        lines.filter(audience=None).update(audience=channel)
        touched.update(summary="")  # what is left of it is said anew in the background: this may be a whole guild
        touched.outdate()
    for block in _blocks(in_two.filter(pinned=False)):
        lines = ProfileEntry.objects.filter(pk__in=block)
        Profile.objects.filter(pk__in=set(lines.values_list("profile", flat=True))).mark_dirty()
        lines.delete()


def _twins(lines: QuerySet[ProfileEntry], channel: Channel) -> dict[int, ProfileEntry]:
    """Return, by row id, the line that the channel's readers have already in the same words."""
    profiles, told = lines.values("profile"), ProfileEntry.objects.filter(audience=channel)
    there = {(row.profile_id, row.normalized): row for row in told.filter(profile__in=profiles)}
    said = lines.values_list("pk", "profile", "normalized") if there else ()
    return {pk: there[profile, words] for pk, profile, words in said if (profile, words) in there}


def _join(entry: ProfileEntry, twin: ProfileEntry) -> None:
    known = set(twin.sources.values_list("note", flat=True))
    entry.sources.exclude(note__in=known).update(entry=twin)
    if entry.pinned or entry.status == ProfileEntry.Status.REFUSED:
        fields = {"status": entry.status, "pinned": entry.pinned, "refused_at": entry.refused_at}
        ProfileEntry.objects.filter(pk=twin.pk).update(**fields)
    entry.delete()
