"""Opens every page of the house as a moderator of one guild, with the ids of another's rows in its address."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from django.apps import apps
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from memoryhub.community.models import Guild, Member
from memoryhub.models import Role
from tests.factories import NOON

HOUSE = ("community", "profiles", "notes", "memory", "botrunner")
ROWS = 1  # of each table
KEPT = ("/api/memory", "/api/memory/search", "/admin/api/memories")
"""Routes of the source designs: who is signed in may read them."""


def moderator(guild: Guild) -> Client:
    """Sign somebody in who has rights in this guild and no other."""
    user, _ = User.objects.get_or_create(username=f"mona of {guild.pk}")
    Role.objects.get_or_create(user=user, kind=Role.Kind.MODERATOR)[0].guilds.set([guild])
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def patterns() -> list[URLPattern]:
    """Return the pages: what is neither the admin's nor the API's."""
    found = []
    for pattern in get_resolver().url_patterns:
        inner = pattern.url_patterns if isinstance(pattern, URLResolver) and not pattern.namespace else [pattern]
        found += [
            each for each in inner if isinstance(each, URLPattern) and each.name and "api" not in str(each.pattern)
        ]
    return [each for each in found if each.name not in {"sign-out", "theme", "password"}]


def addresses(pattern: URLPattern, guild: Guild) -> Iterator[str]:
    """Return the page's addresses with the ids of this guild's rows, whichever table they are of."""
    path = "/" + str(pattern.pattern)
    named = re.findall(r"<(\w+):(\w+)>", path)
    for row in _row_ids(guild) if named else [""]:
        values = {"pk": row, "guild": str(guild.pk), "day": str(NOON.date()), "key": guild.key}
        filled = path
        for converter, name in named:
            value = values.get(name) or (row if converter == "int" else values.get(converter, row))
            filled = filled.replace(f"<{converter}:{name}>", value)
        yield filled


def _row_ids(guild: Guild) -> list[str]:
    """Return ids of rows of every table that knows its guild."""
    ids: set[int] = set()
    for model in (model for label in HOUSE for model in apps.get_app_config(label).get_models()):
        if any(field.name == "guild" for field in model._meta.fields):
            ids |= set(model._default_manager.filter(guild=guild).values_list("pk", flat=True)[:ROWS])
    return sorted(map(str, ids))


def read(client: Client, of: Guild, questions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Open every page with the ids of the guild `of`, and narrowed down to it."""
    member = Member.objects.of(of).values_list("pk", flat=True).first()
    for pattern in patterns():
        for path in addresses(pattern, of):
            yield f"page {path}", _body(client.get(path))
        if "<" not in str(pattern.pattern):
            narrowed = {"guild": of.key, "member": str(member)}
            yield f"page {path} of a guild", _body(client.get(path, narrowed))
            yield f"page {path} asked", _body(client.get(path, {"q": questions[0], "text": questions[0]}))
    for path in KEPT:
        yield f"kept {path}", _body(client.get(path, {"guildId": of.key, "q": questions[0]}))


def change(client: Client, of: Guild) -> Iterator[tuple[str, int]]:
    """Post to every page with the ids of the guild `of`; return how each answered."""
    for pattern in patterns():
        for path in addresses(pattern, of):
            answer = client.post(path, {"guild": of.key, "text": "changed", "kind": "other", "confirm": "yes"})
            yield f"{pattern.name} {path}", answer.status_code


def _body(response: HttpResponse) -> str:
    assert response.status_code < 500, response.wsgi_request.path
    return response.content.decode() if not response.streaming else b"".join(response.streaming_content).decode()
