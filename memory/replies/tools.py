"""What a bot may do with memory on a speaker's behalf: each tool says what came of it.

Only the speaker's own memories, as far as they may be told in this channel, and the guild's lore: any other id is not
found.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import QuerySet
from pydantic import BaseModel, Field

from memory.curation import corrections
from memory.curation.refusals import WordsRefused, of_message
from memory.facts.kinds import kind_of
from memory.facts.schemas import MAX_FACT
from memory.models import Fact
from memory.recall.results import Memory
from memory.recall.search import recall
from memory.rules.bot_requests import read_request
from memoryhub.ai.tool_calling import Tool
from memoryhub.community import consent
from memoryhub.community.days import day_of
from memoryhub.community.discord_links import message_url
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.errors import Conflict, Refused
from memoryhub.safety import denied, supported
from notes.models import Message

LISTED, MOST_LISTED = 20, 100
HITS = 8
NOT_FOUND = "There is no such memory here."
NOTHING = "There is no strong match in memory."
UNTOLD = (
    "You are not remembered here, so I tell nothing of you in a channel. `/memory list` shows you alone what is stored "
    "still, `/memory forget` erases it."
)
KNOWN_TO_MORE = (
    "More people know this memory than can read this channel, so what is said here does not change it. `/memory "
    "correct` does, which only you see."
)
NOT_SAID = "Nothing was stored: nobody said that here. Tell only what the member says, and use their own words."
LATELY = 20  # messages of the channel before, whose words a model may mean
ROUND = " .,:!?"  # what may stand around a question


@dataclass(frozen=True, kw_only=True)
class MemoryActions:
    """Who speaks, where and when: what every tool acts for. `channel` is None in a direct chat with no channel.

    `left_out` says in words why the guild keeps nothing of what is said here, "" if it does. `quoted` returns what a
    member said as it may stand in a message; a model is handed it as it is. `found` is what was looked up so far.
    `said` is what the speaker says to a model, which may store only that; None where no model words it.
    """

    guild: Guild
    speaker: Member
    channel: Channel | None
    now: datetime
    left_out: str = ""
    quoted: Callable[[str], str] = str
    said: str | None = None
    found: builtins.list[Memory] = field(default_factory=builtins.list)

    @property
    def actor(self) -> str:
        """Return how changes are signed."""
        return f"member:{self.speaker.platform_id}"

    @property
    def untold(self) -> str:
        """Return why nothing of the speaker is told here, where others read it too; "" where it is."""
        alone = self.channel is None or self.channel.kind == Channel.Kind.DIRECT
        return "" if alone or consent.remembers(self.guild, self.speaker) else UNTOLD

    def own(self) -> QuerySet[Fact]:
        """Return what is believed of the speaker and may be told here."""
        facts = Fact.objects.of(self.guild).active().heard_in(self.channel)
        facts = facts.none() if self.untold else facts
        return facts.filter(subject=self.speaker).order_by("-confidence", "-said_at", "-pk")

    # --- The speaker's own memories ---

    def remember(self, text: str, *, kind: str = "other") -> str:
        """Store a statement about the speaker."""
        return self._store(text, subject=self.speaker, kind=kind)

    def list(self, about: str = "", *, limit: int = LISTED) -> str:
        """List what is known of the speaker, the surest first; `limit` is brought within 1 and 100."""
        rows = self.own().filter(text__icontains=about) if about else self.own()
        lines = [f"#{fact.pk} {self.quoted(fact.text)}" for fact in rows[: min(MOST_LISTED, max(1, limit))]]
        return "\n".join(lines) or self.untold or "Nothing is remembered here yet."

    def update(self, number: int, text: str) -> str:
        """Put new words in place of a memory."""
        fact = self.own().filter(pk=number).first()
        if fact is None:
            return self.untold or NOT_FOUND
        if closed := self._closed():
            return closed
        if self.channel and self.channel.heard_by not in (None, fact.audience_id):
            return KNOWN_TO_MORE  # in the new words its readers would be told what was said here
        if not self._was_said(text, beside=fact.text):
            return NOT_SAID
        try:
            changed = corrections.correct(fact, text=text, actor=self.actor, now=self.now)
        except (Refused, Conflict) as refused:
            return _in_words(refused)
        return f"Changed: #{changed.pk} {self.quoted(changed.text)}"

    def remove(self, number: int) -> str:
        """Put a memory aside: it is told no more; the speaker or an operator can still bring it back, or erase it."""
        fact = self.own().filter(pk=number).first()
        if fact is None:
            return self.untold or NOT_FOUND
        try:
            corrections.archive(fact, actor=self.actor, now=self.now)
        except Conflict as refused:
            return str(refused)
        return f"Put aside: #{fact.pk} {self.quoted(fact.text)}"

    # --- The guild's ---

    def look_up(self, question: str) -> str:
        """Search memory once; hits are numbered, each with its day, and the address of its message or a note's number.

        What the bot was asked, now or before, is no answer.
        """
        found = recall(self.guild, question=question, now=self.now, channel=self.channel, limit=2 * HITS, strict=True)
        bots = Member.objects.of(self.guild).filter(platform_id__in=self.guild.own_bots)
        names = [re.escape(name) for pair in bots.values_list("display_name", "name") for name in pair if name]
        to_us = re.compile(rf"@(?:{'|'.join(names)})(?!\w)", re.IGNORECASE) if names else None
        memories = [each for each in found if each.kind != "message" or not _asks(each.text, question, to_us)][:HITS]
        self.found.extend(memories)
        addresses = self._addresses(memories)
        lines = []
        for number, memory in enumerate(memories, 1):
            about = f"{self.quoted(memory.member)}: " if memory.member else ""
            origin = f"{day_of(self.guild, memory.created_at)}"
            if memory.sources and (note := memory.sources[0].note_id):
                origin += f", note n{note}"
            where = next((addresses[ref] for ref in _messages(memory) if ref in addresses), "")
            lines.append(f"[{number}] {about}{self.quoted(memory.text)} ({origin}) {where}".rstrip())
        return "\n".join(lines) or NOTHING

    def _addresses(self, memories: Sequence[Memory]) -> dict[str, str]:
        """Return the addresses of the messages that these rest on, of those that every reader here could read."""
        ids = {message for memory in memories for message in _messages(memory)}
        rows = Message.objects.of(self.guild).heard_in(self.channel).filter(platform_id__in=ids, deleted_at=None)
        found = {
            row.platform_id: message_url(self.guild.key, channel=row.channel.platform_id, message=row.platform_id)
            for row in rows.select_related("channel")
        }
        return {message: address for message, address in found.items() if address}

    def add_lore(self, text: str) -> str:
        """Store something about the guild itself."""
        return self._store(text, subject=None, kind="lore")

    # --- Storing ---

    def _closed(self) -> str:
        """Return why nothing that the speaker says here is stored, their message neither; "" where it is."""
        if not self.guild.memory_on or (self.channel is not None and not self.channel.listens):
            return "Memory is switched off here, so nothing was stored."
        if consent.is_blocked(self.guild, self.speaker.platform_id):
            return "Nothing was stored: those who manage this community asked for that."
        if not consent.remembers(self.guild, self.speaker):
            return "Nothing was stored: no consent. `/memory optout` with `off` gives it."
        return self.left_out

    def _was_said(self, text: str, *, beside: str = "") -> bool:
        """Say if a model tells what the speaker says, or what was said here lately; `beside` is told already.

        By the words: meaning tells too little of a few of them, and a model that is told so takes the speaker's own.
        """
        if self.said is None:
            return True
        names, now = [self.speaker.label, self.speaker.name], "\n".join([self.said, beside])
        if supported(text, "\n".join([now, *names])):
            return True
        if denied(text, self.said):
            return False
        rows = Message.objects.of(self.guild).said().filter(remembered(self.guild, "author__"), channel=self.channel)
        before = rows.filter(sent_at__lte=self.now, carries_instruction=False).select_related("author")
        lately = before.order_by("-sent_at", "-pk")[:LATELY] if self.channel else ()
        names += {row.author.label for row in lately}
        return supported(text, "\n".join([*(row.text for row in lately), now, *names]))

    def _store(self, text: str, *, subject: Member | None, kind: str) -> str:
        if closed := self._closed():
            return closed
        if not self._was_said(text):
            return NOT_SAID
        try:
            fact = corrections.remember(
                self.guild, subject=subject, text=text, kind=kind_of(kind), actor=self.actor, now=self.now,
                audience=self.channel, told_by=self.speaker,
            )  # fmt: skip
        except (Refused, Conflict) as refused:
            return _in_words(refused)
        return f"Remembered: #{fact.pk} {self.quoted(fact.text)}"


def _in_words(refused: Refused | Conflict) -> str:
    return of_message(refused) if isinstance(refused, WordsRefused) else str(refused)


def _messages(memory: Memory) -> builtins.list[str]:
    return [source.message_id for source in memory.sources if source.message_id]


def _asks(text: str, question: str, to_us: re.Pattern[str] | None) -> bool:
    """Say if a message ends with this question, or asks something else of us, by a mention."""
    words, to_bot = to_us.subn(" ", text) if to_us else (text, 0)
    same = words.casefold().strip(ROUND).endswith(question.casefold().strip(ROUND))
    return same or (to_bot > 0 and read_request(words.strip(ROUND)).wish != "none")


class Statement(BaseModel):
    """One lasting statement about the speaker, in the third person."""

    text: str = Field(max_length=MAX_FACT)
    kind: str = "other"


class About(BaseModel):
    """Words that the memories should hold, empty for all; and how many to list, 1 to 100."""

    about: str = Field("", max_length=200)
    limit: int = LISTED


class NewWords(BaseModel):
    """A memory's number, and its new words."""

    id: int
    text: str = Field(max_length=MAX_FACT)


class Number(BaseModel):
    """A memory's number."""

    id: int


class Question(BaseModel):
    """What to look for."""

    question: str = Field(max_length=2000)


class Lore(BaseModel):
    """One lasting statement about the community itself."""

    text: str = Field(max_length=MAX_FACT)


def memory_tools(actions: MemoryActions) -> list[Tool]:
    """Return the tools as a reply model is offered them; bots rely on the names."""
    return [
        Tool(
            name="extract_memory", description="Remember something the speaker asks you to remember about themselves.",
            given=Statement, do=lambda given: actions.remember(given.text, kind=given.kind),
        ),
        Tool(
            name="list_memories", description="List what is remembered about the speaker, with numbers.",
            given=About, do=lambda given: actions.list(given.about, limit=given.limit),
        ),
        Tool(
            name="update_memory", description="Correct one of the speaker's own memories, by its number.",
            given=NewWords, do=lambda given: actions.update(given.id, given.text),
        ),
        Tool(
            name="remove_memory", description="Put one of the speaker's own memories aside, by its number.",
            given=Number, do=lambda given: actions.remove(given.id),
        ),
        Tool(
            name="search_memory", description="Search what is remembered here; cite a hit by its number in brackets.",
            given=Question, do=lambda given: actions.look_up(given.question),
        ),
        Tool(
            name="remember_lore", description="Remember something about the community that the speaker asks to keep.",
            given=Lore, do=lambda given: actions.add_lore(given.text),
        ),
    ]  # fmt: skip
