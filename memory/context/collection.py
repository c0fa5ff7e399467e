"""Collects what may go into the context of a turn, part by part, best first: reads only, embeds the text once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.context import already_said, background
from memory.context.background import MESSAGE
from memory.context.items import Item, LeftOut, Offered, Why
from memory.context.note_selection import notes_for
from memory.index.view import View
from memory.recall import ranking
from memory.recall.results import Memory
from memory.recall.retrieval import probe
from memory.recall.search import Found, Inquiry, tell
from memoryhub import language
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.language.clip import clip

MENTIONED = 3  # members named in the text whose profiles go in beside those present; seed 001
FACTS, FACTS_OF_AUTHOR = 10, 8  # seed 000
FACTS_OF_OTHERS = 5  # each; seed 004
PRESENT = 12  # members who are asked about one by one; more are at the edge of the conversation
FAILED = 5  # facts that fail the gate and are named among what was left out
MESSAGES = 40  # how many fit says the budget
MESSAGES_HERE = 8  # of the channel itself, before all others; seed 000
QUESTION = 2_000  # characters of the text that are looked for


@dataclass(frozen=True, slots=True)
class Size:
    """How much of one text is shown, in characters: so much for each token of the budget, no less and no more."""

    least: int
    most: int
    a_token: float

    def of(self, max_tokens: int) -> int:
        """Return the characters for a budget."""
        return min(self.most, max(self.least, int(max_tokens * self.a_token)))


NOTE, SAID, SUMMARY = Size(240, 900, 0.45), Size(200, MESSAGE, 0.2), Size(160, 2_000, 0.3)


def gather(
    guild: Guild, *, channel: Channel | None, present: Sequence[Member], mentioned: Sequence[Member], text: str,
    max_tokens: int, now: datetime, transcript: Sequence[Item] | None = None, as_of: datetime | None = None,
) -> Offered:  # fmt: skip
    """Return the items of every part, in the order in which they are to be kept; the first one present is the author.

    For a small budget notes are told in part. `transcript`, newest first, takes the place of the channel's own.
    `as_of` hands out what was believed then.
    """
    if not guild.memory_on or (channel is not None and not channel.listens):
        return Offered(parts={"transcript": list(transcript or [])})
    asked = probe(text[:QUESTION])
    now = as_of or now
    inquiry = Inquiry(probe=asked, view=View(guild=guild, channel=channel, as_of=as_of), now=now)
    notes = _notes(inquiry, max_tokens) if text.strip() else []
    profiles = _profiles(inquiry, [*present, *_besides(mentioned, present)], notes, SUMMARY.of(max_tokens))
    offered, below = _facts(inquiry, present)
    facts, said = already_said.facts(offered, profiles, guild=guild, channel=channel, asked=asked)
    talk, answered = _transcript(inquiry.view, transcript, present, text)
    messages, shown = _messages(inquiry, talk, answered, SAID.of(max_tokens))
    about = background.summaries(inquiry.view)
    parts = {
        "profiles": profiles,
        "channel": about.get("profile", []),
        "rolling": about.get("rolling", []),
        "relationships": background.relationships(inquiry.view, present, now),
        "facts": facts,
        "notes": notes,
        "messages": messages,
        "transcript": talk,
    }
    return Offered(parts=_told_apart(parts), left_out=[*said, *shown, *below, *answered])


def _besides(mentioned: Sequence[Member], present: Sequence[Member]) -> list[Member]:
    """Return a few of those mentioned who are not there anyway, each once."""
    return [member for member in dict.fromkeys(mentioned) if member not in present][:MENTIONED]


def _profiles(inquiry: Inquiry, members: Sequence[Member], notes: Sequence[Item], size: int) -> list[Item]:
    met = background.met_in([note.id for note in notes if isinstance(note.id, int)], without=members) if notes else []
    question = inquiry.probe.question
    lines = background.profiles(inquiry.view, members, question, met=met)
    return [replace(line, text=_excerpt(line.text, question, size)) for line in lines]


def _facts(inquiry: Inquiry, present: Sequence[Member]) -> tuple[list[Item], list[LeftOut]]:
    """Return what the guild knows about the question, and what it knows about each one present, best first."""
    relevant, failed = inquiry.sift("fact", FACTS)
    found = {row.pk: (row, ranked) for row, ranked in (*relevant, *_about(inquiry, present))}
    weak = [each for each in failed if each[0].pk not in found][:FAILED]
    best = sorted(found.values(), key=lambda each: -each[1].score)
    items = [_item(memory) for memory in tell([*best, *weak])]
    because = "It is too far from what was said."
    below = [LeftOut(part="facts", item=item, why=Why.GATE, because=because) for item in items[len(best) :]]
    return items[: len(best)], below


def _about(inquiry: Inquiry, present: Sequence[Member]) -> list[Found]:
    near, far = present[:PRESENT], present[PRESENT:]
    limits = {member: FACTS_OF_OTHERS if place else FACTS_OF_AUTHOR for place, member in enumerate(near)}
    rest = inquiry.best("fact", FACTS_OF_AUTHOR, members=far) if far else []
    return [*inquiry.of_each("fact", limits), *rest]


def _notes(inquiry: Inquiry, max_tokens: int) -> list[Item]:
    size = NOTE.of(max_tokens)
    found, zone = notes_for(inquiry), ZoneInfo(inquiry.view.guild.time_zone)
    return [
        replace(
            _item(memory),
            text=_excerpt(row.summary, inquiry.probe.question, size),
            section=row.title,
            at=row.ended_at.astimezone(zone),
        )
        for (row, _), memory in zip(found, tell(found), strict=True)
    ]


def _excerpt(text: str, question: str, size: int) -> str:
    """Return at most so many characters: the sentences that share most words with the question, in their order."""
    if len(text) <= size:
        return text
    sentences, room, kept = language.sentences(text), size, set()
    shared = [ranking.shared_words(question, sentence) for sentence in sentences]
    for place in sorted(range(len(sentences)), key=lambda place: (-shared[place], place)):
        if len(sentences[place]) < room:
            kept.add(place)
            room -= len(sentences[place]) + 1
    return " ".join(sentences[place] for place in sorted(kept)) or clip(text, size)


def _messages(
    inquiry: Inquiry, transcript: Sequence[Item], answered: Sequence[LeftOut], size: int
) -> tuple[list[Item], list[LeftOut]]:
    """Return messages that share words with the question, apart from those that the transcript has anyway.

    Below one that asks something stands what was said next: it may be the answer, in words of its own.
    """
    asked, more = {each.item.id for each in answered}, len(transcript)
    words = inquiry.probe.question.strip()
    found = inquiry.messages(MESSAGES + more, here=MESSAGES_HERE + more) if words else []
    # Recall adds the newest where it finds little; here they would only stand in the way.
    found = [each for each in found if each[1].candidate.words > 0]
    found = [each for each in inquiry.with_replies(found) if each[0].platform_id not in asked]
    shown = {item.id: item for item in transcript}
    fresh = _own_first(inquiry.view, [each for each in found if each[0].platform_id not in shown])
    again = [each for each in found if each[0].platform_id in shown]
    items = [replace(_item(memory), text=clip(memory.text, size)) for memory in tell([*fresh, *again])]
    because = "The transcript has it."
    return items[: len(fresh)], [
        LeftOut(part="messages", item=item, why=Why.REPEATED, because=because, said=shown[item.id])
        for item in items[len(fresh) :]
    ]


def _own_first(view: View, found: Sequence[Found]) -> list[Found]:
    """Return the best of the channel itself, then the others that may be told in it: seed 000 knows only the former."""
    here = view.channel.pk if view.channel else None
    own = [each for each in found if each[0].channel_id == here][:MESSAGES_HERE]
    ahead = {row.pk for row, _ in own}
    return [*own, *(each for each in found if each[0].pk not in ahead)][:MESSAGES]


def _transcript(view: View, given: Sequence[Item] | None, present: Sequence[Member], text: str) -> already_said.Split:
    if given is not None:
        return list(given), []
    author = present[0].platform_id if present else ""
    return already_said.transcript(background.transcript(view), author=author, text=text)


def _item(memory: Memory) -> Item:
    return Item(
        text=memory.text, kind=memory.kind, id=memory.id, about=memory.member or "", member=memory.member_id or "",
        at=memory.created_at, score=memory.score, scores=memory.scores, sources=memory.sources,
    )  # fmt: skip


def _told_apart(parts: dict[str, list[Item]]) -> dict[str, list[Item]]:
    """Add the account's id to a name that several members have, so that nothing is told of the wrong one."""
    bearers: dict[str, set[str]] = {}
    for item in (item for items in parts.values() for item in items if item.member):
        bearers.setdefault(item.about, set()).add(item.member)
    shared = {name for name, members in bearers.items() if len(members) > 1}
    return {
        name: [replace(item, about=f"{item.about} ({item.member})") if item.about in shared else item for item in items]
        for name, items in parts.items()
    }
