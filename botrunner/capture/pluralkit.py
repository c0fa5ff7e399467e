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

TIMEOUT = aiohttp.ClientTimeout(total=10)
APART = 0.1  # seconds between questions: PluralKit allows ten a second
TRIES = 3
HEADERS = {"User-Agent": "memoryhub (a memory for chat bots)"}
"""PluralKit refuses clients that do not say what they are."""


@dataclass(frozen=True)
class Speaker:
    """Who speaks through a proxy, and the account behind, whose choice about being remembered counts."""

    member: str
    name: str
    account: str


class PluralKit:
    """Asks one question at a time."""

    def __init__(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._pause = pause
        self._asking = asyncio.Lock()

    async def speaker(self, message_id: int) -> Speaker | None:
        """Return who spoke; None if that can't be known, and then nothing is to be stored.

        The member is missing when they deleted themselves or keep to themselves.
        """
        async with self._asking:
            try:
                answer = await self._ask(message_id)
            except (aiohttp.ClientError, TimeoutError, ValueError) as error:
                extra = error_text.log_fields(error)
                logger.warning("a proxied message is left out: nobody says whose it is", extra=extra)
                return None
        member = answer.get("member") if isinstance(answer, dict) else None
        if not isinstance(member, dict) or not member.get("id") or not answer.get("sender"):
            return None
        name = member.get("display_name") or member.get("name") or ""
        return Speaker(member=f"pk:{member['id']}", name=str(name), account=str(answer["sender"]))

    async def _ask(self, message_id: int) -> Any:
        """Return what PluralKit knows of a message, None for nothing; asks again when it has too much to do."""
        url = f"{settings.PLURALKIT_API.rstrip('/')}/messages/{message_id}"
        async with aiohttp.ClientSession(timeout=TIMEOUT, headers=HEADERS) as session:
            for _ in range(TRIES):
                await self._pause(APART)
                async with session.get(url) as response:
                    if response.status == 200:
                        return await response.json()
                    if response.status != 429:
                        return None
                    milliseconds = (await response.json()).get("retry_after")
                    known = isinstance(milliseconds, int | float)
                    await self._pause(min(float(milliseconds) / 1000, 10.0) if known else 1.0)
        return None
