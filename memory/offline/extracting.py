"""Facts out of chat lines without a model: clear shapes at 0.7, other first-person statements at 0.4, a gate before both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from memory import grounding
from memory.offline import foreign, gate, lore, others, passing, slots, statements
from memory.shapes import MAX_FACT, Candidate, Candidates, ExtractionInput, Kind
from memoryhub import language
from memoryhub.ai.transcript import Line

PER_MESSAGE = 4  # facts kept of one message; seed 000
CLEAR, PLAIN = 0.7, 0.4


def extract(given: ExtractionInput) -> Candidates:
    """Return the candidates of the messages to learn from, in the order they were said."""
    learn = set(given.learn_from)
    names = {line.name: line.author for line in given.lines}
    return Candidates(
        facts=[fact for line in given.lines if line.message in learn for fact in _of_message(line, names)]
    )


def _of_message(line: Line, names: dict[str, int]) -> list[Candidate]:
    text = gate.without_quotes(line.text)
    if gate.joking(text) or grounding.carries_instruction(text):
        return []
    found: dict[str, Candidate] = {}
    for sentence in language.sentences(language.clean(text)):
        for candidate in _of_sentence(sentence, line, names):
            if grounding.refuse(candidate.text, candidate.quote, line.text) is None:
                found.setdefault(candidate.text.casefold(), candidate)
    best = sorted(found.values(), key=lambda fact: -fact.confidence)[:PER_MESSAGE]
    return [fact for fact in found.values() if fact in best]


def _of_sentence(sentence: str, line: Line, names: dict[str, int]) -> Iterator[Candidate]:
    line_of_lore = lore.line(sentence)
    if line_of_lore:
        yield lore.candidate(line_of_lore, sentence, line)
        return
    sentence = lore.without_call(sentence)
    if gate.doubt(statements.bare(sentence)) or gate.doubt(sentence):
        return
    yield from foreign.candidates(sentence, line)
    yield from others.candidates(sentence, line, names)
    pet = slots.named_pet(sentence)
    if pet:
        yield _candidate(pet, sentence, line, kind="relationship", confidence=CLEAR)
    fact = _fact(sentence, line)
    if fact:
        yield fact


def _fact(sentence: str, line: Line) -> Candidate | None:
    rewritten = statements.rewrite(language.dates.rewrite(sentence, said_at=line.sent_at))
    if rewritten is None:
        return None
    text = slots.put(rewritten)
    slot = slots.match(text)
    if slot is None and (passing.passing(text) or len(set(language.content(text))) < 3):
        return None
    kind: Kind = slot.kind if slot else "other"
    return _candidate(text, sentence, line, kind=kind, confidence=CLEAR if slot else PLAIN)


def _candidate(text: str, sentence: str, line: Line, *, kind: Kind, confidence: float) -> Candidate:
    return Candidate(
        text=text[:MAX_FACT],
        subject=line.author,
        kind=kind,
        confidence=confidence,
        explicit=True,
        quote=sentence,
        messages=[line.message],
        said_on=line.sent_at.date(),
        valid_from=_since(sentence, line),
    )


def _since(sentence: str, line: Line) -> date | None:
    return language.dates.resolve(sentence, said_at=line.sent_at)
