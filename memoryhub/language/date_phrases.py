"""The patterns that find a date phrase, each with the function that resolves it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import product

from memoryhub.language import calendar
from memoryhub.language.calendar import Precision
from memoryhub.language.language_detection import by_any_common_word
from memoryhub.language.tokenizer import tokens


@dataclass(frozen=True)
class Reference:
    """The day on which a text was said, and its tense: 1 tells of what comes or is, -1 of what was, 0 does not say."""

    day: date
    tense: int

    @property
    def future(self) -> bool:
        """Say if a date without a year is ahead."""
        return self.tense > 0

    @property
    def latest(self) -> date:
        """Return the last day that a date without a year may mean where it is not ahead.

        Where no tense says so it may be soon: nobody says "25 October" on the 21st and means last year's.
        """
        return self.day if self.tense < 0 else self.day + SOON


Resolved = tuple[date, Precision] | None
Resolver = Callable[[re.Match[str], Reference], Resolved]
SOON = timedelta(days=45)
MOST_UNITS = 150  # "900 years ago" is no date of a life
YEARS = range(1000, 3000)  # "9999-12-31" stands for never, and the calendar has no day after it to reckon with
BETWEEN_LEAP_DAYS = 9  # years at most from one 29 February to the next, and one more
_DIRECTION = {"last": -1, "past": -1, "this past": -1, "this": 0, "next": 1, "this coming": 1}


def _direction(match: re.Match[str]) -> int:
    return _DIRECTION[_plain(match["which"])]


def _plain(phrase: str) -> str:
    return " ".join(phrase.lower().split())


def _named(match: re.Match[str], ref: Reference) -> Resolved:
    phrase = _plain(match["named"])
    if phrase == "hier":
        languages = by_any_common_word(tokens(match.string))
        if "de" in languages and "fr" not in languages:
            return None  # it means here
    unit, count = _NAMED[phrase]
    return calendar.shift(ref.day, unit, count), unit


def _relative_unit(match: re.Match[str], ref: Reference) -> Resolved:
    word = match["unit"].lower()
    precision: Precision = "weekend" if word == "weekend" else calendar.UNITS[word]
    start = calendar.shift(ref.day, precision, _direction(match))
    return (start + timedelta(days=5) if word == "weekend" else start), precision


def _relative_weekday(match: re.Match[str], ref: Reference) -> Resolved:
    ahead = (calendar.WEEKDAYS[match["weekday"].lower()] - ref.day.weekday()) % 7
    direction = _direction(match)
    days = ahead - 7 if direction < 0 else (ahead or 7) if direction > 0 else ahead
    return ref.day + timedelta(days=days), "day"


def _relative_month(match: re.Match[str], ref: Reference) -> Resolved:
    month = calendar.MONTHS[match["month"].lower()]
    named = _direction(match) if match.groupdict().get("which") else 0
    direction = named or int(ref.future and month != ref.day.month)
    return calendar.month_near(ref.day, month, direction), "month"


def _counted(match: re.Match[str], day: date, sign: int) -> Resolved:
    precision = calendar.UNITS[match["unit"].lower()]
    count = calendar.number(match["count"].lower())
    return (calendar.shift(day, precision, sign * count), precision) if count <= MOST_UNITS else None


def _absolute(match: re.Match[str], ref: Reference) -> Resolved:
    """Read a day and a month; without a year it leans to the past, and a yearly day is no date."""
    text = match["date"].lower()
    if _YEARLY.search(match.string) and not _HAS_YEAR.search(text):
        return None
    numbers = re.findall(r"\d+", text)
    year = next((int(number) for number in numbers if len(number) == 4), None)
    orders = _months_and_days(text, [int(number) for number in numbers if len(number) < 4])
    for number, (month, day) in product(_years(year, ref), orders):
        with suppress(ValueError):  # no such day
            found = date(number, month, day)
            if year is not None or (found >= ref.day if ref.future else found <= ref.latest):
                return found, "day"
    return None


def _months_and_days(text: str, numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return what a date may mean, in American order first where both orders fit."""
    first, *second = numbers
    month = next((calendar.MONTHS[word] for word in re.findall(r"[^\W\d_]{3,}", text) if word in calendar.MONTHS), None)
    if month:
        return [(month, first)]
    days_first = [(second[0], first)] if text.endswith(".") else []  # "10.3." is German
    return days_first or [(first, second[0]), (second[0], first)]


def _years(year: int | None, ref: Reference) -> range:
    """Return the years that are tried, the likeliest first."""
    if year is not None:
        return range(year, year + 1) if year in YEARS else range(0)
    if ref.future:
        return range(ref.day.year, ref.day.year + BETWEEN_LEAP_DAYS)
    return range(ref.latest.year, ref.latest.year - BETWEEN_LEAP_DAYS, -1)


def _weekday_of_month(match: re.Match[str], ref: Reference) -> Resolved:
    """Read "Sunday 17" or "Friday the 13th": the next such day that is that weekday, the last one in a past tense."""
    weekday, step = calendar.WEEKDAYS[match["weekday"].lower()], -1 if ref.tense < 0 else 1
    days = (ref.day + timedelta(days=step * away) for away in range(SOON.days))
    found = next((day for day in days if day.weekday() == weekday and day.day == int(match["nth"])), None)
    return (found, "day") if found else None


def _bare_weekday(match: re.Match[str], ref: Reference) -> Resolved:
    """Read "on Friday" of what was, and "since Friday": the last such day before; a weekday that is ahead is left."""
    if ref.tense >= 0 and match["prep"].lower() != "since":
        return None
    back = (ref.day.weekday() - calendar.WEEKDAYS[match["weekday"].lower()]) % 7
    return ref.day - timedelta(days=back or 7), "day"


def _day_of_month(match: re.Match[str], ref: Reference) -> Resolved:
    """Read "the 30th", which is no date where no tense says of which month."""
    if not ref.tense:
        return None
    for step in range(3):  # of any three months in a row two have such a day
        with suppress(ValueError):
            found = calendar.shift(ref.day, "month", ref.tense * step).replace(day=int(match["nth"]))
            if (found - ref.day).days * ref.tense >= 0:
                return found, "day"
    return None


_ENGLISH: tuple[tuple[Precision, int, str], ...] = (
    ("day", 0, "today|tonight|tonite|2nite|this morning|this afternoon|this evening|earlier today|just now"),
    ("day", -1, "yesterday|last night|yesterday morning|yesterday evening"),
    ("day", -2, "the day before yesterday"),
    ("day", 1, "tomorrow|tomorrow night|tomorrow morning|tmrw|tmr|tmrow|tomoz|2moro"),
    ("day", 2, "the day after tomorrow"),
)
_FOREIGN: tuple[tuple[Precision, int, str], ...] = (
    ("day", 0, "hoy|heute|aujourd'hui|hoje"),
    ("day", -1, "ayer|gestern|hier|ontem"),
    ("day", 1, "mañana|morgen|demain|amanhã"),
    ("week", -1, "la semana pasada|letzte woche|la semaine dernière|semana passada|na semana passada"),
    ("month", -1, "el mes pasado|letzten monat|le mois dernier|mês passado|no mês passado"),
    ("year", -1, "el año pasado|letztes jahr|l'année dernière|l'an dernier|ano passado|no ano passado"),
    ("year", 1, "el año que viene|nächstes jahr|l'année prochaine|ano que vem"),
)
_ENGLISH_NAMES, _FOREIGN_NAMES = (
    {phrase: (unit, count) for unit, count, phrases in table for phrase in phrases.split("|")}
    for table in (_ENGLISH, _FOREIGN)
)
_NAMED = _ENGLISH_NAMES | _FOREIGN_NAMES


def _words(words: Iterable[str]) -> str:
    return "|".join(sorted((re.escape(word).replace(r"\ ", r"\s+") for word in words), key=len, reverse=True))


_WHICH = r"(?P<which>this\s+past|this\s+coming|last|past|this|next)"
_MONTH = rf"(?P<month>{_words(calendar.MONTHS)})"
_MONTHS = rf"(?:{_words(calendar.MONTHS)})"
_COUNT = rf"(?:an?\s+(?=couple))?(?P<count>\d{{1,3}}|{_words(calendar.NUMBERS)})(?:\s+of)?"
_UNIT = rf"(?P<unit>{_words(calendar.UNITS)})"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_PREP = (
    r"(?:\b(?:back\s+)?(?P<prep>in|on|during|since|until|till|from|by|before|after|over|en|em|im|am|bis|ab|zum|vom|le|seit"
    r"|depuis|desde)\s+(?:the\s+)?(?P<part>early\s+|late\s+|mid-?\s*)?)"
)
_EN_MONTH = (
    rf"(?:{_words([name.lower() for name in calendar.MONTH_NAMES])}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_DATE = (
    rf"(?P<date>\d{{4}}-\d\d-\d\d"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?(?:\s*(?:[-–]|to|till)\s*\d{{1,2}}(?:st|nd|rd|th)?)?\s+(?:of\s+)?{_EN_MONTH}\b\.?(?:,?\s+(?:19|20)\d\d)?"
    # other languages: "14. März", "22.–24. Mai", "le 14 mars", "3 de mayo"; a bare "10.3." ends with its point
    rf"|\d{{1,2}}\.?(?:\s*(?:[-–]|bis|au|al?)\s*\d{{1,2}}\.?)?\s+(?:de\s+)?{_MONTHS}\b(?:,?\s+(?:de\s+)?(?:19|20)\d\d)?"
    r"|(?<![\d.])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?=\s*(?:$|[,;:!?)]|\s[^\W\d]|\s\d{1,2}(?:[:.]\d\d)?\s*(?:h|uhr)))"
    rf"|{_EN_MONTH}\.?\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?:19|20)\d\d)?"
    r"|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d)"
)
# In order: what an earlier pattern took, a later one leaves alone.
_SOURCES: tuple[tuple[str, Resolver], ...] = (
    (rf"{_PREP}?\b{_DATE}", _absolute),
    (
        rf"{_PREP}?\b{_MONTH},?\s+(?:of\s+|de\s+)?{_YEAR}",
        lambda match, _: (date(int(match["year"]), calendar.MONTHS[match["month"].lower()], 1), "month"),
    ),
    (rf"{_PREP}?\b{_COUNT}\s+{_UNIT}\s+(?:ago|back)", lambda match, ref: _counted(match, ref.day, -1)),
    (rf"\b(?:hace|vor|il\s+y\s+a|há|faz)\s+{_COUNT}\s+{_UNIT}", lambda match, ref: _counted(match, ref.day, -1)),
    (
        rf"\bin\s+{_COUNT}\s+(?P<unit>days?|weeks?|months?|years?)(?:['’]?s?\s+time)?",
        lambda match, ref: _counted(match, ref.day, 1),
    ),
    (rf"{_PREP}?\b(?P<named>{_words(_ENGLISH_NAMES)})", _named),
    (rf"{_PREP}?\b{_WHICH}\s+(?P<unit>week|weekend|month|year)(?!\s+of\b)", _relative_unit),
    (rf"{_PREP}?\b{_WHICH}\s+(?P<weekday>{_words(calendar.WEEKDAYS)})", _relative_weekday),
    (
        rf"{_PREP}?\b{_WHICH}\s+(?P<season>{_words(calendar.SEASONS)})",
        lambda match, ref: (
            calendar.season_near(ref.day, calendar.SEASONS[match["season"].lower()], _direction(match) or ref.future),
            "season",
        ),
    ),
    (rf"{_PREP}?\b{_WHICH}\s+(?P<month>{_EN_MONTH})", _relative_month),
    (rf"\b(?P<prep>in|since|until|by)\s+(?P<part>early\s+|late\s+|mid-?\s*)?(?P<month>{_EN_MONTH})", _relative_month),
    (rf"\b(?P<prep>im|en|em|seit|depuis|desde)\s+{_MONTH}", _relative_month),
    (
        rf"{_PREP}?\b(?P<weekday>{_words(calendar.WEEKDAYS)}),?\s+(?:the\s+|den\s+|le\s+)?(?P<nth>\d{{1,2}})(?:st|nd|rd|th)?"
        r"(?=\s*(?:$|[.,;!?)](?!\d)|at\b|and\b|with\b|in the\b))",
        _weekday_of_month,
    ),
    (
        r"\b(?P<prep>on|by|until|since)\s+the\s+(?P<nth>\d{1,2})(?:st|nd|rd|th)"
        r"(?=\s*(?:$|[.,;!?)]|(?:at|and|with|in the|i|we|my|our)\b))",
        _day_of_month,
    ),
    (rf"\b(?P<prep>on|since)\s+(?P<weekday>{_words(calendar.WEEKDAYS)})", _bare_weekday),
    (
        rf"{_PREP}\b{_YEAR}(?!\s*(?:%|[a-z]*\s?(?:people|members|calories|dollars|euros|steps|points)))",
        lambda match, _: (date(int(match["year"]), 1, 1), "year"),
    ),
    (rf"\b(?P<named>{_words(_FOREIGN_NAMES)})", _named),
)
_YEARLY = re.compile(r"\b(?:birthday|bday|b-day|anniversary|every year|name day)\b", re.IGNORECASE)
_HAS_YEAR = re.compile(r"(?:19|20)\d\d")
ANY = re.compile(
    r"\d{4}|\d[./ ]|\d(?:st|nd|rd|th)\b|\b(?:last|past|this|next|ago|back|in|since|until|by)\b"
    r"|\b(?:im|en|em|ab|zum|seit|depuis|desde|hace|vor|il y a|há|faz)\b"
    rf"|\b(?:{_words(_NAMED)}|{_EN_MONTH}|{_words(calendar.WEEKDAYS)})\b",
    re.IGNORECASE,
)


@cache
def phrases() -> tuple[tuple[re.Pattern[str], Resolver], ...]:
    """Return the patterns, each with what resolves it: made when first asked for, a sixteenth of a cold start."""
    return tuple((re.compile(source + r"(?!\w)", re.IGNORECASE), resolver) for source, resolver in _SOURCES)
