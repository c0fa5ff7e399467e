"""What the revision of a profile takes and gives, and the limits of a profile."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

from profiles.wording import Clip

Why = Literal["replaced", "merged", "refused", "no longer true", "no room", "not about the member"]
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
    """One line of a profile: its sources, the stored entry that it continues, and whether a person worded it."""

    section: Section
    text: EntryBody
    notes: list[int] = []
    id: int | None = None
    pinned: bool = False


class Learned(BaseModel):
    """An active fact about the member, third person without the name, and the notes whose messages it rests on."""

    text: str
    notes: list[int] = []
    kind: str = "other"
    confidence: float = 0.5


class NewNote(BaseModel):
    """The note that calls for the revision."""

    id: int
    title: str
    summary: str


class RevisionInput(BaseModel):
    """A member's profile and everything it may rest on now: all of one audience.

    `facts` are the member's active facts, oldest first; `refused` are texts that the member or an operator took out.
    """

    member: str
    entries: list[Entry] = []
    note: NewNote | None = None
    facts: list[Learned] = []
    refused: list[str] = []


class Gone(BaseModel):
    """A stored entry that the revision leaves out, and why."""

    id: int
    why: Why


class Revision(BaseModel):
    """The whole profile after the revision, strongest entries first, with a short summary of it."""

    entries: list[Entry]
    summary: ProfileBody = ""
    gone: list[Gone] = []
    unsure: bool = Field(default=False, description="true if the profile needs a careful rebuild instead")
