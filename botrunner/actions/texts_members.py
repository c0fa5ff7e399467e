"""What the bot answers members about their own memory, as text for Discord."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from botrunner.actions.escape import day, link, plain
from botrunner.actions.memory_ids import Mark
from memory.models import Evidence, Fact
from memory.recall.results import Memory
from notes.models import InteractionNote, Message
from profiles.models import ProfileEntry

A_PAGE = 8  # memories; with their marks they stay below Discord's 2,000 characters
PROFILE_LINES, PROFILE_LINE = 18, 85  # with their marks they stay below Discord's 2,000 characters
SHOWN_SOURCES = 5
HIT = 140  # characters; six of them with their links fit into a message
QUOTE, NAME = 160, 40  # characters; five quotes with their links fit into a message
KINDS = {"fact": "Facts", "line": "Profile", "note": "Notes of what you took part in"}

NOT_YOURS = "There is no such memory of yours here. `/memory list` shows the numbers."
MEMORY_OFF = "Memory is switched off here, so nothing is stored."
OPTED_OUT = "You asked not to be remembered here. `/memory optout` with `off` changes that."
NOTHING_NEW = (
    "Nothing new is stored of you here now. `/memory forget` erases what is wrong; `/memory privacy` says more."
)
OUT = (
    "From now on nothing you say here is stored. What is already stored stays until it is forgotten. "
    "Shall it go too: your messages, the facts about you, your profile, and your part in notes?"
)
OUT_KEPT = (
    "From now on nothing you say here is stored. What is already stored stays until it is forgotten: "
    "`/memory forget` with `all` erases every fact about you, `/memory optout` with `on` asks again about the rest."
)
IN = "From now on what you say here may be remembered again. `/memory optout` with `on` stops it at any time."
NOTHING_FOUND = "Nothing of what is known about you matches that."
NOTE_STAYS = (
    "A note tells of all who took part, so nobody erases it alone. It goes with the messages that it rests on: "
    "`/memory why` leads to them, and the menu of your own message forgets it."
)
KEPT = "Nothing was forgotten."
NOTHING_SAID = "Nothing has been said here that I have heard, so there is nothing to sum up."
NO_SUMMARY = "The model gave no answer just now. Please try again in a minute."
NOT_YOUR_LINE = "There is no such line in your profile here. `/memory profile` shows the numbers."
WORDED = "Your words stand in the profile now; nothing that is said later changes them."
STRUCK = "The line is out. It comes back only if it is said again."
BACK = "The line is back in your profile."
NOTHING_TO_UNDO = "There is no change that could be taken back. What was forgotten is gone for good."
NOTHING_MATCHES = "Nothing in memory answers that, as far as it may be told in this channel."
NO_SEARCH = "Searching is switched off in this server. `/memory list` shows what is known about you."
NOTHING_STORED = "Nothing is stored of you here."
EXPORTED = "All that is stored of you here. README inside says what is what; what others are called is masked."
NOT_SO_FAST = "You got a copy less than a minute ago. Wait a little, then ask again."
TOO_LARGE = "What is stored of you is too large for Discord ({size} MB). Ask who runs this bot for the file."
TELLS = "`/memory why` shows where one comes from, `/memory forget` erases it."


def listed(shown: Sequence[tuple[Mark, str]], *, total: int, page: int, last: int, own: bool = True) -> str:
    """Return a page of memories with their marks, each kind under its heading."""
    if not shown:
        return "Nothing is known about you here yet." if own else "Nothing is known about them here."
    head = f"**What is known about {'you' if own else 'them'} here** ({total}, page {page} of {last})"
    rows: list[str] = []
    for at, (which, words) in enumerate(shown):
        if at == 0 or shown[at - 1][0].kind != which.kind:
            rows.append(f"__{KINDS[which.kind]}__")
        rows.append(f"`{which}` {plain(words)}")
    return "\n".join([head, *rows, *([TELLS] if own else [])])


def profile(lines: Sequence[tuple[int, str, str]]) -> str:
    """Return the lines of a profile with their marks, as many as fit."""
    if not lines:
        return "Nothing is in your profile here yet."
    shown = [f"`p{number}` {section}: {plain(text, PROFILE_LINE)}" for number, section, text in lines[:PROFILE_LINES]]
    more = [f"...and {len(lines) - PROFILE_LINES} more"] if len(lines) > PROFILE_LINES else []
    told = "`/memory profile line:... text:...` words one anew, with `remove` it goes."
    return "\n".join(["**Your profile here**", *shown, *more, told])


def summary(text: str, unresolved: Sequence[str]) -> str:
    """Return what a channel is about lately, and what it left open."""
    asked = [f"• {plain(question)}" for question in unresolved]
    return "\n".join([plain(text, 1200), *(["**Not answered yet**", *asked[:3]] if asked else [])])


def hits(found: Sequence[Memory], links: Mapping[str, str]) -> str:
    """Return what memory answers, numbered, each with the day and a link to where it comes from."""
    if not found:
        return NOTHING_MATCHES
    rows = [f"{number}. {_hit(memory, links)}" for number, memory in enumerate(found, 1)]
    return "\n".join(["**What memory says**, as far as it may be told in this channel", *rows])


def _hit(memory: Memory, links: Mapping[str, str]) -> str:
    who = f"{plain(memory.member, NAME)}: " if memory.member else ""
    where = next(
        (links[each.message_id] for each in memory.sources if each.message_id and each.message_id in links), ""
    )
    return f"{who}{plain(memory.text, HIT)} {day(memory.created_at)} {where}".rstrip()


# --- Why -----------------------------------------------------------------------------------------------------------


def why(fact: Fact) -> str:
    """Return what a fact rests on: who said what, when, with a link."""
    sources = list(fact.evidence.all())[:SHOWN_SOURCES]
    head = f"`#{fact.pk}` {plain(fact.text)}\nConfidence {fact.confidence:.0%}, first said {day(fact.said_at)}."
    if not any(source.message for source in sources):
        return f"{head}\nIt was told directly, not learned from a message."
    return "\n".join([head, *(_source(source) for source in sources if source.message)])


def _source(source: Evidence) -> str:
    assert source.message is not None
    return f"• {plain(str(source.speaker), NAME)}: “{plain(source.quote, QUOTE)}” {link(source.message)}"


def why_line(entry: ProfileEntry, told: Sequence[tuple[InteractionNote, Message | None]]) -> str:
    """Return what a line of a profile rests on: the notes that tell of it, each with a link to where it begins."""
    head = f"`p{entry.pk}` {entry.get_section_display()}: {plain(entry.text)}"
    if entry.written_by == ProfileEntry.WrittenBy.PERSON:
        head += "\nA person put it in these words."
    rows = [f"• {day(note.ended_at)} `n{note.pk}` {plain(note.title)} {_begins(said)}".rstrip() for note, said in told]
    none = [] if entry.written_by == ProfileEntry.WrittenBy.PERSON else ["No note that you can read tells of it."]
    return "\n".join([head, *(rows or none)])


def _begins(message: Message | None) -> str:
    return link(message) if message else ""


def why_note(note: InteractionNote, said: Sequence[Message], *, total: int) -> str:
    """Return what a note rests on: the messages that it tells of."""
    head = f"`n{note.pk}` **{plain(note.title)}** {day(note.ended_at)}\n{plain(note.summary, 500)}"
    rows = [f"• {plain(str(message.author), NAME)}: {_words(message)} {link(message)}" for message in said]
    more = [f"...and {total - len(said)} more messages"] if total > len(said) else []
    return "\n".join([head, *rows, *more])


def _words(message: Message) -> str:
    return f"“{plain(message.text, 90)}”" if message.text else "(its text is kept no longer)"


# --- What was done -------------------------------------------------------------------------------------------------


def remembered(fact: Fact) -> str:
    """Return that it is remembered, and for whom."""
    where = "" if fact.audience_id is None else " It is used only in this channel, since not everybody can read it."
    return f"Remembered as `#{fact.pk}`: {plain(fact.text)}{where}"


def corrected(fact: Fact) -> str:
    """Return what a fact says now."""
    return f"`#{fact.pk}` says now: {plain(fact.text)}\nWhat it rests on stays. `/memory undo` takes this back."


def undone(fact: Fact, change: str) -> str:
    """Return what was taken back, and what became of the fact."""
    return f"Taken back: {change}. `#{fact.pk}` {plain(fact.text)}\nNow: {fact.get_status_display()}."


def preview(found: Sequence[tuple[str, str]]) -> str:
    """Return what would be forgotten."""
    lines = [f"`{which}` {plain(text)}" for which, text in found[:A_PAGE]]
    more = [f"...and {len(found) - A_PAGE} more"] if len(found) > A_PAGE else []
    return "\n".join([f"**Forget {len(found)} for good?**", *lines, *more])


def forgotten(count: int) -> str:
    """Return how many were forgotten."""
    return f"Forgotten: {count}."


def erased(receipt: str) -> str:
    """Return that all of the caller is gone, with the proof."""
    return f"All that was stored of you here is erased. This receipt proves it; keep it:\n```\n{receipt}\n```"
