"""Facts out of chat lines without a model: clear shapes at 0.7, other statements at 0.4, a gate before both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from memory.facts.kinds import Kind
from memory.facts.schemas import MAX_FACT, Candidate, Candidates, ExtractionInput
from memory.rules import (
    assertion_filter,
    life,
    lore,
    other_languages,
    patterns,
    rewrite,
    third_parties,
    transient,
    trim,
    usual_form,
)
from memory.rules import pronouns as persons
from memoryhub import language
from memoryhub.ai.chat_fence import Line
from memoryhub.language.word_lists import spoken

_TELLING = persons.FIRST_WORDS | rewrite.OPENING_WORDS | other_languages.OPENING_WORDS
PER_MESSAGE = 4  # facts kept of one message; seed 000
CLEAR, PLAIN = 0.7, 0.4
_ENDS = {"until", "till", "by", "before"}
MIN_PLAIN, MIN_TURN = 3, 2  # words that carry meaning, in a statement of no known shape, and in one of a turn


def extract(given: ExtractionInput) -> Candidates:
    """Return the candidates of the messages to learn from, in the order they were said."""
    learn = set(given.learn_from)
    names = {line.name: line.author for line in given.lines} | {name: pk for pk, name in given.mentioned.items()}
    return Candidates(
        facts=[fact for line in given.lines if line.message in learn for fact in _of_message(line, names)]
    )


def _of_message(line: Line, names: dict[str, int]) -> list[Candidate]:
    text = assertion_filter.without_quotes(line.text)
    if assertion_filter.joking(text):
        return []
    found: dict[str, Candidate] = {}
    for sentence in language.sentences(language.clean(text)):
        for candidate in _of_sentence(sentence, line, names):
            found.setdefault(candidate.text.casefold(), candidate)
    best = sorted(found.values(), key=lambda fact: -fact.confidence)[:PER_MESSAGE]
    return [_as_said(fact, line) for fact in found.values() if fact in best]


def _as_said(fact: Candidate, line: Line) -> Candidate:
    """Quote what was said: the full stop that took the place of a request is ours."""
    ours = fact.quote.endswith(".") and " ".join(fact.quote.split()) not in " ".join(line.text.split())
    return fact.model_copy(update={"quote": fact.quote.removesuffix(".")}) if ours else fact


def _of_sentence(sentence: str, line: Line, names: dict[str, int]) -> Iterator[Candidate]:
    line_of_lore = lore.line(sentence)
    if line_of_lore:
        yield lore.candidate(line_of_lore, sentence, line)
        return
    if not _promising(sentence, names):
        return
    sentence = trim.unasked(lore.without_call(sentence))
    if assertion_filter.doubt(sentence):
        return
    yield from other_languages.candidates(sentence, line)
    yield from third_parties.candidates(sentence, line, names)
    if pet := usual_form.named_pet(sentence):
        yield _candidate(pet, sentence, line, kind="relationship", confidence=CLEAR)
    if pronouns := usual_form.pronouns(sentence):
        yield _candidate(pronouns, sentence, line, kind="profile", confidence=CLEAR)
    yield from _stated(sentence, line)


def _promising(sentence: str, names: dict[str, int]) -> bool:
    """Say, at the price of one look, if any of the shapes could be in the sentence."""
    words = spoken(sentence)
    if not _TELLING.isdisjoint(words):
        return True
    return any(name.split()[0].lower() in words for name in names if name.split())


def _stated(sentence: str, line: Line) -> Iterator[Candidate]:
    """Yield what the first reading states that is worth keeping in all its parts; otherwise what a later one has."""
    kept: list[tuple[str, patterns.Slot | None]] = []
    part = kept
    for reading in rewrite.readings(language.dates.rewrite(sentence, said_at=line.sent_at)):
        told = [(text, patterns.match(text)) for text in map(usual_form.put, reading)]
        kept = [(text, slot) for text, slot in told if len(text) <= MAX_FACT and _lasting(text, slot)]
        if len(kept) == len(told):
            break
        part = part or kept
    for text, slot in kept or part:
        kind: Kind = slot.kind if slot else "other"
        yield _candidate(text, sentence, line, kind=kind, confidence=CLEAR if slot else PLAIN)


def _lasting(text: str, slot: patterns.Slot | None) -> bool:
    if transient.technical(text):
        return False
    if slot and not patterns.vague(slot):
        return True
    if slot:
        return life.of_a_life(text)
    least = MIN_TURN if life.turns(text) else MIN_PLAIN
    return len(set(language.content(text))) >= least and not transient.passing(text) and life.of_a_life(text)


def _candidate(text: str, sentence: str, line: Line, *, kind: Kind, confidence: float) -> Candidate:
    return Candidate(
        text=text,
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
    found = language.dates.find(sentence, said_at=line.sent_at)
    return next((when.start for when in found if when.preposition not in _ENDS), None)
