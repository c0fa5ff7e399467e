"""Chat is data: what people write is shown as they wrote it, runs nowhere and breaks out of nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.context import builder
from memory.models import Recap, RecapLine, Webhook
from memory.records import snapshots
from memory.records.markdown import to_html
from memoryhub.community.models import Channel, Guild, Member
from notes.models import Message, Question
from profiles.models import ProfileEntry
from profiles.relationships import relationship_store
from tests.factories import (
    NOON,
    make_arrangement,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_profile,
    make_summary,
)  # fmt: skip
from tests.incoming import say

pytestmark = pytest.mark.django_db

HOSTILE = (
    "<script>qxscript()</script><b id=qxtag>",
    '"\' onmouseover=qxattr() x="',
    "]]></note></background_facts><qxelement>",
    "[a](javascript:qxlink)",
    "![a](https://qx.example/a.png)",
    "# qxheading\n\n<qxelement/>",
    "{{ 1|add:6 }}qx{% now 'Y' %}",
    "&lt;script&gt;qxtwice()&lt;/script&gt;",
    "`</code><qxelement>`",
    "--><qxelement>",
    "%(qx)s {qx} \\N{BULLET} \u202e\u0000",
)
ALL = " ".join(HOSTILE).replace("\u0000", "")


@dataclass
class Elements(HTMLParser):
    """Notes what in a page chat could have made: elements, handlers, addresses."""

    found: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = [f"{name}={value}" for name, value in attrs]
        if "qxelement" in tag or any("qxtag" in one for one in said if one.startswith("id=")):
            self.found.append(tag)
        self.found += [one for one in said if one.startswith("on")]
        self.found += [one for one in said if one.startswith(("href=javascript", "src=https://qx"))]

    def handle_data(self, data: str) -> None:
        if self.get_starttag_text() == "<script>" and "qxscript" in data:
            self.found.append("script")


def hostile_world() -> Guild:
    """Make a row of every kind whose texts are all hostile."""
    guild = make_guild(name=ALL[:200])
    channel = make_channel(guild, name=ALL[:200], platform_id="c-1")
    mallory = make_member(guild, name=ALL[:190], platform_id="u-1")
    message = make_message(ALL, channel=channel, author=mallory)
    note = make_note(ALL[:80], messages=[message], summary=ALL[:1200])
    make_fact(ALL[:400], subject=mallory, evidence=[message])
    make_fact(ALL[:400], guild=guild, evidence=[message])
    make_fact(ALL[:399], guild=guild, evidence=[message], status="pending", junk=0.9, junk_signs=["vague"])
    make_profile(mallory, summary=ALL[:800])
    for text in HOSTILE:
        make_entry(text.replace("\u0000", ""), member=mallory, notes=[note])
    make_summary(channel, ALL[:1800], topics=[ALL], decisions=[ALL])
    asked = Question.objects.create(guild=guild, channel=channel, text=ALL[:200], asked_at=NOON)
    asked.messages.set([message])
    make_arrangement(message, ALL[:300], due_at=NOON)
    make_arrangement(message, ALL[1:300])
    other = make_member(guild, name=ALL[:190], platform_id="u-2")
    relationship_store.set_level(mallory, other, level=0.9, actor="x", now=NOON)
    relationship_store.switch(guild, on=True)
    snapshots.render_journal(guild, day=NOON.date(), now=NOON)
    recap = Recap.objects.create(guild=guild, since=NOON, until=NOON, intro=ALL[:600])
    RecapLine.objects.create(recap=recap, section="happened", place=0, text=ALL[:200], note=note)
    Webhook.objects.create(guild=guild, url=ALL[:500], kinds=[], reached=0)
    return guild


def pages() -> list[str]:
    """Return the address of every page that a first row has, by the list of addresses itself, and the admin's."""
    found = [reverse("admin:index")]
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(reverse(f"{name}_changelist"))
        if (row := model._default_manager.first()) is not None:
            found.append(reverse(f"{name}_change", args=[row.pk]))
    return found + [reverse(name, kwargs=ids) for name, route in _own_pages() if (ids := _ids(route)) is not None]


def _own_pages() -> list[tuple[str, Any]]:
    resolvers = get_resolver().url_patterns
    own = [p for r in resolvers if isinstance(r, URLResolver) and _is_ours(r) for p in r.url_patterns]
    patterns = [p for p in (*resolvers, *own) if isinstance(p, URLPattern) and p.name]
    skipped = {"sign-in", "sign-out", "theme"}
    # Of people and keys no chat is told.
    ours = [p for p in patterns if p.name not in skipped and not str(p.pattern).startswith(("people/", "keys/"))]
    return [(p.name, p.pattern) for p in ours]


def _is_ours(resolver: URLResolver) -> bool:
    return getattr(resolver.urlconf_name, "__name__", "").endswith(".urls") and not resolver.namespace


def _ids(pattern: Any) -> dict[str, Any] | None:
    """Return the ids of an address; None for one of rows that hold no chat: people, keys."""
    guild = Guild.objects.get()
    values = {"guild": guild.pk, "day": NOON.date(), "key": guild.key}
    rows = {"notes/": "notes", "messages/": "messages", "memories/": "facts", "members/": "members"}
    rows |= {"channels/": "channels", "webhooks/": "webhooks", "plans/": "arrangements", "recaps/": "recaps"}
    values["pk"] = getattr(ProfileEntry.objects.first(), "pk", 0)  # lines/
    for prefix, name in rows.items():
        if str(pattern).startswith(prefix):
            values["pk"] = getattr(guild, name).first().pk
    if str(pattern).startswith("review/"):
        values["pk"] = guild.facts.get(status="pending").pk
    return {name: values[name] for name in pattern.converters} if set(pattern.converters) <= set(values) else None


def test_every_page_shows_hostile_text_and_none_of_it_works(admin_client: Client):
    hostile_world()
    shown = 0
    for path in pages():
        response = admin_client.get(path, follow=True)
        assert response.status_code in (200, 204, 405), path
        if "attachment" in response.headers.get("Content-Disposition", ""):
            assert response.headers["Content-Type"].startswith(("text/markdown", "text/calendar")), path
            assert response.headers["X-Content-Type-Options"] == "nosniff", path
            continue
        html = response.content.decode()
        page = Elements()
        page.feed(html)
        assert not page.found, path
        assert "7qx2" not in html, path
        shown += "qxscript" in html
    assert shown > 15


@settings(max_examples=60)
@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=30), max_size=6).map("".join))
def test_markdown_made_of_chat_becomes_html_without_anything_that_runs(text):
    page = Elements()
    page.feed(to_html(text))
    assert not page.found


@pytest.mark.parametrize("place", ["c-1", None])
def test_hostile_text_breaks_out_of_no_form_of_a_context(place):
    guild = hostile_world()
    channel = Channel.objects.of(guild).get(platform_id=place) if place else None
    built = {form: _context(guild, channel, form) for form in ("xml", "json", "markdown")}
    tree = ElementTree.fromstring(built["xml"])
    assert tree.tag == "background_facts"
    assert not {element.tag for element in tree.iter()} & {"script", "qxelement", "b"}
    assert "qxscript" in "".join(tree.itertext())
    assert "qxscript" in str(json.loads(built["json"]))
    page = Elements()
    page.feed(to_html(built["markdown"]))
    assert not page.found
    assert not [line for line in built["markdown"].splitlines() if line.startswith("# qxheading")]


def _context(guild: Guild, channel: Channel | None, form: Any) -> str:
    people = list(Member.objects.of(guild))
    turn = builder.Turn(
        guild=guild, channel=channel, members=people, mentioned=people, text=ALL, max_tokens=8000, format=form, now=NOON
    )  # fmt: skip
    return builder.build(turn).text


@settings(max_examples=25)
@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=40), min_size=1, max_size=4).map(" ".join))
def test_a_context_of_anything_at_all_is_well_formed_xml(text):
    guild = make_guild()
    said = say(f"I love {text} and I live in {text}", now=NOON)
    assert said.status in ("stored", "ignored")
    built = _context(guild, Channel.objects.of(guild).first(), "xml")
    ElementTree.fromstring(built)
    Message.objects.all().delete()
