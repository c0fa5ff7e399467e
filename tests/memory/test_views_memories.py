"""Memories: listed, found, opened, deleted."""

import pytest
from django.urls import reverse

from memory.models import Evidence, Fact, FactChange
from memory.views.memories import grouped
from memoryhub.fragments import PAGE_ROWS
from tests.factories import make_channel, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"


def content(client, path="/memories/", **query):
    response = client.get(path, query)
    assert response.status_code == 200
    return response.content.decode()


def recalled(monkeypatch, *facts):
    """Let recall answer with these facts."""

    def recall(guild, **_):
        return [found(fact.pk) for fact in facts if fact.guild == guild]

    def found(pk):
        return type("Found", (), {"id": pk, "score": 1.0})()

    monkeypatch.setattr("memory.browsing.recall", recall)


def test_a_fact_stands_with_its_evidence_and_how_sure_we_are(admin_client):
    said = make_message("I moved to Toronto last spring!", author=make_member(name="Alice"))
    make_fact("Lives in Toronto.", subject=said.author, evidence=[said], confidence=0.8)
    shown = content(admin_client)
    assert "Lives in Toronto." in shown
    assert "I moved to Toronto last spring!" in shown
    assert reverse("message", args=[said.pk]) in shown
    assert "80 %" in shown


def test_facts_of_one_member_stand_together():
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    facts = [make_fact(f"Fact {number}.", subject=who) for number, who in enumerate([alice, bob, alice, None])]
    assert [(group.member, len(group.facts)) for group in grouped(facts)] == [(alice, 2), (bob, 1), (None, 1)]


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({}, {"red", "green"}),
        ({"guild": "discord:2"}, {"green"}),
        ({"kind": "preference"}, {"green"}),
        ({"status": "archived"}, {"blue"}),
        ({"status": "any"}, {"red", "green", "blue"}),
        ({"kind": "nonsense"}, {"red", "green"}),
    ],
)
def test_filters_narrow_the_list(admin_client, query, shown):
    make_fact("Drives a red van.", subject=make_member())
    make_fact("Likes green tea.", subject=make_member(make_guild("discord:2"), "Charlie"), kind="preference")
    make_fact("Had a blue boat.", subject=make_member(), status=Fact.Status.ARCHIVED)
    listed = content(admin_client, **query)
    assert {colour for colour in ("red", "green", "blue") if f" {colour} " in listed} == shown


def test_one_members_facts_can_be_listed_alone(admin_client):
    alice = make_member(name="Alice")
    make_fact("Drives a red van.", subject=alice), make_fact("Likes green tea.", subject=make_member(name="Bob"))
    listed = content(admin_client, member=alice.pk)
    assert "red van" in listed
    assert "green tea" not in listed


def test_a_search_shows_the_best_first(admin_client, monkeypatch):
    first = make_fact("Drives a red van.", subject=make_member(name="Alice"))
    best = make_fact("Likes green tea.", subject=make_member(name="Bob"))
    recalled(monkeypatch, best, first)
    listed = content(admin_client, q="tea")
    assert listed.index("green tea") < listed.index("red van")


def test_a_search_also_finds_the_very_words_in_private_channels(admin_client, monkeypatch):
    private = make_channel(name="crew", private=True)
    make_fact("Plans a surprise party.", subject=make_member(), audience=private)
    recalled(monkeypatch)
    listed = content(admin_client, q="surprise")
    assert "surprise party" in listed
    assert "#crew only" in listed


def test_a_search_does_not_leave_the_guild_that_was_chosen(admin_client, monkeypatch):
    make_fact("Likes green tea.", subject=make_member(make_guild("discord:1"), "Alice"))
    other = make_fact("Brews green tea.", subject=make_member(make_guild("discord:2"), "Charlie"))
    recalled(monkeypatch, other)
    listed = content(admin_client, q="green", guild="discord:1")
    assert "Likes green tea." in listed
    assert "Brews green tea." not in listed


@pytest.mark.parametrize("question", ["'\"; DROP", "a\0b", "*" * 900, "🙂", "<b>"])
def test_any_question_can_be_asked(admin_client, question):
    make_fact(subject=make_member())
    assert "<b>" not in content(admin_client, q=question)


def test_a_search_that_finds_nothing_says_so(admin_client):
    assert "Nothing found." in content(admin_client, q="zzzz")


def test_the_list_goes_on_on_the_next_page(admin_client):
    alice = make_member()
    facts = [make_fact(f"Fact number {n}.", subject=alice) for n in range(PAGE_ROWS + 1)]
    first = content(admin_client)
    assert f"before={facts[1].pk}" in first
    assert "Fact number 0." not in first
    assert "Fact number 0." in content(admin_client, before=facts[1].pk)


def test_a_full_page_asks_no_more_questions_than_a_short_one(admin_client, django_assert_max_num_queries):
    for number in range(PAGE_ROWS):
        said = make_message(author=make_member(name=f"Member {number}"))
        make_fact(f"Fact {number}.", subject=said.author, evidence=[said], audience=make_channel(private=True))
    with django_assert_max_num_queries(10):
        content(admin_client)


def test_hostile_text_stays_text(admin_client):
    said = make_message(HOSTILE, author=make_member(name=HOSTILE, platform_id="u-x"))
    fact = make_fact(HOSTILE, subject=said.author, evidence=[said])
    for path in ("/memories/", f"/memories/{fact.pk}/", f"/memories/{fact.pk}/delete/", f"/members/{fact.subject_id}/"):
        assert "<script>alert" not in content(admin_client, path)
        assert "<img src=x" not in content(admin_client, path)


def test_a_fact_opens_to_its_evidence_and_its_history(admin_client):
    said = make_message("I moved to Toronto.")
    fact = make_fact(subject=said.author, evidence=[said])
    FactChange.objects.create(
        fact=fact, action="edit", before={"text": "Lives in Tronto."}, batch="0" * 32, actor="operator:olga"
    )
    shown = content(admin_client, f"/memories/{fact.pk}/")
    assert "I moved to Toronto." in shown
    assert "Edited" in shown
    assert "Lives in Tronto." in shown
    assert "operator:olga" in shown


def test_nothing_is_deleted_by_looking_at_the_question(admin_client):
    fact = make_fact(subject=make_member())
    assert "Delete for good" in content(admin_client, f"/memories/{fact.pk}/delete/")
    assert Fact.objects.filter(pk=fact.pk).exists()


def test_a_confirmed_deletion_forgets_the_fact(admin_client):
    said = make_message()
    fact = make_fact(subject=said.author, evidence=[said])
    answer = admin_client.post(f"/memories/{fact.pk}/delete/", follow=True)
    assert "The fact is forgotten" in answer.content.decode()
    assert not Fact.objects.exists()
    assert not Evidence.objects.exists()


def test_the_dialog_leads_back_to_the_list_it_opened_on(admin_client):
    fact = make_fact(subject=make_member())
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/memories/?q=toronto"}
    question = admin_client.get(f"/memories/{fact.pk}/delete/", headers=headers).content.decode()
    assert 'value="/memories/?q=toronto"' in question
    assert "<html" not in question


@pytest.mark.parametrize("back", ["https://mallory.example/", "//mallory.example/", "/memories/{pk}/", "javascript:x"])
def test_a_deletion_never_leads_away_or_to_the_page_that_is_gone(admin_client, back):
    fact = make_fact(subject=make_member())
    answer = admin_client.post(f"/memories/{fact.pk}/delete/", {"back": back.format(pk=fact.pk)})
    assert answer.headers["Location"] == "/memories/"
