"""Asks PluralKit whose words it posted: the webhook's own author is nobody, and a member's name proves nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
from django.conf import settings

from botrunner import error_text

logger = logging.getLogger(__name__)

SECONDS = aiohttp.ClientTimeout(total=10)
APART = 0.1  # seconds between questions: PluralKit allows ten a second
TRIES = 3
ASKING = {"User-Agent": "memoryhub (a memory for chat bots)"}
"""PluralKit refuses who does not say what it is."""


@dataclass(frozen=True)
class Speaker:
    """Who speaks through a proxy, and the account behind, whose choice about being remembered counts."""

    member: str
    name: str
    account: str


class Proxies:
    """One question at a time."""

    def __init__(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._pause = pause
        self._asking = asyncio.Lock()

    async def speaker(self, message_id: int) -> Speaker | None:
        """Return who spoke; None if that can't be known, and then nothing is to be stored."""
        async with self._asking:
            try:
                found = await self._ask(message_id)
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                logger.warning("a proxied message is left out: nobody says whose it is", extra=error_text.told(error))
                return None
        return _speaker(found)

    async def _ask(self, message_id: int) -> Any:
        address = f"{settings.PLURALKIT_API.rstrip('/')}/messages/{message_id}"
        async with aiohttp.ClientSession(timeout=SECONDS, headers=ASKING) as session:
            for _ in range(TRIES):
                await self._pause(APART)
                async with session.get(address) as answer:
                    if answer.status == 200:
                        return await answer.json()
                    if answer.status != 429:
                        return None
                    await self._pause(await _wait_asked_for(answer))
        return None


async def _wait_asked_for(answer: aiohttp.ClientResponse) -> float:
    """Return the seconds to wait; PluralKit writes milliseconds."""
    asked = (await answer.json()).get("retry_after")
    return min(float(asked) / 1000, 10.0) if isinstance(asked, int | float) else 1.0


def _speaker(found: Any) -> Speaker | None:
    """Read the answer; its member is missing when they deleted themselves or keep to themselves."""
    member = found.get("member") if isinstance(found, dict) else None
    if not isinstance(member, dict) or not member.get("id") or not found.get("sender"):
        return None
    name = member.get("display_name") or member.get("name") or ""
    return Speaker(member=f"pk:{member['id']}", name=str(name), account=str(found["sender"]))
