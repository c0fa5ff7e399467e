"""Memories: listed, found, opened, deleted."""

from datetime import date
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from memory.index import writing
from memory.models import Fact, FactChange
from memory.records.sentences import by_whom
from memory.views.facts import grouped
from memoryhub.common.htmx import PAGE_ROWS
from memoryhub.community.days import begin_of
from memoryhub.models import Role, SavedFilter
from tests.factories import (
    NOON,
    days,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
)

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

    monkeypatch.setattr("memory.curation.browse.recall", recall)


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
        ({"source": "explicit"}, {"green"}),
        ({"sure": "sure"}, {"green"}),
        ({"sure": "doubtful"}, {"red"}),
        ({"sure": "likely"}, set()),
        ({"mark": "pinned"}, {"red"}),
        ({"age": "week"}, {"red"}),
        ({"age": "older"}, {"green"}),
        ({"status": "any", "age": "month"}, {"red", "blue"}),
        ({"age": "nonsense", "sure": "?", "mark": "x", "source": "y"}, {"red", "green"}),
    ],
)
def test_filters_narrow_the_list(admin_client, query, shown):
    now, charlie = timezone.now(), make_member(make_guild("discord:2"), "Charlie")
    make_fact("Drives a red van.", subject=make_member(), pinned=True, said_at=now - days(3))
    fields = {"kind": "preference", "source_type": "explicit", "confidence": 0.9, "said_at": now - days(500)}
    make_fact("Likes green tea.", subject=charlie, **fields)
    make_fact("Had a blue boat.", subject=make_member(), status=Fact.Status.ARCHIVED, said_at=now - days(20))
    listed = content(admin_client, **query)
    assert {colour for colour in ("red", "green", "blue") if f" {colour} " in listed} == shown


def test_the_facts_of_one_channel_can_be_listed_alone(admin_client):
    boats = make_channel(name="boats")
    make_fact("Drives a red van.", channel=make_channel()), make_fact("Likes green tea.", channel=boats)
    listed = content(admin_client, channel=boats.pk)
    assert "green tea" in listed
    assert "red van" not in listed


def test_a_day_shows_what_was_believed_then_in_the_words_of_then(admin_client):
    moved = make_fact("Lives in Toronto.", status="superseded", valid_until=NOON + days(9))
    make_fact("Lives in Berlin.", said_at=NOON + days(9))
    FactChange.objects.create(
        fact=moved, action="edit", before={"text": "Lives in Tronto."}, batch=uuid4(), actor="x", at=NOON + days(5)
    )
    shown = content(admin_client, as_of="2026-03-03")
    assert "Lives in Tronto." in shown
    assert "Lives in Toronto." not in shown
    assert "Berlin" not in shown
    assert "Delete the fact" not in shown
    assert "Lives in Toronto." in content(admin_client, as_of="2026-03-10")
    assert "Lives in Berlin." in content(admin_client, as_of="2026-03-12")


def test_the_day_ends_when_it_ends_in_the_guild(admin_client):
    auckland = make_guild("discord:3", time_zone="Pacific/Auckland")
    make_fact("Likes tea.", guild=auckland, said_at=NOON)  # the 3rd there
    assert "Likes tea." not in content(admin_client, as_of="2026-03-02", guild="discord:3")
    assert "Likes tea." in content(admin_client, as_of="2026-03-03", guild="discord:3")
    assert "Likes tea." in content(admin_client, as_of="2026-03-02")


def test_since_when_a_fact_is_true_is_a_day_of_the_guild(admin_client):
    tokyo = make_guild("discord:3", time_zone="Asia/Tokyo")
    rome = make_fact("Lives in Rome.", guild=tokyo, valid_from=begin_of(tokyo, date(2026, 3, 1)))
    FactChange.objects.create(
        fact=rome, action="edit", before={"valid_from": begin_of(tokyo, date(2026, 2, 1)).isoformat()}, batch=uuid4(),
        actor="x", at=NOON,
    )  # fmt: skip
    shown = admin_client.get(reverse("fact", args=[rome.pk])).content.decode()
    assert "<dt>True since</dt><dd>1 March 2026</dd>" in shown
    assert "1 February 2026" in shown


@pytest.mark.parametrize("day", ["2026-02-30", "x", "0001-01-01", "9999-12-31", "\0"])
def test_a_day_that_is_none_shows_what_is_believed_now(admin_client, day):
    make_fact("Likes tea.")
    assert "Likes tea." in content(admin_client, as_of=day)


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
    assert "Only in #crew" in listed


def test_a_direct_chat_is_no_channel_with_a_number_sign(admin_client):
    chat = make_channel(name="Alice and the bot", kind="direct", private=True)
    listed = content(admin_client, reverse("fact", args=[make_fact("Is moving to Rome.", audience=chat).pk]))
    assert "Only in Alice and the bot (direct chat)" in listed
    assert "#Alice" not in listed


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


def test_facts_are_listed_member_by_member_over_all_pages_each_once(admin_client):
    people = [make_member(name="Alice"), None, make_member(name="Bob"), make_member(make_guild("discord:2"), "Charlie")]
    facts = [make_fact(f"Fact number {n}.", subject=people[n % 4]) for n in range(3 * PAGE_ROWS + 2)]
    shown, path = [], "/memories/?order=member"
    while path:
        page = admin_client.get(path)
        shown += [fact for group in page.context["groups"] for fact in group.facts]
        path = page.context["next"] and f"/memories/?order=member&before={page.context['next']}"
    assert len(shown) == len(facts)
    assert shown == sorted(facts, key=lambda fact: (fact.guild_id, fact.subject_id or 0, -fact.pk))


@pytest.mark.parametrize("before", ["x", "1_2", "1_2_x", "1_2_3_4", "9" * 30, "'"])
def test_a_place_that_is_none_is_the_beginning(admin_client, before):
    make_fact("Likes tea.")
    assert "Likes tea." in content(admin_client, order="member", before=before)


def test_a_full_page_asks_no_more_questions_than_a_short_one(admin_client, django_assert_max_num_queries):
    for number in range(PAGE_ROWS):
        said = make_message(author=make_member(name=f"Member {number}"))
        make_fact(f"Fact {number}.", subject=said.author, evidence=[said], audience=make_channel(private=True))
    with django_assert_max_num_queries(16):
        content(admin_client)


def test_a_fact_leads_to_the_line_of_the_profile_and_the_note_where_it_stands(admin_client):
    said = make_message("I live in Toronto.", author=make_member(name="Alice"))
    fact = make_fact("Lives in Toronto.", subject=said.author, evidence=[said])
    note = make_note("Moving house", messages=[said])
    line = make_entry("lives in Toronto", member=said.author, notes=[note])
    make_entry("Owns a red van", member=said.author, notes=[note])
    make_note("Something else", messages=[make_message("Nice weather.", author=said.author)])
    page = admin_client.get(f"/memories/{fact.pk}/")
    assert page.context["lines"] == [line]
    assert page.context["notes"] == [note]
    assert "Where it stands" in page.content.decode()
    lore = make_fact("Friday is soup night.")
    assert "Where it stands" not in admin_client.get(f"/memories/{lore.pk}/").content.decode()


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
    assert "by <bdi>olga</bdi>" in shown


def test_the_words_and_the_name_of_who_said_no_are_not_shown(admin_client):
    said = make_message("Bob is a baker, I swear.", author=make_member(name="Carol", remember=False))
    fact = make_fact("Is a baker.", subject=make_member(name="Bob"), evidence=[said])
    for path in ("/memories/", f"/memories/{fact.pk}/"):
        shown = content(admin_client, path)
        assert "Is a baker." in shown
        assert "I swear" not in shown
        assert "Carol" not in shown
        assert "Somebody who is not to be remembered" in shown


@pytest.mark.parametrize("actor", ["extraction", "retention", "forgetting", ""])
def test_what_the_hub_changed_is_by_nobody(admin_client, actor):
    fact = make_fact(subject=make_member())
    FactChange.objects.create(fact=fact, action="archive", before={}, batch="0" * 32, actor=actor)
    shown = content(admin_client, f"/memories/{fact.pk}/")
    assert f", <bdi>{by_whom(actor)}</bdi>" in shown


def test_a_fact_that_was_only_added_offers_no_undo(admin_client):
    fact = make_fact(subject=make_member())
    FactChange.objects.create(fact=fact, action="add", before={}, batch="0" * 32, actor="extraction")
    assert "Undo the last change" not in content(admin_client, f"/memories/{fact.pk}/")
    FactChange.objects.create(fact=fact, action="edit", before={"text": "Lives."}, batch="1" * 32, actor="api:b")
    assert "Undo the last change" in content(admin_client, f"/memories/{fact.pk}/")


def test_a_search_tells_how_well_each_matches_and_marks_its_words(admin_client):
    said = make_message("I moved to Toronto.")
    fact = make_fact("Lives in Toronto.", subject=said.author, evidence=[said])
    make_fact("Toronto was left.", subject=said.author, status="archived")
    writing.index_facts([fact])
    shown = content(admin_client, "/memories/?q=toronto&status=any")
    assert "2 memories, best match first" in shown
    assert "Match " in shown
    assert "Same words" in shown
    assert "Lives in <mark>Toronto</mark>." in shown


def test_hostile_words_stay_text_where_words_are_marked(admin_client):
    make_fact("<script>alert(1)</script> Toronto", subject=make_member())
    shown = content(admin_client, "/memories/?q=script")
    assert "<script>alert(1)" not in shown
    assert "&lt;<mark>script</mark>&gt;" in shown


def test_the_newest_come_first_whoever_they_are_about(admin_client):
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    for number, who in enumerate([alice, bob, alice, None]):
        make_fact(f"Fact {number}.", subject=who)
    shown = content(admin_client)
    places = [shown.index(f'">Fact {number}.</bdi>') for number in (3, 2, 1, 0)]
    assert places == sorted(places)


def test_the_list_tells_how_many_there_are_and_its_order(admin_client):
    for number in range(3):
        make_fact(f"Fact {number}.", subject=make_member())
    assert "3 memories, newest first" in content(admin_client, "/memories/")


def test_a_correction_offers_its_undo_in_the_answer(admin_client):
    fact = make_fact("Lives in Tronto.", subject=make_member())
    answer = admin_client.post(f"/memories/{fact.pk}/correct/", {"text": "Lives in Toronto."}, follow=True)
    assert f'action="/memories/{fact.pk}/change/"' in answer.content.decode().partition("Memory edited")[2][:400]
    same = admin_client.post(f"/memories/{fact.pk}/correct/", {"text": "Lives in Toronto."}, follow=True)
    assert "/change/" not in same.content.decode().partition("Nothing was changed.")[2][:400]


def test_a_filter_is_saved_shown_and_removed_and_that_undone(olga):
    make_fact("Lives in Porto")
    narrowed = olga.get(reverse("memories"), {"q": "porto", "status": "any", "before": "9", "nonsense": "x"})
    assert narrowed.context["narrowed"] == "q=porto&status=any"
    saved = olga.post(reverse("save-filter"), {"name": " Porto ", "query": "?q=porto&status=any&tick=page"})
    assert saved.url == f"{reverse('memories')}?q=porto&status=any"
    row = SavedFilter.objects.get()
    assert (row.name, row.query, row.user.username) == ("Porto", "q=porto&status=any", "olga")
    assert f'href="{reverse("memories")}?q=porto&amp;status=any"><bdi>Porto</bdi>' in olga.get(reverse("memories")).text
    removed = olga.post(reverse("drop-filter", args=[row.pk]), follow=True)
    assert not SavedFilter.objects.exists()
    assert 'name="query" value="q=porto&amp;status=any"' in removed.text
    olga.post(reverse("save-filter"), {"name": "Porto", "query": "q=porto&status=any"})
    assert SavedFilter.objects.count() == 1


def test_nothing_is_saved_without_a_name_or_a_filter(olga):
    for given in (
        {"name": "x"},
        {"name": " ", "query": "q=a"},
        {"name": "x", "query": "tick=page"},
        {"name": "x" * 61, "query": "q=a"},
    ):
        answer = olga.post(reverse("save-filter"), given, follow=True)
        assert "Nothing was saved" in answer.text
    assert not SavedFilter.objects.exists()


def test_a_name_that_is_there_is_set_anew_and_twenty_are_enough(olga):
    for number in range(22):
        olga.post(reverse("save-filter"), {"name": str(number), "query": f"q={number}"})
    olga.post(reverse("save-filter"), {"name": "3", "query": "kind=fact&q=three"})
    assert SavedFilter.objects.count() == 20
    assert SavedFilter.objects.get(name="3").query == "q=three&kind=fact"


def test_a_saved_filter_is_nobody_elses_and_an_auditor_may_have_one(olga, client):
    olga.post(reverse("save-filter"), {"name": "mine", "query": "q=a"})
    ada = User.objects.create_user("ada")
    Role.objects.create(user=ada, kind=Role.Kind.AUDITOR, everywhere=True)
    client.force_login(ada)
    assert "mine" not in client.get(reverse("memories")).text
    assert client.post(reverse("drop-filter", args=[SavedFilter.objects.get().pk])).status_code == 404
    client.post(reverse("save-filter"), {"name": "hers", "query": "q=b"})
    assert SavedFilter.objects.filter(user=ada).count() == 1
    client.logout()
    assert client.post(reverse("save-filter"), {"name": "x", "query": "q=b"}).status_code == 302
    assert SavedFilter.objects.count() == 2
