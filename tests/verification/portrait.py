"""What a guild knows, in a form in which two guilds that heard the same can be compared."""

from __future__ import annotations

from typing import Any

from memory.models import Fact
from memoryhub.community.models import Guild
from memoryhub.search import keywords
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import EntrySource, Profile, ProfileEntry, RelationshipDay

Lines = list[tuple[Any, ...]]


def knowledge(guild: Guild) -> dict[str, Lines]:
    """Return facts, notes, profiles and counts without row numbers: as often as they are there, with what they rest on.

    Of two guilds that heard the same words one may have been killed on the way: the answers are equal all the same.
    """
    return {
        "messages": _sorted(Message.objects.of(guild).values_list("platform_id", "text", "channel__platform_id")),
        "facts": _sorted(_fact(fact) for fact in Fact.objects.of(guild).select_related("subject")),
        "notes": _sorted(_note(note) for note in InteractionNote.objects.of(guild)),
        "profiles": _sorted(
            Profile.objects.filter(member__guild=guild).values_list("member__platform_id", "summary", "dirty")
        ),
        "entries": _sorted(_entry(row) for row in ProfileEntry.objects.filter(profile__member__guild=guild)),
        "days": _sorted(
            RelationshipDay.objects.filter(source__guild=guild).values_list(
                "source__platform_id", "target__platform_id", "day", "replies", "mentions", "together"
            )
        ),
    }


def oddities(guild: Guild) -> list[str]:
    """Return what must never be: words that were lost, told twice, counted wrong, or indexed beside their rows."""
    found = []
    people = Message.objects.of(guild).said()
    for buffer in ChannelBuffer.objects.of(guild):
        if (there := buffer.messages.count()) != buffer.message_count:
            found.append(f"buffer {buffer.pk} counts {buffer.message_count} messages and has {there}")
    if homeless := people.filter(buffer=None).count():
        found.append(f"{homeless} messages are in no conversation")
    for kind, rows in (("fact", Fact.objects.active()), ("note", InteractionNote.objects), ("message", people)):
        expected = set(rows.filter(guild=guild).values_list("pk", flat=True))
        if missing := expected - keywords.held(kind=kind):
            found.append(f"{len(missing)} of {len(expected)} {kind}s are not in the word index")
    return found


def sourceless(guild: Guild) -> list[str]:
    """Return every derived line that rests on no message."""
    facts = Fact.objects.of(guild).active().exclude(evidence__message__isnull=False)
    notes = InteractionNote.objects.of(guild)
    untold = notes.filter(kind=InteractionNote.Kind.CONVERSATION, messages=None)
    topics = notes.filter(kind=InteractionNote.Kind.TOPIC_CLUSTER, notes__messages=None)
    entries = ProfileEntry.objects.filter(
        profile__member__guild=guild, sources__note__messages=None, sources__message=None
    )
    summaries = guild.summaries.filter(messages=None)
    lines = {"fact": facts, "note": untold, "topic": topics, "entry": entries, "summary": summaries}
    return [f"{name} {pk}" for name, rows in lines.items() for pk in rows.values_list("pk", flat=True).distinct()]


def _fact(fact: Fact) -> tuple[Any, ...]:
    evidence = sorted(fact.evidence.values_list("message__platform_id", "quote"))
    subject = fact.subject.platform_id if fact.subject else ""
    sure = (round(fact.confidence, 6), fact.reinforcements, fact.source_type)
    return (subject, fact.kind, fact.text, fact.status, sure, tuple(evidence))


def _note(note: InteractionNote) -> tuple[Any, ...]:
    told = sorted(note.messages.values_list("platform_id", flat=True))
    there = sorted(note.participants.values_list("platform_id", flat=True))
    return (note.kind, note.title, note.summary, tuple(told), tuple(there))


def _entry(row: ProfileEntry) -> tuple[Any, ...]:
    cited = EntrySource.objects.filter(entry=row).order_by("note__title")
    return (row.profile.member.platform_id, row.section, row.text, tuple(cited.values_list("note__title", flat=True)))


def _sorted(rows: Any) -> Lines:
    return sorted((tuple(row) for row in rows), key=repr)
