"""Finds the sentences that decide or plan something, or move a plan or call it off. By rules: a guess is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from memoryhub.ai.chat_fence import Line
from memoryhub.language import calendar
from memoryhub.language.clip import clip, one_line
from memoryhub.language.word_lists import Shapes
from notes.arrangements import due_dates
from notes.arrangements.due_dates import Due, Named, named_in
from notes.arrangements.replacing import is_event, matter
from notes.models import Arrangement
from notes.models.arrangements import TEXT_CHARS
from notes.writing.key_sentences import Sentence, opened, spoken_sentences
from notes.writing.note_safety import refuse
from notes.writing.open_questions import decides

Change = Arrangement.Change

ONLY_A_DAY = 5  # words
_SHAPES = Shapes(__file__, {"weekdays": [*calendar.WEEKDAYS], "months": [*calendar.MONTHS]})


@dataclass(frozen=True, kw_only=True)
class Found:
    """One sentence that arranges something; `message` is its message's row."""

    message: int
    text: str
    decided: bool
    change: str = Change.NONE
    due: Due | None = None


def found_in(lines: Sequence[Line], *, kept: Sequence[str] = ()) -> list[Found]:
    """Return what these lines of one channel decide and plan, in order, each text once a message.

    `kept` names the sensitive kinds that the guild keeps.
    """
    telling = [line for line in lines if _may_arrange(line.text)]
    telling = [line.model_copy(update={"text": _SHAPES["invites"].sub("", line.text)}) for line in telling]
    rows: dict[tuple[int, str], Found] = {}
    for sentence, closed in _with_their_seal(spoken_sentences(telling) if telling else ()):
        days = {row.due.at for row in rows.values() if row.due}
        if sentence.asks or sentence.doubted or not (found := _read(sentence, closed=closed, may_correct=bool(days))):
            continue
        if found.due and found.decided and _is_only_a_day(found.text):  # it is of the plan before it
            if found.due.at in days:
                continue
            found = replace(found, change=Change.MOVED if days else found.change, decided=False)
        rows.setdefault((found.message, found.text), found)
    said = {line.message: line.text for line in telling}
    return [row for row in rows.values() if not refuse(row.text, said[row.message], kept=kept)]


def _may_arrange(text: str) -> bool:
    """Tell whether a message may arrange anything, before its sentences are read: it names a day, or a word for it."""
    signs = (
        *(_SHAPES[heading] for heading in ("called_off", "put_off", "corrected", "sealed")),
        *(due_dates.SHAPES[heading] for heading in ("day", "short", "moved")),
    )
    return decides(text) or any(sign.search(text) for sign in signs)


def _is_only_a_day(text: str) -> bool:
    """Tell whether a sentence says when, and nothing of what: "April 20 it is"."""
    told = matter(text) or is_event(text) or _SHAPES["all_of_us"].search(text)
    return not told and len(text.split()) <= ONLY_A_DAY


def _with_their_seal(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, bool]]:
    """Yield each sentence, and whether a later one of its message only says that it is settled: "Final."."""
    sealed: dict[int, int] = {}
    for number, sentence in enumerate(sentences):
        if _SHAPES["seal"].fullmatch(sentence.text):
            sealed[sentence.line.message] = number
    for number, sentence in enumerate(sentences):
        yield sentence, number < sealed.get(sentence.line.message, 0)


def _read(sentence: Sentence, *, closed: bool, may_correct: bool) -> Found | None:
    """Return what a sentence arranges, which the next may have `closed`.

    `may_correct`: a day alone may be another for a plan before it.
    """
    text = one_line(sentence.text)
    corrected = _SHAPES["corrected"].match(text) if may_correct else None
    text = corrected["stated"] if corrected else text
    closed = closed and not _SHAPES["one_alone"].search(text)
    decided = bool(sentence.terms) and (closed or decides(text))
    planned = _planned_in(text, decided=decided, said_at=sentence.line.sent_at, corrected=bool(corrected))
    if not (planned or (decided and matter(text))):
        return None
    return Found(
        message=sentence.line.message, text=clip(opened(text), TEXT_CHARS), decided=decided,
        change=planned.change if planned else Change.NONE, due=planned.named.due if planned and planned.named else None,
    )  # fmt: skip


class _Plan(NamedTuple):
    named: Named | None
    change: str


def _planned_in(text: str, *, decided: bool, said_at: datetime, corrected: bool) -> _Plan | None:
    """Return what a sentence plans, or changes of a plan, as told from its beginning or that of a clause; the first."""
    joints = due_dates.SHAPES["clause_ends"].finditer(text)
    later = (
        joint.end() for joint in joints if joint[0][0] != ":" and due_dates.SHAPES["day"].search(text, joint.end())
    )
    for begin in (0, *later):
        if _SHAPES["one_alone"].search(text, 0, begin):
            break  # "I can't do saturday, exam on sunday" goes on about oneself
        part = text[begin:]
        named = named_in(part, said_at=said_at)
        change = Change.MOVED if corrected else _change(part, named, said_at=said_at)
        off = change == Change.CALLED_OFF or (change and _SHAPES["put_off"].search(part))
        if off or (named and (decided or change or _plans(part, named, said_at=said_at))):
            return _Plan(named, change)
    return None


def _change(text: str, named: Named | None, *, said_at: datetime) -> str:
    """Return what a sentence makes of a plan; what one asks for, or does alone, changes none."""
    if _SHAPES["asked_for"].search(text) or (_SHAPES["one_alone"].search(text) and not is_event(text)):
        return Change.NONE
    if named and _SHAPES["none_then"].fullmatch(named.head) and is_event(named.head):
        return Change.CALLED_OFF
    if _SHAPES["called_off"].search(text) and not _SHAPES["not_called_off"].search(text):
        return Change.CALLED_OFF
    moved = bool(due_dates.SHAPES["moved"].search(text) or _SHAPES["put_off"].search(text))
    if named and _SHAPES["instead"].search(text):
        moved = moved or not named.due.is_under_way(named.head, said_at)
    return Change.MOVED if moved else Change.NONE


def _plans(text: str, named: Named, *, said_at: datetime) -> bool:
    """Tell whether a sentence with a day to come plans something for more than the one who says it.

    What is of today must name what happens: "today we celebrate" does not, "the rehearsal is today" does.
    """
    head = _SHAPES["hosts"].sub("we hold ", _SHAPES["hosted"].sub("here", named.head))
    alone = max((match.start() for match in _SHAPES["one_alone"].finditer(head)), default=-1)
    together = max((match.start() for match in _SHAPES["all_of_us"].finditer(head)), default=-1)
    if _SHAPES["asked_for"].search(head) or alone > together:  # "I think we meet": who is named last does it
        return False
    if is_event(text) or _SHAPES["happens"].search(text):
        return True
    if named.due.is_under_way(head, said_at):
        return False
    if _SHAPES["announced"].search(text):
        return True
    return not _SHAPES["private"].search(head) and (together >= 0 or _is_entry(text, named))


def _is_entry(text: str, named: Named) -> bool:
    """Tell whether a sentence reads as a line of a calendar: a date or an hour, and what is then."""
    if named.soon or (named.due.all_day and not named.dated) or _SHAPES["not_of_itself"].search(text):
        return False
    return bool(matter(named.head) or (matter(text) and not _SHAPES["one_alone"].search(text)))
