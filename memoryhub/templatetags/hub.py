"""Tags of the pages: icons, times, shares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from memoryhub.common.address import MOMENT
from memoryhub.common.text_direction import TURNING, direction_of
from memoryhub.common.undo import offered
from memoryhub.community.labels import look

register = template.Library()
RECENT_DAYS = 7
A_MINUTE = timedelta(minutes=1)
MOST_OF_A_NAME = 40  # characters
UNSEEN = "(nothing to see)"
INTERACTION = {"weak": "low", "emerging": "medium", "moderate": "high", "likely close": "very high"}
"""How much two members have to do with each other, as it is counted: how close they are it does not say."""


@register.simple_tag
def icon(name: str) -> SafeString:
    """Draw an icon of the sprite; it only decorates, words stand beside it."""
    sprite = static("icons.svg")
    return format_html('<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>', sprite, name)


@register.filter
def when(moment: datetime | None) -> SafeString | str:
    """Say a time as people do, with the exact one on hover; the page's script turns that into the reader's zone."""
    if moment is None:
        return ""
    age = timezone.now() - moment
    if age.total_seconds() < 0 or age.days >= RECENT_DAYS:
        return _time(moment, f"{moment.astimezone(UTC):%-d %B %Y}", "day")
    return _time(moment, f"{timesince(moment, depth=1)} ago" if age.total_seconds() >= 60 else "just now", "ago")


@register.filter
def clock(moment: datetime) -> SafeString:
    """Say the day and the minute, for lines that stand close together."""
    return _time(moment, f"{moment.astimezone(UTC):%-d %b, %H:%M}", "clock")


def _time(moment: datetime, words: str, form: str) -> SafeString:
    """Write the element; `form` tells the script which words to put in the reader's zone."""
    utc = moment.astimezone(UTC)
    exact = f"{utc:%Y-%m-%d %H:%M} UTC"
    return format_html(
        '<time datetime="{}" title="{}" data-said="{}">{}</time>', utc.isoformat(), exact, form, words
    )  # fmt: skip


WORDS: dict[str, Callable[..., object]] = {
    "is_past": lambda moment: moment <= timezone.now(),
    "initial": lambda name: next((sign.upper() for sign in str(name) if sign.isalnum()), "?"),  # in a round badge
    "hue": lambda row_id: row_id % 6,  # which of the badge colours a row gets: always the same one
    "thousands": lambda count: f"{count:,}",
    "spaced": lambda name: name.replace("_", " ").capitalize(),  # the name of a kind as words
    "undoable": lambda tags: (tags or "").split("-")[1:] if (tags or "").startswith("undo-") else [],
    "sent": lambda moment: f"{moment.astimezone(UTC):{MOMENT}}",  # by a form, as `address.moment` reads it
    "lasting": lambda seconds: f"{seconds} s" if seconds < 100 else f"{round(seconds / 60)} minutes",
    "undo_form": offered,
    "soon": lambda moment, now: (
        f"in {timesince(now, moment)}" if moment - now >= A_MINUTE else "within a minute" if moment > now else "due"
    ),
    "undoable_line": lambda tags: (tags or "").split("-")[1:] if (tags or "").startswith("line-") else [],
    "interaction": lambda label: INTERACTION.get(label, label),
    "among": lambda name, names: name in names.split(),
}
for _name, _filter in WORDS.items():
    register.filter(_name, _filter)


@register.filter
def named(row: object) -> SafeString | str:
    """Write a name, cut if it is very long, with the whole of it on hover."""
    name = _seen(shown(str(row)))
    if len(name) <= MOST_OF_A_NAME:
        return name
    return format_html('<span title="{}">{}…</span>', name, name[:MOST_OF_A_NAME].rstrip())


@register.filter
def share(value: float) -> str:
    """Say a number from 0 to 1 in percent; what is little is not called nothing."""
    return "under 1 %" if 0 < value < 0.005 else f"{value * 100:.0f} %"


@register.filter
def shown(text: str) -> str:
    """Take out the signs that turn the direction of text around: a name with them reads as another one."""
    return str(text).translate(TURNING)


@register.simple_tag
def isolate(text: str, written: str | None = None) -> SafeString:
    """Set a text off from the sentence around it, in its own direction; `written` is what is shown of it."""
    return format_html(
        '<bdi dir="{}">{}</bdi>', direction_of(str(text)), _seen(shown(text) if written is None else written)
    )  # fmt: skip


def _seen(text: str) -> str:
    """Return a text, or words in place of one of which nothing would be seen: a link of it could not be clicked."""
    return UNSEEN if text and not any(map(look, text.removeprefix("#").split())) else text


@register.filter
def marked(text: str, question: str) -> SafeString:
    """Write a text with the words of a question marked in it."""
    words = sorted(set(re.findall(r"\w{3,}", question)), key=len, reverse=True)
    if not words:
        return format_html("{}", shown(text))
    parts = re.split(rf"((?<!\w)(?:{'|'.join(map(re.escape, words))}))", shown(text), flags=re.IGNORECASE)
    return format_html_join(
        "", "{}", ((format_html("<mark>{}</mark>", part) if at % 2 else part,) for at, part in enumerate(parts))
    )


@register.filter
def counts_in_pairs(detail: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return what a line of a log counts as pairs of words, counts within counts in the same row."""
    pairs: list[tuple[str, str]] = []
    for name, value in detail.items():
        if isinstance(value, Mapping):
            pairs += counts_in_pairs(value)
            continue
        said = ", ".join(str(item).replace("_", " ") for item in value) if isinstance(value, list) else str(value)
        if isinstance(value, int):
            said = f"{value:,}" if not isinstance(value, bool) else "yes" if value else "no"
        pairs.append((name.replace("_", " "), said))
    return pairs
