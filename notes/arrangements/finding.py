"""Finds the sentences that decide or plan something, or move a plan or call it off. By rules: a guess is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from memoryhub.ai.chat_fence import Line
from memoryhub.language import calendar, dates
from memoryhub.language.clip import clip, one_line
from memoryhub.language.date_phrases import ANY
from notes.arrangements.replacing import EVENT, matter
from notes.models import Arrangement
from notes.models.arrangements import TEXT_CHARS
from notes.writing.key_sentences import Sentence, opened, spoken_sentences
from notes.writing.note_safety import refuse
from notes.writing.open_questions import decides

Change = Arrangement.Change

_ALL_OF_US = re.compile(
    r"\b(?:we(?:['’](?:re|ll))?|let['’]s|us|our|every(?:one|body)(?! else)|all of you"
    r"|see (?:you|ya|u)\b(?! (?:tonight|tomorrow|later|soon|then|around))|you(?:['’]re| are) all"
    r"|wir|uns|unsere?[nrms]?|alle|nous|notre|on (?=se|va|fait|part|joue)"
    r"|tous)\b",
    re.IGNORECASE,
)
# What happens to the thing of all: "the new oven arrives on Thursday".
_HAPPENS = re.compile(
    r"\b(?:the|our) [\w' -]{2,40}? (?:starts?|begins?|opens?|closes|launches|arrives?|ends?|expires?|moves"
    r"|leaves|takes place|runs out|is (?:due|closed|open|moving|coming|back|on)|will be)\b|\bcloses? (?:on|for)\b",
    re.IGNORECASE,
)
_ONE_ALONE = re.compile(
    r"\bI\b|\b(?i:my|mine|his|her|your(?! (?:calendars|diaries|agendas)\b)|ich|je|mein\w*|mon|ma)\b"
)
_MOVED = re.compile(
    r"\b(?:mov(?:e[ds]?|ing)|push(?:e[ds]|ing)?(?: back)?|postpon(?:e[ds]?|ing)|reschedul(?:e[ds]?|ing)"
    r"|delay(?:ed|ing)?|put off|brought forward|shift(?:ed|ing)?|slip(?:ped|s)|chang(?:ed|ing))\b"
    r".{0,60}?\b(?:to|until|till|by|for)\b",
    re.IGNORECASE,
)
_PUT_OFF = re.compile(r"\b(?:postponed|put off|delayed|on hold)\b", re.IGNORECASE)
_CALLED_OFF = re.compile(
    r"\b(?:call(?:ed|ing) off|call(?:ed|ing) (?:it|the \w+(?: \w+)?) off|cancel(?:l?ed|l?ing)"
    r"|(?:is|are|['’]s) off(?=[.!,]|$)|(?:won['’]t|will not|isn['’]t|is not|not) (?:going to happen|happen(?:ing)?)"
    r"|scrapped|no longer (?:happening|taking place)"
    r"|fällt\b.{0,40}\baus(?=[.,!]|$| (?:weil|da|bin|wegen))|abgesagt|annulée?)",
    re.IGNORECASE,
)
# Another day for what was just told, and nothing else: "no wait, it's the 14th", "euh non, le 27", "nee am Mittwoch".
_CORRECTED = re.compile(
    r"^(?:(?:oh|ah|uh|euh|äh|oops|ups|wait|no|nope|nah|sorry|checked|actually|i meant|correction|nee|nein|quatsch|non"
    r"|pardon|désolée?|perdón|não|desculpa)[\s,.:!–-]+)+"
    r"(?P<stated>(?:(?:it|that)['’]?s |c['’]est |es ist |es |é )?(?:on |am |no )?(?:the |der |le |el |o |dia )?"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|er|\.)?(?: (?:of |de )?(?:{'|'.join(calendar.MONTHS)}))?"
    rf"|{'|'.join(calendar.WEEKDAYS)}))(?=\s*(?:[,.!;]|$))",
    re.IGNORECASE,
)
# A day by its number alone, of this month or the next that has it.
_OF_A_MONTH = re.compile(
    r"\b(?:(?:to|on|for|till?|until|it['’]?s|that['’]?s) the (?P<en>\d{1,2})(?:st|nd|rd|th)"
    r"|(?:am|auf den|der) (?P<de>\d{1,2})\.|(?:le|el|dia|o) (?P<romance>\d{1,2})(?:er)?)(?=\s*(?:[,.!;]|$))",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|isn['’]t|wasn['’]t|won['’]t be|don['’]t)\s+(?:\w+\s+)?(?:call|cancel)", re.I)
_ASKED_FOR = re.compile(
    r"\b(?:can|could|should|shall|might"
    r"|(?<!\d )(?<!\d[a-z][a-z] )(?<!\d\. )(?<!in )(?<!of )(?<!by )(?<!early )(?<!late )may(?! \d)"
    r"|must|maybe|perhaps|if|what about"
    r"|(?:need|want) to (?:choose|decide|discuss|find|talk))\b",
    re.IGNORECASE,
)
# Who is asked along makes no plan doubtful: "the gig is on Friday if you're up for it".
_INVITES = re.compile(
    r",? if (?:you|u|anyone|anybody|any of you|somebody|someone)\b"
    r"[^.,;!?\n]{0,40}(?=[.,;!?\n]|$)"
    r"|, (?:who['’]?s (?:in|coming|up for it)"
    r"|wer (?:kommt|ist dabei)|qui vient|quién (?:viene|se apunta)|quem vem) ?\?+",
    re.IGNORECASE,
)
# Past forms in a sentence that tells of what comes: the telling is past, not the plan.
_TELLING = re.compile(
    r"\b(?:decided|agreed|settled|chose|moved|pushed|postponed|rescheduled|delayed|shifted|slipped|changed|called"
    r"|cancell?ed|scrapped|scheduled|planned|set|put|brought|booked|fixed|confirmed|held|invited|read|need)\b",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(rf"\b(?<!last )(?P<weekday>{'|'.join(calendar.WEEKDAYS)})\b(?!s)", re.IGNORECASE)
# "I'll tell you, but not today": the day on which it is not.
_NOT_THEN = re.compile(
    r"\b(?:not|nicht|pas) (?:on |am )?"
    rf"(?:today|tonight|tomorrow|heute|morgen|aujourd['’]hui|demain|{'|'.join(calendar.WEEKDAYS)})\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(rf"\b(?:every|each)\b|\b(?:{'|'.join(calendar.WEEKDAYS)})s\b", re.IGNORECASE)
SHORTEST_PAST = 3  # letters: "red" is none
_PASSIVE = re.compile(r"(?:\b(?:is|are|be|being)|['’](?:re|s)) \w+ed\b", re.IGNORECASE)
_SHORT_PAST = frozenset({"met", "ran", "saw", "won", "ate", "sat", "did", "had"})
_PAST_ELSEWHERE = re.compile(
    r"\b(?:war|waren|hatten?|gewesen|gab|était|étaient|fue|fueron|foi)\b"
    r"|\b(?:hab(?:en?)?|hat|sind|bin|ist)\b.*\bge\w{2,}(?:t|en)\b|\b(?:on a|j['’]ai|nous avons|on est) \w+[éiu]s?\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")

_HOURS = {
    name: number
    for number, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=1
    )
}
_TIME = re.compile(
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-3])(?::|h(?=\d)|\.(?=[0-5]\d\s*[ap]\.?m\b))(?P<minute>[0-5]\d)(?![\d:])\s*(?P<half>[ap]\.?m\b\.?)?"
    r"|(?<![\d:.])(?P<on>1[0-2]|[1-9])\s*(?P<of>[ap]\.?m\b\.?)"
    rf"|\b(?:at|from|around|@)\s*(?P<said>{'|'.join(_HOURS)}|1\d|2[0-3]|[1-9])\b(?!\s*(?:[%\d]|[:.]\d|[ap]\.?m\b|(?-i:[A-Z])))"
    r"|(?<![\d:.])(?P<uhr>[01]?\d|2[0-3])\s*uhr\b|\bà\s*(?P<heures>[01]?\d|2[0-3])\s*h(?:eures)?\b"
    r"|\b(?P<named>noon|midday|midnight)\b",
    re.IGNORECASE,
)
_ZONE = re.compile(r"\s*\(?(?P<zone>UTC|GMT|[A-Z]{1,3}[SD]?T)\b")
_LATE = re.compile(r"\b(?:evening|afternoon|tonight|night|pm|abend|nachmittag|soir|après-midi)\b", re.IGNORECASE)
_EARLY = re.compile(r"\b(?:morning|am)\b", re.IGNORECASE)
LATE_UNTIL = 7  # "at six" without more is in the evening; what "at nine" is nobody can tell


@dataclass(frozen=True, kw_only=True)
class Due:
    """When something is to be: a moment, or a whole day by its beginning in the guild's zone."""

    at: datetime
    all_day: bool


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
    telling = [line.model_copy(update={"text": _INVITES.sub("", line.text)}) for line in telling]
    rows: dict[tuple[int, str], Found] = {}
    for sentence in spoken_sentences(telling) if telling else ():
        planned = any(row.due for row in rows.values())
        if not (sentence.asks or sentence.doubted) and (found := _read(sentence, may_correct=planned)):
            rows.setdefault((found.message, found.text), found)
    said = {line.message: line.text for line in telling}
    return [row for row in rows.values() if not refuse(row.text, said[row.message], kept=kept)]


def _may_arrange(text: str) -> bool:
    """Tell whether a message may arrange anything, before its sentences are read: it names a day, or a word for it."""
    signs = (ANY, _WEEKDAY, _CALLED_OFF, _PUT_OFF, _MOVED, _CORRECTED)
    return decides(text) or any(sign.search(text) for sign in signs)


def _read(sentence: Sentence, *, may_correct: bool) -> Found | None:
    """Return what a sentence arranges; `may_correct`: a day alone may be another for a plan before it."""
    text = one_line(sentence.text)
    corrected = _CORRECTED.match(text) if may_correct else None
    text = corrected["stated"] if corrected else text
    decided = bool(sentence.terms) and decides(text)
    due = due_in(text, said_at=sentence.line.sent_at)
    change = Change.MOVED if corrected else _change(text)
    ahead = due is not None and not _is_under_way(due, text, sentence.line.sent_at)
    arranged = decided or bool(change) or _plans(text, ahead=ahead)
    planned = change == Change.CALLED_OFF or (due is not None and arranged)
    planned = planned or (change == Change.MOVED and _PUT_OFF.search(text) is not None)
    if not (planned or (decided and matter(text))):
        return None
    return Found(
        message=sentence.line.message, text=clip(opened(text), TEXT_CHARS), decided=decided,
        change=change if planned else Change.NONE, due=due if planned else None,
    )  # fmt: skip


def _change(text: str) -> str:
    """Return what a sentence makes of a plan; what one asks for, or does alone, changes none."""
    if _ASKED_FOR.search(text) or (_ONE_ALONE.search(text) and not EVENT.search(text)):
        return Change.NONE
    if _CALLED_OFF.search(text) and not _NOT.search(text):
        return Change.CALLED_OFF
    return Change.MOVED if _MOVED.search(text) or _PUT_OFF.search(text) else Change.NONE


def _is_under_way(due: Due, text: str, said_at: datetime) -> bool:
    """Tell whether it is of the day on which it is said, and of no hour: "today we celebrate" arranges nothing."""
    return due.all_day and due.at <= said_at and not _LATE.search(text)


def _plans(text: str, *, ahead: bool) -> bool:
    """Tell whether a sentence with a day to come plans something for more than the one who says it.

    What is not `ahead` must name what happens: "today we celebrate" does not, "the rehearsal is today" does.
    """
    alone = max((match.start() for match in _ONE_ALONE.finditer(text)), default=-1)
    together = max((match.start() for match in _ALL_OF_US.finditer(text)), default=-1)
    if _ASKED_FOR.search(text) or alone > together:  # "I think we meet": who is named last does it
        return False
    return (ahead and together >= 0) or bool(EVENT.search(text) or _HAPPENS.search(text))


# --- When --------------------------------------------------------------------------------------------------------


def due_in(text: str, *, said_at: datetime) -> Due | None:
    """Return the first day to come that a sentence names, with its time; None where it names none or tells of the past.

    `said_at` is in the guild's zone. Of what is moved it is the day after the "to". A month or a season is no day that
    a calendar holds, and a weekday that comes back ("every Friday") is no plan.
    """
    if _past(text):
        return None
    text = _NOT_THEN.sub(" ", text)
    moved, again = _MOVED.search(text), _AGAIN.search(text) is not None
    parts = [text[moved.end() :], text] if moved else [text]
    days = ((_named_day(part, said_at) or (None if again else _weekday(part, said_at)), part) for part in parts)
    return next((_at(day, part, said_at) for day, part in days if day), None)


def _past(text: str) -> bool:
    words = _WORD.findall(_PASSIVE.sub(" ", _TELLING.sub("", text)))
    if _PAST_ELSEWHERE.search(text):
        return True
    return any(
        word.lower() == "was" or word.lower() in _SHORT_PAST or (len(word) > SHORTEST_PAST and dates.is_past_form(word))
        for word in words
    )


def _named_day(text: str, said_at: datetime) -> date | None:
    """Return the first day that is named as a date, which counts before a weekday: "Sunday 25 October" is one day."""
    named = (day for when in dates.find(text, said_at=said_at) if (day := _day(when, said_at)))
    return next(named, None) or _of_a_month(text, said_at)


def _weekday(text: str, said_at: datetime) -> date | None:
    """Return the next day of the weekday that is named."""
    match = _WEEKDAY.search(text)
    ahead = (calendar.WEEKDAYS[match["weekday"].lower()] - said_at.weekday()) % 7 or 7 if match else 0
    return said_at.date() + timedelta(days=ahead) if ahead else None


def _day(when: dates.When, said_at: datetime) -> date | None:
    """Return the day, read as one to come: a sentence without a verb plans, where it is not known to tell."""
    if when.precision not in ("day", "weekend") or when.preposition.startswith("since"):
        return None
    if when.start >= said_at.date():
        return when.start
    again = dates.find(f"It will be {when.phrase}", said_at=said_at)
    return next((each.start for each in again if each.start >= said_at.date()), None)


def _of_a_month(text: str, said_at: datetime) -> date | None:
    """Return the next day of the number that is named without a month: "moved to the 14th"."""
    found = _OF_A_MONTH.search(text)
    number = int(next(filter(None, found.groups()))) if found else 0
    days = (said_at.date() + timedelta(days=ahead) for ahead in range(62))
    return next((day for day in days if day.day == number), None)


def _at(day: date, text: str, said_at: datetime) -> Due:
    clock, zone = _clock(text), said_at.tzinfo
    if clock is None:
        return Due(at=datetime.combine(day, time(), zone).astimezone(UTC), all_day=True)
    hours, own_zone = clock
    return Due(at=datetime.combine(day, hours, own_zone or zone).astimezone(UTC), all_day=False)


def _clock(text: str) -> tuple[time, tzinfo | None] | None:
    """Return the time of day that a sentence names, and its zone if that is UTC; None where nobody can tell."""
    for match in _TIME.finditer(text):
        zone = _ZONE.match(text, match.end())
        if zone and zone["zone"] not in ("UTC", "GMT"):
            return None
        hours = next(_hours(match, text), None)
        return (hours, UTC if zone else None) if hours else None
    return None


def _hours(match: re.Match[str], text: str) -> Iterator[time]:
    if named := match["named"]:
        yield time(23, 59) if named.lower() == "midnight" else time(12)  # the end of the day that is named
    elif match["hour"]:
        yield from _on_clock(int(match["hour"]), int(match["minute"]), match["half"])
    elif clock := match["uhr"] or match["heures"]:
        yield time(int(clock))
    elif match["on"]:
        yield from _on_clock(int(match["on"]), 0, match["of"])
    else:
        said = match["said"].lower()
        hour = _HOURS.get(said) or int(said)
        early, late = _EARLY.search(text), _LATE.search(text)
        if hour >= 12:
            yield time(hour)
        elif early or late or hour <= LATE_UNTIL:
            yield time(hour if early else hour + 12)


def _on_clock(hour: int, minute: int, half: str | None) -> Iterator[time]:
    if half and hour <= 12:
        hour = hour % 12 + (12 if half.lower().startswith("p") else 0)
    yield time(hour, minute)
