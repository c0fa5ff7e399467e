"""Has indexes and short summaries follow a channel that was closed: in batches, resumed where the last one ended."""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction
from django.db.models import Q
from django.utils.dateparse import parse_datetime

from memory.index import writing
from memory.models import Fact
from memoryhub.community.models import Channel
from notes.models import InteractionNote, Message
from profiles.models import Profile
from profiles.revision import lost_sources

BEGIN = "fact 0"
AT_ONCE = 200  # rows of a transaction: other writers wait no longer than a moment

Batch = Callable[[Channel, str], str | None]
"""Does the next rows after a place; returns the new place, None at the end."""


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
def _do_batch(channel: Channel) -> None:
    """Do one batch; where the channel was closed once more meanwhile, it starts over."""
    name, _, place = channel.narrowing.partition(" ")
    reached = BATCHES[name](channel, place)
    names = list(BATCHES)
    following = names[names.index(name) + 1 :]
    after = f"{name} {reached}" if reached is not None else f"{following[0]} " if following else ""
    Channel.objects.filter(pk=channel.pk, narrowing=channel.narrowing).update(narrowing=after)
    channel.refresh_from_db(fields=["narrowing"])


def _facts(channel: Channel, place: str) -> str | None:
    rows = Fact.objects.filter(audience=channel, pk__gt=int(place or 0)).select_related("subject").order_by("pk")
    facts = list(rows[:AT_ONCE])
    writing.move("fact", facts, audience=channel.pk)
    return str(facts[-1].pk) if facts else None


def _notes(channel: Channel, place: str) -> str | None:
    notes = list(InteractionNote.objects.filter(audience=channel, pk__gt=int(place or 0)).order_by("pk")[:AT_ONCE])
    writing.move("note", notes, audience=channel.pk)
    return str(notes[-1].pk) if notes else None


def _messages(channel: Channel, place: str) -> str | None:
    at, _, number = place.partition(" ")
    rows = Message.objects.filter(channel=channel).select_related("channel", "guild", "author")
    if moment := parse_datetime(at) if at else None:
        rows = rows.filter(Q(sent_at__gt=moment) | Q(sent_at=moment, pk__gt=int(number)), sent_at__gte=moment)
    messages = list(rows.order_by("sent_at", "pk")[:AT_ONCE])
    writing.index_messages(messages)
    return f"{messages[-1].sent_at.isoformat()} {messages[-1].pk}" if messages else None


def _profiles(channel: Channel, place: str) -> str | None:
    rows = Profile.objects.filter(entries__audience=channel, pk__gt=int(place or 0)).order_by("pk").distinct()
    ids = list(rows.values_list("pk", flat=True)[:AT_ONCE])
    lost_sources.refresh_summaries(ids)
    return str(ids[-1]) if ids else None


BATCHES: dict[str, Batch] = {"fact": _facts, "note": _notes, "message": _messages, "profile": _profiles}
