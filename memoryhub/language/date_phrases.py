"""The patterns that find a date phrase, each with the function that resolves it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from memoryhub.language import calendar
from memoryhub.language.calendar import Precision


@dataclass(frozen=True)
class Said:
    """When a text was said, and whether it tells of the future."""

    day: date
    future: bool


Resolved = tuple[date, Precision] | None
Resolver = Callable[[re.Match[str], Said], Resolved]
SOON = timedelta(days=45)
MOST_UNITS = 150  # "900 years ago" is no date of a life
_DIRECTION = {"last": -1, "past": -1, "this past": -1, "this": 0, "next": 1, "this coming": 1}


def _named_day(match: re.Match[str], said: Said) -> Resolved:
    return said.day + timedelta(days=_DAYS[" ".join(match["day"].lower().split())]), "day"


def _relative_unit(match: re.Match[str], said: Said) -> Resolved:
    word = match["unit"].lower()
    precision: Precision = "weekend" if word == "weekend" else calendar.UNITS[word]
    start = calendar.shift(said.day, precision, _DIRECTION[_which(match)])
    return (start + timedelta(days=5) if word == "weekend" else start), precision


def _relative_weekday(match: re.Match[str], said: Said) -> Resolved:
    ahead = (calendar.WEEKDAYS[match["weekday"].lower()] - said.day.weekday()) % 7
    direction = _DIRECTION[_which(match)]
    days = ahead - 7 if direction < 0 else (ahead or 7) if direction > 0 else ahead
    return said.day + timedelta(days=days), "day"


def _relative_season(match: re.Match[str], said: Said) -> Resolved:
    direction = _DIRECTION[_which(match)] or (1 if said.future else 0)
    return calendar.season_near(said.day, calendar.SEASONS[match["season"].lower()], direction), "season"


def _relative_month(match: re.Match[str], said: Said) -> Resolved:
    month = calendar.MONTHS[match["month"].lower()]
    which = _which(match) if match.groupdict().get("which") else ""
    direction = _DIRECTION[which] if which else (1 if said.future and month != said.day.month else 0)
    return calendar.month_near(said.day, month, direction), "month"


def _ago(match: re.Match[str], said: Said) -> Resolved:
    return _moved(match, said.day, -1)


def _ahead(match: re.Match[str], said: Said) -> Resolved:
    return _moved(match, said.day, 1)


def _moved(match: re.Match[str], day: date, sign: int) -> Resolved:
    precision = calendar.UNITS[match["unit"].lower()]
    count = calendar.number(match["count"].lower())
    return (calendar.shift(day, precision, sign * count), precision) if count <= MOST_UNITS else None


def _month_of_year(match: re.Match[str], said: Said) -> Resolved:
    return date(int(match["year"]), calendar.MONTHS[match["month"].lower()], 1), "month"


def _year(match: re.Match[str], said: Said) -> Resolved:
    return date(int(match["year"]), 1, 1), "year"


def _foreign(match: re.Match[str], said: Said) -> Resolved:
    phrase = " ".join(match["foreign"].lower().split())
    unit, count = _FOREIGN[phrase]
    return calendar.shift(said.day, unit, count), unit


def _absolute(match: re.Match[str], said: Said) -> Resolved:
    import dateparser

    if _YEARLY.search(match.string) and not _HAS_YEAR.search(match["date"]):
        return None
    settings = {
        "RELATIVE_BASE": datetime.combine(said.day, time()),
        "PREFER_DATES_FROM": "future" if said.future else "past",
    }
    parsed = dateparser.parse(match["date"], languages=["en"], settings=settings)
    if not parsed:
        return None
    return (parsed.date() if _HAS_YEAR.search(match["date"]) else _nearer(parsed.date(), said.day)), "day"


def _nearer(day: date, said: date) -> date:
    """Return the day a year on where that is soon: nobody says "25 October" on the 21st and means last year's."""
    try:
        on = day.replace(year=day.year + 1)
    except ValueError:  # 29 February
        return day
    return on if day < said and on - said <= SOON else day


def _which(match: re.Match[str]) -> str:
    return " ".join(match["which"].lower().split())


_DAYS = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "earlier today": 0,
    "just now": 0,
    "yesterday": -1,
    "last night": -1,
    "yesterday morning": -1,
    "yesterday evening": -1,
    "the day before yesterday": -2,
    "tomorrow": 1,
    "tomorrow night": 1,
    "tomorrow morning": 1,
    "the day after tomorrow": 2,
}
_FOREIGN_PHRASES: tuple[tuple[Precision, int, str], ...] = (
    ("day", 0, "hoy|heute|aujourd'hui|hoje"),
    ("day", -1, "ayer|gestern|hier|ontem"),
    ("day", 1, "mañana|morgen|demain|amanhã"),
    ("week", -1, "la semana pasada|letzte woche|la semaine dernière|semana passada|na semana passada"),
    ("month", -1, "el mes pasado|letzten monat|le mois dernier|mês passado|no mês passado"),
    ("year", -1, "el año pasado|letztes jahr|l'année dernière|l'an dernier|ano passado|no ano passado"),
    ("year", 1, "el año que viene|nächstes jahr|l'année prochaine|ano que vem"),
)
_FOREIGN = {phrase: (unit, count) for unit, count, phrases in _FOREIGN_PHRASES for phrase in phrases.split("|")}


def _words(words: Iterable[str]) -> str:
    return "|".join(sorted((re.escape(word).replace(r"\ ", r"\s+") for word in words), key=len, reverse=True))


_WHICH = r"(?P<which>this\s+past|this\s+coming|last|past|this|next)"
_MONTH = rf"(?P<month>{_words(calendar.MONTHS)})"
_COUNT = rf"(?:an?\s+(?=couple))?(?P<count>\d{{1,3}}|{_words(calendar.NUMBERS)})(?:\s+of)?"
_UNIT = rf"(?P<unit>{_words(calendar.UNITS)})"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_PREP = (
    r"(?:\b(?:back\s+)?(?P<prep>in|on|during|since|until|till|from|by|before|after|over|en|em|im|seit"
    r"|depuis|desde)\s+(?:the\s+)?(?P<part>early\s+|late\s+|mid-?\s*)?)"
)
_EN_MONTH = (
    rf"(?:{_words([name.lower() for name in calendar.MONTH_NAMES])}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_DATE = (
    rf"(?P<date>\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_EN_MONTH}\b\.?(?:,?\s+(?:19|20)\d\d)?"
    rf"|{_EN_MONTH}\.?\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?:19|20)\d\d)?"
    r"|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d)"
)
# In order: what an earlier pattern took, a later one leaves alone.
_SOURCES: tuple[tuple[str, Resolver], ...] = (
    (rf"{_PREP}?\b{_DATE}", _absolute),
    (rf"{_PREP}?\b{_MONTH},?\s+(?:of\s+|de\s+)?{_YEAR}", _month_of_year),
    (rf"{_PREP}?\b{_COUNT}\s+{_UNIT}\s+(?:ago|back)", _ago),
    (rf"\b(?:hace|vor|il\s+y\s+a|há|faz)\s+{_COUNT}\s+{_UNIT}", _ago),
    (rf"\bin\s+{_COUNT}\s+(?P<unit>days?|weeks?|months?|years?)(?:['’]?s?\s+time)?", _ahead),
    (rf"{_PREP}?\b(?P<day>{_words(_DAYS)})", _named_day),
    (rf"{_PREP}?\b{_WHICH}\s+(?P<unit>week|weekend|month|year)", _relative_unit),
    (rf"{_PREP}?\b{_WHICH}\s+(?P<weekday>{_words(calendar.WEEKDAYS)})", _relative_weekday),
    (rf"{_PREP}?\b{_WHICH}\s+(?P<season>{_words(calendar.SEASONS)})", _relative_season),
    (rf"{_PREP}?\b{_WHICH}\s+(?P<month>{_EN_MONTH})", _relative_month),
    (rf"\b(?P<prep>in|since|until|by)\s+(?P<part>early\s+|late\s+|mid-?\s*)?(?P<month>{_EN_MONTH})", _relative_month),
    (rf"{_PREP}\b{_YEAR}(?!\s*(?:%|[a-z]*\s?(?:people|members|calories|dollars|euros|steps|points)))", _year),
    (rf"\b(?P<foreign>{_words(_FOREIGN)})", _foreign),
)
PHRASES = tuple((re.compile(source + r"(?!\w)", re.IGNORECASE), resolver) for source, resolver in _SOURCES)
_YEARLY = re.compile(r"\b(?:birthday|bday|b-day|anniversary|every year|name day)\b", re.IGNORECASE)
_HAS_YEAR = re.compile(r"(?:19|20)\d\d")
ANY = re.compile(
    r"\d{4}|\d[./ ]|\b(?:last|past|this|next|ago|back|in|since|until|by|hace|vor|il y a|há|faz)\b"
    rf"|\b(?:{_words(_DAYS)}|{_words(_FOREIGN)}|{_EN_MONTH})\b",
    re.IGNORECASE,
)
