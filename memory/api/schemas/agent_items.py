"""What agents keep, as the JSON API takes and gives it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from memory.models import AgentItem
from memory.records.agent_items import SEPARATOR
from memoryhub.common.api_scope import STORABLE
from memoryhub.common.schemas import no_deeper
from memoryhub.community.models import PLATFORM_ID
from memoryhub.errors import pattern
from notes.messages.schemas import MAX_TEXT, PlatformId, Strict, Text, Whole

LARGEST = 64 * 1024  # bytes of a value as JSON
LABEL = pattern(r"^[^.\x00-\x1f]+$", "a label without full stops and control characters")
LABELS_JOINED = pattern(r"^[^\x00-\x1f]*$", "labels with full stops between them, without control characters")
LABELS, NAMESPACE = 20, 500  # labels, characters of all


def _small(value: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(value)) > LARGEST:
        raise ValueError(f"Must be at most {LARGEST:,} bytes of JSON.")
    return value


def _short(labels: list[str]) -> list[str]:
    if len(SEPARATOR.join(labels)) > NAMESPACE:
        raise ValueError(f"Must have at most {NAMESPACE} characters in all.")
    return labels


Label = Annotated[str, Field(min_length=1, max_length=PLATFORM_ID, pattern=LABEL)]
Labels = Annotated[list[Label], Field(max_length=LABELS), AfterValidator(_short)]
Path = Annotated[str, Field(max_length=NAMESPACE, pattern=LABELS_JOINED, description="labels with full stops")]
Object = Annotated[dict[str, Any], AfterValidator(no_deeper), AfterValidator(_small)]


class NewItem(Strict):
    """What to keep, under which namespace and key."""

    namespace: Annotated[Labels, Field(min_length=1)]
    key: PlatformId
    value: Object
    text: Annotated[str, Text, Field(max_length=MAX_TEXT)] | None = Field(
        default=None, description="what it is found by; left out, all words of the value; empty, none"
    )


class ItemName(BaseModel):
    """Which item."""

    namespace: Annotated[Path, Field(min_length=1)]
    item: str = Field(min_length=1, max_length=PLATFORM_ID, pattern=STORABLE, description="its key")


class ItemQuestion(Strict):
    """What to look for below a namespace; the filter names fields of the value."""

    namespace: Labels = Field(default=[])
    query: Annotated[str, Text, Field(max_length=2_000)] = ""
    filter: Annotated[dict[str, Any], AfterValidator(no_deeper)] = Field(
        default={}, description='{"since": {"$gte": 2018}, "kind": "boat"}'
    )
    limit: Annotated[int, Field(ge=1, le=1_000), Whole] = 10
    offset: Annotated[int, Field(ge=0, le=10_000), Whole] = 0


class NamespaceFilters(BaseModel):
    """Narrows the list of namespaces; `*` stands for any label."""

    prefix: Path = ""
    suffix: Path = ""
    max_depth: int | None = Field(default=None, ge=1, le=LABELS)
    limit: int = Field(default=100, ge=1, le=1_000)
    offset: int = Field(default=0, ge=0, le=10_000)


class AgentItemOut(BaseModel):
    """An item; `score` is null unless something was asked."""

    namespace: list[str]
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    score: float | None = None

    @classmethod
    def of(cls, row: AgentItem, score: float | None = None) -> AgentItemOut:
        """Return the row as the API shows it."""
        return cls(
            namespace=row.namespace.split(SEPARATOR), key=row.key, value=row.value, created_at=row.created_at,
            updated_at=row.updated_at, score=score,
        )  # fmt: skip


class AgentItemsOut(BaseModel):
    """Items, the best or the newest first."""

    items: list[AgentItemOut]
    not_searched: int = Field(
        default=0, description="older items below the namespace that were not looked at: name a longer one"
    )


class NamespacesOut(BaseModel):
    """Namespaces in order."""

    namespaces: list[list[str]]
