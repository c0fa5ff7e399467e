"""The numbers that two of the five designs fix (docs/origins.md): no constant drifts without a word here."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory import schedules
from memory.context import background, budget, collection
from memory.models import JobRun
from memoryhub.community.models import Guild
from notes.messages import conversations
from notes.models import ChannelBuffer
from notes.summaries import due, summarize, topics
from notes.writing import schemas, writer
from profiles.models import Profile
from profiles.relationships import hints, strength
from profiles.revision import revision_checks
from profiles.revision import schemas as profile

OPTIONS = {field.name: field.default for field in Guild._meta.get_fields() if hasattr(field, "default")}

PROFILES_AND_NOTES = {
    "a conversation ends after 25 quiet minutes": (OPTIONS["quiet_minutes"], 25),
    "or when it is two hours old": (conversations.OLDEST, timedelta(hours=2)),
    "or has 100 messages": (conversations.MOST_MESSAGES, 100),
    "a buffer is parked after five attempts": (ChannelBuffer.policy.most_attempts, 5),
    "under 100 visible characters there is no note": (writer.TOO_LITTLE, 100),
    "a title has at most 80 characters": (schemas.TITLE_CHARS, 80),
    "a note has at most 1,200 characters": (schemas.NOTE_CHARS, 1_200),
    "fewer than three notes make no topics": (topics.FEWEST, 3),
    "a day has three to eight topics": (schemas.CLUSTERS, (3, 8)),
    "lines a section": (list(profile.LIMITS.values()), [7, 8, 8, 7, 8, 7]),
    "lines in all": (profile.TOTAL, 45),
    "words a line": (profile.WORDS, 28),
    "sources a line": (profile.SOURCES, 6),
    "one too many in a section is tidied": (revision_checks.OVER_SECTION, 1),
    "four too many in all": (revision_checks.OVER_TOTAL, 4),
    "four words too many": (revision_checks.OVER_WORDS, 4),
    "one source too many": (revision_checks.OVER_SOURCES, 1),
    "notes a turn is told": (collection.NOTES, 5),
    "notes that are a little farther": (collection.FURTHER_NOTES, 3),
    "mentioned members who are described": (collection.MENTIONED, 3),
    "members of the notes who are described": (background.MET, 3),
    "a rebuild is tried five times": (Profile.policy.most_attempts, 5),
    "a phase of the night is tried five times": (JobRun.policy.most_attempts, 5),
}
WORKING_MEMORY = {
    "a channel is summarised after ten messages": (OPTIONS["summary_messages"], 10),
    "or after a quarter of an hour": (OPTIONS["summary_minutes"], 15),
    "its profile every six hours at most": (OPTIONS["summary_profile_hours"], 6),
    "from the last two hours": (summarize.WINDOW, timedelta(hours=2)),
    "or the last 120 messages": (summarize.MOST_MESSAGES, 120),
    "a few channels a tick": (due.A_TICK, 5),
    "each minute": (next(job.minutes for job in schedules.PERIODIC if job.task == "memory.tasks.tick"), 1),
    "a summary has at most 1,800 characters": (schemas.SUMMARY_CHARS, 1_800),
    "its lists at most six items": (schemas.LIST_ITEMS, 6),
    "the short summary of a member at most 800": (profile.PROFILE_CHARS, 800),
    "the newest messages of a transcript": (background.TRANSCRIPT, 40),
    "tokens of a transcript": (budget.BY_PART["transcript"].cap, 1_800),
    "of a channel's profile": (budget.BY_PART["channel"].cap, 1_200),
    "of a rolling summary": (budget.BY_PART["rolling"].cap, 1_200),
    "facts about the author of the guild store": (collection.FACTS_OF_AUTHOR, 8),
    "relevant facts of the guild store": (collection.FACTS, 10),
    "relevant messages of the channel of the guild store": (collection.MESSAGES_HERE, 8),
    "hints": (hints.LINES, 10),
    "characters of hints": (hints.CHARACTERS, 1_200),
    "the weakest edge that is a hint": (hints.LEAST, 0.1),
    "a reply or a mention": (strength.ACT, 0.4),
    "an hour of voice, by its logarithm": (strength.TALK, 0.2),
    "what fades a day": (strength.FADING, 0.06),
    "how steep strength rises": (strength.SLOPE, 0.2),
    "how fast confidence grows": (strength.SURENESS, 0.25),
    "the words for strengths": (
        strength.LABELS,
        ((0.7, "likely close"), (0.4, "moderate"), (0.2, "emerging"), (0.0, "weak")),
    ),
    "what must go, goes from the transcript up": (
        [share.part for share in budget.SHARES],
        ["profiles", "channel", "rolling", "relationships", "facts", "notes", "messages", "transcript"],
    ),
}


@pytest.mark.parametrize("what", [*PROFILES_AND_NOTES, *WORKING_MEMORY])
def test_a_constant_is_what_its_design_says(what):
    ours, theirs = {**PROFILES_AND_NOTES, **WORKING_MEMORY}[what]
    assert ours == theirs
