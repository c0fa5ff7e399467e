"""Measures contexts: is the evidence of a question inside what a bot is handed, at several budgets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache

from memory.context import budget, rendering
from memory.context.builder import Format, Turn, build
from memory.context.items import Item
from memory.index.view import View
from memory.lab.evaluation.loaded_guild import LoadedGuild
from memory.lab.evaluation.measures import Scores, Tally, word_share
from memory.lab.evaluation.peers.mixed_lines import mixed
from memory.lab.evaluation.scoring import ALL, categories
from memory.recall.results import Source
from memoryhub.common.long_work import Progress
from memoryhub.community.models import Channel, Member
from memoryhub.search import keywords
from notes.models import Message

BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
FORM: Format = "xml"
MOST = 400  # messages of a baseline; more than fit into the largest budget

# A profile line or a summary rests on whole conversations: that it is there does not show that it holds the answer.
# Nor does a note, nor a message that was shortened: they hold the messages whose words they have for the most part.
COUNTED = ("facts", "notes", "messages", "transcript")
SHORTENED = ("note", "message")
HOLDS = 0.5

Way = Callable[[int], Collection[str]]
"""From a budget to the messages that are inside."""


def contexts(worlds: Sequence[LoadedGuild], *, progress: Progress) -> dict[str, dict[str, Scores]]:
    """Return by way and budget the mean share of the evidence inside, and the share of questions with all of it.

    The ways: our context, the newest messages only, the messages found by their words only, those of the "mixed" order,
    and "cited", which counts every message that a note in our context rests on: what it would hold if notes left
    nothing out.
    """
    tallies: dict[str, Tally] = {}
    asked = [
        (room, question)
        for room in map(ConversationChannel, worlds)
        for question in room.world.conversation.questions
        if question.evidence and ALL in categories(question)
    ]
    for done, (room, question) in enumerate(asked, 1):
        for way, inside in room.ways(question.text).items():
            for limit in BUDGETS:
                share = len(question.evidence & set(inside(limit))) / len(question.evidence)
                scores = {"evidence inside": share, "all inside": float(share == 1)}
                tallies.setdefault(way, Tally()).add([str(limit)], scores)
        progress("contexts", done, len(asked))
    return {way: tally.means() for way, tally in tallies.items()}


class ConversationChannel:
    """The channel of a conversation, in which its questions are asked."""

    def __init__(self, world: LoadedGuild) -> None:
        self.world = world
        self._channel = Channel.objects.of(world.guild).filter(audience=Channel.Audience.GUILD).order_by("pk")[0]
        self._members = list(Member.objects.of(world.guild))
        self._texts = {message.message_id: message.text for message in world.conversation.messages}
        self._messages = {
            message.pk: Item(
                text=message.text,
                about=str(message.author),
                at=message.sent_at,
                sources=[Source(message_id=message.platform_id)],
            )
            for message in Message.objects.of(world.guild).select_related("author")
        }
        self._by_id = {item.sources[0].message_id: item for item in self._messages.values()}
        self._mixed = mixed(world)

    def ways(self, question: str) -> dict[str, Way]:
        """Return what is inside at a budget, for our context and for the baselines."""
        scope = View(guild=self.world.guild).scope(by_member=False)
        matches = keywords.search(kind="message", query=question, scope=scope, limit=MOST)
        by_words = [self._messages[match.id] for match in matches]
        by_mix = [self._by_id[message] for message in self._mixed(question)[:MOST] if message in self._by_id]

        @cache
        def items(limit: int) -> list[Item]:
            turn = Turn(
                guild=self.world.guild, channel=self._channel, members=self._members, text=question, max_tokens=limit,
                format=FORM, now=self.world.now,
            )  # fmt: skip
            return [item for part in build(turn).parts if part.name in COUNTED for item in part.items]

        return {
            "context": lambda limit: {message for item in items(limit) for message in self._held(item)},
            "cited": lambda limit: _cited(items(limit)),
            "newest": lambda limit: _cited(_fitting(reversed(self._messages.values()), limit)),
            "words": lambda limit: _cited(_fitting(by_words, limit)),
            "mixed": lambda limit: _cited(_fitting(by_mix, limit)),
        }

    def _held(self, item: Item) -> set[str]:
        """Return the messages that an item holds; what was shortened holds those whose words it has mostly."""
        messages = _cited([item])
        if item.kind not in SHORTENED:
            return messages
        told = f"{item.section} {item.text}"  # a note's title, too
        return {message for message in messages if word_share(self._texts[message], told) >= HOLDS}


def _cited(items: Iterable[Item]) -> set[str]:
    return {source.message_id for item in items for source in item.sources if source.message_id}


def _fitting(items: Iterable[Item], limit: int) -> list[Item]:
    """Return the first items that fit into so many tokens, as lines of a transcript."""
    kept, room = [], limit
    for item in items:
        room -= budget.tokens(rendering.line("transcript", item, form=FORM)) + 1
        if room < 0:
            break
        kept.append(item)
    return kept
