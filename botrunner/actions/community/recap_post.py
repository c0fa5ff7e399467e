"""What posting a recap needs of the database: the next one of a guild that is here, its text, and how it went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from botrunner.actions.community import texts_recap
from memory.models import Recap
from memory.recaps import recap_posting


@dataclass(frozen=True, kw_only=True)
class Post:
    """A recap that this process has claimed; `tried_at` is when another was about to post it, None for nobody."""

    recap: Recap
    text: str
    mark: str
    nonce: str
    tried_at: datetime | None


def next_post(is_here: Callable[[int], bool], *, now: datetime) -> Post | None:
    """Claim the next recap to post in a guild that is here; None if there is none. One that has no lines left ends."""

    def runs(key: str) -> bool:
        platform, _, number = key.partition(":")
        return platform == "discord" and number.isdigit() and is_here(int(number))

    while recap := recap_posting.next_post(runs, now=now):
        lines, tried_at = recap_posting.begin(recap, now=now)
        if lines or recap.intro or tried_at:
            return Post(
                recap=recap, text=texts_recap.post(recap, lines), mark=texts_recap.mark(recap),
                nonce=f"recap-{recap.pk}", tried_at=tried_at,
            )  # fmt: skip
        recap_posting.nothing_left(recap)
    return None
