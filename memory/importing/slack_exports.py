"""Reads Slack's exports, a folder or a zip: channels by day, private and direct ones where the plan has them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from memory.importing.archives import Archive
from memory.importing.open_file import Unreadable
from memory.importing.schemas import Invalid, Item, Raw, Skipped, message_of, moment, part

LISTS = {  # which file lists which channels: their kind, and who could read them
    "channels.json": ("text", None), "groups.json": ("text", "channel"),
    "mpims.json": ("direct", "channel"), "dms.json": ("direct", "channel"),
}  # fmt: skip
SPOKEN = {None, "", "bot_message", "me_message", "thread_broadcast", "reply_broadcast", "file_share"}
SLACKBOT = "USLACKBOT"
DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
LINK = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")


@dataclass
class Export:
    """What the lists of an export say: its workspace, its members and its channels by folder."""

    team: str
    users: dict[str, Raw]
    channels: dict[str, tuple[Raw, str, str | None]] = field(default_factory=dict)

    def called(self, user: str) -> str:
        """Return what a member is called."""
        raw = self.users.get(user, {})
        profile = part(raw, "profile")
        return str(profile.get("display_name") or profile.get("real_name") or raw.get("name") or user)


def root(archive: Archive) -> str | None:
    """Return the folder that the export lies in, with its slash; None where this is no export of Slack's."""
    listed = [PurePosixPath(name) for name in archive.files if PurePosixPath(name).name in LISTS]
    places = sorted({path.parent for path in listed}, key=lambda path: len(path.parts))
    for place in places:
        prefix = "" if str(place) == "." else f"{place}/"
        if (
            any(DAY.fullmatch(PurePosixPath(name).name) for name in archive.files)
            or f"{prefix}users.json" in archive.files
        ):
            return prefix
    return None


def read(archive: Archive, *, prefix: str, guild: str) -> Iterator[Item]:
    """Yield what the export holds, channel by channel and day by day; raises Unreadable where a list is not whole."""
    users = archive.load(f"{prefix}users.json") or archive.load(f"{prefix}org_users.json") or []
    known: dict[str, Raw] = {str(each["id"]): each for each in _objects(users) if each.get("id")}
    team = next((str(each["team_id"]) for each in known.values() if each.get("team_id")), "")
    export = Export(team, known)
    for name, (kind, audience) in LISTS.items():
        for raw in _objects(archive.load(f"{prefix}{name}") or []):
            for folder in {str(raw.get("id")), str(raw.get("name") or raw.get("id"))}:
                export.channels[folder] = (raw, kind, audience)
    for name in sorted(archive.files):
        path = PurePosixPath(name.removeprefix(prefix))
        if not name.startswith(prefix) or len(path.parts) != 2 or not DAY.fullmatch(path.name):
            continue
        listed = export.channels.get(path.parts[0])
        # A folder that no list names is read by nobody but its own: it may have been a private one.
        channel = listed or ({"id": path.parts[0], "name": path.parts[0]}, "text", "channel")
        yield from _day(archive, name, export, channel, guild)


def _objects(raw: Any) -> list[dict[str, Any]]:
    return [each for each in raw if isinstance(each, dict)] if isinstance(raw, list) else []


def _day(
    archive: Archive, name: str, export: Export, channel: tuple[Raw, str, str | None], guild: str
) -> Iterator[Item]:
    import ijson  # type: ignore[import-untyped]

    number = 0
    with archive.open(name) as source:
        try:
            for raw in ijson.items(source, "item"):
                number += 1
                yield _item(raw, f"{name}, message {number}", export, channel, guild)
        except ijson.JSONError:
            # The other days are whole: they are read, and this one can be imported again.
            yield Invalid(name, f"breaks off, or is not JSON, after {number} whole messages")


def _item(raw: Any, where: str, export: Export, channel: tuple[Raw, str, str | None], guild: str) -> Item:
    if not isinstance(raw, dict) or raw.get("type", "message") != "message":
        return Invalid(where, "is not a message")
    kind = raw.get("subtype")
    if kind == "tombstone" or kind == "message_deleted":
        return Skipped("deleted")
    if kind not in SPOKEN or raw.get("hidden"):
        return Skipped("system_message")
    place, of, audience = channel
    number, stamp, thread = str(place.get("id")), str(raw.get("ts", "")), str(raw.get("thread_ts") or "")
    told: dict[str, Any] = {"id": number, "name": str(place.get("name") or ""), "kind": of, "audience": audience}
    if thread and thread != stamp:
        told = {"id": f"{number}:{thread}", "kind": "thread", "parent_id": number, "audience": audience}
    text, mentions = plain(str(raw.get("text") or ""), export)
    fields = {
        "message_id": f"{number}:{stamp}",
        "channel": told,
        "author": _author(raw, export),
        "text": text,
        "sent_at": moment(stamp),
        "reply_to": f"{number}:{thread}" if thread and thread != stamp else None,
        "mentions": mentions,
    }
    key = guild or _guild_key(export, number, direct=of == "direct")
    return message_of(fields, guild={"key": key}, where=where)


def _guild_key(export: Export, channel: str, *, direct: bool) -> str:
    if direct:
        return f"slack-dm:{channel}"
    if not export.team:
        raise Unreadable("does not say which workspace it is of (users.json has no team_id): give --guild slack:NAME.")
    return f"slack:{export.team}"


def _author(raw: Mapping[str, Any], export: Export) -> dict[str, Any]:
    profile, number = part(raw, "user_profile"), str(raw.get("user") or raw.get("bot_id") or "")
    known = export.users.get(number, {})
    if raw.get("bot_id") and known and not known.get("is_bot"):  # an app posted it with a person's name
        number, known = str(raw["bot_id"]), {}
    bot = bool(raw.get("bot_id") or raw.get("subtype") == "bot_message" or known.get("is_bot") or number == SLACKBOT)
    name = str(known.get("name") or profile.get("name") or raw.get("username") or "")
    shown = export.called(number) if known else str(profile.get("display_name") or profile.get("real_name") or "")
    return {"id": number, "name": name[:200], "display_name": shown[:200], "is_bot": bot}


def plain(text: str, export: Export) -> tuple[str, list[str]]:
    """Return a text without Slack's own marks, and the members that it mentions."""
    mentions: list[str] = []

    def said(found: re.Match[str]) -> str:
        target, label = found[1], found[2]
        if target[0] in "@#!":
            if target[0] == "@" and target[1:] not in mentions:
                mentions.append(target[1:])
            name = export.called(target[1:]) if target[0] == "@" else label or target[1:].partition("^")[0]
            return ("#" if target[0] == "#" else "@") + name.lstrip("@#")
        address = target.removeprefix("mailto:").removeprefix("tel:")
        return f"{label} ({address})" if label and label != address else address

    return html.unescape(LINK.sub(said, text)), mentions[:100]
