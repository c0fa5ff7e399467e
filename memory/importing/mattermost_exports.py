"""Reads Mattermost's bulk export: one object a line, teams, channels and users before the posts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memory.importing.json_lines import LONGEST
from memory.importing.open_file import Source, Unreadable
from memory.importing.schemas import Invalid, Item, Raw, Skipped, message_of, moment, part


def recognise(first: Raw) -> bool:
    """Tell whether a file that begins with this object is an export: its first line says the version."""
    return first.get("type") == "version" and "version" in first


@dataclass
class Known:
    """What the lines before the posts say."""

    guild: str
    teams: dict[str, str] = field(default_factory=dict)
    channels: dict[tuple[str, str], Raw] = field(default_factory=dict)
    users: dict[str, str] = field(default_factory=dict)
    bots: set[str] = field(default_factory=set)


def read(source: Source, *, guild: str) -> Iterator[Item]:
    """Yield what each post holds, with its replies; raises Unreadable where the file breaks off."""
    known, number = Known(guild), 0
    while line := source.readline(4 * LONGEST):
        number += 1
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError) as error:
            if not line.endswith(b"\n"):
                raise Unreadable(
                    f"breaks off in line {number}. What stood before it is in; import the whole file for the rest."
                ) from error
            yield Invalid(f"line {number}", "is not JSON")
            continue
        kind = str(raw.get("type")) if isinstance(raw, dict) else ""
        if kind in ("post", "direct_post"):
            yield from _posts(part(raw, kind), known, f"line {number}")
        else:
            _note(kind, part(raw, kind) if kind else {}, known)


def _note(kind: str, raw: Raw, known: Known) -> None:
    """Keep what a line says of a team, a channel or a user; others say nothing of who said what."""
    match kind:
        case "team":
            known.teams[str(raw.get("name"))] = str(raw.get("display_name") or "")[:200]
        case "channel":
            known.channels[str(raw.get("team")), str(raw.get("name"))] = raw
        case "user":
            full = f"{raw.get('first_name') or ''} {raw.get('last_name') or ''}".strip()
            known.users[str(raw.get("username"))] = str(raw.get("nickname") or full)[:200]
        case "bot":
            known.bots.add(str(raw.get("username")))


def _posts(raw: Raw, known: Known, where: str) -> Iterator[Item]:
    """Yield a post and what was answered to it; the answers are a thread of its channel."""
    members = raw.get("channel_members")
    if isinstance(members, list):
        name = "-".join(sorted(map(str, members)))
        ref = f"mattermost-dm:{name}"
        place: dict[str, Any] = {"id": name[:200], "kind": "direct", "audience": "channel"}
        title = ""
    else:
        team, name = str(raw.get("team")), str(raw.get("channel"))
        listed = known.channels.get((team, name), {})
        closed = None if listed.get("type") == "O" else "channel"  # a channel that no line names may be a private one
        shown = str(listed.get("display_name") or name)[:200]
        ref, title = f"mattermost:{team}", known.teams.get(team, "")
        place = {"id": f"{team}/{name}", "name": shown, "kind": "text", "audience": closed}
    guild = {"key": known.guild or ref, "name": "" if known.guild else title}
    yield _item(raw, known, guild, place, where)
    root = _id(raw, place)
    thread = {"id": root[:200], "kind": "thread", "parent_id": place["id"], "audience": place["audience"]}
    if place["kind"] == "direct":
        thread = place
    replies = raw.get("replies")
    for number, reply in enumerate(replies if isinstance(replies, list) else [], 1):
        if isinstance(reply, dict):
            yield _item(reply, known, guild, thread, f"{where}, reply {number}", root=root)


def _id(raw: Raw, place: Raw) -> str:
    return f"{place['id']}/{raw.get('user')}/{raw.get('create_at')}"


def _item(raw: Raw, known: Known, guild: Raw, place: dict[str, Any], where: str, root: str | None = None) -> Item:
    if raw.get("delete_at"):
        return Skipped("deleted")
    if str(raw.get("type") or "").startswith("system_"):
        return Skipped("system_message")
    user = str(raw.get("user") or "")
    props = part(raw, "props")
    author = {"id": user, "name": user, "display_name": known.users.get(user, ""), "is_bot": user in known.bots}
    if props.get("from_webhook") == "true" and user not in known.bots:  # it posts as the person who made it
        shown = str(props.get("override_username") or "webhook")[:200]
        author = {"id": f"{user}/{shown}"[:200], "name": shown, "display_name": "", "is_bot": True}
    fields = {
        "message_id": _id(raw, place) if root is None else f"{root}/{user}/{raw.get('create_at')}",
        "channel": place,
        "author": author,
        "text": raw.get("message"),
        "sent_at": moment(str(raw.get("create_at")), a_second=1000),
        "reply_to": root,
    }
    return message_of(fields, guild=guild, where=where)
