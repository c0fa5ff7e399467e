"""Date phrases of chat ("last spring", "vor drei Jahren", "3 May") as dates, by the time of the message."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from memoryhub.language import calendar
from memoryhub.language.calendar import Precision

_DIRECTION = {"last": -1, "past": -1, "this past": -1, "this": 0, "next": 1, "this coming": 1}
_KEPT = {"since", "until", "till", "from", "by", "before", "after"}
_DEFAULT_PREPOSITION: dict[Precision, str] = {
    "day": "on",
    "weekend": "on",
    "week": "in",
    "month": "in",
    "season": "in",
    "year": "in",
}


@dataclass(frozen=True)
class When:
    """A date phrase found at text[begin:end]: the first day it names and how exact it is; `preposition` as it reads before the date."""

    begin: int
    end: int
    phrase: str
    start: date
    precision: Precision
    preposition: str
    season: str = ""

    @property
    def written(self) -> str:
        """The phrase as an absolute date: "in spring 2025", "on 22 February 2026", "since 2019"."""
        return f"{self.preposition} {self._date()}"

    def _date(self) -> str:
        day = f"{self.start.day} {calendar.MONTH_NAMES[self.start.month - 1]} {self.start.year}"
        if self.precision == "season":
            years = (
                f"{self.start.year}/{(self.start.year + 1) % 100:02}"
                if self.season == "winter"
                else str(self.start.year)
            )
            return f"{self.season} {years}"
        return {
            "day": day,
            "week": f"the week of {day}",
            "weekend": f"the weekend of {day}",
            "month": f"{calendar.MONTH_NAMES[self.start.month - 1]} {self.start.year}",
            "year": str(self.start.year),
        }[self.precision]


Resolved = tuple[date, Precision] | None
Resolver = Callable[[re.Match[str], date, bool], Resolved]


def find(text: str, *, said_at: datetime) -> list[When]:
    """Return the date phrases of `text` that can be resolved, in order; those without a year lean to the past unless it tells of the future."""
    if not _ANY.search(text):
        return []
    future = bool(_FUTURE.search(text))
    found: list[When] = []
    for match, resolve_one in _matches(text):
        resolved = resolve_one(match, said_at.date(), future)
        if resolved and not any(match.start() < other.end and other.begin < match.end() for other in found):
            found.append(_when(match, *resolved))
    return sorted(found, key=lambda when: when.begin)


def resolve(phrase: str, *, said_at: datetime) -> date | None:
    """Return the first day that `phrase` names, None when it names none."""
    found = find(phrase, said_at=said_at)
    return found[0].start if found else None


def rewrite(text: str, *, said_at: datetime) -> str:
    """Return `text` with its relative date phrases written as dates: "moved last spring" becomes "moved in spring 2025"."""
    for when in reversed(find(text, said_at=said_at)):
        text = text[: when.begin] + when.written + text[when.end :]
    return text


def _matches(text: str) -> Iterator[tuple[re.Match[str], Resolver]]:
    for pattern, resolver in _PATTERNS:
        for match in pattern.finditer(text):
            yield match, resolver


def _when(match: re.Match[str], start: date, precision: Precision) -> When:
    groups = match.groupdict()
    said = (groups.get("prep") or "").lower()
    season = (groups.get("season") or "").lower().replace("fall", "autumn")
    preposition = said if said in _KEPT else _DEFAULT_PREPOSITION[precision]
    preposition = f"{preposition} {(groups.get('part') or '').strip().lower()}".strip()
    return When(match.start(), match.end(), match.group(), start, precision, preposition, season)


def _named_day(match: re.Match[str], said: date, future: bool) -> Resolved:
    return said + timedelta(days=_DAYS[" ".join(match["day"].lower().split())]), "day"


def _relative_unit(match: re.Match[str], said: date, future: bool) -> Resolved:
    word = match["unit"].lower()
    precision: Precision = "weekend" if word == "weekend" else calendar.UNITS[word]
    start = calendar.shift(said, precision, _DIRECTION[_which(match)])
    return (start + timedelta(days=5) if word == "weekend" else start), precision


def _relative_weekday(match: re.Match[str], said: date, future: bool) -> Resolved:
    ahead = (calendar.WEEKDAYS[match["weekday"].lower()] - said.weekday()) % 7
    direction = _DIRECTION[_which(match)]
    days = ahead - 7 if direction < 0 else (ahead or 7) if direction > 0 else ahead
    return said + timedelta(days=days), "day"


def _relative_season(match: re.Match[str], said: date, future: bool) -> Resolved:
    direction = _DIRECTION[_which(match)] or (1 if future else 0)
    return calendar.season_near(said, calendar.SEASONS[match["season"].lower()], direction), "season"


def _relative_month(match: re.Match[str], said: date, future: bool) -> Resolved:
    month = calendar.MONTHS[match["month"].lower()]
    which = _which(match) if match.groupdict().get("which") else ""
    direction = _DIRECTION[which] if which else (1 if future and month != said.month else 0)
    return calendar.month_near(said, month, direction), "month"


def _ago(match: re.Match[str], said: date, future: bool) -> Resolved:
    return _moved(match, said, -1)


def _ahead(match: re.Match[str], said: date, future: bool) -> Resolved:
    return _moved(match, said, 1)


def _moved(match: re.Match[str], said: date, sign: int) -> Resolved:
    precision = calendar.UNITS[match["unit"].lower()]
    count = calendar.number(match["count"].lower())
    if count > 150:
        return None
    return calendar.shift(said, precision, sign * count), precision


def _month_of_year(match: re.Match[str], said: date, future: bool) -> Resolved:
    return date(int(match["year"]), calendar.MONTHS[match["month"].lower()], 1), "month"


def _year(match: re.Match[str], said: date, future: bool) -> Resolved:
    return date(int(match["year"]), 1, 1), "year"


def _foreign(match: re.Match[str], said: date, future: bool) -> Resolved:
    phrase = " ".join(match["foreign"].lower().split())
    unit, count = _FOREIGN[phrase]
    return calendar.shift(said, unit, count), unit


def _absolute(match: re.Match[str], said: date, future: bool) -> Resolved:
    import dateparser

    parsed = dateparser.parse(
        match["date"],
        languages=["en"],
        settings={
            "RELATIVE_BASE": datetime(said.year, said.month, said.day),
            "PREFER_DATES_FROM": "future" if future else "past",
            "STRICT_PARSING": False,
        },
    )
    return (parsed.date(), "day") if parsed else None


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
_FOREIGN: dict[str, tuple[Precision, int]] = {
    phrase: (unit, count)
    for unit, count, phrases in (
        ("day", 0, "hoy|heute|aujourd'hui|hoje"),
        ("day", -1, "ayer|gestern|hier|ontem"),
        ("day", 1, "mañana|morgen|demain|amanhã"),
        ("week", -1, "la semana pasada|letzte woche|la semaine dernière|semana passada|na semana passada"),
        ("month", -1, "el mes pasado|letzten monat|le mois dernier|mês passado|no mês passado"),
        ("year", -1, "el año pasado|letztes jahr|l'année dernière|l'an dernier|ano passado|no ano passado"),
        ("year", 1, "el año que viene|nächstes jahr|l'année prochaine|ano que vem"),
    )
    for phrase in phrases.split("|")
}


def _words(words: object) -> str:
    return "|".join(sorted((re.escape(word).replace(r"\ ", r"\s+") for word in words), key=len, reverse=True))  # type: ignore[attr-defined]


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
_PATTERNS = tuple((re.compile(source + r"(?!\w)", re.IGNORECASE), resolver) for source, resolver in _SOURCES)
_FUTURE = re.compile(
    r"\b(?:will|won't|gonna|going to|plan(?:s|ning)? (?:to|on)|hop(?:e|ing) to|looking forward|next"
    r"|upcoming|soon)\b|'ll\b",
    re.IGNORECASE,
)
_ANY = re.compile(
    r"\d{4}|\d[./ ]|\b(?:last|past|this|next|ago|back|in|since|until|by|hace|vor|il y a|há|faz)\b"
    rf"|\b(?:{_words(_DAYS)}|{_words(_FOREIGN)}|{_EN_MONTH})\b",
    re.IGNORECASE,
)
