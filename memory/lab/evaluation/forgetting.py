"""Deletes messages and erases members, and looks for words of theirs in every table that tells something."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from memory import pipeline
from memory.erasure.erase import erase_now
from memory.lab.evaluation.guild import Deletion
from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.models import Evidence, Fact, Snapshot
from memoryhub.common.long_work import Progress
from memoryhub.community.models import Guild, Member
from notes.models import Arrangement, InteractionNote, Journal, Message, Question, Summary
from profiles.models import Profile, ProfileEntry


def leftovers(world: LoadedGuild, deletions: Sequence[Deletion], *, progress: Progress) -> Counter[str]:
    """Carry out the deletions, digest what they opened again, and count the words that still stand somewhere."""
    for done, each in enumerate(deletions, 1):
        if each.member:
            erase_now(Member.objects.of(world.guild).get(platform_id=each.member), now=world.now, by="evaluate")
        else:
            pipeline.delete(world.guild, message_ids=each.messages, now=world.now)
        progress(f"{world.conversation.name}: deletions", done, len(deletions))
    pipeline.digest(world.guild, now=world.now)
    told = "\n".join(_texts(world.guild))
    words = [word for each in deletions for word in each.words]
    left = [word for word in words if re.search(rf"\b{re.escape(word)}\b", told, re.IGNORECASE)]
    return Counter({"deleted words": len(words), "left": len(left)})


def _texts(guild: Guild) -> Iterator[str]:
    """Yield every text that is told of a guild: messages, and all that was made of them."""
    yield from Message.objects.of(guild).values_list("text", flat=True)
    yield from Fact.objects.of(guild).values_list("text", flat=True)
    yield from Evidence.objects.filter(fact__guild=guild).values_list("quote", flat=True)
    for title, summary in InteractionNote.objects.of(guild).values_list("title", "summary"):
        yield f"{title}\n{summary}"
    for each in Summary.objects.of(guild):
        yield "\n".join([each.text, *each.topics, *each.threads, *each.unresolved, *each.decisions, *each.glossary])
    yield from Question.objects.of(guild).values_list("text", flat=True)
    yield from Arrangement.objects.of(guild).values_list("text", flat=True)
    yield from Profile.objects.filter(member__guild=guild).values_list("summary", flat=True)
    yield from ProfileEntry.objects.filter(profile__member__guild=guild).values_list("text", flat=True)
    yield from Journal.objects.filter(guild=guild).values_list("text", flat=True)
    yield from Snapshot.objects.filter(guild=guild).values_list("text", flat=True)
