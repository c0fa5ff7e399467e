"""The examples of docs/api.md, run in order, as they stand there."""

import re
import shlex
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from memoryhub.site.api import api as root
from tests.api_client import Api, api_for
from tests.factories import make_channel, make_fact, make_guild, make_member, make_note

PAGE = Path(__file__).parents[3] / "docs" / "api.md"
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
EXAMPLES = [example for block in BLOCKS[1:] for example in re.split(r"\n(?=curl )", block.strip())]


def run(api: Api, words: list[str]):
    """Do what curl would do with these words."""
    method, url, headers, fields, body = "GET", "", {}, [], None
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(": ")
            headers[name] = value
        elif word == "--data-urlencode" or (word == "-d" and "-G" in words):
            fields += parse_qsl(next(rest))
        elif word == "-d":
            body = next(rest).encode()
        elif word == "-o":
            next(rest)
        elif word != "-G":
            url = word
    assert body is None or headers.pop("Content-Type") == "application/json"
    assert ("/health" in url) or headers.pop("Authorization") == "Bearer KEY"
    path, _, query = url.partition("?")
    return method, path, api.call(method, path, body, headers=headers, **dict(parse_qsl(query) + fields))


@pytest.mark.django_db
def test_every_example_works_and_every_route_has_one():
    guild = make_guild()
    api = api_for(guild, "admin")
    note = make_note(channel=make_channel(guild, platform_id="c1"))
    known = {"SITE": "", "HUB": "/api/v1", "KEY": "Authorization: Bearer KEY", "JSON": "Content-Type: application/json"}
    known |= {"NOTE": str(note.pk), "MEMORY": str(make_fact("Owns a boat.").pk), "FACT": ""}
    for name in ("WAITING", "DOUBTFUL", "JUNK"):
        known[name] = str(make_fact(f"Likes {name} tea.", status="pending", junk=0.7, junk_signs=["vague"]).pk)
    make_member(guild, platform_id="u3")
    called = set()
    for example in EXAMPLES:
        words = shlex.split(re.sub(r"\$([A-Z]+)", lambda name: known[name[1]], example))
        method, path, answer = run(api, words)
        assert answer.status_code < 300, (example, answer.content)
        called.add((method, path))
        if path.endswith("/facts") and method == "POST" and not known["FACT"]:
            known["FACT"] = answer.json()["id"]
        if method == "DELETE" and path.endswith("/members/u3"):
            known["RECEIPT"], known["ID"] = answer.json()["receipt"], answer.json()["id"]
        if path.endswith("/webhooks") and method == "POST":
            known["WEBHOOK"] = answer.json()["id"]
        if path.endswith("/profile/entries") and method == "POST":
            known["ENTRY"] = answer.json()["id"]
    for path, operations in root.get_openapi_schema()["paths"].items():
        pattern = re.sub(r"\{\w+\}", r"[^/]+", path)
        for method in operations:
            assert any(m == method.upper() and re.fullmatch(pattern, p) for m, p in called), (method, path)
