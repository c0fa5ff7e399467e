"""Whether a sentence that a model wrote is told by the lines it cites; what is not is dropped. Knows no database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from memory.answers.schemas import Sentence
from memory.learning.faithfulness import unfaithful
from memory.learning.validation import says_so
from memory.recall.results import Memory
from memoryhub.safety import carries_instruction, carries_secret, supported


def told(sentences: Sequence[Sentence], memories: Mapping[int, Memory], *, now: datetime) -> list[Sentence]:
    """Return the sentences that their sources tell, each with those of its sources that there are.

    `memories` are those the model was handed, by number.
    """
    kept = []
    for sentence in sentences:
        numbers = [number for number in dict.fromkeys(sentence.sources) if number in memories]
        if numbers and _is_told(sentence.text, [memories[number] for number in numbers], now):
            kept.append(Sentence(text=sentence.text, sources=numbers))
    return kept


def _is_told(text: str, cited: Sequence[Memory], now: datetime) -> bool:
    """Say if the lines have the names, numbers and most words of a sentence, or mean the same, and say no other thing.

    The line's own day and whose it is count as said: an answer names both.
    """
    if carries_instruction(text) or carries_secret(text):
        return False
    said = "\n".join(each.text for each in cited)
    source = "\n".join(f"{each.member or ''} {each.created_at:%A, %-d %B %Y}: {each.text}" for each in cited)
    said_at = max((each.created_at for each in cited), default=now)
    if not (supported(text, source) or says_so(text, said, source, said_on=said_at.date())):
        return False
    return unfaithful(text, said, said, said_at=said_at) not in ("negation", "wrong date")
