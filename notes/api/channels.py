"""JSON routes: one channel, its summaries and the questions it left open."""

from __future__ import annotations

from django.utils import timezone
from ninja import Router

from memoryhub.common.api_scope import Call, PathId, channel_of
from memoryhub.common.schemas import ChannelOut
from memoryhub.community.models import Channel
from notes.api.schemas import ChannelSummary, QuestionOut, SummaryOut
from notes.models import Summary
from notes.summaries import questions, summarize

router = Router(tags=["channels"])
SHOWN_QUESTIONS = 100
ONE_CHANNEL = "/guilds/{key}/channels/{path:channel_id}"  # the last, since an id may hold a slash


@router.get("/guilds/{key}/channels/{path:channel_id}/summary", response=ChannelSummary)
def show_summary(request: Call, key: str, channel_id: PathId) -> ChannelSummary:
    """Show what a channel is about, lately and over time, and the questions that it left open."""
    return _summary(channel_of(request.auth.guild(key), channel_id))


@router.post("/guilds/{key}/channels/{path:channel_id}/summarize", response=ChannelSummary)
def summarize_channel(request: Call, key: str, channel_id: PathId) -> ChannelSummary:
    """Write the channel's summary anew from its last talk; 409 where memory is off, 503 when the model fails."""
    channel = channel_of(request.auth.guild(key), channel_id)
    summarize.summarize(channel, now=timezone.now())
    channel.refresh_from_db()
    return _summary(channel)


@router.get(ONE_CHANNEL, response=ChannelOut)
def show_channel(request: Call, key: str, channel_id: PathId) -> ChannelOut:
    """Show one channel."""
    return ChannelOut.of(channel_of(request.auth.guild(key), channel_id))


def _summary(channel: Channel) -> ChannelSummary:
    rows = Summary.objects.filter(channel=channel).exclude(kind=Summary.Kind.PAST)
    written = {summary.kind: SummaryOut.of(summary) for summary in rows}
    left_open = questions.open_in(channel).select_related("asked_by").prefetch_related("messages")
    return ChannelSummary(
        channel=channel.platform_id,
        rolling=written.get("rolling"),
        profile=written.get("profile"),
        questions=[QuestionOut.of(question) for question in left_open[:SHOWN_QUESTIONS]],
        waiting=channel.unsummarized,
        error=channel.last_error,
        next_attempt_at=channel.next_attempt_at,
    )
