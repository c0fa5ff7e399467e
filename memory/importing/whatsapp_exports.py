"""Reads the text that WhatsApp exports of a chat, in the forms that its apps write by language and region.

A line has a date, a time, a name and words; a line without a date goes on with the words before it. Nothing says in
which order day and month stand, so the beginning of the file decides it; nothing says the zone, so the caller does.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import PurePath
from typing import Literal

from memory.importing.json_lines import LONGEST
from memory.importing.open_file import Source, Unreadable, wrong_encoding
from memory.importing.schemas import Invalid, Item, Skipped, message_of
from notes.messages.schemas import MAX_TEXT, GuildRef

MARKS = "\u200e\u200f\u202a\u202b\u202c\u2068\u2069\ufeff"
NOON = r"[ap]\.?\s?m\.?|午前|午後|上午|下午|오전|오후|ص|م"
HEAD = re.compile(
    rf"""^[{MARKS}]*\[?
    (?P<one>\d{{1,4}})(?P<sign>[./-])\s?(?P<two>\d{{1,2}})(?P=sign)\s?(?P<three>\d{{1,4}})\.?
    ,?\s?(?:(?:klo|um|kl\.?|o|à|às|alle|a\sles|at)\s)?
    (?:(?P<before>{NOON})\s?)?(?P<hour>\d{{1,2}})[:.](?P<minute>\d{{2}})(?:[:.](?P<second>\d{{2}}))?
    (?:\s?(?P<after>{NOON}))?
    (?:\]|\s[-–—]|[,:])\s(?P<rest>.*)$""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
LATE = re.compile(r"p|午後|下午|오후|م", re.IGNORECASE)
Order = Literal["ymd", "dmy", "mdy"]
Seen = dict[datetime, Counter[str]]
"""What was said at each of the last times, and how often: equal words of one minute are told apart by it."""
MOST_TIMES = 1000

ATTACHED = re.compile(r"<[^<>]{3,60}>|\S[^\n]{0,80}\.\w{2,5} \([^()\n]{5,40}\)|null")
"""Where media were left out or lie beside the text, in any language: <Media omitted>, IMG-1.jpg (file attached)."""
EDITED = re.compile(
    rf"\s*[{MARKS}]*<(?:this message was edited|diese nachricht wurde bearbeitet|se editó este mensaje|"
    r"ce message a été modifié|questo messaggio è stato modificato|mensagem editada|dit bericht is bewerkt|"
    r"сообщение изменено|bu mesaj düzenlendi|wiadomość została edytowana)\.?>$",
    re.IGNORECASE,
)
DELETED = {
    "this message was deleted", "you deleted this message", "diese nachricht wurde gelöscht",
    "du hast diese nachricht gelöscht", "se eliminó este mensaje", "eliminaste este mensaje",
    "este mensaje fue eliminado",
    "ce message a été supprimé", "vous avez supprimé ce message", "questo messaggio è stato eliminato",
    "hai eliminato questo messaggio", "mensagem apagada", "esta mensagem foi apagada", "você apagou esta mensagem",
    "dit bericht is verwijderd", "je hebt dit bericht verwijderd", "данное сообщение удалено",
    "вы удалили данное сообщение", "bu mesaj silindi", "bu mesajı sildiniz", "ta wiadomość została usunięta",
    "usunięto tę wiadomość", "このメッセージは削除されました", "此消息已删除", "삭제된 메시지입니다",
}  # fmt: skip
ENCRYPTED = (
    r"end-to-end|ende-zu-ende|extremo a extremo|bout en bout|ponta a ponta|сквозн|uçtan uca|端到端|"
    r"エンドツーエンド|종단간"
)
NOTICE = re.compile(ENCRYPTED, re.IGNORECASE)
"""With which a chat begins; some apps write it as if the group had said it."""
SYSTEM = re.compile(
    rf"{ENCRYPTED}|"
    r"[“”„«\"]|\b(?:added|created group|changed|joined using|left|removed|hinzugefügt|erstellt|geändert|añadió|"
    r"creó el grupo|a ajouté|a créé|ha aggiunto|ha creato|adicionou|criou o grupo|heeft|добавил|создал|ekledi|"
    r"oluşturdu|dodał|utworzył)\b",
    re.IGNORECASE,
)
TITLES = re.compile(
    r"^(?:WhatsApp[ -]Chat (?:with|mit|-) |WhatsApp Chat - |Chat de WhatsApp con |Discussion WhatsApp avec |"
    r"Chat WhatsApp con |Conversa do WhatsApp com |WhatsApp-chat met |Чат WhatsApp с |Czat WhatsApp z )",
    re.IGNORECASE,
)
PHONE = re.compile(r"\+[\d\s()‑-]{6,20}")


def recognise(head: str) -> bool:
    """Tell whether a text that begins like this is an export: its first lines, or nearly, have a date and a time."""
    return any(HEAD.match(line) for line in head.splitlines()[:3])


@dataclass
class Line:
    """What was said at a time: the name, and the words of all its lines; no name where WhatsApp itself says it."""

    number: int
    found: re.Match[str]
    words: list[str] = field(default_factory=list)


def read(source: Source, *, guild: str, zone: tzinfo, title: str = "") -> Iterator[Item]:
    """Yield what the export holds; raises Unreadable where it is not UTF-8, or nothing says which chat it is."""
    name = TITLES.sub("", PurePath(title or source.name).stem).strip(" .")
    if not guild and name.casefold() in ("", "_chat", "chat", "-"):
        raise Unreadable("does not say which chat it is: give --guild whatsapp:NAME, or the zip as WhatsApp named it.")
    key = guild or "whatsapp:" + re.sub(r"\s+", "-", name.casefold())[:180]
    order = day_order(source.head().decode(errors="ignore").splitlines())
    place, seen = GuildRef(key=key, name="" if guild else name[:200]), Seen()
    channel = {"id": "chat" if not guild else f"whatsapp/{name.casefold()}"[:200], "name": name[:200], "kind": "text"}
    for line in _lines(source):
        yield _item(line, order, zone, place, channel, seen)


def _lines(source: Source) -> Iterator[Line]:
    """Yield what was said, with the lines that go on with it."""
    current, number = None, 0
    while raw := source.readline(LONGEST):
        number += 1
        try:
            text = raw.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise wrong_encoding(f"line {number}") from error
        if found := HEAD.match(text):
            if current:
                yield current
            current = Line(number, found, [found["rest"]])
        elif current and sum(map(len, current.words)) <= MAX_TEXT:
            current.words.append(text)
    if current:
        yield current


def day_order(lines: Iterable[str]) -> Order:
    """Return how dates are written, by the beginning of a file: what no month can be, then that time goes on."""
    dates = [(int(m["one"]), int(m["two"]), int(m["three"]), m) for line in lines if (m := HEAD.match(line))]
    if any(one > 31 for one, *_ in dates):
        return "ymd"
    if any(one > 12 for one, *_ in dates):
        return "dmy"
    if any(two > 12 for _, two, *_ in dates):
        return "mdy"
    days = [(three, two, one) for one, two, three, _ in dates]
    months = [(three, one, two) for one, two, three, _ in dates]
    if (days == sorted(days)) != (months == sorted(months)):
        return "dmy" if days == sorted(days) else "mdy"
    # Of those that write slashes only Americans begin with the month, and they have noon in their times.
    american = any(m["sign"] == "/" and (m["after"] or "").casefold() in ("am", "pm") for *_, m in dates)
    return "mdy" if american else "dmy"


def _sent_at(found: re.Match[str], order: Order, zone: tzinfo) -> datetime:
    """Return the time; raises ValueError where there is no such day or hour."""
    parts = dict(zip(order, (int(found["one"]), int(found["two"]), int(found["three"])), strict=True))
    year = parts["y"] + (2000 if parts["y"] < 100 else 0)
    hour, noon = int(found["hour"]), found["before"] or found["after"]
    if noon:
        hour = hour % 12 + (12 if LATE.search(noon) else 0)
    return datetime(year, parts["m"], parts["d"], hour, int(found["minute"]), int(found["second"] or 0), tzinfo=zone)


def _item(line: Line, order: Order, zone: tzinfo, guild: GuildRef, channel: dict[str, str], seen: Seen) -> Item:
    who, found, said = line.words[0].partition(": ")
    if not found:
        who, found, said = line.words[0].partition(":\u200e ")
    name = who.strip(MARKS + " ~\u00a0")
    notice = line.number == 1 and NOTICE.search(said)
    if not found or not name or len(name) > 100 or notice or SYSTEM.search(name):
        return Skipped("system_message")
    text = "\n".join([said, *line.words[1:]])
    bare = EDITED.sub("", text).strip(MARKS + " \n")
    # What the app itself says it marks so on iOS; a member's words never begin so.
    if bare.rstrip(".").casefold() in DELETED:
        return Skipped("deleted")
    if said.startswith("\u200e") or ATTACHED.fullmatch(bare):
        return Skipped("system_message" if SYSTEM.search(said) else "attachment")
    try:
        sent_at = _sent_at(line.found, order, zone)
    except ValueError:
        return Invalid(f"line {line.number}", "has a date or time that there is not: day and month may be mixed up")
    author = re.sub(r"[^\d+]", "", name) if PHONE.fullmatch(name) else name
    # Ids are made of what stands there, so that a newer export of the same chat adds what is new.
    told = f"{sent_at.isoformat()}\0{author}\0{bare}"
    again = seen.setdefault(sent_at, Counter())
    again[told] += 1
    if len(seen) > MOST_TIMES:
        del seen[next(iter(seen))]
    fields = {
        "message_id": hashlib.sha256(f"{told}\0{again[told]}".encode()).hexdigest()[:32],
        "channel": channel,
        "author": {"id": author, "display_name": name},
        "text": bare,
        "sent_at": sent_at,
    }
    return message_of(fields, guild=guild, where=f"line {line.number}")
