"""A line of the action log as text for Discord: what was done, by whom and when; never a word of what was said."""

from __future__ import annotations

from botrunner.actions.escape import plain
from memory.models import Action
from memory.records.sentences import action_in_words, by_whom
from memoryhub.community import signatures
from memoryhub.community.models import Channel, Guild, Member
from memoryhub.community.querysets import remembered
from memoryhub.db.guild_scope import in_its_guild

NAME, NAMED = 60, 10  # characters of a name, channels that are named
LAST_WORDS = "The settings go with it, this channel's place in them too: nothing more is told here."


def mark(line: Action) -> str:
    """Return the last line of a post, by which the bot knows its own again."""
    return f"-# Line {line.pk} of the action log"


@in_its_guild
def told(guild: Guild, line: Action) -> str:
    """Return the post. It names nobody whose memory is erased, and leaves closed channels to Discord to name."""
    rows = [
        f"**{plain(action_in_words(line.kind, line.detail))}**{_channels(guild, line)}",
        f"By {_by(guild, line.actor)}, <t:{int(line.at.timestamp())}:f>{_number(line)}",
    ]
    if line.kind == "erasure_asked" and line.detail.get("what") == "guild":
        rows.append(LAST_WORDS)
    return "\n".join([*rows, mark(line)])


def _by(guild: Guild, actor: str) -> str:
    """Return who did it: by name where they may be named, else by their account."""
    door, account = signatures.parse(actor)
    if door not in ("moderator", "member") or not account.isdigit():
        return plain(by_whom(actor), NAME)
    member = Member.objects.of(guild).filter(remembered(guild), platform_id=account).first()
    return plain(str(member), NAME) if member else f"account {account}"


def _channels(guild: Guild, line: Action) -> str:
    """Return the channels as links, which show a name only to who may see the channel."""
    rows = Channel.objects.of(guild).filter(pk__in=line.detail.get("channels", [])).order_by("pk")
    ids = [each for each in rows.values_list("platform_id", flat=True) if each.isdigit()]
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return f": {', '.join(f'<#{each}>' for each in ids[:NAMED])}{more}" if ids else ""


def _number(line: Action) -> str:
    """Return the number under which an erasure's receipt is found."""
    number = line.detail.get("erasure")
    return f", erasure `{number}`" if number else ""
