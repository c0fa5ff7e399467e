"""A member's page."""

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from memory.curation import corrections
from memory.index import embeddings
from memory.views.members import FACTS
from memoryhub.community import consent
from memoryhub.community.models import ConsentChoice, Guild, Member
from memoryhub.models import Role
from profiles.relationships import relationship_store
from profiles.relationships.strength import Counts
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
    make_profile,
)  # fmt: skip

pytestmark = pytest.mark.django_db


def content(client, member, **query):
    response = client.get(f"/members/{member.pk}/", query)
    assert response.status_code == 200
    return response.content.decode()


def test_each_line_of_the_profile_links_to_its_source(admin_client):
    note = make_note("Moving house", messages=[make_message(author=make_member(name="Alice"))])
    make_entry("Lives in Toronto", member=make_member(name="Alice"), notes=[note])
    shown = content(admin_client, make_member(name="Alice"))
    assert "Lives in Toronto" in shown
    assert f'href="/notes/{note.pk}/"' in shown


def test_what_a_member_told_of_themselves_is_shown_with_its_messages_in_their_own_words(admin_client):
    told = make_message("my twins turn four in may, and I'm still on night shifts at the bakery")
    make_message("haha no way, see you in five")
    make_message("my sister got married in Porto, we all flew over", channel=make_channel(name="crew", private=True))
    embeddings.embed_missing(100)
    _, title, rest = content(admin_client, make_member(name="Alice")).partition("In their own words")
    assert title
    assert "my twins turn four in may" in rest
    assert f'href="/messages/{told.pk}/"' in rest
    assert "haha no way" not in rest
    assert "married in Porto" not in rest  # only what may be told anywhere
    assert "In their own words" not in content(admin_client, make_member(name="Bob"))


def test_a_refused_line_stands_apart_from_the_profile(admin_client):
    make_entry("Cannot sing", member=make_member(), status="refused")
    profile, _, refused = content(admin_client, make_member()).partition("Refused lines (1)")
    assert "Cannot sing" not in profile
    assert "Cannot sing" in refused


def test_the_choice_about_being_remembered_is_shown(admin_client):
    alice = make_member()
    assert "Has not chosen" in content(admin_client, alice)
    consent.choose(alice, remember=False, actor="member", now=NOON)
    shown = content(admin_client, alice)
    assert "Said no to being remembered" in shown
    assert "Not remembered" in shown


@pytest.mark.parametrize("how", ["said no", "blocked", "opt-in", ""])
def test_the_summary_of_who_is_not_to_be_remembered_is_told_on_no_card(admin_client, how):
    alice = make_member(remember=False if how == "said no" else None)
    make_profile(alice, summary="Sails at night.")
    Guild.objects.update(
        blocked=["u-alice"] if how == "blocked" else [], consent_mode="opt_in" if how == "opt-in" else "opt_out"
    )
    shown = [admin_client.get(path).content.decode() for path in ("/members/", f"/members/{alice.pk}/")]
    assert ["Sails at night." in page for page in shown] == [not how] * 2


def test_of_who_said_no_nothing_is_promised_that_only_holds_for_others(admin_client):
    shown = content(admin_client, make_member(remember=False))
    assert "no bot is told what is stored of them" in shown
    assert "who knows about" not in shown
    assert "In no note yet." not in shown


def test_only_the_newest_facts_are_shown_and_the_others_linked(admin_client):
    alice = make_member()
    for number in range(FACTS + 1):
        make_fact(f"Fact number {number}.", subject=alice)
    shown = content(admin_client, alice)
    assert "Fact number 0." not in shown
    assert f"/memories/?member={alice.pk}" in shown


def test_a_member_of_whom_nothing_is_known_has_a_page(admin_client):
    assert "Nothing is in the profile yet" in content(admin_client, make_member())


def test_a_topic_does_not_stand_beside_the_talk_that_it_repeats(admin_client):
    alice = make_member()
    talk = make_note("Moving house", messages=[make_message(author=alice)])
    topic = make_note("Moving house, all day", kind="topic_cluster", participants=[alice])
    assert "Moving house, all day" in content(admin_client, alice)
    topic.notes.add(talk, through_defaults={"guild_id": talk.guild_id})
    shown = content(admin_client, alice)
    assert "Moving house" in shown
    assert "Moving house, all day" not in shown


def test_of_a_bot_no_profile_and_no_choice_is_promised(admin_client):
    shown = content(admin_client, make_member(is_bot=True))
    assert "No profile is written of a bot." in shown
    assert "A bot has nothing to choose." in shown
    assert ">Remembered<" not in shown


def test_a_full_page_asks_few_questions(admin_client, django_assert_max_num_queries):
    alice = make_member()
    make_profile(alice, summary="Sails.")
    for number in range(12):
        said = make_message(author=alice)
        note = make_note(f"Note {number}", messages=[said])
        make_entry(f"Line {number}", member=alice, notes=[note])
        make_fact(f"Fact {number}.", subject=alice, evidence=[said])
    for number in range(12):
        newer = make_fact(f"Newer {number}.", subject=alice)
        make_fact(f"Older {number}.", subject=alice, status="superseded", replaced_by=newer, said_at=NOON - days(3))
        make_fact(f"Is their cousin {number}.", subject=alice, kind="relationship")
    make_fact("Bob is their brother.", subject=alice, evidence=[make_message(author=make_member(name="Bob"))])
    content(admin_client, alice)  # the look is written to the audit log once
    with django_assert_max_num_queries(35):
        content(admin_client, alice)


def test_whom_a_member_has_most_to_do_with_is_shown_where_it_is_counted(admin_client):
    guild = make_guild(relationships_on=True)
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    day = timezone.now().date()
    relationship_store.set_day(make_channel(), day=day, counts={(bob.pk, alice.pk): Counts(replies=16)})
    shown = admin_client.get(f"/members/{alice.pk}/").content.decode()
    assert "interaction very high (72 %)" in shown
    assert f"/graph/pair/?one={alice.pk}&amp;other={bob.pk}" in shown
    relationship_store.switch(guild, on=False)
    assert "likely close" not in admin_client.get(f"/members/{alice.pk}/").content.decode()


def test_what_was_believed_of_a_member_on_a_day_is_shown_in_the_words_of_then(admin_client):
    alice = make_member()
    moved = make_fact("Lives in Toronto.", subject=alice, status="superseded", valid_until=NOON + days(9))
    make_fact("Lives in Berlin.", subject=alice, said_at=NOON + days(9))
    corrections.correct(moved, actor="operator:olga", now=NOON + days(5), text="Lives in the west of Toronto.")
    then = content(admin_client, alice, as_of="2026-03-03")
    assert "Current at the end of 3 March 2026" in then
    assert "Lives in Toronto." in then
    assert "west of" not in then
    assert "Berlin" not in then
    assert "Edit the memory" not in then
    assert "west of" in content(admin_client, alice, as_of="2026-03-09")
    now, _, past = content(admin_client, alice).partition("What was believed when")
    assert "Toronto" not in now
    assert "to 11 Mar 2026" in past
    assert "Nothing was known then." in content(admin_client, alice, as_of="2020-01-01")


def test_an_operator_keeps_a_choice_that_works_at_once(admin_client):
    alice = make_member()
    for said, told in (("no", "no longer remembered"), ("yes", "remembered from now on"), ("x", "Choose yes or no")):
        answer = admin_client.post(f"/members/{alice.pk}/consent/", {"remember": said}, follow=True)
        assert told in answer.content.decode()
    chosen = list(ConsentChoice.objects.order_by("pk").values_list("remember", "actor"))
    assert chosen == [(False, "operator:admin"), (True, "operator:admin")]


def test_a_choice_of_another_guilds_member_is_not_theirs_to_keep(client):
    user = User.objects.create_user("mona")
    Role.objects.create(user=user, kind=Role.Kind.MODERATOR).guilds.set([make_guild("discord:2")])
    client.force_login(user)
    assert client.post(f"/members/{make_member().pk}/consent/", {"remember": "no"}).status_code == 404
    assert not ConsentChoice.objects.exists()


def test_looking_back_shows_what_was_believed_then_in_the_profiles_place(admin_client):
    alice = make_member(name="Alice")
    make_profile(alice, summary="Alice lives in Rome nowadays.")
    make_entry("Lives in Rome", member=alice)
    rome = make_fact("Lives in Rome.", subject=alice, said_at=NOON + days(9))
    make_fact("Lives in Toronto.", subject=alice, status="superseded", replaced_by=rome, valid_until=NOON + days(9))
    shown = content(admin_client, alice, as_of=(NOON + days(3)).date().isoformat())
    profile = shown.split('id="profile"')[1].split("</section>")[0]
    assert "Lives in Toronto." in profile
    assert "today’s" in profile
    assert "Rome" not in shown


def test_what_was_true_once_is_told_with_what_it_became(admin_client):
    alice = make_member(name="Alice")
    new = make_fact("Lives in Porto.", subject=alice, said_at=NOON)
    make_fact("Lives in Bristol.", subject=alice, status="superseded", replaced_by=new, said_at=NOON - days(30))
    shown = content(admin_client, alice)
    assert "What was believed when" in shown
    assert "Lives in Bristol." in shown
    assert "What was believed when" not in content(admin_client, alice, as_of=f"{NOON - days(10):%Y-%m-%d}")


def test_what_was_believed_is_a_thread_through_time_and_looks_back_too(admin_client):
    alice = make_member(name="Alice")
    porto = make_fact("Lives in Porto.", subject=alice, said_at=NOON)
    make_fact(
        "Lives in Faro.", subject=alice, status="superseded", replaced_by=porto, said_at=NOON - days(20)
    )  # fmt: skip
    faro = alice.facts.get(text="Lives in Faro.")
    make_fact("Lives in Bristol.", subject=alice, status="superseded", replaced_by=faro, said_at=NOON - days(40))
    make_fact("Is ill.", subject=alice, status="superseded", said_at=NOON - days(9), valid_until=NOON - days(5))

    def threads(**query):
        return content(admin_client, alice, **query).partition('class="threads"')[2].partition("</section>")[0]

    now = threads()
    assert now.index("Lives in Bristol.") < now.index("Lives in Faro.") < now.index("Lives in Porto.")
    assert "21 Jan 2026 to 10 Feb 2026" in now
    assert "since 2 Mar 2026" in now
    assert "Is ill." in now
    then = threads(as_of=f"{NOON - days(10):%Y-%m-%d}")
    assert "since 10 Feb 2026" in then
    assert "Porto" not in then
    assert threads(as_of=f"{NOON - days(30):%Y-%m-%d}") == ""


def test_where_and_on_how_many_days_a_member_wrote_is_shown(admin_client):
    alice = make_member(name="Alice")
    for day in (1, 1, 2):
        make_message(author=alice, sent_at=NOON.replace(day=day))
    make_message(author=alice, channel=make_channel(name="boats"), sent_at=NOON.replace(day=2))
    make_member(name="Alice").__class__.objects.update(last_seen_at=NOON)
    shown = content(admin_client, alice)
    assert "<dt>Days with messages</dt><dd>2</dd>" in shown
    assert shown.index("#general") < shown.index("#boats")
    then = content(admin_client, alice, as_of="2026-03-01")
    assert "<dt>Days with messages</dt><dd>1</dd>" in then
    assert "#boats" not in then


def test_a_tie_is_not_told_again_among_the_memories(admin_client):
    alice, _ = make_member(name="Alice"), make_member(name="Bob")
    make_fact("Bob is their little brother.", subject=alice)
    assert content(admin_client, alice).count("Bob is their little brother.") == 1


def test_a_tie_that_was_stated_is_told_by_name(admin_client):
    alice, bob = make_member(name="Alice"), make_member(name="Bob")
    make_fact("Bob is their little brother.", subject=alice, kind="relationship")
    make_fact("Likes bobsleighs.", subject=alice)
    shown = content(admin_client, bob)
    assert "Bob is their little brother." in shown
    assert '<span class="mark">brother</span>' in shown
    assert "bobsleighs" not in shown
    assert "little brother" not in content(admin_client, bob, as_of=f"{NOON - days(10):%Y-%m-%d}")
    assert "little brother" in content(admin_client, bob, as_of=f"{NOON + days(1):%Y-%m-%d}")


def test_what_the_profile_says_is_not_told_twice(admin_client):
    alice = make_member(name="Alice")
    make_fact("Lives in Toronto.", subject=alice)
    make_profile(alice)
    make_entry("Lives in Toronto", member=alice, notes=[make_note("Moving", messages=[make_message(author=alice)])])
    assert "All of them stand elsewhere on this page." in content(admin_client, alice)


def test_of_a_long_profile_the_twelve_lines_that_last_are_shown_and_all_of_them_behind_a_link(admin_client):
    alice = make_member(name="Alice")
    make_entry("Made a cake for the fair", member=alice, position=0)
    for at in range(1, 13):
        make_entry(f"Lives in Place{at}", member=alice, position=at)
    address = f"/members/{alice.pk}/?lines=all"
    shown, every = content(admin_client, alice), content(admin_client, alice, lines="all")
    assert "Lives in Place12" in shown
    assert "Made a cake" not in shown
    assert f'href="{address}" hx-get="{address}"' in shown
    assert "Show all 13 lines" in shown
    assert "Made a cake" in every
    assert "Show all" not in every
    part = admin_client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "Made a cake" in part
    assert "<html" not in part


def test_looking_back_shows_no_later_note(admin_client):
    alice = make_member(name="Alice")
    make_note("Far later", messages=[make_message(author=alice)])
    assert "Far later" in content(admin_client, alice)
    assert "Far later" not in content(admin_client, alice, as_of=f"{NOON - days(10):%Y-%m-%d}")


def test_a_yes_after_a_no_is_undone_from_its_message(admin_client):
    alice = make_member()
    path = f"/members/{alice.pk}/consent/"
    said_no = admin_client.post(path, {"remember": "no"}, follow=True)
    assert 'name="stands"' not in said_no.text  # what was counted of her is gone
    said_yes = admin_client.post(path, {"remember": "yes"}, follow=True)
    assert 'name="stands" value="yes"' in said_yes.text
    undone = admin_client.post(path, {"remember": "no", "stands": "yes"}, follow=True)
    assert 'name="stands"' not in undone.text
    assert Member.objects.get().remember is False
    assert "changed it meanwhile" in admin_client.post(path, {"remember": "no", "stands": "yes"}, follow=True).text
    assert ConsentChoice.objects.count() == 3
