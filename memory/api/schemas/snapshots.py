"""Snapshots and journals as the JSON API gives them."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel


class Paper(BaseModel):
    """Markdown, and when it was rendered."""

    text: str
    generated_at: datetime
