"""Writes memory as XML (the block of seeds 001 and 004), Markdown or JSON; chat can't break out of any of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from memory.context import render_user_memory
from memory.context.items import Item, Parts, Told
from memory.context.xml_lines import in_xml, render_line, render_note
from memory.facts.notice import NOTICE
from memoryhub.language.clip import one_line
from profiles.revision.schemas import LIMITS

FACTS = "facts"
SECTIONS = ("summary", *map(str, LIMITS), FACTS)
CLOCK = "%Y-%m-%d %H:%M"
CUT = "Some of it did not fit and was left out."
_MARKS = re.compile(r"([\\`*_\[\]<>#|~!-])")

Line = Callable[[Item], str]


def line(part: str, item: Item, *, form: str) -> str:
    """Return one item as it will stand in the text, to know what it costs."""
    return LINES[form](part, item)


def render(told: Told, *, form: str) -> str:
    """Return what is remembered in one of the forms; the empty string where there is nothing to say."""
    return WHOLE[form](told) if any(told.parts.values()) else ""


# --- XML ---------------------------------------------------------------------------------------------------------


def _xml(told: Told) -> str:
    parts = told.parts
    inside = [
        *_users(parts, _xml_user),
        *_xml_block("general", [_xml_line("facts", item) for item in parts.get(FACTS, []) if not item.about]),
        *_xml_block(
            "channel", [_xml_line(name, item) for name in ("channel", "rolling") for item in parts.get(name, [])]
        ),
        *(block for name in ("relationships", "notes", "messages", "transcript") for block in _xml_part(parts, name)),
    ]
    # Beside the block: inside it stands what seed 001 has there, and nothing else.
    return "\n".join(["<background_facts>", *inside, "</background_facts>", f"<!-- {_notice(told)} -->"])


def _xml_part(parts: Parts, name: str) -> list[str]:
    return _xml_block(name, [_xml_line(name, item) for item in _days_once(name, parts.get(name, []))])


def _xml_block(tag: str, lines: Sequence[str]) -> list[str]:
    return [f"<{tag}>", *lines, f"</{tag}>"] if lines else []


def _xml_user(name: str, sections: Sequence[tuple[str, list[Item]]]) -> str:
    blocks = [
        "\n".join([f"{title.capitalize()}:", *(_xml_line(title, item) for item in items)]) for title, items in sections
    ]
    quoted = in_xml(name).replace('"', "&quot;")
    return f'<user name="{quoted}">\n' + "\n\n".join(blocks) + "\n</user>"


def _xml_line(part: str, item: Item) -> str:
    if part == "notes":
        return render_note(item.section, item.text, day=_day(item.at))
    if item.cited:
        return render_line(item.text, item.cited)
    return f"- {in_xml(_said(part, item))}"


# --- Markdown ----------------------------------------------------------------------------------------------------

TITLES = {
    "channel": "This channel", "rolling": "Lately here", "relationships": "Who knows whom", "notes": "Earlier",
    "messages": "Messages that may matter", "transcript": "The conversation so far",
}  # fmt: skip


def _markdown(told: Told) -> str:
    parts = told.parts
    general = [item for item in parts.get(FACTS, []) if not item.about]
    blocks = [
        f"# Memory\n\n{_notice(told)}",
        *_users(parts, _markdown_user),
        *_markdown_block("General", FACTS, general),
        *(block for name, title in TITLES.items() for block in _markdown_block(title, name, parts.get(name, []))),
    ]
    return "\n\n".join(blocks)


def _markdown_user(name: str, sections: Sequence[tuple[str, list[Item]]]) -> str:
    lines = [_markdown_line(title, item) for title, items in sections for item in items]
    return "\n".join([f"## {_safe_markdown(name)}", "", *lines])


def _markdown_block(title: str, part: str, items: Iterable[Item]) -> list[str]:
    lines = [_markdown_line(part, item) for item in _days_once(part, items)]
    return ["\n".join([f"## {title}", "", *lines])] if lines else []


def _markdown_line(part: str, item: Item) -> str:
    if part == "notes":
        return f"- {_day(item.at)} **{_safe_markdown(item.section)}**: {_safe_markdown(item.text)}"
    cited = "".join(f" ({_safe_markdown(title)}, {day})" for title, day in item.cited[:2])
    return f"- {_safe_markdown(_said(part, item))}{cited}"


def _safe_markdown(text: str) -> str:
    return _MARKS.sub(r"\\\1", one_line(text))


# --- JSON --------------------------------------------------------------------------------------------------------


def _json(told: Told) -> str:
    found = {name: [_plain(item) for item in items] for name, items in told.parts.items() if items}
    return json.dumps({"notice": _notice(told), **found}, ensure_ascii=False)


def _plain(item: Item) -> dict[str, Any]:
    when = item.at.isoformat() if item.at else None
    cited = [f"{title}, {day}" for title, day in item.cited]
    plain = {"about": item.about, "section": item.section, "text": item.text, "at": when, "sources": cited}
    return {name: value for name, value in plain.items() if value}


# --- What they share ---------------------------------------------------------------------------------------------


def _notice(told: Told) -> str:
    return f"{NOTICE} {CUT}" if told.cut else NOTICE


def _users(parts: Parts, block: Callable[[str, Sequence[tuple[str, list[Item]]]], str]) -> Iterator[str]:
    """Yield one block for each member: the sections of the profile in their order, each once, then the facts."""
    lines = [(item.about, item.section, item) for item in parts.get("profiles", [])]
    lines += [(item.about, FACTS, item) for item in parts.get(FACTS, []) if item.about]
    for name in dict.fromkeys(name for name, _, _ in lines):
        own: dict[str, list[Item]] = {section: [] for section in SECTIONS}
        for whose, section, item in lines:
            if whose == name:
                own[section].append(item)
        yield block(name, [(section, items) for section, items in own.items() if items])


def _days_once(part: str, items: Iterable[Item]) -> list[Item]:
    """Return messages that stand below another one of their day without it: said once, it is true of all of them."""
    told, day = [], None
    for item in items:
        said = item.at and _day(item.at)
        told.append(replace(item, at=None) if part == "messages" and said == day else item)
        day = said
    return told


def _said(part: str, item: Item) -> str:
    """Return the words of a line, with the day or minute where that matters, and the speaker of a message."""
    if part in {"messages", "transcript"}:
        at = f"[{item.at:{CLOCK if part == 'transcript' else '%Y-%m-%d'}}] " if item.at else ""
        return f"{at}{item.about or item.role}: {item.text}"
    return f"[{_day(item.at)}] {item.text}" if part == FACTS and item.at else item.text


def _day(at: datetime | date | None) -> date:
    return at.date() if isinstance(at, datetime) else at or date.min


LINES: dict[str, Callable[[str, Item], str]] = {
    "xml": _xml_line,
    "markdown": _markdown_line,
    "json": lambda _part, item: json.dumps(_plain(item), ensure_ascii=False),
    "user_memory": render_user_memory.line,
}
WHOLE: dict[str, Callable[[Told], str]] = {
    "xml": _xml,
    "markdown": _markdown,
    "json": _json,
    "user_memory": render_user_memory.render,
}
