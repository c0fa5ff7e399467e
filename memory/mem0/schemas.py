"""What mem0's clients send; what the hub has no counterpart for is refused by name, never passed over."""

from __future__ import annotations

from datetime import date, datetime
from json import dumps
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from memory.mem0.filter_grammar import moment
from memoryhub.common.schemas import no_deeper
from memoryhub.errors import pattern
from notes.messages.schemas import EARLIEST, MAX_TEXT, PlatformId, Text

MOST_MESSAGES = 500  # of one call
MOST_CHARS = 20_000  # of metadata as JSON
FEEDBACK = pattern("^(POSITIVE|NEGATIVE|VERY_NEGATIVE)$", "one of: POSITIVE, NEGATIVE, VERY_NEGATIVE")
NOT_HERE = "The hub does nothing with {}: leave it out."


def _as_list(value: object) -> object:
    """Take one message for a list of it, and a text for what the user said, as the clients do."""
    one = {"role": "user", "content": value} if isinstance(value, str) else value
    return [one] if isinstance(one, dict) else one


def _words(value: object) -> object:
    """Take the parts of a message for its text; a picture is no words."""
    if not isinstance(value, list):
        return value
    if others := [part for part in value if not (isinstance(part, dict) and part.get("type") == "text")]:
        kind = others[0].get("type") if isinstance(others[0], dict) else others[0]
        raise ValueError(f"Only text is remembered, and this is {str(kind)[:40]!r}.")
    return "\n".join(str(each.get("text", "")) for each in value)


def _day(value: object) -> object:
    """Take the day of a date or of a time."""
    return value if value is None or isinstance(value, date) else _moment(value).date()


def _moment(value: object) -> datetime:
    try:
        return moment(value)
    except (ValueError, OverflowError, OSError):
        raise ValueError("Must be a day or a moment, such as 2026-03-02 or 2026-03-02T12:00:00Z.") from None


def _storable(value: dict[str, Any]) -> dict[str, Any]:
    if len(str(value)) > MOST_CHARS:
        raise ValueError(f"Must have at most {MOST_CHARS:,} characters.")
    try:
        dumps(value, allow_nan=False)
    except ValueError:  # Python reads 1e999, and in files NaN, which no database takes for JSON
        raise ValueError("Must hold no number beyond all bounds, and no NaN.") from None
    return value


def _said_at(value: object) -> object:
    """Take a time in seconds since 1970 or in ISO 8601."""
    if value is None:
        return None
    at = _moment(value)
    if at < EARLIEST:
        raise ValueError("Must not lie before 1970.")
    return at


Day = Annotated[date | None, BeforeValidator(_day)]
Moment = Annotated[datetime | None, BeforeValidator(_said_at)]
Metadata = Annotated[dict[str, Any], AfterValidator(no_deeper), AfterValidator(_storable)]
Category = Annotated[str, Text, Field(min_length=1, max_length=100)]


class Sent(BaseModel):
    """A body of a client: `TAKEN` are names that change nothing here, others must be empty."""

    model_config = ConfigDict(extra="allow")
    TAKEN: ClassVar[set[str]] = {"org_id", "project_id", "version", "output_format", "async_mode", "source"}

    @model_validator(mode="after")
    def _nothing_else(self) -> Self:
        for name, value in (self.model_extra or {}).items():
            if name not in self.TAKEN and value not in (None, False, "", [], {}):
                raise ValueError(NOT_HERE.format(name[:100]))
        return self

    def has(self, name: str) -> Any:
        """Return what was sent under one of the names that change nothing but an answer's form."""
        return (self.model_extra or {}).get(name)


class Whose(Sent):
    """Whose memory it is."""

    user_id: PlatformId | None = None
    agent_id: PlatformId | None = None
    app_id: PlatformId | None = None
    run_id: PlatformId | None = None

    @property
    def entities(self) -> dict[str, str]:
        """Return the ids that are given."""
        given = self.model_dump(include={"user_id", "agent_id", "app_id", "run_id"})
        return {name: value for name, value in given.items() if value is not None}


class Said(BaseModel):
    """One message of a talk with a bot."""

    role: str = Field(max_length=40)
    content: Annotated[str, BeforeValidator(_words), Text, Field(max_length=MAX_TEXT)] = ""


class AddIn(Whose):
    """Words to learn from, or (`infer: false`) to keep as they are."""

    messages: Annotated[list[Said], Field(min_length=1, max_length=MOST_MESSAGES), BeforeValidator(_as_list)]
    infer: bool = True
    metadata: Metadata | None = None
    categories: list[Category] | None = Field(default=None, max_length=50)
    expiration_date: Day = None
    timestamp: Moment = None

    @property
    def kept(self) -> dict[str, Any]:
        """Return what is kept beside the words."""
        return {
            "agent_id": self.agent_id or "", "app_id": self.app_id or "", "metadata": self.metadata or {},
            "categories": self.categories or [], "expires_on": self.expiration_date,
        }  # fmt: skip


class Filtered(Whose):
    """Whose memories are meant: by filters, or by ids beside them as older clients send."""

    filters: dict[str, Any] | None = None
    categories: list[Category] | None = None
    metadata: Metadata | None = None
    start_date: str | None = None
    end_date: str | None = None
    show_expired: bool = False

    @property
    def wanted(self) -> dict[str, Any]:
        """Return all of it as one filter."""
        created = {name: day for name, day in (("gte", self.start_date), ("lte", self.end_date)) if day}
        more: dict[str, Any] = {"categories": self.categories, "metadata": self.metadata, "created_at": created}
        parts = [self.filters, self.entities, {name: value for name, value in more.items() if value}]
        given = [part for part in parts if part]
        return given[0] if len(given) == 1 else {"AND": given}


class SearchIn(Filtered):
    """A question to memory."""

    # The hub ranks by words and by meaning in any case, and tells nothing that was replaced.
    TAKEN = Sent.TAKEN | {"rerank", "keyword_search", "latest_only", "filter_memories"}

    query: Annotated[str, Text, Field(min_length=1, max_length=2_000)]
    top_k: int = Field(default=10, ge=1, le=1_000)
    limit: int | None = Field(default=None, ge=1, le=1_000)
    threshold: float | None = Field(default=None, ge=0, le=1)
    fields: list[str] | None = None


class ListIn(Filtered):
    """Which memories to list."""

    TAKEN = Sent.TAKEN | {"latest_only"}

    page: int | None = Field(default=None, ge=1, le=1_000_000)
    page_size: int | None = Field(default=None, ge=1, le=200)
    top_k: int | None = Field(default=None, ge=1, le=1_000)
    limit: int | None = Field(default=None, ge=1, le=1_000)


class DeleteIn(Whose):
    """Which memories to forget; a client writes filters into the address as Python does."""

    filters: str | None = None
    metadata: str | None = None


class UpdateIn(Sent):
    """What to change of a memory; `expiration_date: null` takes the end away."""

    text: Annotated[str, Text, Field(min_length=1, max_length=MAX_TEXT)] | None = None
    metadata: Metadata | None = None
    expiration_date: Day = None


class OneUpdate(UpdateIn):
    """One of many."""

    memory_id: str


class UpdatesIn(Sent):
    """Many changes at once."""

    memories: list[OneUpdate] = Field(min_length=1, max_length=1_000)


class OneDeletion(Sent):
    """Which memory to forget."""

    memory_id: str


class DeletionsIn(Sent):
    """Many to forget at once."""

    memories: list[OneDeletion] = Field(min_length=1, max_length=1_000)


class ExportIn(Filtered):
    """Which memories to export; the schema is taken note of, and not filled in."""

    TAKEN = Sent.TAKEN | {"schema", "export_instructions"}

    memory_export_id: str | None = None


class FeedbackIn(Sent):
    """What somebody thinks of a memory."""

    memory_id: str
    feedback: str | None = Field(default=None, pattern=FEEDBACK)
    feedback_reason: str | None = None
