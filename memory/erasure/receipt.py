"""Receipts: signed proof of an erasure, without a word about whom it was."""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

from django.core import signing

from memory.erasure.fingerprints import Kind
from memoryhub.errors import Refused

SALT = "memoryhub.receipt"


LOST_KEY = (
    "SECRET_KEY is not the one that signed the newest receipt in this database: who was erased before is not known "
    "again, and old receipts are not verified. Put back the key that you keep apart from the backups."
)


class ReceiptInvalid(Refused):
    """The receipt was not signed by this hub, or was changed."""


@dataclass(frozen=True, kw_only=True)
class Receipt:
    """What an erasure did, and what its scan found; `token` is all of it, signed."""

    id: str
    kind: Kind
    at: datetime
    counts: dict[str, int]
    scan: dict[str, Any]
    token: str = field(default="", compare=False)

    @property
    def clean(self) -> bool:
        """Whether the scan found no trace."""
        return not self.scan["traces"]


def sign(receipt: Receipt) -> Receipt:
    """Return the receipt with its token."""
    content = asdict(receipt) | {"at": receipt.at.isoformat()}
    del content["token"]
    return replace(receipt, token=signing.dumps(content, salt=SALT, compress=True))


def verify(token: str) -> Receipt:
    """Return what a token says; raises ReceiptInvalid."""
    try:
        content = signing.loads("".join(token.split()), salt=SALT)
        parsed = {"id": str(uuid.UUID(content["id"])), "at": datetime.fromisoformat(content["at"])}
        return Receipt(**content | parsed, token=token)
    except (signing.BadSignature, ValueError, TypeError, KeyError):
        raise ReceiptInvalid(
            "This receipt was not signed here, or it was changed. Copy all of it, and nothing else."
        ) from None
