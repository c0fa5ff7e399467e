"""Hands a member what is theirs: a zip, made while it is read, and a link to it that ends by itself."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import RawIOBase
from pathlib import Path
from typing import Any

from django.core import signing
from django.core.serializers.json import DjangoJSONEncoder
from django.http import StreamingHttpResponse
from django.urls import reverse

from memory.erasure.holders_facts import count_withheld
from memory.erasure.holders_members import exports_folder, exports_of
from memory.erasure.mask import Masks
from memory.erasure.registry import HOLDERS
from memory.records.action_log import log
from memoryhub.common.new_files import new_file
from memoryhub.community.models import Member
from memoryhub.db.guild_scope import inside_each
from memoryhub.errors import Refused

LINK_LASTS = timedelta(hours=24)
FILES_KEPT = timedelta(hours=24)
SALT = "memoryhub.export"
FLUSHED_AT = 64 * 1024  # bytes that are gathered before they are handed on
README = """\
What {guild} remembers of {name}, as of {day}.

{files}

Each file is JSON, times are UTC. Other members' names are hidden: "[member 1]" is the same one in every file. Your own
messages stand as you wrote them. What others said of you stands in facts.json, with their names hidden; of who is not
to be remembered here neither words nor notes are in it.
{withheld}
This file was made for you alone. Whoever has it can read all of it.
"""
WITHHELD = """
Left out are facts about you that were said in channels in which you never spoke ({count}): this hub shows nobody what
they could not have read. Ask the people who run {guild} about them.
"""


class LinkExpired(Refused):
    """The link is too old, was changed, or leads to somebody who was erased."""


def stream_zip(member: Member, *, now: datetime) -> Iterator[bytes]:
    """Yield the zip as it is made; it takes the same memory for ten messages as for a hundred thousand."""
    return inside_each(member, _blocks(member, now))


def _blocks(member: Member, now: datetime) -> Iterator[bytes]:
    sink = _Sink()
    masks = Masks.of(member.guild, reader=member)
    exported = [holder for holder in HOLDERS if holder.file]
    withheld = count_withheld(member)
    readme = README.format(
        guild=member.guild,
        name=member,
        day=f"{now:%Y-%m-%d %H:%M} UTC",
        files="\n".join(f"{holder.file:<20} {holder.holds}" for holder in exported),
        withheld=WITHHELD.format(count=withheld, guild=member.guild) if withheld else "",
    )
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr(_entry("README.txt", now), readme)
        yield sink.take()
        for holder in exported:
            with archive.open(_entry(holder.file, now), "w", force_zip64=True) as file:
                separator = b"[\n"  # one JSON list, a row a line
                for row in holder.export(member, masks):
                    text = json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
                    file.write(separator + text.encode(errors="replace"))
                    separator = b",\n"
                    if len(sink.kept) >= FLUSHED_AT:
                        yield sink.take()
                file.write(b"\n]\n" if separator == b",\n" else b"[]\n")
            yield sink.take()
    yield sink.take()


class _Sink(RawIOBase):
    """Takes what the archive writes and hands it on: a file that can only be written forwards."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = bytearray()

    def writable(self) -> bool:
        """Return True: it is only for that."""
        return True

    def write(self, data: Any) -> int:
        """Keep the bytes until they are taken."""
        self.kept += data
        return len(data)

    def take(self) -> bytes:
        """Return what came since the last time."""
        taken = bytes(self.kept)
        self.kept.clear()
        return taken


def _entry(name: str, now: datetime) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=now.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


def export_member(member: Member, *, now: datetime, into: Path | None = None) -> Path:
    """Write the zip to a new file, by default in the data folder for a day; whole, or not at all. Raises OSError."""
    path = into or exports_of(member.guild_id) / file_name(member, now=now)
    if into is None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with new_file(path, may_replace=into is None) as file:
        file.writelines(stream_zip(member, now=now))
    return path


def delete_old_exports(*, now: datetime) -> int:
    """Delete exports that lie on disk for more than a day; return how many."""
    oldest = (now - FILES_KEPT).timestamp()
    old = [path for path in exports_folder().rglob("*") if path.is_file() and path.stat().st_mtime < oldest]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def download_response(member: Member, *, now: datetime) -> StreamingHttpResponse:
    """Return the answer of a page or route that hands the zip out."""
    answer = StreamingHttpResponse(stream_zip(member, now=now), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="{file_name(member, now=now)}"'
    answer["Cache-Control"] = "no-store"
    return answer


def log_export(member: Member, *, actor: str, now: datetime) -> None:
    """Write into the action log that somebody took an export."""
    log("member_export", guild=member.guild, actor=actor, now=now, member=member.pk)


def file_name(member: Member, *, now: datetime) -> str:
    """Return what to call the file: letters and digits of the account's id, and the day."""
    return f"memory-{re.sub(r'[^A-Za-z0-9]+', '-', member.platform_id)[:60]}-{now:%Y-%m-%d}.zip"


def make_link(member: Member, *, now: datetime) -> str:
    """Return the path of a page that hands out the export for 24 hours, to whoever has the link.

    No file lies about meanwhile: it is made when the link is opened, and not at all once the member is erased.
    """
    token = signing.dumps([member.pk, member.platform_id, int(now.timestamp())], salt=SALT)
    return reverse("export", args=[token])


def member_of_link(token: str, *, now: datetime) -> Member:
    """Return whose export a link is; raises LinkExpired."""
    try:
        pk, platform_id, at = signing.loads(token, salt=SALT)
        member = Member.objects.select_related("guild").get(pk=pk, platform_id=platform_id)
    except (signing.BadSignature, ValueError, TypeError, Member.DoesNotExist):
        raise LinkExpired("This link leads nowhere: it is not whole, or what it led to was erased.") from None
    if now - datetime.fromtimestamp(at, tz=now.tzinfo) > LINK_LASTS:
        raise LinkExpired("This link is older than 24 hours. Ask for a new one.")
    return member
