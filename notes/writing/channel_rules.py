"""Write what a channel is about without a model, lately and over time, from the words that were said there."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta

from memoryhub.language.clip import clip, listing
from notes.writing.channel_matters import shared_matters
from notes.writing.header import header
from notes.writing.key_sentences import Sentence, shown_name, spoken_sentences
from notes.writing.note_safety import is_raw
from notes.writing.open_questions import answered, decisions, glossary, open_questions
from notes.writing.rules import people_of, settled_rows, told_within
from notes.writing.schemas import LIST_ITEMS, SUMMARY_CHARS, ChannelInput, ChannelText, SummaryInput, SummaryText
from notes.writing.titles import MATTERS

SUMMARY_WORDS, LEAST_WORDS, FEWER_WORDS = 100, 40, 10  # of a summary, of a short one, and what is given up at a time
PROFILE_ITEMS = 12
REGULARS, OFTEN = 8, 5  # of a channel: people, and messages that make somebody one
THREAD_GAP = timedelta(minutes=10)


def summarise(given: SummaryInput) -> SummaryText:
    """Return what goes on in a channel, the newest kept when room is short; open questions stay until taken up."""
    spoken = spoken_sentences(given.lines)
    people = people_of(spoken, given.lines)
    about = shared_matters(spoken, people, limit=LIST_ITEMS)
    talks: list[list[Sentence]] = []
    for sentence in spoken:
        if not talks or sentence.line.after(talks[-1][-1].line) > THREAD_GAP:
            talks.append([])
        talks[-1].append(sentence)
    shared = [(talk, names) for talk in talks if len(names := people_of(talk, [])) > 1]
    matters = [(names, shared_matters(talk, names, limit=MATTERS)) for talk, names in shared]
    titles = [f"{listing(names, limit=MATTERS)}: {', '.join(found)}" for names, found in matters if found]
    return SummaryText(
        summary=_summary(given, spoken, header(given.lines, people, about[:MATTERS])),
        topics=about,
        threads=list(dict.fromkeys(titles))[-LIST_ITEMS:],
        unresolved=open_questions(spoken, given.unresolved),
        answered=answered(spoken, given.unresolved),
        decisions=decisions(spoken),
        glossary=glossary(spoken),
    )


def _summary(given: SummaryInput, spoken: Sequence[Sentence], first: str) -> str:
    """Return who talked about what, what was decided and planned, then a third of what was said at most.

    It is less where it would repeat the chat. Questions stand in a list of their own while they are open.
    """
    listed, rest = settled_rows(given, spoken), [s for s in spoken if not s.asks]
    room = min(SUMMARY_WORDS, max(LEAST_WORDS, sum(len(s.text.split()) for s in spoken) // 2))
    while room > 0:
        rows, _ = told_within(room, rest, given.lines, listed=listed, newest_first=True)
        text = clip("\n".join([first, *rows]), SUMMARY_CHARS)
        if not is_raw(text, given.lines):
            return text
        room -= FEWER_WORDS
    return clip(first, SUMMARY_CHARS)


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
        people = people_of(spoken, given.lines)
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
