"""The timeline of notes, a note, a message."""

import pytest

from memoryhub.community.models import Guild, Member
from notes.models import InteractionNote
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
)  # fmt: skip

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert('x')</script>"


def content(client, path="/notes/", **query):
    response = client.get(path, query)
    assert response.status_code == 200
    return response.content.decode()


def test_notes_stand_newest_first(admin_client):
    make_note("Later", ended_at=NOON), make_note("Earlier", ended_at=NOON - days(1))
    shown = content(admin_client)
    assert shown.index("Later") < shown.index("Earlier")


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ({"guild": "discord:2"}, {"Sailing"}),
        ({"kind": "topic_cluster"}, {"Topics"}),
        ({"from": "2026-03-03"}, {"Sailing"}),
        ({"to": "2026-03-01"}, {"Topics"}),
        ({"from": "soon", "to": "2026-99-99", "channel": "x", "kind": "y"}, {"Moving", "Sailing", "Topics"}),
    ],
)
def test_filters_narrow_the_timeline(admin_client, query, shown):
    make_note("Moving")
    make_note("Sailing", channel=make_channel(make_guild("discord:2")), note_date=(NOON + days(1)).date())
    make_note("Topics", kind=InteractionNote.Kind.TOPIC_CLUSTER, note_date=(NOON - days(1)).date())
    listed = content(admin_client, **query)
    assert {title for title in ("Moving", "Sailing", "Topics") if title in listed} == shown


def test_of_a_topic_and_its_talks_the_talks_are_shown_unless_topics_are_asked_for(admin_client):
    topic = make_note("Boats of the day", kind=InteractionNote.Kind.TOPIC_CLUSTER)
    topic.notes.add(make_note("Moving"), through_defaults={"guild_id": topic.guild_id})
    listed = content(admin_client)
    assert ("Moving" in listed, "Boats of the day" in listed) == (True, False)
    assert "Boats of the day" in content(admin_client, kind="topic_cluster")


def test_the_list_repeats_neither_who_was_there_and_when_nor_the_title(admin_client):
    summary = "Alice and Bob talked at 18:05 on 1 March 2026.\nAlice moved.\nBob sails."
    make_note("Alice moved", summary=summary)
    listed = content(admin_client)
    assert "Bob sails." in listed
    assert not any(told in listed for told in ("talked at", "Alice moved."))


def test_one_channels_notes_can_be_listed_alone(admin_client):
    make_note("Moving", channel=make_channel(name="general"))
    make_note("Sailing", channel=make_channel(name="boats"))
    listed = content(admin_client, channel=make_channel(name="boats").pk)
    assert "Sailing" in listed
    assert "Moving" not in listed


@pytest.mark.parametrize("who", ["alice", "Alice", "u-alice"])
def test_one_members_notes_are_found_by_name_or_id(admin_client, who):
    make_note("Moving", participants=[make_member(name="Alice"), make_member(name="Bob")])
    make_note("Sailing", participants=[make_member(name="Bob")])
    listed = content(admin_client, **{"with": who})
    assert "Moving" in listed
    assert "Sailing" not in listed


def test_a_name_that_nobody_has_is_said(admin_client):
    make_note("Moving")
    listed = content(admin_client, **{"with": HOSTILE})
    assert "Nobody is called" in listed
    assert "Moving" not in listed
    assert HOSTILE not in listed


def test_a_calendar_shows_on_which_days_there_are_notes(admin_client):
    for title, ended in (("One", NOON), ("Two", NOON), ("Long ago", NOON - days(40)), ("Later", NOON + days(3))):
        make_note(title, note_date=ended.date(), ended_at=ended)
    shown = content(admin_client)
    assert "March 2026" in shown
    assert 'title="2 March: 2 notes"' in shown
    assert 'level-4" href="/notes/?from=2026-03-02&amp;to=2026-03-02"' in shown
    assert "month=2026-01" in shown
    assert "Earlier: January 2026" in shown
    before = content(admin_client, month="2026-01")
    assert 'title="21 January: 1 note"' in before
    assert "Later: March 2026" in before


def test_the_calendar_counts_what_the_filters_let_through(admin_client):
    make_note("Moving", participants=[make_member(name="Alice"), make_member(name="Bob")])
    make_note("Sailing", participants=[make_member(name="Bob")])
    assert 'title="2 March: 1 note"' in content(admin_client, **{"with": "Alice"})
    one = content(admin_client, **{"from": "2026-03-02", "to": "2026-03-02"})
    assert 'aria-current="date"' in one
    assert "Show all days" in one


@pytest.mark.parametrize("month", ["x", "2026-13", "0001-01", "9999-12", "2026-02-30"])
def test_a_month_that_makes_no_sense_breaks_nothing(admin_client, month):
    make_note("Moving")
    assert "Moving" in content(admin_client, month=month)


def test_a_note_tells_what_was_learned_from_it(admin_client):
    alice = make_member(name="Alice")
    said = make_message(author=alice)
    note = make_note(messages=[said])
    make_fact("Lives in Toronto.", subject=alice, evidence=[said])
    make_fact("Lives on Mars.", subject=alice, evidence=[make_message(author=alice)])
    make_fact("Never said.", subject=alice, status="refused", evidence=[said])
    make_entry("Lives in Toronto", member=alice, notes=[note])
    make_entry("Likes the lake", member=alice, notes=[note])
    shown = content(admin_client, f"/notes/{note.pk}/")
    assert shown.count("Lives in Toronto") == 1
    assert "Likes the lake" in shown
    assert "Mars" not in shown
    assert "Never said." not in shown
    topic = make_note("Topic", kind=InteractionNote.Kind.TOPIC_CLUSTER)
    topic.notes.add(note)
    assert "Lives in Toronto." in content(admin_client, f"/notes/{topic.pk}/")
    assert "Nothing lasting was said." in content(admin_client, f"/notes/{make_note('Empty').pk}/")


def test_a_note_opens_to_its_messages_and_participants(admin_client):
    note = make_note(messages=[make_message("I moved!", author=make_member(name="Alice"))])
    shown = content(admin_client, f"/notes/{note.pk}/")
    assert "I moved!" in shown
    assert f'href="/members/{make_member(name="Alice").pk}/"' in shown


def test_a_topic_opens_to_the_notes_it_was_made_of(admin_client):
    topic, note = make_note("Topic", kind=InteractionNote.Kind.TOPIC_CLUSTER), make_note("Moving")
    topic.notes.add(note)
    assert f'href="/notes/{note.pk}/"' in content(admin_client, f"/notes/{topic.pk}/")


def test_a_message_is_shown_among_its_neighbours(admin_client):
    messages = [make_message(f"line {letter}", sent_at=NOON + days(n)) for n, letter in enumerate("abc")]
    make_message("elsewhere", channel=make_channel(name="boats"))
    shown = content(admin_client, f"/messages/{messages[1].pk}/")
    places = [shown.index(f"line {letter}") for letter in "abc"]
    assert places == sorted(places)
    assert "elsewhere" not in shown
    assert shown.count("said-marked") == 1


def test_a_deleted_message_says_so(admin_client):
    gone = make_message("", deleted_at=NOON)
    assert "deleted" in content(admin_client, f"/messages/{gone.pk}/")


def test_hostile_text_stays_text(admin_client):
    said = make_message(HOSTILE, channel=make_channel(name=HOSTILE), author=make_member(name=HOSTILE))
    note = make_note(HOSTILE, messages=[said], summary=HOSTILE)
    for path in ("/notes/", f"/notes/{note.pk}/", f"/messages/{said.pk}/"):
        assert HOSTILE not in content(admin_client, path)


def test_a_full_timeline_asks_few_questions(admin_client, django_assert_max_num_queries):
    for number in range(20):
        make_note(f"Note {number}", messages=[make_message(author=make_member(name=f"Member {number}"))])
    content(admin_client)  # the look is written to the audit log once
    with django_assert_max_num_queries(17):
        content(admin_client)


@pytest.mark.parametrize("how", ["said no", "blocked", "opt-in", ""])
@pytest.mark.parametrize("where", ["of one guild", "of all"])
def test_no_page_shows_a_note_with_somebody_who_is_not_to_be_remembered(admin_client, how, where):
    bob, carol = make_member(name="Bob", remember=True), make_member(name="Carol")
    said, other = (make_message("Tea at the pier.", author=author) for author in (bob, carol))
    hidden = make_note("The pier", summary="Tea there.", messages=[said, other])
    alone = make_note("Bob alone", messages=[make_message("Me, too.", author=bob)])
    topic = make_note("The pier, all day", kind="topic_cluster", summary="Tea.", participants=[bob, carol])
    topic.notes.set([hidden, alone])
    fact = make_fact("Likes tea.", subject=bob, evidence=[said])
    make_guild("discord:2")
    if how == "said no":
        Member.objects.filter(pk=carol.pk).update(remember=False)
    Guild.objects.filter(key="discord:1").update(
        blocked=["u-carol"] if how == "blocked" else [], consent_mode="opt_in" if how == "opt-in" else "opt_out"
    )
    query = {"guild": "discord:1"} if where == "of one guild" else {}
    pages = ["/notes/", f"/members/{bob.pk}/", f"/channels/{said.channel_id}/", f"/notes/{alone.pk}/"]
    pages += [f"/messages/{said.pk}/", f"/memories/{fact.pk}/"]
    shown = [content(admin_client, path, **query) for path in pages]
    shown.append(content(admin_client, "/find/", q="pier", **query))
    assert ["The pier" in page for page in shown] == [not how] * len(shown)
    for note in (hidden, topic):
        assert admin_client.get(f"/notes/{note.pk}/").status_code == (404 if how else 200)
    assert "Bob alone" in shown[0]
