"""A guild's settings as the JSON API takes and shows them: every field of the settings page, named as in the table."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal, cast

from django.db import models
from pydantic import BaseModel, Field, create_model

from memory.curation import guild_settings
from memoryhub.community.models import Guild
from memoryhub.community.options import MOST_IDS
from notes.messages.schemas import PlatformId, Strict, Text

LARGEST = 2**63 - 1  # what a column holds
COLUMNS = {column.name: column for column in Guild._meta.fields if column.name in guild_settings.NAMES}


def _type(column: models.Field[Any, Any]) -> Any:
    """Return what the column holds, for pydantic; its own validators are asked when it is saved."""
    if column.choices:
        return Literal[tuple(value for value, _ in cast("list[tuple[str, str]]", column.choices))]
    plain: dict[type[models.Field[Any, Any]], Any] = {
        models.BooleanField: bool,
        models.JSONField: Annotated[list[PlatformId], Field(max_length=MOST_IDS)],
        models.DecimalField: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)],
        models.IntegerField: Annotated[int, Field(ge=0, le=LARGEST)],
        models.CharField: Annotated[str, Text, Field(max_length=column.max_length)],
    }
    found = next(kind for base, kind in plain.items() if isinstance(column, base))
    return found | None if column.null else found


def _fields(**more: Any) -> dict[str, Any]:
    return {name: (_type(each), Field(description=str(each.help_text), **more)) for name, each in COLUMNS.items()}


GuildSettings: type[BaseModel] = create_model("GuildSettings", __doc__="All settings of a guild.", **_fields())
SettingsPatch: type[BaseModel] = create_model(
    "SettingsPatch", __base__=Strict, __doc__="The settings to change; the others stay.",
    **_fields(default_factory=lambda: None),
)  # fmt: skip


def shown(guild: Guild) -> dict[str, Any]:
    """Return the settings as they stand."""
    values = {name: getattr(guild, name) for name in COLUMNS}
    return {name: float(value) if isinstance(value, Decimal) else value for name, value in values.items()}


def given(body: BaseModel) -> dict[str, Any]:
    """Return what is to be set, as the table has it."""
    sent = body.model_dump(exclude_unset=True)
    return {name: Decimal(str(value)) if isinstance(value, float) else value for name, value in sent.items()}
