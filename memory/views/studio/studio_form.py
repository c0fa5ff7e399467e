"""Reads the turn that an operator made up in the context studio out of an address, so that it can be shared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast, get_args

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from memory.context.builder import DEFAULT_TOKENS, Format, Preset, Role, Turn
from memoryhub.common import address
from memoryhub.common.permissions import one_guild
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import bears, heard
from notes.messages.schemas import MAX_TEXT
from notes.models import Message

MOST_TOKENS = 32_000
MOST_BASE = 20_000  # characters
MOST_MEMBERS = 20
LOOKED_AT = 200  # messages, for an example
LISTED = 200  # channels, and members last seen, that are offered
ANSWER = 4_000  # characters of what the bot said


@dataclass(frozen=True, kw_only=True)
class StudioForm:
    """What the form says; `unknown` are names that no member of the guild has, `misread` a budget that is none."""

    guild: Guild
    channel: Channel | None
    members: list[Member]
    unknown: list[str]
    misread: str
    fields: Mapping[str, str]
    max_tokens: int
    beside: int | None

    def beside_it(self) -> StudioForm:
        """Return the form of the second setting, which is looked at beside the first."""
        return replace(
            self, max_tokens=self.beside or 0, fields={**self.fields, "preset": self.fields["preset_beside"]}
        )

    def turn(self, *, now: datetime) -> Turn:
        """Return the turn; an operator is told what stayed out for its audience."""
        return Turn(
            guild=self.guild, channel=self.channel, members=self.members, text=self.fields["text"],
            max_tokens=self.max_tokens, format=cast("Format", self.fields["format"]), base=self.fields["base"],
            memory_role=cast("Role", self.fields["role"]), preset=cast("Preset", self.fields["preset"]), operator=True,
            now=now,
        )  # fmt: skip

    @property
    def is_filled(self) -> bool:
        """Say whether there is anything to build a context for."""
        return bool(self.fields["text"] or self.members)


CHOICES: dict[str, tuple[str, ...]] = {
    "format": get_args(Format), "role": get_args(Role), "preset": get_args(Preset), "preset_beside": get_args(Preset),
}  # fmt: skip
TEXTS = {"text": MAX_TEXT, "base": MOST_BASE, "author": 200, "others": 2_000, "said": ANSWER}


def read(request: HttpRequest) -> StudioForm | None:
    """Return the form, None while there is no guild; raises Http404 for a guild that the visitor may not see."""
    guild = one_guild(request)
    if guild is None:
        return None
    fields = {name: address.words(request.GET, name, most=most) for name, most in TEXTS.items()}
    if not {"text", "author", "others"} & set(request.GET):
        fields |= _example(guild)
    for name, choices in CHOICES.items():
        value = request.GET.get(name, "")
        fields[name] = value if value in choices else choices[0]
    beside, budget = address.number(request.GET.get("beside")), request.GET.get("budget", "").strip()
    channel_pk, tokens = address.number(request.GET.get("channel")), address.number(budget)
    channels = Channel.objects.of(guild).select_related("parent")
    names = [name.strip().lstrip("@") for name in (fields["author"], *fields["others"].split(","))]
    members = {name: _member(guild, name) for name in [name for name in dict.fromkeys(names) if name][:MOST_MEMBERS]}
    return StudioForm(
        guild=guild, channel=None if channel_pk is None else get_object_or_404(channels, pk=channel_pk),
        members=list(dict.fromkeys(filter(None, members.values()))),
        unknown=[name for name, member in members.items() if not member],
        misread=budget[:20] if budget and (tokens is None or tokens > MOST_TOKENS) else "",
        fields=fields, beside=None if beside is None else min(beside, MOST_TOKENS),
        max_tokens=DEFAULT_TOKENS if tokens is None else min(tokens, MOST_TOKENS),
    )  # fmt: skip


def _example(guild: Guild) -> dict[str, str]:
    """Return what was asked last in the guild's open channels, and who asked: the page begins with something real."""
    said = Message.objects.of(guild).said().heard_in(None).filter(heard(guild, "author"))
    newest = said.select_related("author").order_by("-sent_at")[:LOOKED_AT]
    row = next((each for each in newest if each.text.rstrip().endswith("?")), None)
    return {} if row is None else {"text": row.text.strip()[:MAX_TEXT], "author": str(row.author)}


def offered(form: StudioForm) -> dict[str, Any]:
    """Return what the form offers to choose from."""
    return {
        "channels": Channel.objects.of(form.guild)[:LISTED],
        "people": Member.objects.of(form.guild).order_by("-last_seen_at")[:LISTED],
        "choices": {name: [(each, WORDS.get(each, each)) for each in values] for name, values in CHOICES.items()},
    }


WORDS = {
    "xml": "XML", "markdown": "Markdown", "json": "JSON", "user_memory": "User memory (one member)",
    "messages": "Messages for a chat API", "system": "in the system role", "user": "as a message of the user",
    "default": "All parts", "seed002": "The author's surest facts", "composer": "The same, for a short reply",
}  # fmt: skip


def _member(guild: Guild, name: str) -> Member | None:
    """Return the member of this platform id, else who was seen last of those with this name."""
    rows = Member.objects.of(guild)
    return rows.filter(platform_id=name).first() or rows.filter(bears(name)).order_by("-last_seen_at").first()
