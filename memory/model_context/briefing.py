"""The prompt that briefs somebody on a channel: what it asks of the model, and the fenced data it goes by."""

from __future__ import annotations

from pydantic import ValidationError

from memory.model_context.fence import fenced_data
from memory.model_context.schemas import OfChannel, ToReply
from memory.model_context.tools import TOOLS
from memory.model_context.visits import Visit
from memoryhub.errors import NotFound

NAME = "brief_channel"
TITLE = "Brief me on this channel"
DESCRIPTION = "What a channel is about, what was decided, what is open, and who takes part, with sources."
ASKED = """Brief me on the channel named below, in at most 200 words and in the language that is mostly spoken there:
what it is about, what happened lately, what was decided, which questions are open and who asked them, and who takes
part and what matters to them. Go only by what stands between the marks, name the day and the person behind what you
say, and say so where little is known."""


def written(visit: Visit, channel: str) -> list[str]:
    """Return the prompt's messages for the channel, by id or name; raises NotFound, Refused."""
    try:
        given = OfChannel(channel=channel)
    except ValidationError:  # no id is so long, or is of null characters alone
        raise NotFound("There is no such channel in this guild.") from None
    summary = TOOLS["channel_summary"].call(visit, "channel_summary", given)
    context = TOOLS["get_context"].call(visit, "get_context", ToReply(channel=channel)).model_dump()["context"]
    return [ASKED, fenced_data(summary.model_dump(mode="json", exclude_none=True)), *filter(None, [context])]
