"""What the JSON API takes and gives about erasures and their receipts."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ninja import Query
from pydantic import AwareDatetime, BaseModel, Field

from memory.erasure import Receipt

Token = Annotated[str, Query(min_length=1, max_length=20_000, pattern=r"^[^\x00]+$")]


class ReceiptOut(BaseModel):
    """Proof of an erasure; it holds no personal data."""

    id: str
    kind: Literal["member", "channel", "guild"]
    at: AwareDatetime
    clean: bool = Field(description="the scan found no trace")
    counts: dict[str, int] = Field(description="what went, by who held it")
    scan: dict[str, Any] = Field(description="how much was looked through and what was found, by place")
    receipt: str = Field(description="all of the above, signed; keep it to have it verified later")

    @classmethod
    def of(cls, receipt: Receipt) -> ReceiptOut:
        """Return a receipt as the API gives it."""
        return cls(
            id=receipt.id, kind=receipt.kind, at=receipt.at, clean=receipt.clean, counts=receipt.counts,
            scan=receipt.scan, receipt=receipt.token,
        )  # fmt: skip
