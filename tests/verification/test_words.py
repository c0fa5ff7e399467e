"""No page says a word that only the code knows: every page of a full guild is read as a person reads it."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from memory.models import Fact, JobRun
from memory.records.action_log import log
from memory.records.sentences import ACTIONS
from memoryhub.models import AuditEntry
from memoryhub.site.views.audit_words import PAGES
from tests.factories import (
    NOON,
    make_buffer,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    make_summary,
)
from tests.verification.pages import addresses, patterns

pytestmark = pytest.mark.django_db

INTERNAL = (
    "dirty", "parked", "digest", "digested", "digests", "papers", "told nowhere", "so many words", "believed",
    "put it right", "junk", "superseded", "by extraction", "operator:olga", "unreviewed", "over limit",
    "keeping house", "jobrun", "probably has to do", "queryset",
)  # fmt: skip
"""Words of tables and code, and those that pages.md replaces."""
MEANT = {"parked": ("manage.py parked",)}
"""By word: where a person would say it too."""
NO_PROSE = re.compile(r"<(script|style|code|pre|q|blockquote)\b.*?</\1>|<!--.*?-->", re.DOTALL)
SAID = re.compile(r"(?:title|aria-label|placeholder|alt)=\"([^\"]*)\"")


@pytest.fixture
def olga(client):
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.fixture
def full():
    """A guild with one of everything that pages show, of each state."""
    guild, alice, bob = make_guild(), make_member(name="Alice"), make_member(name="Bob")
    said = make_message("I live in Toronto.", author=alice)
    note = make_note(messages=[said])
    for status in Fact.Status.values:
        make_fact(
            f"Lives in {status[:3]}.", subject=alice, evidence=[said], status=status, junk=0.85, junk_signs=["vague"]
        )
    make_fact("The boat leaves at nine.", possible_conflict=True, pinned=True)
    make_entry("Lives in Toronto", member=alice, notes=[note])
    make_summary()
    make_message("Broken.", author=bob, parked_at=NOON, last_error="No answer.")
    for number, status in enumerate(("open", "closed", "parked")):
        stamps = {"closed_at": NOON, "parked_at": NOON if status == "parked" else None}
        make_buffer(make_channel(name=f"c{number}"), status=status, **stamps)
    for phase, status in zip(JobRun.Phase.values, JobRun.Status.values, strict=True):
        counts = {"notes": 1, "topics": 1, "revised": 2, "dirty": 1, "stale": 1, "unreviewed": 1, "journals": 1}
        JobRun.objects.create(guild=guild, day=NOON.date(), phase=phase, status=status, counts=counts)
    for kind in ACTIONS:
        log(kind, guild=guild, actor="operator:olga", fact=1, phase="papers", day="2026-03-02", status="done")
    for name in PAGES:
        for verb in AuditEntry.Verb.values:
            AuditEntry.objects.create(actor="operator:olga", verb=verb, what=name, row="1", guild_id=guild.pk)
    return guild


def prose(page: str) -> str:
    """Return what a person reads of a page: its text without quotes and code, and its tips."""
    page = NO_PROSE.sub(" ", page)
    text = f"{re.sub(r'<[^>]+>', ' ', page)} {' '.join(SAID.findall(page))}"
    return " ".join(unescape(text).casefold().split())


def spoken(text: str) -> list[str]:
    """Return the internal words in it with what stands around them."""
    found = []
    for word in INTERNAL:
        for match in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text):
            around = text[max(0, match.start() - 40) : match.end() + 40]
            if not any(meant in around for meant in MEANT.get(word, ())):
                found.append(f"{word}: ...{around}...")
    return found


def test_no_page_says_a_word_that_only_the_code_knows(olga, full):
    seen, said = 0, {}
    for pattern in patterns():
        for path in addresses(pattern, full):
            answer = olga.get(path)
            if answer.status_code == 200 and answer.get("Content-Type", "").startswith("text/html"):
                seen += 1
                if words := spoken(prose(answer.content.decode())):
                    said[path] = words
    for query in ("?verb=any", "?verb=looked"):
        if words := spoken(prose(olga.get(reverse("audit") + query).content.decode())):
            said[query] = words
    assert seen > 40
    assert not said, "\n".join(f"{path} {words}" for path, words in said.items())


def test_the_reading_finds_such_words():
    page = "<p>2 parked</p><code>digest</code><a title='x' aria-label=\"Junk by 85 %\">none yet</a>"
    assert [each.partition(":")[0] for each in spoken(prose(page))] == ["parked", "junk"]
