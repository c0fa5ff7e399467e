"""Django's admin: every table, nothing deleted but by the domain's verbs."""

import json
import re
from html import unescape

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_q.models import OrmQ, Schedule

import memoryhub.urls  # noqa: F401  where the admin's pages are found
from memory import tasks
from memory.admin import row_actions
from memory.curation import corrections
from memory.models import Action, Fact, FactChange
from memoryhub.common import admin_base
from memoryhub.common.admin_base import COUNTED, CappedPaginator
from memoryhub.community.models import ConsentChoice, Guild, Member
from memoryhub.models import ApiKey, Role
from notes.models import ChannelBuffer, InteractionNote, Message
from profiles.models import Profile, ProfileEntry
from tests.factories import (
    NOON,
    make_api_key,
    make_buffer,
    make_entry,
    make_evidence,
    make_fact,
    make_member,
    make_message,
    make_note,
    make_summary,
)

pytestmark = pytest.mark.django_db

OURS = [
    model
    for app in ("community", "profiles", "notes", "memory", "memoryhub", "botrunner")
    for model in apps.get_app_config(app).get_models()
    if model.__module__ != "notes.models.links"  # they tie rows that have pages of their own
]


def path(model, page="changelist", *args):
    from django.urls import reverse

    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def act(client, model, action, *rows):
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(path(model), data, follow=True).content.decode()


@pytest.fixture
def world():
    said = make_message()
    fact = make_fact(subject=said.author)
    make_evidence(fact, said)
    note = make_note(messages=[said])
    make_entry(notes=[note])
    make_summary()
    make_api_key()
    return fact


def test_no_schedule_that_calls_any_function_is_made_or_changed(admin_client):
    row = Schedule.objects.create(name="tick", func="memory.tasks.tick", schedule_type=Schedule.ONCE)
    assert "memory.tasks.tick" in admin_client.get(path(Schedule)).text
    assert admin_client.get(path(Schedule, "change", row.pk)).status_code == 200
    written = {"name": "mine", "func": "os.system", "args": "'id'", "schedule_type": Schedule.ONCE, "repeats": "-1"}
    for page in ((Schedule, "add"), (Schedule, "change", row.pk), (Schedule, "delete", row.pk)):
        assert admin_client.post(path(*page), written | {"post": "yes"}).status_code == 403
    assert list(Schedule.objects.filter(pk=row.pk).values_list("func", flat=True)) == ["memory.tasks.tick"]


def test_every_table_is_in_the_admin():
    assert {model.__name__ for model in OURS if model not in admin.site._registry} == set()


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_every_table_can_be_listed_and_searched(admin_client, world, model):
    assert admin_client.get(path(model)).status_code == 200
    assert admin_client.get(path(model), {"q": "alice 12 %"}).status_code == 200


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_every_row_can_be_opened(admin_client, world, model):
    row = model.objects.first()
    if row is not None:
        assert admin_client.get(path(model, "change", row.pk)).status_code == 200


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_no_row_is_added_or_deleted_by_hand(admin_client, world, model):
    assert admin_client.get(path(model, "add")).status_code == 403
    row = model.objects.first()
    if row is not None:
        assert admin_client.post(path(model, "delete", row.pk), {"post": "yes"}).status_code == 403
        assert model.objects.filter(pk=row.pk).exists()


def test_a_history_cannot_be_changed(admin_client, world):
    change = FactChange.objects.create(fact=world, action="add", batch="0" * 32, actor="digest")
    admin_client.post(path(FactChange, "change", change.pk), {"actor": "mallory"})
    change.refresh_from_db()
    assert change.actor == "digest"


def test_a_key_is_never_shown(admin_client):
    key = make_api_key(digest="abcdef" * 10)
    assert "abcdef" not in admin_client.get(path(ApiKey, "change", key.pk)).content.decode()


def test_a_key_is_revoked(admin_client):
    key = make_api_key()
    act(admin_client, ApiKey, "revoke", key)
    key.refresh_from_db()
    assert key.revoked_at <= timezone.now()


def test_forgetting_a_fact_in_the_admin_is_written_down(admin_client, world):
    act(admin_client, Fact, "forget", world)
    assert not Fact.objects.exists()
    assert Action.objects.filter(kind="memory_forget", actor="operator:admin").exists()


def test_many_facts_are_forgotten_by_the_worker_when_it_takes_long(
    admin_client, world, monkeypatch, django_capture_on_commit_callbacks
):
    facts = [world, *(make_fact(f"Owns {count} cats.", subject=world.subject) for count in range(2, 5))]
    monkeypatch.setattr(corrections, "PIECE", 1)
    monkeypatch.setattr(corrections, "PATIENCE", 0)
    with django_capture_on_commit_callbacks(execute=True):
        told = act(admin_client, Fact, "forget", *facts)
    assert "Done: 1. The worker forgets the other 3" in told
    assert Fact.objects.count() == 3
    task = OrmQ.objects.get().task
    assert task["func"] == "memory.tasks.forget_facts"
    monkeypatch.undo()
    tasks.forget_facts(*task["args"])
    assert not Fact.objects.exists()


def test_what_takes_too_long_stops_and_says_where(admin_client, world, monkeypatch):
    monkeypatch.setattr(row_actions, "LONGEST", -1)
    other = make_fact("Owns two cats.", subject=world.subject)
    told = unescape(act(admin_client, Fact, "archive", world, other))
    assert f"Left as they were: 2, from “{other}” on." in told
    assert "Done: 0." in told
    assert set(Fact.objects.values_list("status", flat=True)) == {"active"}


def test_an_operator_takes_their_own_rights_away_by_no_form(admin_client, admin_user):
    form = admin_client.get(path(User, "change", admin_user.pk)).context["adminform"].form
    kept = {name: value for name, value in form.initial.items() if isinstance(value, str | bool) and value}
    joined = {"date_joined_0": "2026-03-02", "date_joined_1": "12:00:00", "email": ""}
    for right in ("is_superuser", "is_active", "is_staff"):
        sent = {name: value for name, value in (kept | joined).items() if name != right}
        assert "another operator’s to take" in admin_client.post(path(User, "change", admin_user.pk), sent).text
    changed = admin_client.post(path(User, "change", admin_user.pk), kept | joined | {"first_name": "Olga"})
    assert changed.status_code == 302
    admin_user.refresh_from_db()
    assert (admin_user.first_name, admin_user.is_superuser, admin_user.is_active) == ("Olga", True, True)


def test_an_operator_deletes_others_but_not_themselves(admin_client, admin_user):
    other = User.objects.create_superuser("mona")
    yes = {"post": "yes"}
    for refused in (
        admin_client.post(path(User, "delete", admin_user.pk), yes, follow=True),
        admin_client.post(path(User, "delete", f"0{admin_user.pk}"), yes, follow=True),
        admin_client.post(
            path(User),
            {"action": "delete_selected", "_selected_action": [admin_user.pk, other.pk], **yes},
            follow=True,
        ),
    ):
        assert "another operator’s to close" in refused.text
    assert User.objects.count() == 2
    admin_client.post(path(User), {"action": "delete_selected", "_selected_action": [other.pk], **yes})
    assert list(User.objects.all()) == [admin_user]


def test_who_is_no_operator_changes_no_account(client, admin_user):
    staff = User.objects.create_user("anna", is_staff=True)
    staff.user_permissions.set(Permission.objects.all())
    Role.objects.create(user=staff, kind="moderator", everywhere=True)
    client.force_login(staff)
    for page in ("change", "delete"):
        assert client.post(path(User, page, admin_user.pk), {"post": "yes"}).status_code == 403


def test_a_fact_is_archived_restored_and_the_restoring_undone(admin_client, world):
    seen = []
    for action in ("archive", "restore", "undo"):
        act(admin_client, Fact, action, world)
        world.refresh_from_db()
        seen.append(world.status)
    assert seen == ["archived", "active", "archived"]


def test_what_cannot_be_undone_is_told(admin_client, world):
    assert "Done: 0." in act(admin_client, Fact, "undo", world)


def test_a_note_is_forgotten(admin_client, world):
    act(admin_client, InteractionNote, "forget", InteractionNote.objects.get())
    assert not InteractionNote.objects.exists()


def test_a_deleted_message_takes_along_what_stood_on_it(admin_client, world):
    act(admin_client, Message, "forget", Message.objects.get())
    assert Message.objects.get().text == ""
    assert not Fact.objects.exists()


def test_who_may_only_look_can_not_act(client, world):
    auditor = User.objects.create_user("anna", is_staff=True)
    auditor.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client.force_login(auditor)
    act(client, Fact, "forget", world)
    assert Fact.objects.exists()


def test_a_large_table_is_not_counted_to_its_end():
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert CappedPaginator(Message.objects.order_by("-pk"), 50).count == 0
    assert str(COUNTED) in queries[0]["sql"]


def test_a_search_in_a_large_table_looks_at_the_newest_rows_unless_asked_for_all(admin_client, monkeypatch):
    monkeypatch.setattr(admin_base, "NEAR", 1)
    old, new = make_fact("Owns a red boat."), make_fact("Owns a blue boat.")
    near = admin_client.get(path(Fact), {"q": "boat"}).content.decode()
    everything = admin_client.get(path(Fact), {"q": "boat", "reach": "all"}).content.decode()
    assert (new.text in near, old.text in near, "The newest 1" in near) == (True, False, True)
    assert new.text in everything
    assert old.text in everything


def test_what_waits_for_review_is_approved_or_refused(admin_client):
    good, bad = make_fact("Owns a boat.", status="pending"), make_fact("Owns a moon.", status="pending")
    act(admin_client, Fact, "approve", good)
    act(admin_client, Fact, "refuse", bad)
    assert [Fact.objects.get(pk=fact.pk).status for fact in (good, bad)] == ["active", "refused"]


def test_a_fact_is_pinned_and_unpinned(admin_client, world):
    seen = []
    for action in ("pin", "free"):
        act(admin_client, Fact, action, world)
        seen.append(Fact.objects.get(pk=world.pk).pinned)
    assert seen == [True, False]


def test_parked_messages_and_conversations_are_taken_up_again(admin_client):
    said, buffer = make_message(parked_at=NOON, attempts=5), make_buffer(status="parked", attempts=5)
    assert "Done: 1." in act(admin_client, Message, "replay", said)
    assert "Done: 1." in act(admin_client, ChannelBuffer, "replay", buffer)
    assert not Message.objects.get(pk=said.pk).parked_at


def test_a_member_who_says_no_is_not_remembered_any_more(admin_client, world):
    act(admin_client, Member, "do_not_remember", world.subject)
    assert Member.objects.get(pk=world.subject.pk).remember is False
    choice = ConsentChoice.objects.get()
    assert (choice.actor, choice.remember) == ("operator:admin", False)


def test_a_line_of_a_profile_is_refused_and_brought_back(admin_client, world):
    line, seen = ProfileEntry.objects.get(), []
    for action in ("refuse", "restore"):
        act(admin_client, ProfileEntry, action, line)
        line.refresh_from_db()
        seen.append(line.status)
    assert seen == ["refused", "shown"]


def test_a_profile_is_marked_to_be_rebuilt(admin_client, world):
    act(admin_client, Member, "rebuild", world.subject)
    assert Profile.objects.get(member=world.subject).dirty


def test_a_setting_of_a_guild_brings_what_it_brings_on_its_own_page(admin_client, world):
    guild = world.guild
    form = admin_client.get(path(Guild, "change", guild.pk)).context["adminform"].form
    data = {name: "" if value is None else value for name, value in form.initial.items() if name in form.fields}
    data = {name: value for name, value in data.items() if value is not False} | {"quiet_minutes": 40}
    data |= {name: json.dumps(value) for name, value in data.items() if isinstance(value, list | dict)}
    admin_client.post(path(Guild, "change", guild.pk), data)
    guild.refresh_from_db()
    assert guild.quiet_minutes == 40
    assert Action.objects.get(kind="settings").detail["changed"] == ["quiet_minutes"]


def test_what_was_set_since_the_form_was_opened_is_not_set_back(admin_client, world):
    opened = admin_client.get(path(Guild, "change", world.guild.pk))
    form = opened.context["adminform"].form
    was = {
        name: unescape(value) for name, value in re.findall(r'name="(initial-\w+)"(?: value="([^"]*)")?', opened.text)
    }
    data = {name: "" if value is None else value for name, value in form.initial.items() if name in form.fields}
    data = {name: value for name, value in data.items() if value is not False} | {"daily_tokens": 9}
    data |= {name: json.dumps(value) for name, value in data.items() if isinstance(value, list | dict)}
    Guild.objects.update(quiet_minutes=40, blocked=["123"], memory_on=False)
    admin_client.post(path(Guild, "change", world.guild.pk), data | was)
    now = Guild.objects.get()
    assert (now.daily_tokens, now.quiet_minutes, now.blocked, now.memory_on) == (9, 40, ["123"], False)


def test_a_list_asks_no_question_for_each_row(admin_client, django_assert_max_num_queries):
    for number in range(20):
        said = make_message(author=make_member(name=f"Member {number}"))
        make_fact(f"Fact {number}.", subject=said.author, evidence=[said])
    for model in (Fact, Message):
        with django_assert_max_num_queries(12):
            admin_client.get(path(model))
