"""Names of months, seasons, weekdays, units and small numbers in five languages, and the arithmetic on them."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal

Precision = Literal["day", "week", "weekend", "month", "season", "year"]

_MONTHS = (
    "january jan enero januar janvier janeiro",
    "february feb febrero februar février fevereiro",
    "march mar marzo märz mars março",
    "april apr abril avril",
    "may mayo mai maio",
    "june jun junio juni juin junho",
    "july jul julio juli juillet julho",
    "august aug agosto août",
    "september sept sep septiembre septembre setembro",
    "october oct octubre oktober octobre outubro",
    "november nov noviembre novembre novembro",
    "december dec diciembre dezember décembre dezembro",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
MONTH_NAMES = tuple(names.split()[0].capitalize() for names in _MONTHS)
_WEEKDAYS = (
    "monday lunes montag lundi segunda-feira",
    "tuesday martes dienstag mardi terça-feira",
    "wednesday miércoles mittwoch mercredi quarta-feira",
    "thursday jueves donnerstag jeudi quinta-feira",
    "friday viernes freitag vendredi sexta-feira",
    "saturday sábado samstag sonnabend samedi",
    "sunday domingo sonntag dimanche",
)
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}  # first month, northern half of the world
_UNITS: tuple[tuple[Precision, str], ...] = (
    ("day", "day days día días dia dias tag tage tagen jour jours"),
    ("week", "week weeks weekend semana semanas woche wochen semaine semaines"),
    ("month", "month months mes meses mês monat monate monaten mois"),
    ("year", "year years yr yrs año años ano anos jahr jahre jahren an ans année années"),
)
UNITS = {name: unit for unit, names in _UNITS for name in names.split()}
_NUMBERS = (
    "a an one un una uno ein eine einem einer um uma une",
    "two dos zwei deux dois duas couple",
    "three tres drei trois três",
    "four cuatro vier quatre quatro",
    "five cinco fünf cinq",
    "six seis sechs",
    "seven siete sieben sept sete",
    "eight ocho acht huit oito",
    "nine nueve neun neuf nove",
    "ten diez zehn dix dez",
    "eleven once elf onze",
    "twelve doce zwölf douze doze",
)
NUMBERS = {name: number for number, names in enumerate(_NUMBERS, start=1) for name in names.split()}


def number(word: str) -> int:
    """Return the number that a word or digits stand for."""
    return int(word) if word.isdigit() else NUMBERS[word]


def shift(day: date, unit: Precision, count: int) -> date:
    """Return the first day of the unit that lies `count` units after the one `day` is in; for days, the day itself."""
    if unit == "day":
        return day + timedelta(days=count)
    if unit in {"week", "weekend"}:
        return day - timedelta(days=day.weekday()) + timedelta(weeks=count)
    if unit == "month":
        months = day.year * 12 + day.month - 1 + count
        return date(months // 12, months % 12 + 1, 1)
    return date(day.year + count, 1, 1)


def month_near(day: date, month: int, direction: int) -> date:
    """Return the first day of the nearest such month: present or past (0), before this month (-1), after it (1)."""
    year = day.year
    if direction > 0:
        year += month <= day.month
    else:
        year -= month > day.month or (direction < 0 and month == day.month)
    return date(year, month, 1)


def season_near(day: date, first_month: int, direction: int) -> date:
    """Return the first day of the season: the last that is over (-1), the last begun (0), the next to begin (1)."""
    begun = date(day.year, first_month, 1)
    if begun > day:
        begun = date(day.year - 1, first_month, 1)
    over = shift(begun, "month", 3) <= day
    years = 1 if direction > 0 else (-1 if direction < 0 and not over else 0)
    return date(begun.year + years, first_month, 1)
