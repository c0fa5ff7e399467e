"""Facts that wait for review, and what is decided on them."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from memory.api.schemas.facts import FactOut, Statement
from memory.curation.fact_review import ReviewOutcome
from memory.facts.proposal import Sign
from memory.models import Fact
from memoryhub.common.pagination import LARGEST_ID
from notes.messages.schemas import Strict

MOST = 200
FactId = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{0,18}$")]


class WaitingOut(FactOut):
    """A fact that waits; `junk` is its score from 0 to 1, `junk_signs` what speaks for junk, the weightiest first."""

    junk: float | None
    junk_signs: list[Sign]

    @classmethod
    def of(cls, fact: Fact) -> Self:
        """Return the row, with what it points at loaded, as the API shows it."""
        return cls(**FactOut.of(fact).model_dump(), junk=fact.junk, junk_signs=fact.junk_signs)


class Words(Strict):
    """Other words to approve it in; without, it is approved as it is."""

    text: Statement | None = None


class Decisions(Strict):
    """Which facts to approve and which to refuse, by id."""

    approve: list[FactId] = Field(default=[], max_length=MOST)
    refuse: list[FactId] = Field(default=[], max_length=MOST)

    @model_validator(mode="after")
    def _something_once(self) -> Self:
        if not self.approve and not self.refuse:
            raise ValueError('say what to decide on: "approve" or "refuse"')
        if set(self.approve) & set(self.refuse):
            raise ValueError("a fact can't be approved and refused")
        if any(int(pk) > LARGEST_ID for pk in (*self.approve, *self.refuse)):
            raise ValueError("no fact has such an id")
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
