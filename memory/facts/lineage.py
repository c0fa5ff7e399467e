"""From a message to all that was derived from it: the way from a line to its sources, read backwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from memory.facts.normalization import normalize
from memory.models import Evidence, Fact
from memoryhub.community.days import day_of
from memoryhub.community.querysets import remembered, same_guild
from notes.models import Arrangement, InteractionNote, Journal, Message, Question, Summary
from profiles.models import EntrySource, ProfileEntry, RelationshipDay

NOTES = 8  # that a fact's page shows
LEARNED = 60  # facts, and lines, that a note's page shows
KNOWN = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED, Fact.Status.PENDING)


@dataclass(frozen=True, kw_only=True)
class Derived:
    """What rests on one message, by kind; `topics` rest on it through `notes`, `entries` where there are any."""

    facts: Sequence[Fact]
    notes: Sequence[InteractionNote]
    topics: Sequence[InteractionNote]
    entries: Sequence[ProfileEntry]
    summaries: Sequence[Summary]
    questions: Sequence[Question]
    arrangements: Sequence[Arrangement]
    relationship_days: Sequence[RelationshipDay]
    journal: Journal | None

    def __bool__(self) -> bool:
        """Say whether there is anything."""
        return any(vars(self).values())


def learned_from(note: InteractionNote) -> tuple[Sequence[Fact], Sequence[ProfileEntry]]:
    """Return the facts that rest on what the note (or a topic's notes) tells of, and the lines that cite it."""
    told = [note.pk, *note.notes.values_list("pk", flat=True)]
    here = Evidence.objects.filter(same_guild(), fact=OuterRef("pk"), message__notes__in=told)
    facts = Fact.objects.of(note.guild).filter(Exists(here), status__in=KNOWN).select_related("subject", "audience")
    cite = EntrySource.objects.filter(same_guild(), entry=OuterRef("pk"), note__in=told)
    entries = ProfileEntry.objects.filter(Exists(cite), guild=note.guild, status=ProfileEntry.Status.SHOWN)
    lines = entries.select_related("profile__member", "audience").order_by("pk")
    return list(facts.order_by("said_at", "pk")[:LEARNED]), list(lines[:LEARNED])


def used_in(fact: Fact) -> tuple[Sequence[ProfileEntry], Sequence[InteractionNote]]:
    """Return the lines of its member's profile that say the same, and the notes of the talks that it was said in."""
    lines = ProfileEntry.objects.filter(guild=fact.guild, profile__member=fact.subject_id)
    shown = lines.filter(status=ProfileEntry.Status.SHOWN) if fact.subject_id else ProfileEntry.objects.none()
    said_in = [source.message_id for source in fact.evidence.all() if source.message_id]
    talks = InteractionNote.objects.told(fact.guild).filter(kind=InteractionNote.Kind.CONVERSATION)
    told = talks.filter(messages__in=said_in).distinct().order_by("-ended_at", "-pk")[:NOTES] if said_in else []
    return [line for line in shown if normalize(line.text) == fact.normalized], list(told)


def derived_from(message: Message) -> Derived:
    """Return what rests on the message, ready to be shown; reads only.

    Notes and counts of somebody who is not to be remembered are not among it, though lines of profiles that cite them.
    """
    guild, notes = message.guild, list(message.notes.select_related("channel").order_by("pk"))
    topics = list(InteractionNote.objects.filter(notes__in=notes).distinct().order_by("pk"))
    told = set(InteractionNote.objects.told(guild).filter(pk__in=[note.pk for note in (*notes, *topics)]))
    on_it = Q(sources__note__in=[*notes, *topics]) | Q(sources__message=message)
    facts = Fact.objects.filter(evidence__message=message).select_related("subject").order_by("pk")
    entries = ProfileEntry.objects.filter(on_it, status=ProfileEntry.Status.SHOWN).distinct()
    questions = Question.objects.filter(Q(messages=message) | Q(answers=message)).distinct()
    # The author's counts of that day towards those whom the message answers, names, meets or speaks with.
    answered = Message.objects.filter(guild=message.guild_id, platform_id=message.reply_to or None)
    concerned = (
        Q(replies__gt=0, target__in=answered.values("author"))
        | Q(mentions__gt=0, target__platform_id__in=message.mentions)
        | Q(together__gt=0, target__notes__in=notes)
    )
    if message.source == Message.Source.VOICE:
        concerned |= Q(voice_minutes__gt=0)
    day, journal = day_of(message.guild, message.sent_at), None
    shown = remembered(guild, "source__") & remembered(guild, "target__")
    days = RelationshipDay.objects.filter(shown, channel=message.channel_id, day=day, source=message.author_id)
    if not message.deleted_at and message.heard_by is None:  # a journal tells only what the whole guild could read
        journal = Journal.objects.of(message.guild).filter(day=day).first()
    return Derived(
        facts=list(facts),
        notes=[note for note in notes if note in told],
        topics=[topic for topic in topics if topic in told],
        entries=list(entries.select_related("profile__member").order_by("pk")),
        summaries=list(message.summaries.select_related("channel").order_by("pk")),
        questions=list(questions.order_by("pk")),
        arrangements=list(message.arrangements.order_by("pk")),
        relationship_days=list(days.filter(concerned).select_related("source", "target").distinct().order_by("pk")),
        journal=journal,
    )
