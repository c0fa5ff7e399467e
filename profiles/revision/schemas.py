"""What the revision of a profile takes and gives, and the limits of a profile."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from memoryhub.language.clip import Clip

Why = Literal["merged", "replaced", "no longer true", "refused", "no room", "not about the member"]
Section = Literal["bio", "interests", "skills", "opinions", "relationships", "other"]

LIMITS: dict[Section, int] = {"bio": 7, "interests": 8, "skills": 8, "opinions": 7, "relationships": 8, "other": 7}
TOTAL = 45
WORDS = 28
SOURCES = 6
ENTRY_CHARS = 400
PROFILE_CHARS = 800

EntryBody = Annotated[str, Field(min_length=1, max_length=ENTRY_CHARS), BeforeValidator(Clip(ENTRY_CHARS))]
ProfileBody = Annotated[str, Field(max_length=PROFILE_CHARS), BeforeValidator(Clip(PROFILE_CHARS))]


class Entry(BaseModel):
    """One line of a profile as it is to be: its sources (see `sources`), and the stored entry that it continues."""

    section: Section
    text: EntryBody
    notes: list[int] = []
    id: int | None = None


class StoredEntry(Entry):
    """One line of a profile as it is: `pinned` if a person worded it, `by_model` if a model did."""

    pinned: bool = False
    by_model: bool = False


class ProfileFact(BaseModel):
    """An active fact about the member, third person without the name, and the notes whose messages it rests on."""

    text: str
    notes: list[int] = []
    kind: str = "other"
    confidence: float = 0.5


class ProfileNote(BaseModel):
    """A note that the member took part in, with the day of its conversation."""

    id: int
    day: date
    title: str
    summary: str


class Refusal(BaseModel):
    """What a person took out of the profile; `later` are the notes of what was said since: they may bring it back."""

    text: str
    later: list[int] = []


class RevisionInput(BaseModel):
    """A member's profile and everything it may rest on now: all of one audience.

    `notes` call for the revision, `facts` are the member's active facts, both oldest first; `past` are facts that are
    no longer believed; `others` are the names of those who took part in the notes beside the member; `kept`
    names the sensitive kinds that the guild keeps; `summary` is the short summary as it stands, where it is of this
    audience's entries.
    """

    member: str
    summary: str = ""
    entries: list[StoredEntry] = []
    notes: list[ProfileNote] = []
    facts: list[ProfileFact] = []
    past: list[str] = []
    refused: list[Refusal] = []
    others: list[str] = []
    kept: list[str] = []

    @property
    def pinned_ids(self) -> set[int | None]:
        """Return the ids of what a person worded."""
        return {entry.id for entry in self.entries if entry.pinned and entry.id is not None}

    def has(self, entry: Entry) -> bool:
        """Tell whether the entry is stored already, in these words."""
        return any(old.id == entry.id and old.text == entry.text for old in self.entries)


class Gone(BaseModel):
    """A stored entry that the revision leaves out, and why; of a merged one, the id of the entry that has it now."""

    id: int
    why: Why
    into: int | None = None


class Revision(BaseModel):
    """The whole profile after the revision, strongest entries first, with a short summary of it; or word that it stays.

    `unchanged` counts where there are no entries: whoever writes them down has revised the profile.
    """

    unchanged: bool = Field(default=False, description="true if nothing changes: then entries, summary, gone are empty")
    entries: list[Entry]
    summary: ProfileBody = ""
    gone: list[Gone] = []
    unsure: bool = Field(default=False, description="true if the profile needs a careful rebuild instead")

    @property
    def merges(self) -> list[Gone]:
        """Return the merges that name an entry which is there."""
        there = {entry.id for entry in self.entries if entry.id is not None}
        return [gone for gone in self.gone if gone.why == "merged" and gone.into in there]


class ByRules(Revision):
    """A revision made without a model."""
