"""Answers a question from what may be told where it is asked, each sentence with its sources, or says it can't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from memory.answers import answer_check
from memory.answers.answer_gate import passing
from memory.answers.people_asked_about import asked_about
from memory.answers.prompts import ANSWER
from memory.answers.schemas import MOST_SENTENCES, AnswerInput, AnswerText, Line, NotAsked, Sentence
from memory.answers.strangers import naming_those_asked_about
from memory.recall.common_scale import for_weighing
from memory.recall.results import Memory
from memory.recall.search import MOST, recall
from memory.recall.word_overlap import shared_words
from memoryhub import language
from memoryhub.ai import ModelFailed, ask, model_choice
from memoryhub.ai.embedding.cache import Shared
from memoryhub.community.days import local
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.db.guild_scope import in_its_guild

UNKNOWN = "I don't know: nothing that is remembered and may be told here answers that."
QUESTION = 2_000  # characters
KEPT = 600.0  # seconds that a model's answer is kept, as long as the lines stay the same

OF_A_NOTE = 2  # sentences

_answers: Shared[AnswerText] = Shared(size=256, seconds=KEPT)


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The sentences of an answer, and the memories that they cite by number, from 1; both empty where it is unknown.

    Their times are by the guild's clock. `by` says who put it together: a model, or rules, which give the lines as they
    are.
    """

    sentences: Sequence[Sentence] = ()
    memories: Mapping[int, Memory]
    by: Literal["model", "rules"] = "rules"

    @property
    def known(self) -> bool:
        """Tell whether anything answers."""
        return bool(self.sentences)

    @property
    def text(self) -> str:
        """Return the answer as one text, the sources of each sentence in brackets after it."""
        if not self.known:
            return UNKNOWN
        marked = (f"{self._said(each)} {''.join(f'[{number}]' for number in each.sources)}" for each in self.sentences)
        return (" " if self.by == "model" else "\n").join(marked)

    def _said(self, sentence: Sentence) -> str:
        """Return a sentence; a line that stands as it is, after whose it is and its day."""
        if self.by == "model":
            return sentence.text
        memory = self.memories[sentence.sources[0]]
        who = f"{memory.member}, " if memory.member else ""
        return f"{who}{memory.created_at:%-d %B %Y}: {sentence.text}"


@in_its_guild
def answer(
    guild: Guild, *, question: str, now: datetime, channel: Channel | None = None, asker: Member | None = None
) -> Answered:
    """Answer from what may be told in the channel (None: from what is open to all); `asker` is who says I.

    A model is asked at most once, for the same question about the same memories once in ten minutes; it tells by itself
    which of them answer. Where none is set, its budget is spent or it fails, the lines answer as they are that pass the
    gate. Blocks meanwhile: no transaction may be open.
    """
    question = question.strip()[:QUESTION]
    found = recall(guild, question=question, now=now, channel=channel, limit=MOST, scale=for_weighing)
    found = [replace(memory, created_at=local(guild, memory.created_at)) for memory in found]
    if not model_choice.is_offline("reply", own=guild.model_reply):
        answered = _by_model(guild, question, found, now=local(guild, now), asker=asker)
        if answered is not None:
            return answered
    memories = passing(found, question=question, named=asked_about(guild, question, found, asker=asker))
    cited = dict(enumerate(memories[:MOST_SENTENCES], start=1))
    sentences = [Sentence(text=_words_of(memory, question), sources=[number]) for number, memory in cited.items()]
    return Answered(sentences=sentences, memories=cited)


def _by_model(
    guild: Guild, question: str, found: Sequence[Memory], *, now: datetime, asker: Member | None
) -> Answered | None:
    """Return what a model says, as far as the memories that it cites tell it; None where none could be asked."""
    handed = dict(enumerate(naming_those_asked_about(question, found), start=1))
    if not handed:
        return Answered(memories={})
    lines = [
        Line(number=number, who=each.member or "", day=f"{each.created_at:%Y-%m-%d}", text=_words_of(each, question))
        for number, each in handed.items()
    ]
    given = AnswerInput(question=question, asker=str(asker or ""), today=f"{now:%A, %Y-%m-%d}", lines=lines)
    try:
        said = _answers.get(f"{guild.pk} {given.model_dump_json()}", lambda: ask(ANSWER, given, guild=guild.pk))
    except ModelFailed:
        return None
    if isinstance(said, NotAsked):
        return None
    told = answer_check.told(said.sentences, handed, now=now)
    cited = {number: handed[number] for sentence in told for number in sentence.sources}
    return Answered(sentences=told, memories=cited, by="model")


def _words_of(memory: Memory, question: str) -> str:
    """Return what a memory says; of a note, which is long, the sentences that share most words with the question."""
    if memory.kind != "note":
        return memory.text
    sentences = language.sentences(memory.text)
    best = sorted(sentences, key=lambda sentence: -shared_words(question, sentence))[:OF_A_NOTE]
    return " ".join(sentence for sentence in sentences if sentence in best)
