"""Facts as the JSON API takes, shows and changes them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from memory.facts.changes import FactConflict
from memory.facts.kinds import Kind
from memory.models import Evidence, Fact
from memoryhub.common.pagination import Window
from memoryhub.common.schemas import RowOut
from notes.messages.schemas import Moment, PlatformId, Strict, Text

Statement = Annotated[str, Text, Field(min_length=1, max_length=400)]
Confidence = Annotated[float, Field(ge=0.3, le=1.0)]


class FactFilters(Window):
    """Narrows a list of facts; without a status, what is believed."""

    member: str | None = Field(default=None, max_length=200)
    status: Literal["active", "superseded", "archived", "pending", "refused", "all"] = "active"
    kind: Kind | None = None
    q: str | None = Field(default=None, max_length=200, description="words that the fact holds")


OF_A_MEMBER: JsonDict = {"required": ["member"], "properties": {"member": {"type": "string"}, "lore": {"const": False}}}
LORE: JsonDict = {"required": ["lore"], "properties": {"member": {"type": "null"}, "lore": {"const": True}}}


class NewFact(Strict):
    """What somebody asks to be remembered, of a member or (lore) of the guild."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [OF_A_MEMBER, LORE]})

    member: PlatformId | None = None
    lore: bool = False
    text: Statement
    kind: Kind | None = None
    channel: PlatformId | None = Field(default=None, description="where it was said; decides who may hear it")

    @model_validator(mode="after")
    def _about_one(self) -> Self:
        if self.lore == (self.member is not None):
            raise ValueError('say whom it is about: "member", or "lore": true')
        return self


class FactChanges(Strict):
    """What to change. With `updated_at`, only if nobody else changed the fact since."""

    text: Statement | None = None
    kind: Kind | None = None
    confidence: Confidence | None = None
    pinned: bool | None = None
    status: Literal["active", "archived"] | None = None
    updated_at: Moment | None = None

    def refuse_if_stale(self, fact: Fact) -> None:
        """Raise FactConflict if the fact is no longer as the caller saw it; answers show milliseconds."""
        if self.updated_at and abs(fact.updated_at - self.updated_at) >= timedelta(milliseconds=1):
            raise FactConflict("The fact was changed since; get it again.")

    def corrected(self) -> dict[str, Any]:
        """Return what is given beside the status."""
        return self.model_dump(exclude={"updated_at", "status"}, exclude_none=True)


class EvidenceOut(BaseModel):
    """The message and the words that a fact rests on; no message: somebody told it the hub directly."""

    message_id: str | None
    speaker: str | None
    quote: str
    said_at: datetime

    @classmethod
    def of(cls, evidence: Evidence) -> Self:
        """Return the row as the API shows it."""
        return cls(
            message_id=evidence.message.platform_id if evidence.message else None,
            speaker=evidence.speaker.platform_id if evidence.speaker else None,
            quote=evidence.quote, said_at=evidence.said_at,
        )  # fmt: skip


class FactOut(BaseModel):
    """A fact; `member` is null for lore, `audience` for the whole guild, else a channel whose readers may know."""

    id: str
    text: str
    kind: str
    member: str | None
    member_name: str | None
    lore: bool
    confidence: float
    source_type: str
    status: str
    pinned: bool
    possible_conflict: bool
    channel: str | None
    audience: str | None
    said_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    reinforcements: int
    last_reinforced_at: datetime | None
    replaced_by: str | None
    created_at: datetime
    updated_at: datetime
    sources: list[EvidenceOut]

    @classmethod
    def of(cls, fact: Fact) -> Self:
        """Return the row, with what it points at loaded, as the API shows it."""
        plain = (
            "text", "kind", "confidence", "source_type", "status", "pinned", "possible_conflict", "said_at",
            "valid_from", "valid_until", "reinforcements", "last_reinforced_at", "created_at", "updated_at",
        )  # fmt: skip
        return cls(
            id=str(fact.pk),
            member=fact.subject.platform_id if fact.subject else None,
            member_name=str(fact.subject) if fact.subject else None,
            lore=fact.subject is None,
            channel=fact.channel.platform_id if fact.channel else None,
            audience=fact.audience.platform_id if fact.audience else None,
            replaced_by=str(fact.replaced_by_id) if fact.replaced_by_id else None,
            sources=[EvidenceOut.of(evidence) for evidence in fact.evidence.all()],
            **{name: getattr(fact, name) for name in plain},
        )


class ChangeOut(RowOut):
    """One change of a fact; `before` holds the fields as they were."""

    action: str
    actor: str
    at: datetime
    undone: bool
    before: dict[str, object]
