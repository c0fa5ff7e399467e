"""What the bot answers members about their own memory, as text for Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from botrunner.actions.escape import LINE, cut, day, link, plain
from botrunner.actions.listing import Line, Page
from botrunner.actions.memory_ids import Kind, MemoryId
from memory.answers.answering import Answered
from memory.curation.refusals import WordsRefused, in_words
from memory.models import Evidence, Fact
from memory.recall.results import Memory
from memoryhub.community.models import Channel
from memoryhub.errors import Conflict, Refused
from notes.models import InteractionNote, Message
from profiles.models import ProfileEntry

A_PAGE = 8  # memories or lines of a profile: one screen
SHOWN_SOURCES = 5
TOLD_DIRECTLY = "It was told directly, not learned from a message."
UNTOLD = "It rests on words of somebody who is not to be remembered."
HIT = 140  # characters; six of them with their links fit into a message
SENTENCE = 200  # characters; four of them with the links of eight sources fit into a message
QUOTE, NAME = 160, 40  # characters; five quotes with their links fit into a message
HEADINGS: dict[Kind, str] = {"fact": "Facts", "entry": "Profile", "note": "Notes of what {who} took part in"}

NOT_YOURS = "There is no such memory of yours here. `/memory list` shows the numbers."
MEMORY_OFF = (
    "Memory is switched off here, so nothing is stored or told. Who manages it can switch it on: a channel by "
    "`/memory channel on`, the whole server in the dashboard."
)
OPTED_OUT = "Nothing of you is stored here until you say so: `/memory optout` with `off`."
BLOCKED = "The managers of this server asked that nothing of you is stored, so it was not. Only they can change that."
NOTHING_NEW = (
    "Nothing new is stored of you here now. `/memory forget` erases what is wrong; `/memory privacy` says more."
)
OUT = (
    "From now on nothing you say here is stored. What is already stored stays until it is forgotten. "
    "Shall it go too: your messages, the facts about you, your profile, and your part in notes?"
)
OUT_KEPT = (
    "From now on nothing you say here is stored. What is already stored stays until it is forgotten: "
    "`/memory forget` with `all` erases every fact that `/memory list` shows, `/memory optout` with `on` "
    "asks again about the rest."
)
ERASED = "All that was stored of you here is erased. This receipt proves it; keep it:\n```\n{receipt}\n```"
ERASING = (
    "It takes longer than a minute and goes on by itself, also if I am restarted. Its number is `{number}`: "
    "whoever runs this bot finds the receipt under it."
)
CORRECTED = "`#{fact.pk}` says now: {text}\nWhat it rests on stays. `/memory undo` takes this back."
SAYS_AGAIN = "`#{fact.pk}` says again: {text}"
TAKEN_BACK = "`#{fact.pk}` is taken back, so it is used no longer: {text}"
IN = "From now on what you say here may be remembered. `/memory optout` with `on` stops it at any time."
NOTHING_FOUND = (
    "Nothing of what is known about you matches that. `/memory list` shows all of it; what comes from a private thread "
    "it shows there."
)
NOTE_STAYS = (
    "A note tells of all who took part, so nobody erases it alone. It goes with the messages that it rests on: "
    "`/memory why` leads to them, and the menu of your own message forgets it."
)
KEPT = "Nothing was forgotten."
FORGOTTEN = "Forgotten: {count}."
STILL_SAID = "**It is still said here**"
OWN_CAN_GO = "Shall those that you or I wrote ({count}) be forgotten too? Notes are then told without them."
OTHERS_STAY = "Its author can have a message forgotten by its menu; a note goes with the messages that it rests on."
MESSAGES_STAY = "The messages stay in memory."
MESSAGES_GONE = "Forgotten: {count} messages, and what was learned from them alone."
NOTHING_SAID = (
    "Nothing has been said here that I have heard, so there is nothing to sum up. Ask again when somebody spoke."
)
SUMMED_UP_BEFORE = "-# Summed up less than a minute ago; a minute later it is made anew."
NO_SUMMARY = "The model gave no answer just now. Please try again in a minute."
NOT_YOUR_LINE = "There is no such line in your profile here. `/memory profile` shows the numbers."
WHICH_LINE = "Nothing was changed: give the number of the line, too. `/memory profile` alone shows the numbers."
WORDED = "Your words stand in the profile now; nothing that is said later changes them."
STRUCK = "The line is out. It comes back only if it is said again."
BACK = "The line is back in your profile."
NOTHING_TO_UNDO = (
    "There is no change that could be taken back: what was forgotten is gone for good. `/memory list` shows what "
    "there is."
)
NOTHING_MATCHES = "Nothing in memory answers that, as far as it may be told in this channel. Try other words."
NOT_KNOWN = "I don't know: nothing that is remembered and may be told here answers that. Try `/memory search`."
AS_IT_WAS_SAID = "As it was said; no model put it together."
TOLD_HERE = "As far as it may be told in this channel."
NO_SEARCH = "Searching is switched off in this server. `/memory list` shows what is known about you."
NOTHING_STORED = "Nothing is stored of you here, so there is nothing to hand out or to erase."
EXPORTED = "All that is stored of you here. README inside says what is what; what others are called is masked."
NOT_SO_FAST = "You got a copy less than a minute ago. Wait a little, then ask again."
TOO_LARGE = "What is stored of you is too large for Discord ({size} MB). Ask a moderator for a link to it."
NOTHING_KNOWN = "Nothing is known about you here yet. `/memory remember` stores what you tell it."
NOTHING_KNOWN_OF_THEM = "Nothing is known about them here, as far as you can read where it was said."
NOTHING_LISTED = "Nothing that is known about you here holds these words. `/memory list` without words shows all of it."
REWORDS = "`/memory profile line:... text:...` rewords one, with `remove` it goes."
TELLS = "`/memory why` shows where one comes from, `/memory forget` erases it."


def refused(error: Refused | Conflict) -> str:
    """Return that nothing was stored, why, and what to do."""
    if not isinstance(error, WordsRefused):
        return str(error)
    hint = " Server managers may `insist`." if error.insistable else ""
    return in_words(error.reason, keeps="I don't keep it", most=error.most) + hint


def words(row: Fact | ProfileEntry | InteractionNote) -> str:
    """Return what a memory says, as a list shows it."""
    match row:
        case ProfileEntry():
            return f"{row.get_section_display()}: {row.text}"
        case InteractionNote():
            return f"{row.title}: {row.summary}"
    return row.text


def only_in(row: Fact | ProfileEntry | InteractionNote) -> str:
    """Return a mark on what is told in one channel only, since not everybody could read its source; "" on the rest."""
    place = row.audience
    return "" if place is None or place.kind == Channel.Kind.DIRECT else f" (only in <#{place.platform_id}>)"


def memories(
    shown: Sequence[tuple[MemoryId, Fact | ProfileEntry | InteractionNote]],
    *,
    total: int,
    page: int,
    last: int,
    own: bool = True,
    query: str = "",
) -> Page:
    """Return a page of memories with their ids, each kind under its heading; `query` is what they were to hold."""
    if not shown:
        return Page(NOTHING_KNOWN_OF_THEM if not own else NOTHING_LISTED if query else NOTHING_KNOWN)
    lines = []
    for memory_id, row in shown:
        mark = only_in(row)
        text = f"`{memory_id}` {cut(plain(words(row)), LINE - len(mark))}{mark}"
        lines.append(Line(text, HEADINGS[memory_id.kind].format(who="you" if own else "they")))
    head = f"What is known about {'you' if own else 'them'} here ({total})"
    return Page(head, lines, TELLS if own else "", page, last)


def profile(entries: Sequence[ProfileEntry], *, page: int, last: int) -> Page:
    """Return a page of the lines of a profile with their ids, each section under its heading."""
    if not entries:
        return Page("Nothing is in your profile here yet. It is written from what you say in conversations.")
    shown = [
        Line(f"`p{entry.pk}` {plain(entry.text)}{only_in(entry)}", entry.get_section_display()) for entry in entries
    ]
    return Page("Your profile here", shown, REWORDS, page, last)


def summary(text: str, unresolved: Sequence[str]) -> str:
    """Return what a channel is about lately, and what it left open."""
    questions = [f"• {plain(question)}" for question in unresolved[:3]]
    return "\n".join([plain(text, 1200), *(["**Not answered yet**", *questions] if questions else [])])


def hits(memories: Sequence[Memory], links: Mapping[str, str]) -> Page:
    """Return what memory answers, numbered, each with the day and a link to where it comes from."""
    if not memories:
        return Page(NOTHING_MATCHES)
    lines = [Line(_line(number, memory.text, memory, links)) for number, memory in enumerate(memories, 1)]
    return Page("What memory says", lines, TOLD_HERE)


def answered(found: Answered, links: Mapping[str, str]) -> Page:
    """Return an answer, the numbers of its sources behind each sentence, and below it these with day and link."""
    if not found.known:
        return Page(NOT_KNOWN)
    if found.by == "rules":
        lines = ((each.sources[0], each.text) for each in found.sentences)
        told = [Line(_line(n, text, found.memories[n], links)) for n, text in lines]
        return Page("What is remembered of that", told, AS_IT_WAS_SAID)
    said = " ".join(f"{plain(each.text, SENTENCE)} {_numbers(each.sources)}" for each in found.sentences)
    sources = [Line(f"`{n}` {_origin(memory, links)}", "Sources") for n, memory in found.memories.items()]
    return Page("From what is remembered", [Line(said), *sources], TOLD_HERE)


def _line(number: int, text: str, memory: Memory, links: Mapping[str, str]) -> str:
    who = f"{plain(memory.member, NAME)}: " if memory.member else ""
    return f"`{number}` {who}{plain(text, HIT)} {_origin(memory, links)}"


def _numbers(sources: Sequence[int]) -> str:
    return " ".join(f"`{number}`" for number in sources)


def _origin(memory: Memory, links: Mapping[str, str]) -> str:
    """Return the day of a memory, and the address of a message that it rests on if one is known."""
    ids = [source.message_id for source in memory.sources if source.message_id]
    where = next((links[message_id] for message_id in ids if message_id in links), "")
    return f"{day(memory.created_at)} {where}".rstrip()


# --- Why -----------------------------------------------------------------------------------------------------------


def why(fact: Fact, sources: Sequence[Evidence]) -> Page:
    """Return what a fact rests on: who said what, with a link."""
    about = f"Confidence {fact.confidence:.0%}, first said {day(fact.said_at)}."
    lines = [f"`#{fact.pk}` {plain(fact.text)}{only_in(fact)}\n{about}"]
    lines += [
        f"• {plain(str(source.speaker), NAME)}: “{plain(source.quote, QUOTE)}” {link(source.message)}"
        for source in sources
        if source.message
    ]
    if len(lines) == 1:
        lines.append(UNTOLD if any(row.message_id for row in fact.evidence.all()) else TOLD_DIRECTLY)
    return _rests_on(lines)


def _rests_on(lines: Sequence[str]) -> Page:
    return Page("Where I learned that", [Line(line) for line in lines])


def why_entry(
    entry: ProfileEntry, sources: Sequence[tuple[InteractionNote, Message | None]], messages: Sequence[Message]
) -> Page:
    """Return what an entry rests on: the notes that tell of it, each with a link to its first message, and messages."""
    lines = [f"`p{entry.pk}` {entry.get_section_display()}: {plain(entry.text)}{only_in(entry)}"]
    if entry.written_by == ProfileEntry.WrittenBy.PERSON:
        lines.append("A person put it in these words.")
    elif not (sources or messages):
        lines.append("No note that you can read tells of it.")
    lines += [f"• {day(message.sent_at)} A message {link(message)}" for message in messages]
    for note, first in sources:
        lines.append(f"• {day(note.ended_at)} `n{note.pk}` {plain(note.title)} {link(first) if first else ''}".rstrip())
    return _rests_on(lines)


def why_note(note: InteractionNote, messages: Sequence[Message], *, total: int) -> Page:
    """Return what a note rests on: the messages that it tells of."""
    lines = [f"`n{note.pk}` **{plain(note.title)}** {day(note.ended_at)}{only_in(note)}\n{plain(note.summary, 500)}"]
    for message in messages:
        text = f"“{plain(message.text, 90)}”" if message.text else "(its text is kept no longer)"
        lines.append(f"• {plain(str(message.author), NAME)}: {text} {link(message)}")
    more = total - len(messages)
    return _rests_on([*lines, *([f"...and {more} more messages"] if more > 0 else [])])


# --- What was done -------------------------------------------------------------------------------------------------


def remembered(fact: Fact) -> str:
    """Return that it is remembered, and for whom."""
    where = "" if fact.audience_id is None else "\nIt is used only in this channel, since not everybody can read it."
    return f"Remembered as `#{fact.pk}`: {plain(fact.text)}{where}"


def preview(found: Sequence[tuple[str, str]]) -> str:
    """Return what would be forgotten."""
    lines = [f"`{memory_id}` {plain(text)}" for memory_id, text in found[:A_PAGE]]
    more = [f"...and {len(found) - A_PAGE} more"] if len(found) > A_PAGE else []
    return "\n".join([f"**Forget {len(found)} for good?**", *lines, *more])


def still_said(messages: Sequence[Message], notes: Sequence[InteractionNote], *, own: int) -> str:
    """Return which messages and notes say still what was forgotten, and how they can go; "" where none does."""
    rows = [f"• {plain(str(each.author), NAME)}: “{plain(each.text, 90)}” {link(each)}" for each in messages]
    rows += [f"• `n{each.pk}` {plain(each.title, 90)}, a note of {day(each.ended_at)}" for each in notes]
    if not rows:
        return ""
    more = [f"...and {len(rows) - SHOWN_SOURCES} more"] if len(rows) > SHOWN_SOURCES else []
    return "\n".join([STILL_SAID, *rows[:SHOWN_SOURCES], *more, OWN_CAN_GO.format(count=own) if own else OTHERS_STAY])
