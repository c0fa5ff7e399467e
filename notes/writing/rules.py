"""Write notes, topics and channel summaries without a model, from the words that were said: the embedded default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import groupby

from memoryhub.ai.chat_fence import Line
from memoryhub.language import sentences
from memoryhub.language.clip import LISTED, clip, listing
from notes.writing.clusters import VECTOR_CUT, WORD_CUT, Matrix, groups, vector_distances, word_distances
from notes.writing.key_sentences import Sentence, central, clause, said, shown_name
from notes.writing.open_questions import answered, decisions, glossary, open_questions
from notes.writing.schemas import (
    CLUSTERS,
    LIST_ITEMS,
    NOTE_CHARS,
    SUMMARY_CHARS,
    ChannelInput,
    ChannelText,
    Cluster,
    ClusterInput,
    ClusterNote,
    Clusters,
    NoteInput,
    NoteText,
    SummaryInput,
    SummaryText,
)
from notes.writing.third_person import reported
from notes.writing.titles import title, topics
from notes.writing.verbatim import is_raw

NOTE_SENTENCES = 9
SUMMARY_SENTENCES = 14
PROFILE_ITEMS = 12
REGULARS, OFTEN = 8, 5  # of a channel: people, and messages that make somebody one
MIN_TOLD = 60
THREAD_GAP = timedelta(minutes=10)


def write_note(given: NoteInput) -> NoteText:
    """Return a note: who talked and when, then the sentences that carry the talk, each after its speaker."""
    found = said(given.lines)
    people = _people(found, given.lines)
    kept = central(found, NOTE_SENTENCES)
    body = "\n".join([_header(given.lines, people), *_turns(kept)])
    name = title([s.text for s in found], people, kept=[s.text for s in kept], channel=given.channel)
    return NoteText(title=name, summary=clip(body, NOTE_CHARS))


def cluster_notes(given: ClusterInput) -> Clusters:
    """Return 3 to 8 clusters of alike notes, by vectors where every note has one, else by words; none under 3 notes."""
    if len(given.notes) < CLUSTERS[0]:
        return Clusters(clusters=[])
    distances, cut = _distances(given)
    found = groups(distances, cut=cut, least=CLUSTERS[0], most=CLUSTERS[1])
    return Clusters(clusters=[told([given.notes[row] for row in rows]) for rows in found])


def summarise(given: SummaryInput) -> SummaryText:
    """Return what goes on in a channel, the newest kept when room is short; open questions stay until taken up."""
    found = said(given.lines)
    people = _people(found, given.lines)
    about = topics([s.text for s in found], people, limit=LIST_ITEMS)
    return SummaryText(
        summary=_summary(given.lines, found, _header(given.lines, people, about)),
        topics=about,
        threads=_threads(found),
        unresolved=open_questions(found, given.unresolved),
        answered=answered(found, given.unresolved),
        decisions=decisions(found),
        glossary=glossary(found),
    )


def _summary(lines: Sequence[Line], found: Sequence[Sentence], header: str) -> str:
    """Return who talked about what, and a third of the sentences at most; fewer where that would repeat the chat."""
    for most in range(min(SUMMARY_SENTENCES, max(2, len(found) // 3)), 0, -1):
        text = _newest([header, *_retold(central(found, most, newest_first=True))])
        if not is_raw(text, lines):
            return text
    return clip(header, SUMMARY_CHARS)


def profile_channel(given: ChannelInput) -> ChannelText:
    """Return the lasting description: what came back in all that was said there and stands.

    Where only the newest summary is at hand, what stood before, with its topics, decisions and words.
    """
    fresh = _of_lines(given.lines) if given.lines else _of_summary(given.rolling)
    fresh = {"Talks": [note.title.partition(": ")[2] or note.title for note in given.notes], **fresh}
    kept = [line for line in given.previous.splitlines() if line.partition(": ")[0] not in fresh]
    lines = [
        f"{label}: {'; '.join(items)}" for label, new in fresh.items() if (items := _merged(given.previous, label, new))
    ]
    return ChannelText(text=clip("\n".join([*kept, *lines]), SUMMARY_CHARS) or f"{given.channel}: nothing lasting yet.")


def _of_lines(lines: Sequence[Line]) -> dict[str, list[str]]:
    found = said(lines)
    about = topics([s.text for s in found], _people(found, lines), limit=PROFILE_ITEMS)
    agreed = decisions(found, most=PROFILE_ITEMS)[::-1]
    spoke = Counter(line.name for line in lines).most_common(REGULARS)
    return {
        "Regulars": [shown_name(name) for name, count in spoke if count >= OFTEN],
        "Topics": about,
        "Decisions": [] if is_raw("\n".join(agreed), lines) else agreed,
        "Words": [f"{term.term} = {term.meaning}" for term in glossary(found, most=PROFILE_ITEMS)[::-1]],
    }


def _of_summary(rolling: SummaryText) -> dict[str, list[str]]:
    words = [f"{term.term} = {term.meaning}" for term in rolling.glossary]
    return {"Topics": rolling.topics, "Decisions": rolling.decisions, "Words": words}


def _merged(previous: str, label: str, new: Sequence[str]) -> list[str]:
    # What came back stands first, so what is cut is what was not heard of for longest.
    earlier = [
        item
        for line in previous.splitlines()
        if line.startswith(f"{label}: ")
        for item in line.partition(": ")[2].split("; ")
    ]
    return list(dict.fromkeys([*(item.replace(";", ",") for item in new), *earlier]))[:PROFILE_ITEMS]


def _distances(given: ClusterInput) -> tuple[Matrix, float]:
    vectors = given.embeddings or {}
    if all(note.id in vectors for note in given.notes):
        return vector_distances([vectors[note.id] for note in given.notes]), VECTOR_CUT
    return word_distances([f"{note.title}. {note.summary}" for note in given.notes]), WORD_CUT


def told(notes: Sequence[ClusterNote]) -> Cluster:
    """Return these notes as one cluster: who was there, and what each note is about."""
    people = list(dict.fromkeys(shown_name(name) for note in notes for name in note.participants))
    alone = len(notes) == 1
    name = notes[0].title if alone else title([text for note in notes for text in _body(note)], people)
    opening = f"With {listing(people) or 'nobody'}."
    room = (NOTE_CHARS - len(opening)) // len(notes) - len("\n- ")
    return Cluster(
        title=name,
        summary=clip("\n".join([opening, *(f"- {_shortened(note, room)}" for note in notes)]), NOTE_CHARS),
        notes=[note.id for note in notes],
    )


def _body(note: ClusterNote) -> list[str]:
    """Return a note's text without its header and without the names before its lines."""
    lines = note.summary.splitlines()
    return [line.partition(": ")[2] or line for line in lines[1:] or lines]


def _shortened(note: ClusterNote, room: int) -> str:
    """Return what a note is about and as many of its first sentences as there is room for."""
    short = note.title.partition(": ")[2] or note.title
    for text in sentences("\n".join(note.summary.splitlines()[1:])):
        if len(short) + len(text) + 2 > room:
            break
        short += f". {text}" if short[-1] not in ".!?" else f" {text}"
    return clip(short, max(MIN_TOLD, room))


def _people(found: Sequence[Sentence], lines: Sequence[Line]) -> list[str]:
    """Return who said something, else who wrote at all: as they appear, or by lines where they are many."""
    heard = Counter(sentence.line.name for sentence in found if sentence.terms) or Counter(line.name for line in lines)
    names = heard if len(heard) <= LISTED else [name for name, _ in heard.most_common()]
    return [shown_name(name) for name in names]


def _header(lines: Sequence[Line], people: Sequence[str], about: Sequence[str] = ()) -> str:
    if not lines:
        return "Nothing was said."
    verb = "talked" if len(people) > 1 else "wrote"
    matter = f" about {listing(about)}" if about else ""
    return f"{listing(people)} {verb}{matter} on {_moment(lines[0].sent_at)}."


def _moment(when: datetime) -> str:
    return f"{when.day} {when:%B %Y} at {when:%H:%M}"


def _turns(spoken: Sequence[Sentence]) -> list[str]:
    turns = groupby(spoken, key=lambda sentence: sentence.line.name)
    return [f"{shown_name(name)}: {' '.join(clause(s.text) for s in turn)}" for name, turn in turns]


def _retold(spoken: Sequence[Sentence]) -> list[str]:
    return [reported(shown_name(s.line.name), clause(s.text), asks=s.asks) for s in spoken]


def _newest(lines: Sequence[str]) -> str:
    header, *rest = lines
    while len(rest) > 1 and len("\n".join([header, *rest])) > SUMMARY_CHARS:
        rest = rest[1:]
    return clip("\n".join([header, *rest]), SUMMARY_CHARS)


def _threads(found: Sequence[Sentence]) -> list[str]:
    runs: list[list[Sentence]] = []
    for sentence in found:
        if not runs or sentence.line.sent_at - runs[-1][-1].line.sent_at > THREAD_GAP:
            runs.append([])
        runs[-1].append(sentence)
    talks = [(run, people) for run in runs if len(people := _people(run, [])) > 1]
    named = [title([s.text for s in run], people, crowd=len(people)) for run, people in talks]
    return [name for name in dict.fromkeys(named) if ": " in name][-LIST_ITEMS:]
