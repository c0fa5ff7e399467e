"""Write notes, topics and channel summaries without a model, from the words that were said: the embedded default."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import timedelta
from itertools import groupby

from memoryhub.ai.chat_fence import Line
from memoryhub.language import sentences
from memoryhub.language.clip import LISTED, clip, clip_words, listing
from notes.writing.channel_matters import shared_matters
from notes.writing.choosing import chosen
from notes.writing.clusters import VECTOR_CUT, WORD_CUT, groups, vector_distances, word_distances
from notes.writing.header import header
from notes.writing.key_sentences import (
    Sentence,
    central,
    clause,
    ended,
    shown_name,
    spoken_sentences,
    terms,
    weightiest,
)
from notes.writing.note_safety import is_raw, refuse
from notes.writing.open_questions import agreed, answered, decides, decisions, glossary, open_questions, settled
from notes.writing.schemas import (
    CLUSTERS,
    LIST_ITEMS,
    NOTE_CHARS,
    SUMMARY_CHARS,
    TITLE_CHARS,
    UNTITLED,
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
from notes.writing.shortening import parts, shortened
from notes.writing.third_person import joined, told
from notes.writing.titles import MATTERS, headline, title, topics

NOTE_WORDS = 100
ALSO, ALSO_WORDS, MANY = 3, 8, 9  # matters that the first line names, its words for them, and those looked at
HEADLINES = 5  # sentences that are tried for a title
NOTE_DECISIONS, NOTE_PLANS, NOTE_QUESTIONS = 2, 2, 1
ROW_WORDS = 25  # of a decision or a plan
SUMMARY_SENTENCES, SUMMARY_DECISIONS = 8, 2
PROFILE_ITEMS = 12
REGULARS, OFTEN = 8, 5  # of a channel: people, and messages that make somebody one
MIN_TOLD = 60
THREAD_GAP = timedelta(minutes=10)


def write_note(given: NoteInput) -> NoteText:
    """Return a note: who talked about what and when, what was decided and is open, then the sentences that carry it."""
    spoken = spoken_sentences(given.lines)
    people = _people(spoken, given.lines)
    texts = _texts(spoken)
    rows = list[str]()
    room = NOTE_WORDS - len(header(given.lines, people).split()) - ALSO_WORDS
    for row in _arranged(given, spoken):
        if (room := room - len(row.split())) < 0:
            break
        rows.append(row)
    listed = "\n".join(rows).casefold()
    rest = [s for s in spoken if s.text.rstrip(" .!").casefold() not in listed]
    names = {line.name for line in given.lines}
    kept = chosen(list(parts(rest)), words=room, tell=lambda s: _tell(s, names))
    for name, turn in groupby(kept, key=lambda each: each[0].line.name):
        rows += joined(shown_name(name), [said for _, said in turn])
    full = len(" ".join(rows).split()) > NOTE_WORDS / 2
    also = _left_untold(texts, people, rows) if full else ()
    rows = [header(given.lines, people, also, also=True), *rows]
    return NoteText(
        title=_headline(given, spoken, people)
        or title(texts, people, kept=[s.text for s, _ in kept], channel=given.channel),
        summary=clip("\n".join(rows), NOTE_CHARS),
    )


def _left_untold(texts: Sequence[str], people: Sequence[str], rows: Sequence[str]) -> list[str]:
    """Return what the talk was about besides what these rows tell: by it, too, the note is found."""
    told = set(terms("\n".join(rows)))
    found = [matter for matter in topics(texts, people, limit=MANY) if told.isdisjoint(terms(matter))][:ALSO]
    while len(" ".join(["also", "about", *found, "and"]).split()) > ALSO_WORDS:
        found.pop()
    return found


def _arranged(given: NoteInput, spoken: Sequence[Sentence]) -> list[str]:
    """Return rows of what was decided, planned and left open, the newest of each."""
    names = {line.message: shown_name(line.name) for line in given.lines}
    rows = [row for row in given.arranged if row.message in names]
    decided = {row.message: row.text for row in rows if row.decided}
    decided |= {sentence.line.message: words for sentence, words, _ in agreed(spoken)}
    planned = {row.message: row.text for row in rows if row.message not in decided}
    days = {row.message: f" ({row.day})" for row in rows if row.day}
    told = [
        f"{label}: {names[message]}: {clip_words(texts[message], ROW_WORDS)}{days.get(message, '')}"
        for label, texts, most in (("Decided", decided, NOTE_DECISIONS), ("Planned", planned, NOTE_PLANS))
        for message in sorted(texts)[-most:]
    ]
    return told + [f"Open: {question}" for question in open_questions(spoken)[-NOTE_QUESTIONS:]]


def _tell(sentence: Sentence, names: Collection[str]) -> str:
    text = sentence.text if sentence.asks else shortened(sentence.text, names)
    return told(shown_name(sentence.line.name), ended(text), asks=sentence.asks)


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
    first = [_tell(s, names.values()) for s in weightiest(spoken, HEADLINES) if not s.asks]
    sound = [each for each in first if not any(f" is {name}" in each for name in people)]
    statements = ([f"Decided: {words}" for words in settled(spoken)], plans, sound)
    return next(filter(None, map(headline, statements)), "")


def cluster_notes(given: ClusterInput) -> Clusters:
    """Return 3 to 8 clusters of alike notes, by vectors where every note has one, else by words; none under 3 notes."""
    if len(given.notes) < CLUSTERS[0]:
        return Clusters(clusters=[])
    vectors = given.embeddings or {}
    if all(note.id in vectors for note in given.notes):
        distances, cut = vector_distances([vectors[note.id] for note in given.notes]), VECTOR_CUT
    else:
        distances, cut = word_distances([f"{note.title}. {note.summary}" for note in given.notes]), WORD_CUT
    found = groups(distances, cut=cut, least=CLUSTERS[0], most=CLUSTERS[1])
    return Clusters(clusters=[as_cluster([given.notes[row] for row in rows]) for rows in found])


def as_cluster(notes: Sequence[ClusterNote]) -> Cluster:
    """Return these notes as one cluster: who was there, and what each note is about."""
    people = list(dict.fromkeys(shown_name(name) for note in notes for name in note.participants))
    opening = f"With {listing(people) or 'nobody'}."
    room = (NOTE_CHARS - len(opening)) // len(notes) - len("\n- ")
    items, bodies = [opening], list[str]()
    for note in notes:
        lines = note.summary.splitlines()
        bodies += [line.partition(": ")[2] or line for line in lines[1:] or lines]  # without header and names
        told_by_title = note.title.partition(": ")[2] or note.title
        said = sentences("\n".join(lines[1:]))
        text = "" if any(told_by_title in sentence for sentence in said) else told_by_title
        for sentence in said:
            if len(text) + len(sentence) + 2 > room:
                break
            text = sentence if not text else f"{text} {sentence}" if text[-1] in ".!?" else f"{text}. {sentence}"
        items.append(f"- {clip(text, max(MIN_TOLD, room))}")
    return Cluster(
        title=_topic(notes, bodies, people),
        summary=clip("\n".join(items), NOTE_CHARS),
        notes=[note.id for note in notes],
    )


def _topic(notes: Sequence[ClusterNote], bodies: Sequence[str], people: Sequence[str]) -> str:
    """Return a topic's title: that of the note which is nearest to the others, and of how many more it tells."""
    if len(notes) == 1:
        return notes[0].title
    more = f" (and {len(notes) - 1} more)"
    titled = [note.title for note in notes]
    if UNTITLED in titled:
        return title(bodies, people)
    middle = titled[int(word_distances([f"{note.title}. {note.summary}" for note in notes]).sum(axis=1).argmin())]
    return f"{clip(middle, TITLE_CHARS - len(more))}{more}"


def settle(given: ClusterInput, answer: Clusters, *, kept_kinds: Collection[str] = ()) -> Clusters:
    """Return a model's clusters as they may be stored: without invented ids, with every note in one.

    What was left out goes where its words fit best. A cluster whose text must not be stored is told by the rules. An
    answer of invented ids alone is replaced.
    """
    known = {note.id: note for note in given.notes}
    kept = []
    for cluster in answer.clusters:
        if notes := [known[id_] for id_ in dict.fromkeys(cluster.notes) if id_ in known]:
            source = "\n".join(f"{note.title} {note.summary}" for note in notes)
            refused = any(refuse(text, source, kept=kept_kinds) for text in (cluster.title, cluster.summary))
            ids = [note.id for note in notes]
            kept.append(as_cluster(notes) if refused else cluster.model_copy(update={"notes": ids}))
    if not kept:
        return cluster_notes(given)
    texts = [f"{cluster.title}. {cluster.summary}" for cluster in kept]
    placed = {id_ for cluster in kept for id_ in cluster.notes}
    for note in (note for note in given.notes if note.id not in placed):
        near = word_distances([f"{note.title}. {note.summary}", *texts])[0, 1:].argmin()
        kept[int(near)].notes.append(note.id)
    return Clusters(clusters=kept)


def summarise(given: SummaryInput) -> SummaryText:
    """Return what goes on in a channel, the newest kept when room is short; open questions stay until taken up."""
    spoken = spoken_sentences(given.lines)
    people = _people(spoken, given.lines)
    about = shared_matters(spoken, people, limit=LIST_ITEMS)
    talks: list[list[Sentence]] = []
    for sentence in spoken:
        if not talks or sentence.line.sent_at - talks[-1][-1].line.sent_at > THREAD_GAP:
            talks.append([])
        talks[-1].append(sentence)
    shared = [(talk, names) for talk in talks if len(names := _people(talk, [])) > 1]
    matters = [(names, shared_matters(talk, names, limit=MATTERS)) for talk, names in shared]
    titles = [f"{listing(names, limit=MATTERS)}: {', '.join(found)}" for names, found in matters if found]
    return SummaryText(
        summary=_summary(given.lines, spoken, header(given.lines, people, about[:MATTERS])),
        topics=about,
        threads=list(dict.fromkeys(titles))[-LIST_ITEMS:],
        unresolved=open_questions(spoken, given.unresolved),
        answered=answered(spoken, given.unresolved),
        decisions=decisions(spoken),
        glossary=glossary(spoken),
    )


def _summary(lines: Sequence[Line], spoken: Sequence[Sentence], header: str) -> str:
    """Return who talked about what, what was decided, then a third of the sentences at most.

    There are fewer where they would repeat the chat. Questions stand in a list of their own while they are open.
    """
    rows = [header, *(f"Decided: {words}" for words in decisions(spoken, most=SUMMARY_DECISIONS))]
    rest = [s for s in spoken if not s.asks and not decides(s.text)]
    for most in range(min(SUMMARY_SENTENCES, max(2, len(spoken) // 3)), 0, -1):
        said = list[str]()
        for name, turn in groupby(central(rest, most, newest_first=True), key=lambda sentence: sentence.line.name):
            said += joined(shown_name(name), [told(shown_name(name), clause(s.text), asks=False) for s in turn])
        while len(said) > 1 and len("\n".join([*rows, *said])) > SUMMARY_CHARS:
            said = said[1:]
        text = clip("\n".join([*rows, *said]), SUMMARY_CHARS)
        if not is_raw(text, lines):
            return text
    return clip(header, SUMMARY_CHARS)


def profile_channel(given: ChannelInput) -> ChannelText:
    """Return the lasting description: what came back in all that was said there and stands.

    Where only the newest summary is at hand, what stood before, with its topics, decisions and words.
    """
    fresh = {"Talks": [note.title.partition(": ")[2] or note.title for note in given.notes]}
    if given.lines:
        spoken = spoken_sentences(given.lines)
        agreed = decisions(spoken, most=PROFILE_ITEMS)[::-1]
        writers = Counter(line.name for line in given.lines).most_common(REGULARS)
        fresh["Regulars"] = [shown_name(name) for name, count in writers if count >= OFTEN]
        people = _people(spoken, given.lines)
        fresh["Topics"] = shared_matters(spoken, people, limit=PROFILE_ITEMS, several_talks=True)
        fresh["Decisions"] = [] if is_raw("\n".join(agreed), given.lines) else agreed
        words = glossary(spoken, most=PROFILE_ITEMS)[::-1]
    else:
        fresh |= {"Topics": given.rolling.topics, "Decisions": given.rolling.decisions}
        words = given.rolling.glossary
    fresh["Words"] = [f"{term.term} = {term.meaning}" for term in words]
    earlier: defaultdict[str, list[str]] = defaultdict(list)
    for line in given.previous.splitlines():
        label, _, kept_items = line.partition(": ")
        earlier[label] += filter(None, kept_items.split("; "))
    rows = [line for line in given.previous.splitlines() if line.partition(": ")[0] not in fresh]
    for label, items in fresh.items():
        # What came back stands first, so what is cut is what was not heard of for longest.
        every = [*(item.replace(";", ",") for item in items), *earlier[label]]
        if every:
            rows.append(f"{label}: {'; '.join(list(dict.fromkeys(every))[:PROFILE_ITEMS])}")
    return ChannelText(text=clip("\n".join(rows), SUMMARY_CHARS) or f"{given.channel}: nothing lasting yet.")


def _texts(spoken: Sequence[Sentence]) -> list[str]:
    return [sentence.text for sentence in spoken if not sentence.doubted]


def _people(spoken: Sequence[Sentence], lines: Sequence[Line]) -> list[str]:
    """Return who said something, else who wrote at all: as they appear, or by lines where they are many."""
    counts = Counter(s.line.name for s in spoken if s.terms) or Counter(line.name for line in lines)
    names = counts if len(counts) <= LISTED else [name for name, _ in counts.most_common()]
    return [shown_name(name) for name in names]
