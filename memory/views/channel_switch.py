"""The switch of a channel's memory, asked about before it is done; the pages of channels are in `notes`."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from memory.curation.channel_switch import switch_channels
from memoryhub.common import undo
from memoryhub.common.permissions import actor, changers_only
from memoryhub.community.models import Channel
from notes.views.channels import Deed, carry_out, stands

QUESTION = "Change what happens to new messages here?"
TEXT = (
    "While memory is off, messages of this channel are not stored and nothing is recalled in it. What is stored "
    "already stays until it is forgotten."
)


@require_http_methods(["GET", "HEAD", "POST"])
@changers_only
def switch_channel(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether a channel's memory shall be turned on or off; do it when the answer is posted."""

    def switch(found: Channel, now: datetime) -> str:
        switch_channels(found.guild, [found], on=not found.memory_on, actor=actor(request), now=now)
        return (
            "From now on this channel is remembered." if found.memory_on else "From now on nothing here is remembered."
        )

    return carry_out(request, pk, Deed(QUESTION, TEXT, "Change it", switch, _undo))


def _undo(found: Channel) -> str:
    return undo.offer("switch-channel", found.pk, fields={"stands": stands(found)})
