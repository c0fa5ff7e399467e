"""Reads two published sets of group chats, EverMemBench and GroupMemBench, for whoever has their files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memory.lab.evaluation.locomo import Conversation, DataMissing, Question
from memoryhub.community.models import PLATFORM_ID
from notes.messages.schemas import IncomingAuthor

UNKNOWN = "all kinds"
TOLD = ("question", "answer", "Q", "A", "options")  # fields of a question that cite nothing
KIND = ("question_type", "type", "category", "task")


def evermembench(folder: Path, *, limit: int | None = None) -> list[Conversation]:
    """Read folders with `dialogue*.json` and `qa*.json` beside it; each folder is a guild, its groups are channels.

    A dialogue is `{"dialogues": {date: {group: [{speaker, time, dialogue, message_index}]}}}`, or rows with a date
    each. A question has `Q` and `R`, entries that name date, group and message_index. Raises DataMissing, ValueError.
    """
    found: list[Conversation] = []
    for path in sorted(folder.rglob("dialogue*.json")):
        if found and found[-1].name == path.parent.name:
            continue  # the same dialogue once more, in another language
        chat = Conversation(name=path.parent.name)
        for day, groups in _days(_load(path)):
            for group, said in groups.items():
                for row in said or ():
                    _add(chat, row, channel=group, day=day)
        for file in sorted(path.parent.glob("qa*.json")):
            chat.questions += [
                Question(text=row["Q"], category=0, name=_kind_of(row), evidence=_referenced(row, chat))
                for row in _rows(_load(file), "qars")
            ]
        found.append(chat)
    return _with_questions(found, folder, "dialogue.json", limit)


def groupmembench(folder: Path, *, limit: int | None = None) -> list[Conversation]:
    """Read files of channels, `{channel: [{msg_node, content, author, role, timestamp, reply_to}]}`, and of questions.

    A question is a row with `question` that names messages of the file in any other field; both may lie in subfolders.
    Raises DataMissing, ValueError.
    """
    loaded = [(path, _load(path)) for path in sorted(folder.rglob("*.json"))]
    found = []
    for path, data in loaded:
        if _is_channels(data):
            chat = Conversation(name=path.parent.name if path.parent != folder else path.stem)
            said = [(row, channel) for channel, messages in data.items() for row in messages]
            for row, channel in sorted(said, key=lambda each: str(each[0]["timestamp"])):
                _add_node(chat, row, channel=channel)
            found.append((path, chat))
    asked = [(path, row) for path, data in loaded if not _is_channels(data) for row in _rows(data, "questions")]
    for path, row in asked:
        about = _chat_of(path, row, found) if isinstance(row, dict) and "question" in row else None
        if about is not None:
            named = _named({name: value for name, value in row.items() if name not in TOLD})
            cited = frozenset(named & about.sessions.keys())
            about.questions.append(Question(text=row["question"], category=0, name=_kind_of(row), evidence=cited))
    return _with_questions([chat for _, chat in found], folder, "*.json with channels", limit)


def _load(path: Path) -> Any:
    with path.open(encoding="utf-8") as file:
        return json.load(file)


def _rows(data: Any, name: str) -> list[Any]:
    found = data.get(name, []) if isinstance(data, dict) else data
    return found if isinstance(found, list) else []


def _days(data: Any) -> Iterator[tuple[str, Mapping[str, list[dict[str, Any]] | None]]]:
    if isinstance(data, list):
        yield from ((row["date"], row["dialogues"]) for row in data)
    else:
        yield from sorted(data["dialogues"].items())


def _add(chat: Conversation, row: dict[str, Any], *, channel: str, day: str) -> None:
    text = row.get("dialogue") or row.get("text") or ""
    if not text.strip():
        return
    told = {
        "conversation": chat.name, "channel": channel, "message_id": _place(day, channel, row["message_index"]),
        "text": text, "timestamp": _moment(day, str(row.get("time") or "12:00:00")),
        "session": _session(chat, channel, day),
    }  # fmt: skip
    chat.add(told, author=_author(row["speaker"]))


def _moment(day: str, time: str) -> str:
    """Return date and time; some files have the date in both fields."""
    return time if len(time) > len(day) else f"{day}T{time}"


def _add_node(chat: Conversation, row: dict[str, Any], *, channel: str) -> None:
    if not row["content"].strip():
        return
    told = {
        "conversation": chat.name, "channel": channel, "message_id": row["msg_node"], "text": row["content"],
        "timestamp": row["timestamp"], "session": _session(chat, channel, row["timestamp"][:10]),
    }  # fmt: skip
    if row.get("reply_to") in chat.sessions:
        told["reply_to"] = row["reply_to"]
    chat.add(told, author=_author(row["author"]))


def _author(name: str) -> IncomingAuthor:
    return IncomingAuthor(id=name[:PLATFORM_ID], name=name[:PLATFORM_ID], display_name=name[:PLATFORM_ID])


def _place(day: str, group: str, index: object) -> str:
    return f"{day} {group} {index}"


def _session(chat: Conversation, channel: str, day: str) -> int:
    """Return the number of a channel's day: what was said in it is a session."""
    return chat.numbered.setdefault((channel, day), len(chat.numbered) + 1)


def _referenced(row: dict[str, Any], chat: Conversation) -> frozenset[str]:
    """Return the messages that a question's references name, those that are there."""
    places = (
        _place(each["date"], each["group"], index) for each in row.get("R") or () for index in _indexes(each)
    )  # fmt: skip
    return frozenset(place for place in places if place in chat.sessions)


def _indexes(reference: dict[str, Any]) -> Iterator[object]:
    """Yield the indexes of a reference: one, a list, or text such as "3, 5-7"."""
    given = reference["message_index"]
    if isinstance(given, list):
        yield from given
    elif isinstance(given, str):
        for part in filter(None, given.replace(" ", "").split(",")):
            first, _, last = part.partition("-")
            yield from range(int(first), int(last or first) + 1)
    else:
        yield given


def _kind_of(row: dict[str, Any]) -> str:
    """Return what kind of question it is, as far as its fields or its id say."""
    named = next((str(row[name]) for name in KIND if row.get(name)), "")
    return named or "_".join(str(row.get("id", "")).split("_")[:2]) or UNKNOWN


def _is_channels(data: Any) -> bool:
    return isinstance(data, dict) and any(
        isinstance(each, list) and each and isinstance(each[0], dict) and "msg_node" in each[0]
        for each in data.values()
    )


def _chat_of(path: Path, row: dict[str, Any], found: list[tuple[Path, Conversation]]) -> Conversation | None:
    """Return the chat that a question is about: the only one, the one its domain names, or that of its folder."""
    named = {str(row.get("domain", "")).lower(), *(part.lower() for part in (*path.parts, *path.stem.split("_")))}
    near = [chat for _, chat in found if chat.name.lower() in named]
    return near[0] if near else found[0][1] if len(found) == 1 else None


def _named(value: Any) -> set[str]:
    """Return every text inside a value, however deep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return set().union(*map(_named, value))
    return {value} if isinstance(value, str) else set()


def _with_questions(found: list[Conversation], folder: Path, what: str, limit: int | None) -> list[Conversation]:
    """Return the chats with the first questions that refer to messages."""
    if not found:
        raise DataMissing(f"There is no {what} in {folder}.")
    left = limit
    for chat in found:
        chat.questions = [question for question in chat.questions if question.evidence][:left]
        left = None if left is None else left - len(chat.questions)
        chat.messages.sort(key=lambda message: message.sent_at)
    kept = [chat for chat in found if chat.questions]
    if not kept:
        raise DataMissing(f"No question in {folder} refers to a message that is there.")
    return kept
