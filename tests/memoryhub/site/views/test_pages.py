"""The front hall: sign-in, home, colours, errors, headers."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory.models import JobRun, ModelCall, Webhook
from memoryhub.community.models import DueWork
from memoryhub.models import Role
from memoryhub.templatetags.hub import named, share
from memoryhub.templatetags.hub import shown as shown_text
from notes.models import ChannelBuffer, Message
from tests.factories import NOON, make_buffer, make_channel, make_fact, make_guild, make_member, make_message

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"


def page(client, path="/"):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def test_signing_in_leads_to_the_page_that_was_asked_for(client):
    User.objects.create_superuser("olga", password="a-long-password")
    asked = client.get("/notes/").headers["Location"]
    answer = client.post(asked, {"username": "olga", "password": "a-long-password", "next": "/notes/"})
    assert answer.headers["Location"] == "/notes/"


def test_a_wrong_password_is_told_without_saying_what_was_wrong(client):
    answer = client.post("/sign-in/", {"username": "olga", "password": "guess"})
    told = answer.content.decode()
    assert "The name or the password is wrong" in told
    assert "manage.py sign_in" in told
    assert told.count("autofocus") == 1
    assert told.index("autofocus") > told.index('name="password"')


def test_signing_out_ends_the_session(admin_client):
    assert admin_client.post("/sign-out/").headers["Location"] == "/sign-in/"
    assert admin_client.get("/").status_code == 302


def test_an_empty_hub_says_how_to_begin(admin_client):
    assert "Three ways to begin" in page(admin_client)


def test_home_shows_what_is_known_and_what_is_open(admin_client):
    make_message()
    make_fact(subject=make_member())
    make_buffer(make_channel(name="harbour"), message_count=7)
    content = page(admin_client)
    assert "Three ways to begin" not in content
    assert "#harbour" in content
    assert "7 messages" in content


def test_home_warns_of_parked_work_and_of_a_failed_night(admin_client):
    make_buffer(status=ChannelBuffer.Status.PARKED)
    JobRun.objects.create(guild=make_guild(), day=NOON.date(), phase=JobRun.Phase.PAPERS, status=JobRun.Status.FAILED)
    content = page(admin_client)
    assert "Failed five times and needs attention" in content
    assert "The nightly job failed lately" in content


def test_home_says_whether_a_model_reads_along(admin_client, settings):
    settings.MEMORYHUB_MODEL = "offline"
    assert "By rules." in page(admin_client)
    settings.MEMORYHUB_MODEL, settings.OPENAI_API_KEY = "openai:gpt-x", "key"
    assert "openai:gpt-x" in page(admin_client)


def test_home_draws_what_models_cost(admin_client):
    make_message()
    assert "No AI model is used" in page(admin_client)
    for purpose, cost in (("note", "0.5"), ("extraction", "1.25"), ("note", "0.25")):
        ModelCall.objects.create(purpose=purpose, model="m", tokens_in=900, tokens_out=100, cost_usd=cost, outcome="ok")
    shown = page(admin_client)
    assert 'aria-label="Money by day: $2.00 in all, at most $2.00 a day"' in shown
    assert 'aria-label="Tokens by day: 3,000 in all' in shown
    assert 'aria-label="Calls of models by day: 3 in all' in shown
    assert shown.index("1 call, 1,000 tokens, $1.25") < shown.index("2 calls, 2,000 tokens, $0.75")


def test_home_tells_how_much_of_what_was_learned_is_junk(admin_client):
    assert "Low quality" not in page(admin_client)
    for number, status in enumerate(["active", "active", "pending", "refused"]):
        fields = {"junk": 0.9 if number > 1 else 0.1, "junk_signs": ["vague"] if number > 1 else []}
        make_fact(f"Fact {number}.", subject=make_member(), status=status, **fields)
    shown = page(admin_client)
    assert "too little to be of use: 2 of 4 memories." in shown
    assert '<a href="/review/">1 waits for review</a>' in shown
    assert "<dd>2</dd>" in shown.partition("for review")[2]


def test_home_says_nothing_of_junk_that_is_not_there(admin_client):
    make_fact(subject=make_member(), junk=0.1)
    shown = page(admin_client)
    assert "0 of 1 memory." in shown
    assert "Most of it" not in shown


def test_what_is_asked_for_in_a_form_is_told_to_all_who_fill_it_in(admin_client):
    shown = admin_client.get("/password/").text
    assert ">Old password</label>" in shown
    # A list within a paragraph would end the paragraph that the field names, and leave it empty.
    assert re.search(r'<div class="aside" id="id_new_password1_helptext"><ul>', shown)
    assert 'aria-describedby="id_new_password1_helptext"' in shown


def test_an_operator_loads_the_sample_into_an_empty_hub_once(admin_client):
    shown = admin_client.post("/sample/", follow=True).content.decode()
    assert "messages of an invented community came in" in shown
    assert "Three ways to begin" not in shown
    stored = Message.objects.count()
    assert stored > 300
    assert not ChannelBuffer.objects.filter(status="open").exists()
    assert "only for an empty hub" in admin_client.post("/sample/", follow=True).content.decode()
    assert Message.objects.count() == stored


def test_only_operators_load_the_sample(client):
    user = User.objects.create_user("mona")
    Role.objects.create(user=user, kind=Role.Kind.MODERATOR, everywhere=True)
    client.force_login(user)
    assert "Load the sample" not in page(client)
    assert client.post("/sample/").status_code == 403
    assert not Message.objects.exists()


def quiet(client):
    """Let each guild be counted, and what a process looks up once: what home asks of one that talks is its own test."""
    page(client)
    DueWork.objects.all().delete()


def test_home_asks_no_more_questions_when_there_is_more_to_show(admin_client, django_assert_max_num_queries):
    JobRun.objects.create(guild=make_buffer().channel.guild, day=NOON.date(), phase=JobRun.Phase.PAPERS)
    quiet(admin_client)
    with django_assert_max_num_queries(26) as asked:
        page(admin_client)
    few = len(asked)
    for number in range(2, 10):
        make_buffer(make_channel(name=f"room {number}"))
        JobRun.objects.create(guild=make_guild(f"discord:{number}"), day=NOON.date(), phase=JobRun.Phase.PAPERS)
    quiet(admin_client)
    with django_assert_max_num_queries(few):
        page(admin_client)


def test_hostile_names_stay_text_on_home(admin_client):
    make_buffer(make_channel(make_guild(name=HOSTILE), name=HOSTILE))
    content = page(admin_client)
    assert HOSTILE not in content
    assert "&lt;script&gt;" in content


@pytest.mark.parametrize(
    ("chosen", "kept"), [("dark", "dark"), ("light", "light"), ("system", "system"), ("<x>", "system")]
)
def test_the_colours_chosen_are_remembered(admin_client, chosen, kept):
    admin_client.post("/theme/", {"theme": chosen})
    assert f'data-theme="{kept}"' in page(admin_client)


def test_choosing_colours_leads_back_to_the_same_page(admin_client):
    answer = admin_client.post("/theme/", {"theme": "dark"}, headers={"Referer": "http://testserver/notes/?kind=x"})
    assert answer.headers["Location"] == "http://testserver/notes/?kind=x"


def test_choosing_colours_never_leads_to_another_site(admin_client):
    answer = admin_client.post("/theme/", {"theme": "dark"}, headers={"Referer": "https://mallory.example/"})
    assert answer.headers["Location"] == "/"


def test_a_page_that_is_not_there_is_told_in_the_same_look(admin_client):
    answer = admin_client.get("/nowhere/")
    assert answer.status_code == 404
    assert "Nothing is remembered here" in answer.content.decode()


def test_a_failure_is_told_without_its_cause(monkeypatch):
    def fail(**_):
        raise RuntimeError("Alice moved to Toronto")

    monkeypatch.setattr("memoryhub.site.views.home.overview", fail)
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("olga"))
    answer = client.get("/")
    assert answer.status_code == 500
    assert "Something broke on our side" in answer.content.decode()
    assert "Toronto" not in answer.content.decode()


def test_a_form_without_its_token_is_refused_in_the_same_look():
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/sign-in/", {"username": "olga", "password": "x"})
    assert answer.status_code == 403
    assert "Please try again" in answer.content.decode()


@pytest.mark.parametrize("path", ["/", "/sign-in/", "/nowhere/", "/admin/"])
def test_no_page_may_run_a_script_that_stands_in_it(admin_client, path):
    answer = admin_client.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_our_pages_hold_no_script_and_no_style_of_their_own(admin_client):
    make_message(), make_fact(subject=make_member())
    for path in ("/", "/memories/", "/members/", "/notes/", "/snapshot/"):
        content = page(admin_client, path)
        assert " style=" not in content
        assert "<style" not in content
        assert "onclick" not in content
        assert "<script>" not in content


def test_the_address_of_the_assistants_page_leads_to_the_memories(admin_client):
    answer = admin_client.get("/admin/memory?q=boat")
    assert answer.headers["Location"] == "/memories/?q=boat"


def test_home_tells_what_was_learned_with_its_source_and_a_way_to_take_it_back(admin_client):
    said = make_message("I moved to Toronto.")
    fact = make_fact("Lives in Tronto.", subject=said.author, evidence=[said])
    admin_client.post(f"/memories/{fact.pk}/correct/", {"text": "Lives in Toronto.", "kind": fact.kind, "sure": 50})
    shown = page(admin_client)
    assert "<del><bdi>Lives in Tronto.</bdi></del>" in shown
    assert f"/messages/{said.pk}/" in shown
    assert 'value="undo"' in shown


def test_home_and_navigation_tell_what_waits_for_a_person(admin_client):
    make_message()
    assert "waits for approval" not in page(admin_client)
    make_fact("Waits.", subject=make_member(), status="pending")
    shown = page(admin_client)
    assert "1 memory waits for approval." in shown
    assert '1<span class="unseen"> waiting for approval</span>' in shown


def test_the_first_steps_go_when_all_are_done(admin_client, settings):
    settings.DISCORD_TOKEN = ""
    assert "First steps" in page(admin_client)
    make_message()
    make_fact(subject=make_member())
    assert "First steps" in page(admin_client)
    settings.DISCORD_TOKEN = "token"
    assert "First steps" not in page(admin_client)


def test_names_that_turn_text_around_are_shown_straight_and_long_ones_are_cut():
    assert shown_text("a\u202egnp.exe") == "agnp.exe"
    assert named("x" * 90) == f'<span title="{"x" * 90}">{"x" * 40}…</span>'
    assert named("Alice") == "Alice"


def test_what_is_little_is_not_called_nothing():
    assert [share(value) for value in (0, 0.001, 0.004, 0.006, 0.5, 1)] == [
        "0 %", "under 1 %", "under 1 %", "1 %", "50 %", "100 %",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["/members/", "/channels/", "/memories/", "/memories/?order=member", "/review/"])
def test_a_card_names_its_guild_where_it_could_be_another(admin_client, path):
    make_channel(), make_guild("discord:2", name="South")
    make_fact(subject=make_member(), status="pending" if path == "/review/" else "active")
    part = {"headers": {"HX-Request": "true"}}
    assert "<bdi>North</bdi>" in admin_client.get(path, **part).text
    assert "<bdi>North</bdi>" not in admin_client.get(path + "&?"["?" not in path] + "guild=discord:1", **part).text


@pytest.fixture
def auditor(client):
    user = User.objects.create_user("anna")
    Role.objects.create(user=user, kind="auditor", everywhere=True)
    client.force_login(user)
    return client


@pytest.mark.parametrize("path", ["/", "/api/v1/docs"])
def test_only_who_may_make_keys_is_led_to_them(admin_client, auditor, path):
    assert 'href="/keys/"' in page(admin_client, path)
    assert 'href="/keys/"' not in page(auditor, path)
    make_guild()
    assert 'href="/keys/"' not in page(auditor, path)


def test_an_auditor_is_offered_nothing_that_they_may_not_do(auditor):
    make_fact(subject=make_member(name="Alice")), make_fact("Sails.", subject=make_member(), status="pending")
    for path in ("/studio/?text=boats&author=Alice", "/recaps/", "/review/", "/ask/"):
        shown = page(auditor, path)
        assert "oderator" in shown
        assert set(re.findall(r'method="post" action="([^"]+)"', shown)) == {"/theme/", "/sign-out/"}


@pytest.mark.parametrize(
    "path",
    ["/members/{member}/erase/", "/members/{member}/disown/", "/memories/{fact}/correct/", "/memories/{fact}/delete/",
     "/review/{waiting}/", "/channels/{channel}/memory/", "/channels/{channel}/flush/", "/webhooks/{hook}/remove/",
     "/graph/switch/?guild=discord:1"],
)  # fmt: skip
def test_an_auditor_is_asked_about_no_change(auditor, path):
    fact = make_fact(subject=make_member())
    hook = Webhook.objects.create(guild=fact.guild, url="https://example.org/", kinds=[], reached=0)
    there = {
        "member": fact.subject_id, "fact": fact.pk, "channel": make_channel().pk, "hook": hook.pk,
        "waiting": make_fact("Sails.", subject=fact.subject, status="pending").pk,
    }  # fmt: skip
    answer = auditor.get(path.format(**there))
    assert answer.status_code == 403
    assert "lets you read, not change" in answer.text


def test_keys_that_change_something_are_told_to_who_may(auditor):
    for path in ("/memories/", "/review/"):
        shown = page(auditor, path)
        assert "<kbd>j</kbd>" in shown
        assert "<kbd>x</kbd>" not in shown
