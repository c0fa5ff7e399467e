"""JSON routes: a member's export, their erasure, and whether a receipt is genuine."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import Http404, StreamingHttpResponse
from django.utils import timezone
from ninja import Query, Router
from pydantic import AwareDatetime, Field

from memory import erasure
from memory.erasure import export
from memoryhub.common.api_scope import Call, PathId, member_of
from memoryhub.common.schemas import RowOut, via
from memoryhub.community.models import Member
from profiles.api.members import router as members_router

router = Router(tags=["members and channels"])
Token = Annotated[str, Query(min_length=1, max_length=20_000, pattern=r"^[^\x00]+$")]
ZIP = {"responses": {200: {"description": "A zip", "content": {"application/zip": {"schema": {"type": "string"}}}}}}


class ReceiptOut(RowOut):
    """Proof of an erasure; it holds no personal data."""

    id: str
    kind: Literal["member", "channel", "guild"]
    at: AwareDatetime
    clean: bool = Field(description="the scan found no trace")
    counts: dict[str, int] = Field(description="what went, by who held it")
    scan: dict[str, Any] = Field(description="how much was looked through and what was found, by place")
    receipt: str = via("token", description="all of the above, signed; keep it to have it verified later")


@router.get("/guilds/{key}/members/{path:member_id}/export", response=None, openapi_extra=ZIP)
def export_member(request: Call, key: str, member_id: PathId) -> StreamingHttpResponse:
    """Hand out all that is theirs as a zip: profile, facts, notes, messages, choices; others' names are hidden."""
    member = member_of(request.auth.guild(key), member_id)
    now = timezone.now()
    export.log_export(member, actor=request.auth.actor, now=now)
    return export.download_response(member, now=now)


# On the router of the members, since one address answers to one router.
@members_router.delete("/guilds/{key}/members/{path:member_id}", response=ReceiptOut)
def erase_member(request: Call, key: str, member_id: PathId) -> ReceiptOut:
    """Erase all that they said and all that is known of them; asked again, the answer is the same receipt."""
    guild, now = request.auth.guild(key), timezone.now()
    member = Member.objects.of(guild).select_related("guild").filter(platform_id=member_id).first()
    if member is not None:
        return ReceiptOut.of(erasure.erase_member(member, now=now, by=request.auth.actor))
    receipt = erasure.resume_erasure(guild, member=member_id, now=now)
    if receipt is None:
        raise Http404("There is no such member in this guild.")
    return ReceiptOut.of(receipt)


@router.get("/receipts", response=ReceiptOut)
def verify_receipt(request: Call, receipt: Token) -> ReceiptOut:
    """Say what a receipt says, if this hub signed it."""
    return ReceiptOut.of(erasure.verify(receipt))
