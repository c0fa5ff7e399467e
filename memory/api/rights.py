"""JSON routes: a member's export, their erasure, and whether a receipt is genuine."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self
from uuid import UUID

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from ninja import Query, Router, Status
from pydantic import AwareDatetime, BaseModel, BeforeValidator, Field, WithJsonSchema

from memory import erasure
from memory.erasure import export
from memory.models import Erasure
from memoryhub.common.api_scope import MISSING, STORABLE, Call, PathId, member_of, one
from memoryhub.common.schemas import RowOut, via
from profiles.api.members import router as members_router

router = Router(tags=["members and channels"])
SIGNED = {"type": "string", "maxLength": 20_000, "pattern": r"^\.?[A-Za-z0-9_-]+:[A-Za-z0-9]+:[A-Za-z0-9_-]+$"}
Token = Annotated[str, WithJsonSchema(SIGNED), Query(min_length=1, max_length=20_000, pattern=STORABLE)]


def _is_an_id(value: object) -> UUID:
    """Return the id that the word is; to a caller ids are words, so any other word names nothing that is there."""
    try:
        return UUID(str(value))
    except ValueError:
        raise Http404(MISSING.format("erasure")) from None


ErasureId = Annotated[UUID, BeforeValidator(_is_an_id)]
FILE = {"schema": {"type": "string", "format": "binary"}}
ZIP = {"responses": {200: {"description": "A zip", "content": {"application/zip": FILE}}}}


class ReceiptOut(RowOut):
    """Proof of an erasure; it holds no personal data."""

    id: str
    kind: Literal["member", "channel", "guild"]
    at: AwareDatetime
    clean: bool = Field(description="the scan found no trace")
    counts: dict[str, int] = Field(description="what went, by who held it")
    scan: dict[str, Any] = Field(description="how much was looked through and what was found, by place")
    receipt: str = via("token", description="all of the above, signed; keep it to have it verified later")


class ErasureOut(BaseModel):
    """How far an erasure is; it holds no personal data."""

    id: str
    kind: Literal["member", "channel", "guild"]
    status: Literal["running", "finished"]
    step: str = Field(description="what is being erased right now; empty while it waits for the worker")
    steps_done: int
    steps: int
    started_at: AwareDatetime
    receipt: ReceiptOut | None = Field(description="once it is finished")

    @classmethod
    def of(cls, job: Erasure) -> Self:
        """Return an erasure as the API gives it."""
        receipt = ReceiptOut.of(erasure.finished(job)) if job.finished_at else None
        return cls.model_validate(
            {
                "id": str(job.pk), "kind": job.kind, "status": "finished" if receipt else "running", "step": job.step,
                "steps_done": erasure.steps_done(job), "steps": len(erasure.STEPS), "started_at": job.started_at,
                "receipt": receipt,
            }
        )  # fmt: skip


@router.get("/guilds/{key}/members/{path:member_id}/export", response=None, openapi_extra=ZIP)
def export_member(request: Call, key: str, member_id: PathId) -> StreamingHttpResponse:
    """Hand out all that is theirs as a zip: profile, facts, notes, messages, choices; others' names are hidden."""
    member = member_of(request.auth.guild(key), member_id)
    now = timezone.now()
    export.log_export(member, actor=request.auth.actor, now=now)
    return export.download_response(member, now=now)


# On the router of the members, since one address answers to one router.
@members_router.delete("/guilds/{key}/members/{path:member_id}", response={200: ReceiptOut, 202: ErasureOut})
def erase_member(
    request: Call, response: HttpResponse, key: str, member_id: PathId
) -> Status[ReceiptOut] | Status[ErasureOut]:
    """Erase all that they said and all that is known of them; asked again, the answer is the same receipt.

    What takes longer than a few seconds goes on in the background: then the answer is 202, and `Location` says where
    the receipt will be.
    """
    guild = request.auth.guild(key)
    job = erasure.request_erasure(guild, member=member_id, now=timezone.now(), by=request.auth.actor)
    if job is None:
        raise Http404("There is no such member in this guild.")
    if job.finished_at:
        return Status(200, ReceiptOut.of(erasure.finished(job)))
    response["Location"] = f"{request.path.partition('/members/')[0]}/erasures/{job.pk}"
    response["Retry-After"] = "2"
    return Status(202, ErasureOut.of(job))


@router.get("/guilds/{key}/erasures/{erasure_id}", response=ErasureOut)
def show_erasure(request: Call, key: str, erasure_id: ErasureId) -> ErasureOut:
    """Show how far an erasure is, and its receipt once it is finished."""
    rows = Erasure.objects.filter(guild_id=request.auth.guild(key).pk)
    return ErasureOut.of(one(rows, "erasure", pk=erasure_id))


@router.get("/receipts", response=ReceiptOut)
def verify_receipt(request: Call, receipt: Token) -> ReceiptOut:
    """Say what a receipt says, if this hub signed it."""
    return ReceiptOut.of(erasure.verify(receipt))
