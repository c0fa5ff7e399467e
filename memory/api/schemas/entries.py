"""Lines of profiles as the JSON API takes them; how it shows them is said with the notes that they cite."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from memoryhub.common.pagination import Window
from notes.messages.schemas import PlatformId, Strict, Text
from profiles.revision.schemas import ENTRY_CHARS, Section

Words = Annotated[str, Text, Field(min_length=1, max_length=ENTRY_CHARS)]


class EntryFilters(Window):
    """Narrows a list of lines."""

    status: Literal["shown", "refused", "all"] = "shown"


class NewEntry(Strict):
    """A line in a person's own words; without a section, the words decide."""

    text: Words
    section: Section | None = None
    channel: PlatformId | None = Field(default=None, description="where it was written; decides who may hear it")


class EntryChanges(Strict):
    """What to change: new words or another section pin the line; `"status": "shown"` brings a refused one back."""

    text: Words | None = None
    section: Section | None = None
    pinned: bool | None = None
    status: Literal["shown"] | None = None

    @model_validator(mode="after")
    def _pinned_when_worded(self) -> Self:
        if self.pinned is False and (self.text is not None or self.section is not None):
            raise ValueError("a person's own words are pinned")
        return self
