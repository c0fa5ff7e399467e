"""The pages of recaps, as a moderator and a reader use them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.models import Recap, RecapLine
from memoryhub.community.models import Guild
from memoryhub.models import Role
from tests.factories import days, make_fact, make_guild
from tests.memory.recaps.conftest import MONDAY
from tests.verification.pages import moderator
from tests.verification.statements import recorded, unbound

pytestmark = pytest.mark.django_db
PLACE = "123456789012345678"


@pytest.fixture
def mona(week):
    return moderator(week)


def shown(client, recap=None):
    address = reverse("recap", args=[recap.pk]) if recap else reverse("recaps")
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def press(client, recap, deed, **fields):
    response = client.post(reverse("recap", args=[recap.pk]), {"deed": deed, **fields}, follow=True)
    assert response.status_code == 200
    recap.refresh_from_db()
    return response.content.decode()


def test_a_draft_shows_its_lines_with_the_way_to_their_sources(mona, draft):
    assert reverse("recap", args=[draft.pk]) in shown(mona)
    page = shown(mona, draft)
    note = draft.lines.get(section="happened").note_id
    assert f'href="{reverse("note", args=[note])}"' in page
    assert "Friday is soup night." in page


def test_a_moderator_edits_and_posts_it(mona, draft):
    line = draft.lines.get(section="lore")
    page = press(mona, draft, "save", intro="Hello!", **{f"line-{line.pk}": "Soup!"})
    assert "The draft was saved." in page
    assert "Soup!" in page
    page = press(mona, draft, "post", intro="Hello!", channel=PLACE)
    assert (draft.status, draft.channel_id, draft.intro) == ("waiting", PLACE, "Hello!")
    assert "Waiting to be posted" in page
    assert "It is a draft again." in press(mona, draft, "back")


def test_a_mistake_is_told_and_the_edit_is_kept(mona, draft):
    page = press(mona, draft, "post", intro="Hello!", channel="general")
    assert "only digits" in page
    assert (draft.status, draft.intro) == ("draft", "Hello!")


def test_it_is_discarded(mona, draft):
    assert "The draft was discarded." in press(mona, draft, "discard")
    assert "no draft any more" in press(mona, draft, "save")


def test_one_of_the_last_days_is_written_when_it_is_asked_for(mona, week):
    make_fact("Monday is cake day.", said_at=timezone.now() - days(1))
    response = mona.post(reverse("write-recap"), {"guild": week.key, "days": "7"}, follow=True)
    assert "Monday is cake day." in response.content.decode()
    assert Recap.objects.get().actor.startswith("moderator:")


@pytest.mark.parametrize(
    ("given", "told"),
    [("0", "from 1 to 31"), ("99", "from 1 to 31"), ("x", "from 1 to 31"), ("2", "nothing to tell of the last 2 days")],
)
def test_what_can_not_be_written_is_told(mona, week, given, told):
    page = mona.post(reverse("write-recap"), {"guild": week.key, "days": given}, follow=True).content.decode()
    assert told in page


def test_what_is_told_of_a_guild_whose_key_has_a_plus_is_told_on_its_page(admin_client):
    make_guild("discord:1", name="A first one")
    line = make_guild("sms:+15550100", name="Line")
    page = admin_client.post(reverse("write-recap"), {"guild": line.key, "days": "0"}, follow=True)
    assert page.context["guild"] == line


def test_where_memory_is_off_nothing_is_written(mona, week):
    Guild.objects.update(memory_on=False)
    page = mona.post(reverse("write-recap"), {"guild": week.key, "days": "7"}, follow=True).content.decode()
    assert "Memory is turned off" in page
    assert not Recap.objects.exists()


def test_hostile_lines_are_shown_as_text(mona, draft):
    press(mona, draft, "save", intro="<script>1</script>", **{f"line-{draft.lines.first().pk}": "</textarea><b>x"})
    page = shown(mona, draft)
    assert "<script>1" not in page
    assert "</textarea><b>" not in page


def test_lines_that_went_are_counted(mona, draft):
    RecapLine.objects.filter(section="lore").update(fact=None, member=draft.lines.get(text="Bob").member)
    draft.lines.get(text="Bob").member.__class__.objects.filter(platform_id="u-bob").update(remember=False)
    assert "lines went" in shown(mona, draft)


def test_a_posted_one_leads_to_discord(mona, draft):
    Recap.objects.update(status="posted", channel_id=PLACE, message_id="77", posted_at=MONDAY)
    assert f"https://discord.com/channels/1/{PLACE}/77" in shown(mona, draft)


def test_another_guilds_recap_is_not_there(draft):
    stranger = moderator(make_guild("discord:2"))
    address = reverse("recap", args=[draft.pk])
    assert stranger.get(address).status_code == 404
    assert stranger.post(address, {"deed": "discard"}).status_code == 404
    assert stranger.post(reverse("write-recap"), {"guild": "discord:1", "days": "7"}).status_code == 404


def test_a_reader_reads(week, draft):
    user = User.objects.create_user("rita")
    Role.objects.create(user=user, kind=Role.Kind.AUDITOR).guilds.set([week])
    client = Client()
    client.force_login(user)
    assert "<form" not in shown(client, draft).partition("<main")[2]
    assert "Friday is soup night." in shown(client, draft)
    assert client.post(reverse("recap", args=[draft.pk]), {"deed": "discard"}).status_code == 403


def test_without_a_guild_there_is_none(client):
    client.force_login(User.objects.create_superuser("olga"))
    assert "No guild yet." in shown(client)


def test_every_statement_names_the_guild(mona, draft):
    with recorded() as statements:
        mona.post(reverse("recap", args=[draft.pk]), {"deed": "save", "intro": "x"}, follow=True)
    found = [sql for sql in statements if unbound(sql)]
    # Which guild the address is of, its row says, looked for among those of the visitor's guilds.
    assert [sql for sql in found if "LIMIT 21" not in sql or "memoryhub_role_guilds" not in sql] == []


# --- Settings --------------------------------------------------------------------------------------------------------


def settings(client, **fields):
    form = client.get(reverse("guild-settings"), {"guild": "discord:1"}).context["form"]
    given = {name: form[name].value() for name in form.fields}
    kept = {name: value for name, value in given.items() if value not in (None, False, [])}
    return client.post(reverse("guild-settings"), {"guild": "discord:1", **kept, **fields})


def test_posting_unread_is_asked_for_twice(mona, week):
    asked = settings(mona, recap_as="post", recap_channel=PLACE)
    assert "no person reads it first" in asked.content.decode()
    settings(mona, recap_as="post", recap_channel=PLACE, seen=asked.context["mark"])
    week.refresh_from_db()
    assert (week.recap_as, week.recap_channel) == ("post", PLACE)


def test_drafts_are_switched_on_at_once(mona, week):
    settings(mona, recap="monthly")
    week.refresh_from_db()
    assert week.recap == "monthly"


@pytest.mark.parametrize(("channel", "told"), [("", "name the channel"), ("general", "only digits")])
def test_to_post_it_needs_a_channel(mona, channel, told):
    response = settings(mona, recap_as="post", recap_channel=channel)
    assert response.status_code == 422
    assert told in response.content.decode()
