"""The sample community keeps the shape that the demo and its README rely on."""

import json
import re
from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).resolve().parents[3] / "memory" / "sample"
README = (SAMPLE / "README.md").read_text(encoding="utf-8")
Line = dict[str, Any]

PRIVATE = ("c-crew-secrets", "dm-greta")
PER_CHANNEL = {"c-general": 172, "c-boat-shed": 79, "t-relaunch": 34, "c-crew-secrets": 28, "dm-greta": 21}
CHANNEL_SHAPES = {
    "c-general": ("text", None, "guild"),
    "c-boat-shed": ("text", None, "guild"),
    "t-relaunch": ("thread", "c-boat-shed", "guild"),
    "c-crew-secrets": ("text", None, "channel"),
    "dm-greta": ("direct", None, "channel"),
}
LANGUAGE_MARKS = {
    "Spanish": r"\b(hola|gracias|sigo|guardado|caja)\b",
    "German": r"\b(ich|nicht|wohne|heute|ist)\b",
    "French": r"\b(je|suis|avec|j'habite|trop)\b",
    "Japanese": r"[\u3040-\u30ff]",
    "Arabic": r"[\u0600-\u06ff]",
}
SECRET_SHAPES = (
    r"\bsk-[\w-]{12,}",
    r"\bAKIA[0-9A-Z]{16}\b",
    r"\bgh[pousr]_\w{20,}",
    r"\bxox[abprs]-[\w-]+",
    r"\bAIza[\w-]{30,}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    r"\b[\w-]{23,28}\.[\w-]{6}\.[\w-]{27,}",
    r"(?i)(?:password|secret|token|api_?key)\s*(?:is|=|:)\s*\S+",
)


def lines() -> list[Line]:
    with (SAMPLE / "community.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def sent(line: Line) -> datetime:
    return datetime.fromisoformat(line["sent_at"])


def conversations(quiet: timedelta) -> list[list[Line]]:
    """Messages of a channel with less than `quiet` between them, as the buffers will hold them."""
    found: list[list[Line]] = []
    for channel in PER_CHANNEL:
        here = [line for line in lines() if line["channel"]["id"] == channel]
        found.append(here[:1])
        for before, line in pairwise(here):
            if sent(line) - sent(before) >= quiet:
                found.append([])
            found[-1].append(line)
    return found


def test_every_line_has_exactly_the_fields_of_a_message() -> None:
    keys = {"guild", "message_id", "channel", "author", "text", "sent_at", "reply_to", "mentions", "source"}
    for line in lines():
        assert set(line) == keys
        assert line["guild"] == {"key": "demo:harbour", "name": "The Harbour"}
        assert set(line["author"]) == {"id", "name", "display_name", "is_bot"}
        assert line["text"].strip()


def test_ids_are_unique_and_numbered_in_order() -> None:
    ids = [line["message_id"] for line in lines()]
    assert ids == [f"d-{number:03d}" for number in range(1, sum(PER_CHANNEL.values()) + 1)]


def test_times_have_an_offset_and_only_go_forward() -> None:
    times = [sent(line) for line in lines()]
    assert all(time.tzinfo for time in times)
    assert all(before < after for before, after in pairwise(times))
    assert times[0].date().isoformat() == "2026-10-05"
    assert times[-1].date().isoformat() == "2026-10-25"


def test_each_channel_has_its_messages_and_its_shape() -> None:
    assert Counter(line["channel"]["id"] for line in lines()) == PER_CHANNEL
    for line in lines():
        channel = line["channel"]
        assert (channel["kind"], channel["parent_id"], channel["audience"]) == CHANNEL_SHAPES[channel["id"]]


def test_the_readme_counts_what_the_file_holds() -> None:
    assert f"{len(lines())} messages" in README
    names = {line["channel"]["id"]: line["channel"]["name"] for line in lines()}
    for channel, count in PER_CHANNEL.items():
        talks = sum(talk[0]["channel"]["id"] == channel for talk in conversations(timedelta(minutes=25)))
        assert re.search(rf"^\| `{names[channel]}`[^|]*\| {count} \| {talks} \|", README, re.MULTILINE)


def test_eight_members_and_one_bot_speak() -> None:
    speakers = {(line["author"]["display_name"], line["author"]["is_bot"]) for line in lines()}
    assert {name for name, is_bot in speakers if is_bot} == {"Foghorn"}
    members = {name for name, is_bot in speakers if not is_bot}
    assert members == {"Alice", "Bob", "Diego", "Amélie", "Greta", "Kenji", "Noor", "Mallory"}


def test_replies_answer_an_earlier_message_of_the_same_channel() -> None:
    channel_of: dict[str, str] = {}
    for line in lines():
        channel = line["channel"]["id"]
        assert line["reply_to"] is None or channel_of[line["reply_to"]] == channel
        channel_of[line["message_id"]] = channel
    assert sum(line["reply_to"] is not None for line in lines()) > 50


def test_mentions_name_the_members_whose_names_are_written_with_an_at() -> None:
    ids = {line["author"]["display_name"]: line["author"]["id"] for line in lines()}
    for line in lines():
        assert set(line["mentions"]) == {ids[name] for name in re.findall(r"@(\w+)", line["text"])}
    assert sum(len(line["mentions"]) for line in lines()) > 30


def test_conversations_make_a_demo_worth_of_notes() -> None:
    talks = conversations(timedelta(minutes=25))
    with_members = [talk for talk in talks if not all(line["author"]["is_bot"] for line in talk)]
    assert (len(talks), len(with_members)) == (28, 27)
    assert all(8 <= len(talk) <= 25 for talk in with_members)
    assert all(sent(talk[-1]) - sent(talk[0]) <= timedelta(minutes=30) for talk in talks)


def test_one_day_has_enough_notes_for_a_cluster() -> None:
    days = Counter(sent(talk[0]).date() for talk in conversations(timedelta(minutes=25)))
    assert days.most_common(1)[0][1] >= 3


def test_five_languages_besides_english_are_spoken() -> None:
    text = "\n".join(line["text"] for line in lines())
    for language, mark in LANGUAGE_MARKS.items():
        assert re.search(mark, text, re.IGNORECASE), language


def test_voice_code_links_and_emoji_alone_are_present() -> None:
    texts = [line["text"] for line in lines()]
    assert sum(line["source"] == "voice" for line in lines()) == 2
    assert any(text.startswith("```") for text in texts)
    assert any(re.fullmatch(r"https://example\.org/\S+", text) for text in texts)
    assert any(not re.search(r"[\w.?!]", text) for text in texts)


def test_the_private_facts_are_told_in_their_own_channels_only() -> None:
    words = {"c-crew-secrets": r"\bparty\b|turns 40|lifeboat|thyme", "dm-greta": r"Fjordverft|Bergen|Norwegian"}
    for home, pattern in words.items():
        told = {line["channel"]["id"] for line in lines() if re.search(pattern, line["text"], re.IGNORECASE)}
        assert told == {home}


def test_nobody_reads_a_secret_kept_from_them() -> None:
    readers = {home: {x["author"]["name"] for x in lines() if x["channel"]["id"] == home} for home in PRIVATE}
    assert readers == {"c-crew-secrets": {"bob", "amelie", "diego", "greta"}, "dm-greta": {"greta", "foghorn"}}


def test_whatever_looks_like_a_secret_says_it_is_fake() -> None:
    text = "\n".join(line["text"] for line in lines())
    found = [match for shape in SECRET_SHAPES for match in re.findall(shape, text)]
    assert {match for match in found if "fake" not in match} == set()
    assert any(match.startswith("sk-fake") for match in found)
    assert any("password is fake" in match for match in found)


def test_links_lead_to_reserved_example_domains() -> None:
    hosts = {host for line in lines() for host in re.findall(r"https?://([^/\s]+)", line["text"])}
    assert hosts == {"example.org", "tides.example.org"}


def test_the_readme_cites_messages_that_say_it() -> None:
    by_id = {line["message_id"]: line for line in lines()}
    assert set(re.findall(r"d-\d{3}", README)) <= set(by_id)
    told = {
        "d-186": "live in Porto", "d-228": "Clínica Ribeira", "d-231": "gave up coffee", "d-244": "Seventeen Screws",
        "d-213": "like olives now", "d-229": "Azulejo Labs", "d-219": "live in Kobe", "d-272": "Institut Sillage",
        "d-257": "Fjordverft", "d-295": "Cardiff", "d-320": "launched on", "d-323": "spanner", "d-334": "not today",
    }  # fmt: skip
    for message, words in told.items():
        assert message in README
        assert words in by_id[message]["text"]
