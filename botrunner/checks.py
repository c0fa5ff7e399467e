"""System checks: what is wrong with the bot's configuration, each with a stable id and what to do."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from memoryhub.checks import CONFIGURATION

ADDRESSES = (
    ("DISCORD_API_BASE", ("http", "https"), "https://discord.com/api/v10"),
    ("DISCORD_GATEWAY_URL", ("ws", "wss"), "wss://gateway.discord.gg/"),
)


@register(CONFIGURATION)
def addresses(**_: Any) -> list[CheckMessage]:
    """E001: an address of another server than Discord's is none."""
    return [
        Error(f"{name} is no address.", hint=f"Write one such as {example}, or leave it empty.", id="botrunner.E001")
        for name, schemes, example in ADDRESSES
        if (given := getattr(settings, name)) and not ((parts := urlsplit(given)).scheme in schemes and parts.netloc)
    ]
