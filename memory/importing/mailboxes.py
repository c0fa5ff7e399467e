"""Reads an mbox: the archive of a mailing list, or a folder of mail, mail by mail."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import parseaddr, parsedate_to_datetime
from pathlib import PurePath

from memory.importing.open_file import Source
from memory.importing.schemas import Invalid, Item, Skipped, message_of
from notes.messages.schemas import MAX_TEXT

FROM = b"From "
LARGEST = 25 << 20  # bytes of a mail
LINE = 1 << 20
LIST_ID = re.compile(r"<([^<>\s]+)>")
ID = re.compile(r"<([^<>\s]{1,190})>")
QUOTED = re.compile(r"^(?:>|On .{5,200} wrote:$|Am .{5,200} schrieb .{1,100}:$|Le .{5,200} a écrit\s?:$|-----Original)")


def recognise(head: bytes) -> bool:
    """Tell whether a file that begins like this is an mbox."""
    first, _, second = head.partition(b"\n")
    return first.startswith(FROM) and re.match(rb"[!-9;-~]+:|>From ", second) is not None


def read(source: Source, *, guild: str) -> Iterator[Item]:
    """Yield each mail. A file that was cut ends with what is left of the last one: nothing in it says so."""
    for number, data in enumerate(_mails(source), 1):
        yield _item(data, f"mail {number}", PurePath(source.name).stem, guild)


def _mails(source: Source) -> Iterator[bytes | None]:
    """Yield each mail's bytes, None for one that is too large; a mail begins with `From ` behind an empty line."""
    lines: list[bytes] = []
    size, empty, begun = 0, True, False
    while line := source.readline(LINE):
        if empty and line.startswith(FROM):
            if begun:
                yield b"".join(lines) if size <= LARGEST else None
            lines, size, begun, empty = [], 0, True, False
            continue
        size += len(line)
        if size <= LARGEST:
            lines.append(line[1:] if re.match(rb">+From ", line) else line)
        empty = not line.strip()
    if begun:
        yield b"".join(lines) if size <= LARGEST else None


def _item(data: bytes | None, where: str, title: str, guild: str) -> Item:
    if data is None:
        return Invalid(where, f"is larger than {LARGEST >> 20} MB")
    try:
        return _message(message_from_bytes(data, policy=policy.default), data, where, title, guild)
    except (ValueError, LookupError, TypeError, AttributeError, IndexError) as error:  # what mails are full of
        return Invalid(where, f"can't be read as a mail ({type(error).__name__})")


def _message(mail: EmailMessage, data: bytes, where: str, title: str, guild: str) -> Item:
    name, address = parseaddr(str(mail.get("From", "")))
    body = mail.get_body(preferencelist=("plain",))
    if body is None:
        return Skipped("no_plain_text")
    listed = LIST_ID.search(str(mail.get("List-Id", "")))
    place = (listed[1] if listed else title).casefold()
    sent_at = parsedate_to_datetime(str(mail.get("Date", "")))
    number = ID.search(str(mail.get("Message-ID", "")))
    automatic = str(mail.get("Auto-Submitted", "no")).casefold() != "no"  # such as somebody's note that they are away
    fields = {
        "message_id": number[1] if number else hashlib.sha256(data).hexdigest()[:32],
        "channel": {"id": place[:200], "name": place[:200], "kind": "text"},
        "author": {
            "id": f"{'automatic:' if automatic else ''}{address.casefold()}",
            "name": address.partition("@")[0][:200],
            "display_name": name[:200],
            "is_bot": automatic,
        },
        "text": own_words(_text(body))[:MAX_TEXT],
        "sent_at": sent_at if sent_at.tzinfo else sent_at.replace(tzinfo=UTC),
        "reply_to": found[1] if (found := ID.search(str(mail.get("In-Reply-To", "")))) else None,
    }
    key = guild or "mail:" + re.sub(r"\s+", "-", place)
    return message_of(fields, guild={"key": key}, where=where)


def _text(body: MIMEPart) -> str:
    """Return the words of a part, whatever it says of its letters."""
    try:
        return str(body.get_content())
    except LookupError:  # an encoding that nobody knows
        payload = body.get_payload(decode=True)
        return payload.decode("latin-1") if isinstance(payload, bytes) else ""


def own_words(text: str) -> str:
    """Return a mail's text without what it quotes, and without the signature."""
    kept: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.rstrip("\r") == "-- ":
            break
        if not QUOTED.match(line):
            kept.append(line)
    return "\n".join(kept).strip()
