"""Facts as the JSON API takes, shows and changes them, and what is decided on those that wait."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.config import JsonDict

from memory.api.insisting import Insist
from memory.curation.fact_review import ReviewOutcome
from memory.facts.changes import FactConflict
from memory.facts.kinds import Kind
from memory.facts.proposal import Sign
from memory.models import Fact
from memoryhub.common.pagination import Window
from memoryhub.common.schemas import RowOut, via
from memoryhub.errors import pattern
from notes.messages.schemas import Moment, PlatformId, Strict, Text

Statement = Annotated[str, Text, Field(min_length=1, max_length=400)]
MOST_DECIDED = 200
FACT_ID = pattern(r"^[1-9][0-9]{0,17}$", "the id of a fact, a whole number as text")
FactId = Annotated[str, StringConstraints(pattern=FACT_ID)]
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
    insist: Insist = False

    @model_validator(mode="after")
    def _about_one(self) -> Self:
        if self.lore == (self.member is not None):
            raise ValueError('Say whom it is about: "member", or "lore": true, and not both.')
        return self


class FactChanges(Strict):
    """What to change. With `updated_at`, only if nobody else changed the fact since."""

    text: Statement | None = None
    kind: Kind | None = None
    confidence: Confidence | None = None
    pinned: bool | None = None
    status: Literal["active", "archived"] | None = None
    updated_at: Moment | None = None
    insist: Insist = False

    def refuse_if_stale(self, fact: Fact) -> None:
        """Raise FactConflict if the fact is no longer as the caller saw it; answers show milliseconds."""
        if self.updated_at and abs(fact.updated_at - self.updated_at) >= timedelta(milliseconds=1):
            raise FactConflict("The fact was changed since; get it again.")

    def corrected(self) -> dict[str, Any]:
        """Return what is given beside the status."""
        return self.model_dump(exclude={"updated_at", "status", "insist"}, exclude_none=True)


class EvidenceOut(RowOut):
    """The message and the words that a fact rests on; no message: somebody told it the hub directly.

    Of who is not to be remembered neither the words nor the account are told.
    """

    message_id: str | None = via("message", "platform_id", default=None)
    speaker: str | None = via("told_speaker", "platform_id", default=None)
    quote: str = via("told_quote")
    said_at: datetime


class FactOut(RowOut):
    """A fact; `member` is null for lore, `audience` for the whole guild, else a channel whose readers may know."""

    id: str
    text: str
    kind: str
    member: str | None = via("subject", "platform_id", default=None)
    member_name: Annotated[str | None, BeforeValidator(lambda member: member and str(member))] = via("subject")
    lore: Annotated[bool, BeforeValidator(lambda member: member is None)] = via("subject")
    confidence: float
    source_type: str
    status: str
    pinned: bool
    possible_conflict: bool
    channel: str | None = via("channel", "platform_id", default=None)
    audience: str | None = via("audience", "platform_id", default=None)
    said_at: datetime
    valid_from: datetime | None
    valid_until: datetime | None
    reinforcements: int
    last_reinforced_at: datetime | None
    replaced_by: str | None = via("replaced_by_id")
    created_at: datetime
    updated_at: datetime
    sources: Annotated[list[EvidenceOut], BeforeValidator(lambda rows: list(rows.all()))] = via("evidence")


class ChangeOut(RowOut):
    """One change of a fact; `before` holds the fields as they were."""

    action: str
    actor: str
    at: datetime
    undone: bool
    before: dict[str, object]


# --- Facts that wait for a person ----------------------------------------------------------------------------------


class WaitingOut(FactOut):
    """A fact that waits; `junk` is its score from 0 to 1, `junk_signs` what speaks for junk, the weightiest first."""

    junk: float | None
    junk_signs: list[Sign]


class Words(Strict):
    """Other words to approve it in; without, it is approved as it is."""

    text: Statement | None = None
    insist: Insist = False


class Decisions(Strict):
    """Which facts to approve and which to refuse, by id; at least one, and none in both."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": [name], "properties": {name: {"type": "array", "minItems": 1}}}
                for name in ("approve", "refuse")
            ]
        }
    )

    approve: list[FactId] = Field(default=[], max_length=MOST_DECIDED)
    refuse: list[FactId] = Field(default=[], max_length=MOST_DECIDED)

    @model_validator(mode="after")
    def _something_once(self) -> Self:
        if not self.approve and not self.refuse:
            raise ValueError('Say what to decide on: "approve" or "refuse".')
        if set(self.approve) & set(self.refuse):
            raise ValueError("A fact can't be both approved and refused.")
        return self


class DecidedOut(Strict):
    """What came of it; `failed` does not wait any more, or never did."""

    approved: list[str]
    refused: list[str]
    failed: list[str]

    @classmethod
    def of(cls, decisions: Decisions, approved: ReviewOutcome, refused: ReviewOutcome) -> Self:
        """Return the ids by what became of them."""
        done = ([str(pk) for pk in each.done] for each in (approved, refused))
        first, second = done
        ids = [*decisions.approve, *decisions.refuse]
        return cls(approved=first, refused=second, failed=[pk for pk in ids if pk not in {*first, *second}])
