"""What an operator may enter in a guild's settings: a time zone that is one, a model, a list of platform ids."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.core.exceptions import ValidationError

LONGEST_ID = 200  # characters
MOST_IDS = 1000


def a_time_zone(value: str) -> None:
    """Refuse what no clock knows; raises ValidationError."""
    if value not in available_timezones():
        raise ValidationError(f"{value!r} is no time zone. Write one such as Europe/Berlin or America/Toronto.")


def a_model(value: str) -> None:
    """Refuse what names no model that can be asked; raises ValidationError."""
    from memoryhub.ai import ModelFailed, model_choice

    try:
        model_choice.parse(value, name="The model")
    except ModelFailed as failure:
        raise ValidationError(str(failure)) from None


def platform_ids(value: object) -> None:
    """Refuse what is no list of ids as the platform writes them; raises ValidationError."""
    items = value if isinstance(value, list) else [None]
    if not all(isinstance(item, str) and 0 < len(item) <= LONGEST_ID for item in items):
        raise ValidationError('Write a list of ids, as text, as the platform has them: ["123", "456"].')
    if len(items) > MOST_IDS:
        raise ValidationError(f"At most {MOST_IDS:,} ids fit in the list.")
