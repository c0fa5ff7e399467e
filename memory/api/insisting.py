"""How a caller insists on words that a guard refused, in every route that takes a person's words."""

from __future__ import annotations

from typing import Annotated

from ninja.errors import AuthorizationError
from pydantic import Field

from memoryhub.common.api_scope import Call

Insist = Annotated[
    bool, Field(description="store it although it reads like an order to a bot, code or a question; needs scope admin")
]


def may_insist(request: Call, *, wanted: bool) -> bool:
    """Return whether the caller insists; raises AuthorizationError where the key may not."""
    if wanted and not request.auth.admin:
        raise AuthorizationError(message="To insist on a text that was refused needs a key with scope admin.")
    return wanted
