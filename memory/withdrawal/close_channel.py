"""Gives a channel another audience: what was learned there while it was open becomes narrow in the same transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.dateparse import parse_datetime

from memory.facts import at_odds, confidence
from memory.facts.changes import Action, Batch, mark_outdated
from memory.index import writing
from memory.models import Evidence, Fact, FactChange
from memory.records import job_runs, snapshots
from memory.records.action_log import log
from memory.withdrawal import recompute, withdraw
from memoryhub import db
from memoryhub.community.models import Channel
from memoryhub.db.guild_scope import in_its_guild
from notes.arrangements import keeping as arrangements
from notes.messages import conversations
from notes.models import InteractionNote, Message
from profiles.models import EntrySource, Profile, ProfileEntry
from profiles.revision import lost_sources

ACTOR = "narrowing"
AT_ONCE = 500  # ids of a query
BEGIN = "fact 0"
INDEXED_AT_ONCE = 200  # rows of a transaction: other writers wait no longer than a moment
Audience = Channel.Audience
WHERE_ONE_STANDS = (Fact.Status.ACTIVE, Fact.Status.PENDING)
IndexBatch = Callable[[Channel, str], str | None]
"""Does the next rows after a place; returns the new place, None at the end."""


@transaction.atomic
@in_its_guild
def change_audience(channel: Channel, audience: str, *, now: datetime) -> None:
    """Write who can read a channel; the one place where that of a known channel is written.

    Closed, whatever came from it while it was open is shown to its own readers only, and so are its threads: the rows
    now, the indexes and papers in the background. Opened, what was said before stays narrow.
    """
    db.lock_guild(channel.guild_id)
    if audience == channel.audience:
        return
    opened = audience == Audience.GUILD
    channel.audience = audience
    if opened:
        channel.open_since = now
    else:
        channel.narrowing = BEGIN
    channel.save(update_fields=["audience", "open_since", "narrowing"])
    conversations.close_all(guild=channel.guild, channel=channel, now=now)  # no conversation has two audiences
    log("channel_opened" if opened else "channel_closed", guild=channel.guild, now=now, channel=channel.pk)
    if opened:
        return
    _narrow_facts(channel, now=now)
    _narrow_notes(channel)
    arrangements.narrow(channel)
    _narrow_profiles(channel)
    snapshots.retract_channel(channel)
    for thread in channel.threads.filter(audience=Audience.GUILD).select_related("guild"):
        change_audience(thread, Audience.CHANNEL, now=now)


def _narrow_facts(channel: Channel, *, now: datetime) -> None:
    """Give the channel's audience to what was learned there; what was learned elsewhere only loses its words."""
    guild_facts = Fact.objects.of(channel.guild)
    # What another closed channel's readers know loses this channel's words: no one audience could read both.
    others = guild_facts.filter(audience__isnull=False).exclude(audience=channel).exclude(audience__parent=channel)
    mixed = list(others.filter(evidence__message__channel=channel))
    cited = Evidence.objects.filter(fact__in=mixed, message__channel=channel)
    conversations.read_again(Message.objects.filter(evidence__in=cited), now=now)
    withdraw.withdraw_evidence(cited, now=now)

    known = guild_facts.filter(audience=None)
    for block in _blocks(known.filter(Q(channel=channel) | Q(evidence__message__channel=channel))):
        ids = set(block) - _keep_what_was_learned_elsewhere(channel, block, now=now)
        # Open channels that said the same are read once more: what was worded here can't be shown there.
        evidence = Evidence.objects.filter(fact__in=_also_said_elsewhere(channel, ids), message__isnull=False)
        _reread(evidence.exclude(message__channel=channel), now=now)
        facts = Fact.objects.filter(pk__in=ids).select_related("guild")
        _merge_into_twins(channel, facts, now=now)
        facts.update(audience=channel)
        mark_outdated(list(facts))
    replaced = known.filter(status=Fact.Status.SUPERSEDED, replaced_by__audience=channel).select_related("guild")
    for fact in replaced:
        withdraw.restore_replaced(fact, now=now)
    at_odds.forget_apart(channel)


def _blocks(rows: QuerySet[Any]) -> Iterator[list[int]]:
    """Yield the ids of rows, as many at a time as a query takes."""
    ids = sorted(set(rows.values_list("pk", flat=True)))
    return (ids[at : at + AT_ONCE] for at in range(0, len(ids), AT_ONCE))


def _also_said_elsewhere(channel: Channel, ids: Iterable[int]) -> list[Fact]:
    """Return those of the facts that rest on this channel and on others, or on what somebody told in no message.

    Not the merged ones: they keep all they rest on, and have the narrowest audience of their sources.
    """
    rows = Evidence.objects.filter(fact__in=list(ids))
    channels = defaultdict[int, set[int | None]](set)
    for fact, place in rows.values_list("fact", "message__channel"):
        channels[fact].add(place)
    mixed = [fact for fact, places in channels.items() if channel.pk in places and len(places) > 1]
    merged = FactChange.objects.filter(fact__in=mixed, action=Action.MERGE, before={})
    return list(Fact.objects.filter(pk__in=mixed).exclude(pk__in=merged.values("fact")).select_related("guild"))


def _keep_what_was_learned_elsewhere(channel: Channel, ids: Iterable[int], *, now: datetime) -> set[int]:
    """Take this channel's evidence from facts that were learned elsewhere and only said again here; return these.

    What was said here is read once more, for this channel's own readers.
    """
    facts = [fact for fact in _also_said_elsewhere(channel, ids) if fact.channel_id != channel.pk]
    _reread(Evidence.objects.filter(fact__in=facts, message__channel=channel), now=now)
    for fact in facts:
        recompute.lose_source(fact, actor=ACTOR, now=now, confidence=confidence.weakened(fact.confidence))
    return {fact.pk for fact in facts}


def _reread(cited: QuerySet[Evidence], *, now: datetime) -> None:
    """Take evidence away, and have its messages read once more."""
    rows = dict(cited.values_list("pk", "message"))
    if rows:
        conversations.read_again(Message.objects.filter(pk__in=set(rows.values())), now=now)
        Evidence.objects.filter(pk__in=rows).delete()


def _merge_into_twins(channel: Channel, facts: QuerySet[Fact], *, now: datetime) -> None:
    """Merge what says the same as a fact that this channel's readers have already into that one."""
    standing = Fact.objects.filter(audience=channel, status__in=WHERE_ONE_STANDS)
    twins = {
        (twin.subject_id, twin.status, twin.normalized): twin
        for twin in standing.filter(normalized__in=facts.values("normalized"))
    }
    for fact in facts.filter(normalized__in=[words for *_, words in twins]) if twins else ():
        if twin := twins.get((fact.subject_id, fact.status, fact.normalized)):
            batch = Batch(actor=ACTOR, now=now)
            copied = ("message", "speaker", "quote", "said_at")
            rows = fact.evidence.all()
            batch.cite(twin, [Evidence(**{name: getattr(row, name) for name in copied}) for row in rows])
            batch.change(fact, Action.MERGE, status=Fact.Status.SUPERSEDED, replaced_by_id=twin.pk)


def _narrow_notes(channel: Channel) -> None:
    """Give the channel's audience to its notes, and to the topics on them; mixed days are sorted into topics again."""
    notes = InteractionNote.objects.of(channel.guild)
    own = notes.filter(channel=channel, kind=InteractionNote.Kind.CONVERSATION)
    topics = notes.filter(kind=InteractionNote.Kind.TOPIC_CLUSTER, notes__in=own).distinct()
    others = InteractionNote.objects.filter(clusters__in=list(topics)).exclude(channel=channel)
    links = InteractionNote.notes.through.objects.filter(to_interactionnote__in=others)
    with_others = list(links.values_list("from_interactionnote", flat=True))
    mixed = list(topics.exclude(audience=channel).filter(pk__in=with_others))
    in_two_closed = [topic for topic in mixed if topic.audience_id is not None]
    own.filter(audience=None).update(audience=channel)
    notes.filter(pk__in=list(topics.filter(audience=None).values_list("pk", flat=True))).update(audience=channel)
    if in_two_closed:
        withdraw.drop_notes(in_two_closed)
    for day in {topic.note_date for topic in mixed}:
        job_runs.reopen(channel.guild, day)


def _narrow_profiles(channel: Channel) -> None:
    """Give the channel's audience to entries on what was said there; what open channels say too is worked out again."""
    here = Q(note__audience=channel) | Q(message__channel=channel)
    sources = EntrySource.objects.filter(here)
    entries = ProfileEntry.objects.filter(profile__member__guild=channel.guild, sources__in=sources).distinct()
    in_two_closed = entries.exclude(audience=None).exclude(audience=channel).exclude(audience__parent=channel)
    for block in _blocks(entries.filter(audience=None)):
        rows = ProfileEntry.objects.filter(pk__in=block)
        elsewhere = EntrySource.objects.filter(~here, entry__in=block)
        Profile.objects.filter(pk__in=set(elsewhere.values_list("entry__profile", flat=True))).mark_dirty()
        touched = Profile.objects.filter(pk__in=set(rows.values_list("profile", flat=True)))
        # What the channel's readers have already in the same words is joined to that.
        there = ProfileEntry.objects.filter(audience=channel, profile__in=rows.values("profile"))
        twins = {(twin.profile_id, twin.normalized): twin for twin in there}
        for entry in rows if twins else ():
            if twin := twins.get((entry.profile_id, entry.normalized)):
                known = {source.number for source in twin.sources.all()}
                new = [source.pk for source in entry.sources.all() if source.number not in known]
                EntrySource.objects.filter(pk__in=new).update(entry=twin)
                if entry.pinned or entry.status == ProfileEntry.Status.REFUSED:
                    fields = {"status": entry.status, "pinned": entry.pinned, "refused_at": entry.refused_at}
                    ProfileEntry.objects.filter(pk=twin.pk).update(**fields)
                entry.delete()
        rows.filter(audience=None).update(audience=channel)
        touched.update(summary="")  # it is written again in the background: this may be a whole guild
        touched.outdate()
    # Others' readers keep what a person worded, and hear nothing of what was said here.
    worded = in_two_closed.filter(pinned=True, written_by=ProfileEntry.WrittenBy.PERSON)
    sources.filter(entry__in=list(worded.values_list("pk", flat=True))).delete()
    for block in _blocks(in_two_closed):
        rows = ProfileEntry.objects.filter(pk__in=block)
        Profile.objects.filter(pk__in=set(rows.values_list("profile", flat=True))).mark_dirty()
        rows.delete()


# --- In the background: indexes and short summaries follow, in batches, resumed where the last one ended --------------


def update_indexes(*, keep_going: Callable[[], bool] = lambda: True) -> int:
    """Do what is left for every channel that was closed, while allowed to; return how many channels are done.

    Until then nothing leaks: who may read a row is asked of the row itself, never of an index.
    """
    done = 0
    for channel in Channel.objects.filter(narrowing__gt="").select_related("guild").order_by("pk"):
        while channel.narrowing and keep_going():
            _do_batch(channel)
        done += not channel.narrowing
    return done


@transaction.atomic
@in_its_guild
def _do_batch(channel: Channel) -> None:
    """Do one batch; where the channel was closed once more meanwhile, it starts over."""
    db.lock_guild(channel.guild_id)
    name, _, place = channel.narrowing.partition(" ")
    reached = BATCHES[name](channel, place)
    names = list(BATCHES)
    following = names[names.index(name) + 1 :]
    after = f"{name} {reached}" if reached is not None else f"{following[0]} " if following else ""
    Channel.objects.filter(pk=channel.pk, narrowing=channel.narrowing).update(narrowing=after)
    channel.refresh_from_db(fields=["narrowing"])


def _move(kind: str, rows: QuerySet[Any]) -> IndexBatch:
    """Return what has the index find the next facts or notes for the channel's audience."""

    def batch(channel: Channel, place: str) -> str | None:
        moved = list(rows.filter(audience=channel, pk__gt=int(place or 0)).order_by("pk")[:INDEXED_AT_ONCE])
        writing.move(kind, moved, audience=channel.pk)
        return str(moved[-1].pk) if moved else None

    return batch


def _messages(channel: Channel, place: str) -> str | None:
    at, _, number = place.partition(" ")
    rows = Message.objects.filter(channel=channel).select_related("channel", "guild", "author")
    if moment := parse_datetime(at) if at else None:
        rows = rows.filter(Q(sent_at__gt=moment) | Q(sent_at=moment, pk__gt=int(number)), sent_at__gte=moment)
    messages = list(rows.order_by("sent_at", "pk")[:INDEXED_AT_ONCE])
    if messages:
        writing.move_messages(messages)
    return f"{messages[-1].sent_at.isoformat()} {messages[-1].pk}" if messages else None


def _profiles(channel: Channel, place: str) -> str | None:
    rows = Profile.objects.filter(entries__audience=channel, pk__gt=int(place or 0)).order_by("pk").distinct()
    ids = list(rows.values_list("pk", flat=True)[:INDEXED_AT_ONCE])
    lost_sources.refresh_summaries(ids)
    return str(ids[-1]) if ids else None


BATCHES: dict[str, IndexBatch] = {
    "fact": _move("fact", Fact.objects.select_related("subject")),
    "note": _move("note", InteractionNote.objects.all()),
    "message": _messages,
    "profile": _profiles,
}
