"""Measures contexts: is the evidence of a question inside what a bot is handed, at several budgets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, cached_property

from memory.context import budget, rendering
from memory.context.builder import Format, Part, Turn, build
from memory.context.items import Item
from memory.index.view import View
from memory.lab.evaluation.loaded_guild import Progress, World
from memory.lab.evaluation.locomo import Question
from memory.lab.evaluation.measures import Scores, Tally, word_share
from memory.lab.evaluation.scoring import ALL, categories
from memory.recall.results import Source
from memoryhub.community.models import Channel, Member
from memoryhub.search import keywords
from notes.models import Message

BUDGETS = (500, 1_000, 2_000, 4_000)
FORM: Format = "xml"
MOST = 300  # messages found by words; more than fit into the largest budget

# A profile line or a summary rests on whole conversations: that it is there does not show that it holds the answer.
# Nor does a note, nor a message that was shortened: they hold the messages whose words they have for the most part.
COUNTED = ("facts", "notes", "messages", "transcript")
SHORTENED = ("note", "message")
HOLDS = 0.5

Way = Callable[[int], Collection[str]]
"""From a budget to the messages that are inside."""


def contexts(worlds: Sequence[World], *, progress: Progress) -> dict[str, dict[str, Scores]]:
    """Return by way and budget the mean share of the evidence inside, and the share of questions with all of it.

    The ways: our context, the newest messages only, the messages found by their words only, and "cited", which counts
    every message that a note in our context rests on: what it would hold if notes left nothing out.
    """
    tallies: dict[str, Tally] = {}
    asked = [
        (room, each)
        for room in map(Room, worlds)
        for each in room.world.conversation.questions
        if ALL in categories(each)
    ]
    for done, (room, question) in enumerate(asked, 1):
        for way, inside in room.ways(question.text).items():
            for limit in BUDGETS:
                tallies.setdefault(way, Tally()).add([str(limit)], _shares(question, inside(limit)))
        progress("contexts", done, len(asked))
    return {way: tally.means() for way, tally in tallies.items()}


def _shares(question: Question, inside: Collection[str]) -> Scores:
    share = len(question.evidence & set(inside)) / len(question.evidence)
    return {"evidence inside": share, "all inside": float(share == 1)}


class Room:
    """The channel of a conversation, in which its questions are asked."""

    def __init__(self, world: World) -> None:
        self.world = world

    def ways(self, question: str) -> dict[str, Way]:
        """Return what is inside at a budget, for our context and for both baselines."""
        by_words = [self._messages[pk] for pk in self._by_words(question)]
        parts = cache(lambda limit: self._context(question, limit))
        return {
            "context": lambda limit: self._held(parts(limit)),
            "cited": lambda limit: _cited(item for part in parts(limit) for item in part.items),
            "newest": lambda limit: _cited(_fitting(reversed(self._messages.values()), limit)),
            "words": lambda limit: _cited(_fitting(by_words, limit)),
        }

    def _context(self, question: str, limit: int) -> list[Part]:
        turn = Turn(
            guild=self.world.guild, channel=self._channel, members=self._people, text=question, max_tokens=limit,
            format=FORM, now=self.world.now,
        )  # fmt: skip
        return [part for part in build(turn).parts if part.name in COUNTED]

    def _held(self, parts: Sequence[Part]) -> set[str]:
        return {
            each
            for part in parts
            for item in part.items
            for each in _cited([item])
            if item.kind not in SHORTENED or self._tells(item, each)
        }

    def _tells(self, item: Item, message: str) -> bool:
        return word_share(self._texts[message], item.text) >= HOLDS

    def _by_words(self, question: str) -> list[int]:
        scope = View(guild=self.world.guild).scope(by_member=False)
        return [match.id for match in keywords.search(kind="message", query=question, scope=scope, limit=MOST)]

    @cached_property
    def _channel(self) -> Channel:
        return Channel.objects.of(self.world.guild).get()

    @cached_property
    def _people(self) -> list[Member]:
        return list(Member.objects.of(self.world.guild))

    @cached_property
    def _messages(self) -> dict[int, Item]:
        return {
            message.pk: Item(
                text=message.text,
                about=str(message.author),
                at=message.sent_at,
                sources=[Source(message_id=message.platform_id)],
            )
            for message in Message.objects.of(self.world.guild).select_related("author")
        }

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {message.message_id: message.text for message in self.world.conversation.messages}


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
