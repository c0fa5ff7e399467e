"""The audit log speaks of pages and routes as people do."""

from __future__ import annotations

import pytest
from django.urls import URLResolver, get_resolver, reverse

from memory.model_context.tools import TOOLS
from memoryhub.models import AuditEntry
from memoryhub.site.audit import UNWATCHED
from memoryhub.site.views.audit_words import PAGES, in_words, who
from tests.factories import make_guild
from tests.verification.pages import patterns

ROUTES = sorted(
    {
        inner.name
        for pattern in get_resolver().url_patterns
        if isinstance(pattern, URLResolver) and pattern.namespace in {"api", "mem0-api"}
        for inner in pattern.url_patterns
        if getattr(inner, "name", None)
    }
    - UNWATCHED
)


NAMES = sorted({pattern.name for pattern in patterns()} - UNWATCHED) + ROUTES


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("verb", AuditEntry.Verb.values)
def test_no_page_and_no_route_is_told_by_its_name(name, verb):
    told = in_words(AuditEntry(verb=verb, what=name))
    assert told[0].isupper()
    assert not {"_", "-"} & set(told)


@pytest.mark.parametrize(
    ("verb", "what", "told"),
    [
        ("changed", "guild-settings", "Changed settings"),
        ("looked", "guild-settings", "Looked at the settings"),
        ("looked", "show_fact", "Looked at memory"),
        ("changed", "remember_fact", "Added memory"),
        ("changed", "decide_on_facts", "Decided on memories"),
        ("changed", "admin:memory_fact_change", "Changed the table memory fact in the admin (change)"),
        ("changed", "replay_parked", "Had failed work tried again"),
        ("changed", "mcp:remember", "Added a memory"),
        ("looked", "something-new", "Something new"),
    ],
)
def test_an_entry_is_a_sentence(verb, what, told):
    assert in_words(AuditEntry(verb=verb, what=what)) == told


def test_who_signed_is_a_name_and_a_kind():
    assert [who(actor) for actor in ("operator:olga", "api:bot", "the worker")] == [
        ("olga", "operator"), ("bot", "API key"), ("the worker", ""),
    ]  # fmt: skip


@pytest.mark.parametrize("name", [*(name for name, tool in TOOLS.items() if tool.audited), "snapshot", "journal"])
def test_no_tool_is_told_by_its_name(name):
    changes = name in TOOLS and TOOLS[name].changes
    assert PAGES[f"mcp:{name}"][changes]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("chosen", "told"),
    [({}, "Nothing was changed"), ({"verb": "looked"}, "Nobody looked"), ({"verb": "any"}, "Nobody looked or changed")],
)
def test_an_empty_log_says_what_it_would_show(olga, chosen, told):
    if not chosen:
        AuditEntry.objects.create(actor="operator:mo", verb="looked", what="member")
    shown = olga.get(reverse("audit"), {"who": "", **chosen}, headers={"HX-Request": "true"}).content.decode()
    assert f"<strong>{told}" in shown
    assert ("Looks are left out" in shown) == (not chosen)


@pytest.mark.django_db
def test_the_page_shows_the_sentence_and_links_what_is_there_to_see(olga):
    AuditEntry.objects.create(
        actor="operator:mo", verb="changed", what="correct-fact", row="7", guild_id=make_guild().pk
    )
    shown = olga.get(reverse("audit")).content.decode()
    assert 'Edited a memory <a href="/memories/7/">7</a>' in shown
    assert ">correct-fact" not in shown
