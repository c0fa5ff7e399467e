"""The search of everything, and the switch that all pages obey."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.index import writing
from memory.recall.results import Memory
from memoryhub.community.models import Guild
from memoryhub.models import Role
from memoryhub.site import frame
from memoryhub.site.views import find
from tests.factories import NOON, make_channel, make_fact, make_guild, make_member, make_message, make_note

pytestmark = pytest.mark.django_db


def found(client, question, **more):
    groups = client.get(reverse("find"), {"q": question, **more}).context["groups"]
    return {title: [hit.title for hit in hits] for title, hits in groups}


@pytest.fixture
def north():
    guild = make_guild("discord:1", name="North")
    said = make_message("I moved to Toronto.", author=make_member(guild, "Alice"))
    facts = [make_fact("Lives in Toronto.", subject=said.author, evidence=[said])]
    facts += [make_fact("Hides in Toronto.", subject=said.author, audience=make_channel(guild, "crew", private=True))]
    writing.index_facts(facts)
    writing.index_messages([said])
    make_note("Toronto and boats", messages=[said])
    return guild


def test_without_a_question_it_offers_the_pages(admin_client):
    assert "Keys" in found(admin_client, "")["Pages"]


def test_it_finds_members_memories_notes_messages_settings_and_pages(admin_client, north):
    hits = found(admin_client, "toronto")
    assert set(hits["Memories"]) == {"Lives in Toronto.", "Hides in Toronto."}
    assert hits["Notes"] == ["Toronto and boats"]
    assert hits["Messages"] == ["I moved to Toronto."]
    assert found(admin_client, "ali")["Members"] == ["Alice"]
    assert found(admin_client, "#crew")["Channels"] == ["#crew"]
    assert "Learn of health" in found(admin_client, "health")["Settings"]
    assert found(admin_client, "journal")["Pages"] == ["Snapshot"]
    assert found(admin_client, "north")["Guilds"] == ["North"]


def test_a_member_is_found_by_each_of_their_names(admin_client):
    make_member(name="sailor77", display_name="Alice")
    assert found(admin_client, "sailor")["Members"] == found(admin_client, "alice")["Members"] == ["Alice"]


def memory(kind, row, *, gate):
    known = row.platform_id if kind == "message" else row.pk
    return Memory(
        kind=kind, id=known, text=row.text, score=0.5, member="", member_id="", created_at=NOON, sources=[], gate=gate
    )  # fmt: skip


def test_one_word_finds_no_message_that_is_merely_like_it(admin_client, north, monkeypatch):
    said = make_message("A shoebox.", author=make_member(north, "Bob"))
    monkeypatch.setattr(find, "recall", lambda *_, **__: [memory("message", said, gate="semantic")])
    assert "Messages" not in found(admin_client, "zebra")
    assert found(admin_client, "striped zebra")["Messages"] == ["A shoebox."]


def test_what_is_merely_near_is_found_only_where_nothing_says_it(admin_client, north, monkeypatch):
    bob = make_member(north, "Bob")
    near, said = (make_fact(text, subject=bob) for text in ("Has a tortoise.", "Keeps a zebra."))
    recalled = [memory("fact", near, gate="")]
    monkeypatch.setattr(find, "recall", lambda *_, **__: recalled)
    assert found(admin_client, "zebras")["Memories"] == ["Has a tortoise."]
    recalled.append(memory("fact", said, gate="lexical"))
    assert found(admin_client, "zebras")["Memories"] == ["Keeps a zebra."]


def test_a_topic_with_the_title_of_its_talk_is_found_once(admin_client, north):
    make_note("Toronto and boats", kind="topic_cluster", participants=[])
    assert found(admin_client, "toronto")["Notes"] == ["Toronto and boats"]


def test_a_moderator_finds_nothing_of_other_guilds_and_no_page_of_operators(north):
    mona = User.objects.create_user("mona")
    Role.objects.create(user=mona, kind=Role.Kind.MODERATOR).guilds.add(make_guild("discord:2", name="South"))
    visitor = Client()
    visitor.force_login(mona)
    assert found(visitor, "toronto") == {}
    assert found(visitor, "alice") == {}
    assert "Pages" not in found(visitor, "invite")
    assert visitor.get(reverse("find"), {"q": "x", "guild": "discord:1"}).status_code == 404


@pytest.mark.parametrize("question", ["\0", "x" * 5000, "🦊", "' OR 1=1 --", "%", "#"])
def test_an_odd_question_is_answered(admin_client, north, question):
    assert admin_client.get(reverse("find"), {"q": question}).status_code == 200


def test_the_switch_decides_for_every_list(admin_client, north):
    south = make_guild("discord:2", name="South")
    make_member(south, "Bob")
    back = f"http://testserver{reverse('members')}?guild=discord:1&q=b"
    answer = admin_client.post(reverse("choose-guild"), {"guild": "discord:2"}, headers={"referer": back})
    assert answer.headers["Location"] == reverse("members")
    page = admin_client.get(reverse("members"))
    assert [member.display_name for member in page.context["members"]] == ["Bob"]
    assert admin_client.get(reverse("home")).context["overview"].totals.members == 1
    assert admin_client.get(reverse("memories")).context["groups"] == []
    assert admin_client.get(reverse("members"), {"guild": "discord:1"}).context["guild"] == north
    admin_client.post(reverse("choose-guild"), {"guild": ""})
    assert len(admin_client.get(reverse("members")).context["members"]) == 2


PAGE = re.compile(r'href="(/[a-z-]+/)"')


def doors(client):
    """Return the addresses of the navigation."""
    frame = client.get(reverse("find")).content.decode()
    return set(PAGE.findall(frame.partition('aria-label="Pages"')[2].partition("</nav>")[0]))


def test_every_list_of_the_navigation_stays_where_it_is_when_the_guild_is_switched(admin_client, north):
    of_no_guild = {reverse("people"), reverse("keys")}
    more = {reverse(name) for name in ("catchup", "who-knows", "recaps", "webhooks", "find")}
    left = {}
    for path in (doors(admin_client) - of_no_guild) | more:
        answer = admin_client.post(
            reverse("choose-guild"), {"guild": "discord:1"}, headers={"referer": f"http://x{path}"}
        )
        left[path] = answer.headers["Location"]
    assert {path: place for path, place in left.items() if place != path} == {}
    assert len(left) > 18


def test_every_page_of_the_navigation_is_found(admin_client):
    hits = admin_client.get(reverse("find")).context["groups"][0][1]
    more = {reverse(name) for name in ("catchup", "who-knows", "recaps", "webhooks")}
    assert doors(admin_client) | more <= {hit.path for hit in hits}


def test_the_key_of_a_guild_is_written_so_that_its_address_opens(admin_client):
    make_guild("sms:+15550100", name="Line")
    groups = dict(admin_client.get(reverse("find"), {"q": "line"}).context["groups"])
    assert admin_client.get(groups["Guilds"][0].path).context["guild"].key == "sms:+15550100"
    groups = dict(admin_client.get(reverse("find"), {"q": "health", "guild": "sms:+15550100"}).context["groups"])
    assert admin_client.get(groups["Settings"][0].path).context["guild"].key == "sms:+15550100"


def test_the_switch_lists_the_guild_that_is_chosen_however_many_there_are(admin_client, north, monkeypatch):
    monkeypatch.setattr(frame, "OFFERED", 2)
    make_guild("discord:3", name="South"), make_guild("discord:2", name="Zenith")
    page = admin_client.get("/memories/", {"guild": "discord:2"}).text
    assert page.count('<option value="discord:2" selected>Zenith</option>') == 1


def test_the_switch_refuses_a_guild_that_one_may_not_see_and_forgets_one_that_is_gone(admin_client, north):
    assert admin_client.post(reverse("choose-guild"), {"guild": "discord:99"}).status_code == 404
    admin_client.post(reverse("choose-guild"), {"guild": "discord:1"})
    north.delete()
    assert admin_client.get(reverse("members")).status_code == 200


def test_a_message_is_found_with_the_guilds_own_day(admin_client, north):
    Guild.objects.update(time_zone="Pacific/Auckland")
    groups = dict(admin_client.get(reverse("find"), {"q": "toronto"}).context["groups"])
    assert [hit.aside for hit in groups["Messages"]] == ["3 Mar"]
