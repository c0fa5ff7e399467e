"""Reads the environment: `.env`, `NAME`, or the file that `NAME_FILE` points to."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured
from dotenv import load_dotenv

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def load(path: Path) -> None:
    """Take what `.env` names and the environment does not."""
    load_dotenv(path, override=False)


def text(name: str, default: str = "") -> str:
    """Return the value, stripped; a secret's file wins over the plain variable."""
    file = os.environ.get(f"{name}_FILE", "")
    if not file:
        return os.environ.get(name, default).strip() or default
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE points to {file}, which cannot be read: {error.strerror}.") from error


def flag(name: str, *, default: bool = False) -> bool:
    """Return a yes or no; anything else is refused."""
    value = text(name, "on" if default else "off").lower()
    if value not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} is {value!r}; write on or off.")
    return value in TRUE


def words(name: str, default: str = "") -> list[str]:
    """Return a comma-separated list."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def shares(name: str, known: Collection[str]) -> dict[str, float]:
    """Return `name=number` pairs, comma-separated, each name one of those known and each number from 0 to 1."""
    found = {}
    for pair in words(name):
        key, _, value = pair.partition("=")
        try:
            found[key.strip()] = share = float(value)
        except ValueError:
            share = -1.0
        if key.strip() not in known or not 0 <= share <= 1:
            hint = f"write pairs such as {next(iter(known))}=0.5, with numbers from 0 to 1"
            raise ImproperlyConfigured(f"{name} holds {pair!r}; {hint}; known are {', '.join(known)}.")
    return found


def one_of(name: str, default: str, known: Collection[str]) -> str:
    """Return one of the known words, in capitals as they are; anything else is refused."""
    value = text(name, default)
    if value.upper() not in known:
        raise ImproperlyConfigured(f"{name} is {value!r}; write one of {', '.join(known)}.")
    return value.upper()


def zone(name: str, default: str) -> str:
    """Return the name of a time zone; anything else is refused."""
    value = text(name, default)
    try:
        return ZoneInfo(value).key
    except (LookupError, ValueError, OSError):
        raise ImproperlyConfigured(f"{name} is {value!r}; write a time zone such as Europe/Berlin.") from None


def number(name: str, default: int, *, least: int, most: int) -> int:
    """Return a whole number between two bounds; anything else is refused."""
    value = text(name, str(default))
    if not value.isdecimal() or not least <= int(value) <= most:
        raise ImproperlyConfigured(f"{name} is {value!r}; write a whole number from {least} to {most}.")
    return int(value)
