"""Write notes without a model, from the words that were said: the embedded default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from memoryhub.ai.chat_fence import Line
from memoryhub.language.clip import LISTED, clip, clip_words
from notes.writing.choosing import chosen
from notes.writing.header import header
from notes.writing.key_sentences import Sentence, ended, opening_cut, shown_name, spoken_sentences, weightiest
from notes.writing.open_questions import agreed, open_questions, settled
from notes.writing.schemas import NOTE_CHARS, NoteInput, NoteText, SummaryInput
from notes.writing.shortening import parts, shortened
from notes.writing.third_person import joined, told
from notes.writing.titles import headline, says_enough, stands_alone, title

NOTE_WORDS = 100
# Sentences that are looked at and tried for a title, and words that say something in a short one.
LOOKED_AT, HEADLINES, SHORT_TERMS = 20, 5, 2
NOTE_DECISIONS, NOTE_PLANS, NOTE_QUESTIONS = 2, 2, 1
ROW_WORDS = 25  # of a decision or a plan


def write_note(given: NoteInput) -> NoteText:
    """Return a note: who talked about what and when, what was decided and is open, then the sentences that carry it."""
    spoken = spoken_sentences(given.lines)
    people = people_of(spoken, given.lines)
    first = header(given.lines, people)
    room = NOTE_WORDS - len(first.split())
    rows, kept = told_within(room, spoken, given.lines, listed=[*settled_rows(given, spoken), *_open(spoken)])
    return NoteText(
        title=_headline(given, spoken, people)
        or title(_texts(spoken), people, kept=[s.text for s in kept], channel=given.channel),
        summary=clip("\n".join([first, *rows]), NOTE_CHARS),
    )


def told_within(
    room: int, spoken: Sequence[Sentence], lines: Sequence[Line], *, listed: Iterable[str], newest_first: bool = False
) -> tuple[list[str], list[Sentence]]:
    """Return rows of so many words at most, first those `listed`, then what carries the talk, and its sentences."""
    rows = list[str]()
    for row in listed:
        if (room := room - len(row.split())) < 0:
            break
        rows.append(row)
    known, names = "\n".join(rows).casefold(), {line.name for line in lines}
    decided = {sentence: words for sentence, words, _ in agreed(spoken)}
    rest = [s for s in parts(spoken) if shortened(decided.get(s, s.text), names).rstrip(" .!").casefold() not in known]
    kept = chosen(rest, words=room, tell=lambda s: _tell(s, names), newest_first=newest_first)
    for name, turn in groupby(kept, key=lambda each: each[0].line.name):
        rows += joined(shown_name(name), [said for _, said in turn])
    return rows, [sentence for sentence, _ in kept]


def settled_rows(given: NoteInput | SummaryInput, spoken: Sequence[Sentence]) -> list[str]:
    """Return rows of what was decided and planned, the newest of each."""
    names = {line.message: shown_name(line.name) for line in given.lines}
    rows = [row for row in given.arranged if row.message in names]
    decided = {row.message: row.text for row in rows if row.decided}
    decided |= {sentence.line.message: words for sentence, words, _ in agreed(spoken)}
    planned = {row.message: row.text for row in rows if row.message not in decided}
    days = {row.message: f" ({row.day})" for row in rows if row.day}
    return [
        f"{label}: {names[message]}: {clip_words(texts[message], ROW_WORDS)}{days.get(message, '')}"
        for label, texts, most in (("Decided", decided, NOTE_DECISIONS), ("Planned", planned, NOTE_PLANS))
        for message in sorted(texts)[-most:]
    ]


def _open(spoken: Sequence[Sentence]) -> list[str]:
    return [f"Open: {question}" for question in open_questions(spoken)[-NOTE_QUESTIONS:]]


def _tell(sentence: Sentence, names: Collection[str]) -> str:
    text = sentence.text if sentence.asks else shortened(sentence.text, names)
    return told(shown_name(sentence.line.name), ended(text), asks=sentence.asks, of_another=sentence.of_another)


def _headline(given: NoteInput, spoken: Sequence[Sentence], people: Sequence[str]) -> str:
    """Return what was decided last, else what is planned, else the sentence that carries the talk, "" if none does.

    That somebody is another one who is there is no title: impostors say so.
    """
    names = {line.message: shown_name(line.name) for line in given.lines}
    arranged = [row for row in given.arranged if row.message in names]
    arranged.sort(key=lambda row: (row.decided, row.message), reverse=True)
    plans = [told(names[row.message], ended(row.text), asks=False) for row in arranged]
    plans = [
        text.partition(": ")[2] if row.decided and ": " in text else text
        for row, text in zip(arranged, plans, strict=True)
    ]
    heavy = [s for s in weightiest(spoken, LOOKED_AT, least=SHORT_TERMS) if says_enough(s)]
    first = [s for s in heavy[:HEADLINES] if not s.asks]
    sound = {s: each for s in first if not any(f" is {name}" in (each := _tell(s, names.values())) for name in people)}
    alone = [each for s, each in sound.items() if stands_alone(opening_cut(s.text))]
    statements = ([f"Decided: {words}" for words in settled(spoken)], plans, alone, sound.values())
    return next(filter(None, map(headline, statements)), "")


def _texts(spoken: Sequence[Sentence]) -> list[str]:
    return [sentence.text for sentence in spoken if not sentence.doubted]


def people_of(spoken: Sequence[Sentence], lines: Sequence[Line]) -> list[str]:
    """Return who said something, else who wrote at all: as they appear, or by lines where they are many."""
    counts = Counter(s.line.name for s in spoken if s.terms) or Counter(line.name for line in lines)
    names = counts if len(counts) <= LISTED else [name for name, _ in counts.most_common()]
    return [shown_name(name) for name in names]
