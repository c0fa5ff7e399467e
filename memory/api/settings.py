"""JSON routes: a guild's settings, the switch of a channel, and the accounts that the operator blocks."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal, Self, cast

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from ninja import Router
from pydantic import BaseModel, Field, create_model, model_validator

from memory import pipeline
from memory.curation import guild_settings
from memory.curation.channel_switch import switch_channels
from memoryhub.common.api_scope import Call, PathId, channel_of
from memoryhub.common.schemas import ChannelOut, RowOut
from memoryhub.community.models import Guild, Member
from memoryhub.community.options import MOST_IDS
from notes.api.channels import ONE_CHANNEL
from notes.api.channels import router as channels_router
from notes.messages.schemas import PlatformId, Strict, Text, Whole

router = Router(tags=["settings"])
LARGEST = 2**63 - 1  # what a column holds
COLUMNS = {column.name: column for column in Guild._meta.fields if column.name in guild_settings.NAMES}
BLOCKED = "/guilds/{key}/members/{path:member_id}/blocked"


def _type(column: models.Field[Any, Any]) -> Any:
    """Return what the column holds, for pydantic; its own validators are asked when it is saved."""
    if column.choices:
        return Literal[tuple(value for value, _ in cast("list[tuple[str, str]]", column.choices))]
    least = max((each.limit_value for each in column.validators if isinstance(each, MinValueValidator)), default=0)
    most = min((each.limit_value for each in column.validators if isinstance(each, MaxValueValidator)), default=LARGEST)
    plain: dict[type[models.Field[Any, Any]], Any] = {
        models.BooleanField: bool,
        models.JSONField: Annotated[list[PlatformId], Field(max_length=MOST_IDS)],
        models.DecimalField: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)],
        models.IntegerField: Annotated[int, Field(ge=least, le=most), Whole],
        models.CharField: Annotated[str, Text, Field(max_length=column.max_length)],
    }
    found = next(kind for base, kind in plain.items() if isinstance(column, base))
    return found | None if column.null else found


def _fields(**more: Any) -> dict[str, Any]:
    return {name: (_type(each), Field(description=str(each.help_text), **more)) for name, each in COLUMNS.items()}


GuildSettings: type[BaseModel] = create_model(
    "GuildSettings", __base__=RowOut, __doc__="All settings of a guild.", **_fields()
)
SettingsPatch: type[BaseModel] = create_model(
    "SettingsPatch", __base__=Strict, __doc__="The settings to change; the others stay.",
    **_fields(default_factory=lambda: None),
)  # fmt: skip


class ChannelSwitch(Strict):
    """Whether what is said in a channel is stored and recalled."""

    memory_on: bool


class Blocked(Strict):
    """Whether an account is blocked."""

    blocked: bool


class BlockIn(Blocked):
    """Whether to block an account, and whether what it said before goes, too."""

    forget: bool = Field(
        default=False,
        description="of a spammer or impersonator: its messages lose their text, and what rests on them alone goes",
    )

    @model_validator(mode="after")
    def _only_of_blocked(self) -> Self:
        if self.forget and not self.blocked:
            raise ValueError("Only a blocked account can be forgotten: send blocked as true.")
        return self


@router.get("/guilds/{key}/settings", response=GuildSettings)
def show_settings(request: Call, key: str) -> Guild:
    """Show what is remembered here, when and by whom, how long and at what cost."""
    return request.auth.guild(key)


@router.patch("/guilds/{key}/settings", response=GuildSettings)
def change_settings(request: Call, key: str, body: SettingsPatch) -> Guild:  # type: ignore[valid-type]
    """Change some of them; in force at once, and written down by name. Needs scope admin."""
    guild, sent = request.auth.guild(key), cast("BaseModel", body).model_dump(exclude_unset=True)
    values = {name: Decimal(str(value)) if isinstance(value, float) else value for name, value in sent.items()}
    guild_settings.change_by_api(guild, values, actor=request.auth.actor, now=timezone.now())
    guild.refresh_from_db()
    return guild


# On the router of the channels, since one address answers to one router.
@channels_router.patch(ONE_CHANNEL, response=ChannelOut)
def switch_channel(request: Call, key: str, channel_id: PathId, body: ChannelSwitch) -> ChannelOut:
    """Switch a channel's memory off or on; what is stored stays. Needs scope admin."""
    guild = request.auth.guild(key)
    channel, now = channel_of(guild, channel_id), timezone.now()
    switch_channels(guild, [channel], on=body.memory_on, actor=request.auth.actor, now=now)
    return ChannelOut.of(channel)


@router.put(
    "/guilds/{key}/members/{path:member_id}/blocked", response=Blocked, tags=["channels, relationships, consent"]
)
def block_member(request: Call, key: str, member_id: PathId, body: BlockIn) -> Blocked:
    """Stop storing messages of this account, or store them again; it need not have spoken. Needs scope admin.

    With `forget`, which only a block can have, what it said before is forgotten; what others said stays.
    """
    guild, actor = request.auth.guild(key), request.auth.actor
    guild_settings.block(guild, platform_id=member_id, blocked=body.blocked, actor=actor, now=timezone.now())
    known = Member.objects.of(guild).filter(platform_id=member_id).first() if body.forget else None
    if known:
        pipeline.forget_said(known, actor=actor, now=timezone.now())
    return Blocked(blocked=body.blocked)
