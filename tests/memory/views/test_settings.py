"""A guild's settings on their page."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from memory.admin.people import GuildAdmin
from memory.curation.guild_settings import NAMES
from memory.models import Action, ModeratorLog
from memory.views.settings import GROUPS
from memoryhub.community.models import Guild
from memoryhub.models import Role
from tests.factories import make_fact, make_guild, make_member

pytestmark = pytest.mark.django_db


def as_shown(olga, guild):
    """Return what the form would send if nothing was changed."""
    form = olga.get(reverse("guild-settings"), {"guild": guild.key}).context["form"]
    given = {name: form[name].value() for name in form.fields}
    return {"guild": guild.key, **{name: value for name, value in given.items() if value not in (None, False)}}


def test_every_setting_of_the_table_is_on_the_page():
    named = {name for names in GROUPS.values() for name in names}
    assert named == set(NAMES)


def test_every_setting_says_what_it_does(olga):
    form = olga.get(reverse("guild-settings"), {"guild": make_guild().key}).context["form"]
    silent = [name for name, field in form.fields.items() if not field.help_text]
    assert silent == []


def test_a_change_is_saved_and_written_down_by_name(olga):
    guild = make_guild()
    olga.post(reverse("guild-settings"), as_shown(olga, guild) | {"time_zone": "Europe/Berlin", "daily_tokens": "9"})
    guild.refresh_from_db()
    assert (guild.time_zone, guild.daily_tokens) == ("Europe/Berlin", 9)
    action = Action.objects.get(kind="settings")
    assert (action.actor, action.detail) == ("operator:olga", {"changed": ["daily_tokens", "time_zone"]})


def test_saving_what_stands_changes_nothing(olga):
    guild = make_guild()
    olga.post(reverse("guild-settings"), as_shown(olga, guild))
    assert not Action.objects.filter(kind="settings").exists()


def test_a_list_of_ids_is_written_one_a_line(olga):
    guild = make_guild()
    olga.post(reverse("guild-settings"), as_shown(olga, guild) | {"blocked": "123\n\n 456 ,\n"})
    guild.refresh_from_db()
    assert guild.blocked == ["123", "456"]
    assert ">\n123\n456</textarea>" in olga.get(reverse("guild-settings"), {"guild": guild.key}).text


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("time_zone", "Mars/Olympus", "is no time zone"),
        ("quiet_minutes", "5", "20 to 60"),
        ("daily_usd", "-1", "greater than or equal to 0"),
        ("extraction_mode", "never", "valid choice"),
    ],
)
def test_a_value_that_can_not_be_is_refused_in_words(olga, name, value, told):
    guild = make_guild()
    answer = olga.post(reverse("guild-settings"), as_shown(olga, guild) | {name: value})
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert getattr(Guild.objects.get(), name) == getattr(guild, name)


def test_an_auditor_reads_them_and_a_moderator_sets_their_own():
    north, south = make_guild("discord:1"), make_guild("discord:2")
    mona, anna = User.objects.create_user("mona"), User.objects.create_user("anna")
    Role.objects.create(user=mona, kind=Role.Kind.MODERATOR).guilds.add(north)
    Role.objects.create(user=anna, kind=Role.Kind.AUDITOR).guilds.add(north)
    moderator, auditor = Client(), Client()
    moderator.force_login(mona), auditor.force_login(anna)
    path = reverse("guild-settings")
    assert auditor.get(path).status_code == 200
    assert auditor.post(path, {"guild": north.key}).status_code == 403
    assert moderator.get(path, {"guild": south.key}).status_code == 404
    assert moderator.post(path, {"guild": south.key}).status_code == 404


def test_without_a_guild_the_page_says_so(olga):
    assert "No guild yet" in olga.get(reverse("guild-settings")).content.decode()


def test_the_last_run_of_retention_is_told_and_the_privacy_page_named(olga):
    guild = make_guild()
    assert "nothing was so far." in olga.get(reverse("guild-settings")).content.decode()
    Action.objects.create(guild=guild, kind="retention", detail={"counts": {"model_calls": 3, "messages": 41}})
    told = " ".join(olga.get(reverse("guild-settings")).content.decode().split())
    assert "41 messages, 3 model calls" in told
    assert 'href="/privacy/discord:1/"' in told


def test_a_journal_is_kept_no_longer_than_the_messages_it_repeats(olga):
    guild = make_guild()
    answer = olga.post(reverse("guild-settings"), as_shown(olga, guild) | {"message_days": "7"})
    assert "their text is kept for 7 days" in answer.content.decode()
    assert Guild.objects.get().message_days == 30


def test_a_model_that_is_none_is_refused_in_words(olga):
    answer = olga.post(reverse("guild-settings"), as_shown(olga, make_guild()) | {"model_fast": "gpt"})
    assert "write offline, openai:" in answer.content.decode()


def test_an_auditor_reads_settings_and_has_nothing_to_save(olga):
    ada = User.objects.create_user("ada")
    Role.objects.create(user=ada, kind=Role.Kind.AUDITOR, everywhere=True)
    olga.force_login(ada)
    shown = olga.get(reverse("guild-settings"), {"guild": make_guild().key}).text
    assert "Remember what is said here" in shown
    assert ">Save<" not in shown


def test_every_setting_of_the_page_can_be_set_in_the_admin_too():
    assert {name for names in GROUPS.values() for name in names} - set(GuildAdmin.settable) == set()


def test_all_mistakes_are_told_at_once_with_links_to_them(olga):
    guild = make_guild()
    wrong = {"time_zone": "Mars/Olympus", "quiet_minutes": "999"}
    answer = olga.post(reverse("guild-settings"), as_shown(olga, guild) | wrong)
    assert answer.status_code == 422
    assert {field for field, _, _ in answer.context["form"].mistakes()} == {"id_time_zone", "id_quiet_minutes"}
    assert 'href="#id_quiet_minutes"' in answer.content.decode()


def test_a_setting_says_its_default_and_whether_it_was_changed(olga):
    guild = make_guild()
    Guild.objects.filter(pk=guild.pk).update(quiet_minutes=40)
    groups = olga.get(reverse("guild-settings"), {"guild": guild.key}).context["groups"]
    fields = {field.name: field for _, fields, _ in groups for field in fields}
    assert (fields["quiet_minutes"].default_said, fields["quiet_minutes"].differs) == ("25", True)
    assert (fields["memory_on"].default_said, fields["memory_on"].differs) == ("on", False)


def test_what_would_go_is_told_before_it_is_saved_and_confirmed_by_just_that(olga):
    guild = make_guild()
    for name in ("one", "two"):
        make_fact(f"Likes {name}.", subject=make_member(guild), confidence=0.9)
    fewer = as_shown(olga, guild) | {"facts_a_member": "1"}
    shown = olga.post(reverse("guild-settings"), fewer)
    assert shown.status_code == 200
    assert "1 memory would be archived" in shown.content.decode()
    assert Guild.objects.get().facts_a_member == guild.facts_a_member
    other = olga.post(reverse("guild-settings"), fewer | {"seen": shown.context["mark"], "lore_facts": "1"})
    assert other.context["would_go"]
    olga.post(reverse("guild-settings"), fewer | {"seen": shown.context["mark"]})
    assert Guild.objects.get().facts_a_member == 1


def test_a_preview_saves_nothing_even_where_nothing_would_go(olga):
    guild = make_guild()
    shown = olga.post(reverse("guild-settings"), as_shown(olga, guild) | {"quiet_minutes": "40", "deed": "preview"})
    assert "Nothing of what is stored would go." in shown.content.decode()
    assert Guild.objects.get().quiet_minutes == guild.quiet_minutes


def undo_form(answer):
    """Return the address and the fields of the form beside the message, as a browser sends it."""
    html = answer.text
    (form,) = re.findall(r'<form method="post" action="(/[^"]*undo/)">(.*?)</form>', html, re.DOTALL)
    fields = dict(re.findall(r'name="(guild|before|after)" value="([^"]*)"', form[1]))
    return form[0], {name: unescape(value) for name, value in fields.items()}


def test_a_change_of_settings_is_undone_from_its_message(olga):
    guild = make_guild()
    given = as_shown(olga, guild) | {"daily_tokens": "9", "daily_usd": "1.5", "blocked": "123"}
    saved = olga.post(reverse("guild-settings"), given | {"blocked": ""}, follow=True)
    path, fields = undo_form(saved)
    undone = olga.post(path, fields, follow=True)
    assert "The settings are as they were before." in undone.text
    guild.refresh_from_db()
    assert (guild.daily_tokens, guild.daily_usd) == (None, None)
    assert "undo/" not in undone.text


def test_what_somebody_changed_meanwhile_is_not_undone(olga):
    guild = make_guild()
    saved = olga.post(reverse("guild-settings"), as_shown(olga, guild) | {"daily_tokens": "9"}, follow=True)
    Guild.objects.update(daily_tokens=7)
    path, fields = undo_form(saved)
    assert "changed these settings meanwhile" in olga.post(path, fields, follow=True).text
    assert Guild.objects.get().daily_tokens == 7


def test_what_was_set_since_the_page_was_shown_is_left_so_where_it_was_not_changed(olga):
    guild = make_guild()
    shown = olga.get(reverse("guild-settings"), {"guild": guild.key}).text
    was = {name: unescape(value) for name, value in re.findall(r'name="(initial-\w+)"(?: value="([^"]*)")?', shown)}
    stale = as_shown(olga, guild) | was
    Guild.objects.update(quiet_minutes=40, blocked=["123"], memory_on=False)
    olga.post(reverse("guild-settings"), stale | {"daily_tokens": "9"})
    now = Guild.objects.get()
    assert (now.daily_tokens, now.quiet_minutes, now.blocked, now.memory_on) == (9, 40, ["123"], False)
    assert Action.objects.get(kind="settings").detail == {"changed": ["daily_tokens"]}


def test_no_undo_is_offered_where_something_goes(olga):
    guild = make_guild()
    given = as_shown(olga, guild) | {"keep_health": "on"}
    assert "undo/" not in olga.post(reverse("guild-settings"), given, follow=True).text  # the way back would take it
    given = as_shown(olga, guild)
    assert "undo/" not in olga.post(reverse("guild-settings"), given, follow=True).text  # nothing was changed


@pytest.mark.parametrize(
    "before",
    ["", "[]", "{}", '{"key": "discord:2"}', '{"quiet_minutes": "soon"}', '{"quiet_minutes": 5}', '{"time_zone": [1]}'],
)
def test_an_undo_that_is_none_changes_nothing(olga, before):
    guild = make_guild()
    answer = olga.post(
        reverse("undo-settings"), {"guild": guild.key, "before": before, "after": '{"daily_tokens": null}'}
    )
    assert answer.status_code == 302
    assert Guild.objects.values().get() == Guild.objects.filter(pk=guild.pk).values().get()
    assert Guild.objects.get().quiet_minutes == guild.quiet_minutes


def test_settings_are_searched_without_a_script_and_none_is_lost(olga):
    guild = make_guild()
    page = olga.get(reverse("guild-settings"), {"guild": guild.key, "q": "JOURNALS"})
    shown = [field.name for _, fields, _ in page.context["groups"] for field in fields if not field.passed_over]
    assert shown == ["journal_days"]
    assert 'name="quiet_minutes"' in page.text
    nothing = olga.get(reverse("guild-settings"), {"guild": guild.key, "q": "<b>unheard of"})
    assert "No setting is called so." in nothing.text
    assert nothing.context["found"] is False
    assert '<div class="buttons save" hidden>' in nothing.text


# --- The log channel -------------------------------------------------------------------------------------------------


def test_a_log_channel_is_set_and_that_is_logged_and_what_keeps_it_from_being_told_is_shown(olga):
    guild = make_guild()
    olga.post(reverse("guild-settings"), as_shown(olga, guild) | {"log_channel": "123456789012345678"})
    kinds = Action.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["settings", "log_channel"]
    assert "is not told just now" not in olga.get(reverse("guild-settings"), {"guild": guild.key}).text
    ModeratorLog.objects.update(last_error="The bot may not <b>write</b> there.")
    page = olga.get(reverse("guild-settings"), {"guild": guild.key}).text
    assert "is not told just now. The bot may not &lt;b&gt;write&lt;/b&gt; there." in page


@pytest.mark.parametrize(
    ("key", "channel", "told"),
    [("discord:1", "mod-log", "only digits"), ("discord:1", "١٢٣", "only digits"), ("sms:44", "123", "Leave it empty")],
)
def test_a_log_channel_is_one_of_discords(olga, key, channel, told):
    guild = make_guild(key)
    answer = olga.post(reverse("guild-settings"), as_shown(olga, guild) | {"log_channel": channel})
    assert (answer.status_code, told in answer.text) == (422, True)
    assert Guild.objects.get().log_channel == ""
