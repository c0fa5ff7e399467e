"""Lives through a scripted community on the database that DATABASE_URL names, and tells what was made of it.

`python -m tests.memoryhub.db.world` makes the tables; then each line of its input is a list of steps, as JSON, and each
line of its output tells facts, notes, profiles, searches and contexts, without the numbers of rows.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from itertools import count
from typing import Any

NAMES = ("Alice", "Bob", "Charlie", "Renée")
PLACES = ("general", "harbour", "office")
TEXTS = (
    "I live in Toronto.", "I moved to Lisbon last year.", "I'm a nurse.", "My cat is called Miso.", "I love sailing.",
    "I don't like sailing any more.", "I love sailing.", "Ich wohne in Köln.", "私は東京に住んでいます。", "ok",
    "We meet every Friday at the pier.", "Bob plays chess on Sundays.", "Where do you live, Alice?",
    "naïve café ☕ 100%",
    "I play the cello in the city's orchestra.", "My brother lives in Toronto, too.", "The ferry leaves at noon.",
)  # fmt: skip
QUESTIONS = ("Who lives in Toronto?", "sailing boats", "Where do we meet on Friday?", "café", "東京", "Miso the cat")


def live(guild_key: str, steps: list[list[Any]]) -> dict[str, Any]:
    """Do the steps, one a minute, and tell what there is then."""
    from memory import pipeline
    from memoryhub.community.models import Channel, Guild, Member
    from notes.messages.schemas import GuildRef
    from profiles import consent_effects
    from tests.factories import NOON
    from tests.incoming import incoming

    ref, now = GuildRef(key=guild_key, name="North"), NOON
    pipeline.receive(incoming("Good morning.", "Bob", id="m-first", at=now), guild=ref, now=now)
    guild = Guild.objects.get(key=guild_key)
    for number, (step, *values) in enumerate(steps):
        now += timedelta(minutes=1)
        if step == "say":
            who, where, text = values
            message = incoming(TEXTS[text], NAMES[who], channel=PLACES[where], id=f"m-{number}", at=now)
            pipeline.receive(message, guild=ref, now=now)
        elif step == "edit":
            if guild.messages.filter(platform_id=f"m-{values[0]}", deleted_at=None).exists():
                pipeline.edit(guild, message_id=f"m-{values[0]}", text=TEXTS[values[1]], now=now)
        elif step == "delete":
            pipeline.delete(guild, message_ids=[f"m-{values[0]}"], now=now)
        elif step == "close" and (channel := Channel.objects.filter(guild=guild, name=PLACES[values[0]]).first()):
            pipeline.change_audience(channel, "channel", now=now)
        elif step == "refuse" and (member := Member.objects.filter(guild=guild, display_name=NAMES[values[0]]).first()):
            consent_effects.choose(member, remember=bool(values[1]), actor="test", now=now)
        elif step == "digest":
            pipeline.digest(guild, now=now)
    now += timedelta(days=1)
    pipeline.digest(guild, now=now)
    pipeline.consolidate(guild, day=NOON.date(), now=now)
    pipeline.tick(now=now)
    return _told(Guild.objects.get(pk=guild.pk), now)


def _told(guild: Any, now: Any) -> dict[str, Any]:
    from memory.context import builder
    from memory.context.turn import Turn
    from memory.models import Fact
    from memory.recall.search import MOST, recall
    from notes.models import InteractionNote
    from profiles.models import ProfileEntry

    channels = list(guild.channels.order_by("pk"))
    members = list(guild.members.order_by("pk"))
    turn = {"guild": guild, "members": members[:2], "text": QUESTIONS[0], "now": now}
    return {
        "facts": sorted(
            [
                fact.text, fact.status, str(fact.subject or ""), round(fact.confidence, 6), fact.reinforcements,
                sorted(fact.evidence.values_list("message__platform_id", "quote")),
            ]
            for fact in Fact.objects.filter(guild=guild)
        ),
        "notes": sorted(
            [note.kind, note.title, note.summary, sorted(str(member) for member in note.participants.all())]
            for note in InteractionNote.objects.filter(guild=guild)
        ),
        "profiles": sorted(
            [str(entry.profile.member), entry.section, entry.text, entry.status]
            for entry in ProfileEntry.objects.filter(profile__member__guild=guild).select_related("profile__member")
        ),
        "searches": [
            _found(recall(guild, question=question, now=now, channel=channel, limit=MOST))
            for question in QUESTIONS
            for channel in (None, channels[-1])
        ],
        "contexts": [builder.build(Turn(channel=channel, **turn)).text for channel in channels],
    }  # fmt: skip


def _found(memories: Any) -> list[Any]:
    """Return facts and notes as they are ranked, and which messages were found.

    A message's embedding has 8 bits a number on SQLite and 16 on PostgreSQL: what scores all but the same may change
    places.
    """
    told = [
        [each.kind, each.text, each.member, each.gate, sorted(source.message_id or "" for source in each.sources)]
        for each in memories
    ]
    return [each for each in told if each[0] != "message"] + sorted(each for each in told if each[0] == "message")


def main() -> None:
    """Answer line by line until the input ends."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    from memoryhub.search import keywords, vectors

    numbers = count(1)
    for line in sys.stdin:
        told = live(f"world:{next(numbers)}", json.loads(line))
        # FTS5 weighs a word by all texts of the file, PostgreSQL by those of the guild: each world has an index alone.
        keywords.clear()
        vectors.clear()
        sys.stdout.write(json.dumps(told, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
