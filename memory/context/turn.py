"""The turn that asks for a context, and the context that it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memory.context.items import Collected, Item, LeftOut
from memory.recall.results import Source
from memoryhub.community.models import Channel, Guild, Member

Format = Literal["xml", "markdown", "json", "user_memory", "messages"]
Preset = Literal["default", "seed002", "composer"]
Role = Literal["system", "user"]
DEFAULT_TOKENS, MOST_TOKENS = 2_000, 100_000


@dataclass(frozen=True, kw_only=True)
class Turn:
    """The moment a bot asks: where, among whom, what was said, how much it can read and in which form.

    The first of `members` is the author of `text`, the others are those of the reply chain. `base` is the caller's own
    system text; `transcript`, oldest first, takes the place of the channel's. `memory_role` is where memory stands in a
    chat. `preset` may be one that chooses in its own way. For an `operator` what must not be told here is named as left
    out. `as_of` hands out what was believed then, from what had been said by then.
    """

    guild: Guild
    channel: Channel | None
    members: Sequence[Member]
    mentioned: Sequence[Member] = ()
    text: str
    max_tokens: int = DEFAULT_TOKENS
    format: Format = "xml"
    base: str = ""
    transcript: Sequence[Item] | None = None
    memory_role: Role = "system"
    preset: Preset = "default"
    operator: bool = False
    as_of: datetime | None = None
    now: datetime

    @property
    def is_remembered(self) -> bool:
        """Whether memory is on for the guild and its channel."""
        return self.guild.memory_on and (self.channel is None or self.channel.listens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part as it went in: what it takes, how many of its items did not fit, and those that did.

    `minimum` and `cap` are what it has for certain and at most, in tokens.
    """

    name: str
    priority: str
    tokens: int
    minimum: int
    cap: int
    dropped: int
    items: list[Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The text (and for a chat its messages), never more than the turn's tokens, and what it is made of.

    `notice` says that something was cut; it is empty when nothing was.
    """

    text: str
    tokens: int
    parts: list[Part]
    sources: list[Source]
    left_out: list[LeftOut] = field(default_factory=list)
    notice: str = ""
    messages: list[dict[str, str]] | None = None


COLLECTORS: dict[str, Callable[[Turn], Collected]] = {}
"""What collects the items of a preset in its own way; `memory.compatibility` fills it."""
