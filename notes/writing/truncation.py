"""Makes a long conversation fit into one question: long messages are cut, then the least telling ones left out."""

from __future__ import annotations

from collections.abc import Sequence

from memoryhub.ai.chat_fence import Line
from memoryhub.language.clip import clip
from notes.writing.key_sentences import central, spoken_sentences

MOST_CHARS = 40_000  # of a question's messages, about 10,000 tokens; as many as extraction reads at once
LONGEST = 2_000  # characters of one message: Discord's own limit
MARGIN = 40  # characters that a line takes beside its text: number, time and name
SENTENCES = 120  # of the most telling; the room that is left goes to the others, oldest first


def fitting(lines: Sequence[Line], limit: int = MOST_CHARS) -> list[Line]:
    """Return the lines that fit into the limit, in order: all if they do, else those that carry the conversation."""
    cut = [line.model_copy(update={"text": clip(line.text, LONGEST)}) for line in lines]
    if sum(map(_size, cut)) <= limit:
        return cut
    telling = {sentence.line.message for sentence in central(spoken_sentences(cut), SENTENCES)}
    kept: set[int] = set()
    for line in sorted(cut, key=lambda line: line.message not in telling):
        limit -= _size(line)
        if limit < 0:
            break
        kept.add(line.message)
    return [line for line in cut if line.message in kept]


def _size(line: Line) -> int:
    return len(line.text) + len(line.name) + MARGIN
