"""Who sees what: the rule is in one place, so its test is too."""

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from memory.models import Fact
from memoryhub.common.permissions import guilds_for, largest_guild, named_guild, sees_everything, visible
from memoryhub.community.models import GuildFigures
from memoryhub.models import Role
from tests.factories import NOON, make_fact, make_guild, make_member

pytestmark = pytest.mark.django_db

OPEN = {"mcp", "sign-in", "sign-out", "theme", "export", "receipts", "privacy", "guild-privacy", "metrics"}


@pytest.fixture
def stranger():
    return User.objects.create_user("mallory", password="a-long-password")


@pytest.fixture
def operator():
    return User.objects.create_user("olga", password="a-long-password", is_superuser=True)


def test_an_operator_sees_all_guilds(operator):
    make_guild("discord:1"), make_guild("discord:2")
    assert guilds_for(operator).count() == 2


@pytest.mark.parametrize("who", ["stranger", "nobody", "dismissed"])
def test_somebody_without_a_role_sees_no_guild(who, stranger, operator):
    make_fact(subject=make_member())
    operator.is_active = False
    user = {"stranger": stranger, "nobody": AnonymousUser(), "dismissed": operator}[who]
    assert not sees_everything(user)
    assert not guilds_for(user).exists()
    assert not visible(Fact.objects.all(), user).exists()
    assert not visible(Fact.objects.all(), user, make_guild()).exists()


def test_a_named_guild_narrows_the_rows_to_it(operator):
    north, south = make_guild("discord:1"), make_guild("discord:2")
    mine = make_fact(guild=north)
    make_fact(guild=south)
    assert list(visible(Fact.objects.all(), operator, north)) == [mine]


def test_a_guild_that_may_not_be_seen_is_not_there(stranger):
    make_guild("discord:1")
    with pytest.raises(Http404):
        named_guild(stranger, "discord:1")


def test_what_is_of_one_guild_is_of_the_one_with_most_messages_that_the_person_sees(operator, stranger):
    empty, small, large, uncounted = (make_guild(f"discord:{number}") for number in range(4))
    for guild, messages in ((empty, 0), (small, 9), (large, 10)):
        GuildFigures.objects.create(guild=guild, counted_at=NOON, numbers={"messages": messages})
    assert largest_guild(operator) == large
    assert largest_guild(stranger) is None
    role = Role.objects.create(user=stranger, kind=Role.Kind.MODERATOR)
    role.guilds.set([empty, small, uncounted])
    assert largest_guild(stranger) == small


def test_no_key_names_no_guild(operator):
    assert named_guild(operator, "") is None


def own_patterns():
    """Our own pages: neither the admin's nor the API's."""
    for pattern in get_resolver().url_patterns:
        inner = pattern.url_patterns if isinstance(pattern, URLResolver) and not pattern.namespace else [pattern]
        yield from (each for each in inner if isinstance(each, URLPattern) and each.name)


def address(pattern):
    examples = {"int:pk": "1", "int:guild": "1", "day:day": "2026-03-02"}
    path = str(pattern.pattern)
    for name, value in examples.items():
        path = path.replace(f"<{name}>", value)
    return f"/{path}"


def test_every_page_asks_for_sign_in():
    pages = [pattern for pattern in own_patterns() if pattern.name not in OPEN and "api" not in str(pattern.pattern)]
    assert len(pages) >= 12
    for page in pages:
        response = Client().get(address(page))
        response = Client().post(address(page)) if response.status_code == 405 else response
        assert (response.status_code, response.headers["Location"][:9]) == (302, "/sign-in/"), page


def test_a_stranger_who_is_signed_in_sees_nothing_of_a_guild(stranger, client):
    fact = make_fact("Keeps a tortoise called Helmut.", subject=make_member(name="Greta"))
    client.force_login(stranger)
    for page in ("/", "/memories/", "/memories/?q=tortoise", "/members/", "/notes/", "/snapshot/"):
        content = client.get(page).content.decode()
        assert "Helmut" not in content
        assert "Greta" not in content
    for page in (f"/memories/{fact.pk}/", f"/members/{fact.subject_id}/"):
        assert client.get(page).status_code == 404
    for pk in (fact.pk, fact.pk + 1):  # whether there is one or not
        assert client.get(f"/memories/{pk}/delete/").status_code == 403
    assert client.post(f"/memories/{fact.pk}/delete/").status_code == 403
    assert client.post("/snapshot/refresh/", {"guild": "discord:1"}).status_code == 403
    assert Fact.objects.filter(pk=fact.pk).exists()
