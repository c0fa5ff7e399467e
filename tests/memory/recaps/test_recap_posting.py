"""A draft is edited, posted or discarded by a moderator; what is to be posted is claimed by one worker at a time."""

from __future__ import annotations

import pytest

from memory import erasure
from memory.models import Action, Recap, RecapLine
from memory.recaps import recap_posting
from memory.recaps.recap_posting import RecapRefused, discard, edit, have_posted, take_back
from memory.recaps.recap_writing import write_due
from memory.recaps.told_lines import standing
from memory.records.waiting_posts import claim_next
from memoryhub.community import consent
from memoryhub.community.models import DueWork
from tests.factories import make_channel, make_guild, make_member, minutes
from tests.memory.recaps.conftest import MONDAY

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PLACE = "123456789012345678"
BY = {"actor": "moderator:mona", "now": MONDAY}


def take(now=MONDAY, *, here=True):
    return claim_next(lambda _key: here, now=now)


def test_a_moderator_rewords_lines_and_takes_some_out(draft):
    lines = {line.section: line for line in draft.lines.all()}
    edit(
        draft,
        intro=" Hello! ",
        texts={lines["happened"].pk: "Lanterns!\nEverywhere.", lines["lore"].pk: " "},
        now=MONDAY,
    )
    assert draft.intro == "Hello!"
    texts = {line.text for line in standing(draft)}
    assert "Lanterns! Everywhere." in texts
    assert "Friday is soup night." not in texts
    assert "The class is on Sunday at six." in texts


def test_what_may_not_be_told_any_more_goes_with_the_next_edit(draft):
    consent.choose(make_member(), remember=False, **BY)
    edit(draft, intro="", texts={}, now=MONDAY)
    assert not RecapLine.objects.filter(text__in=["Alice", "The lantern festival"]).exists()


def test_a_line_of_another_recap_is_not_touched(draft):
    other = write_due(make_guild("discord:2", recap="weekly"), now=MONDAY)
    line = RecapLine.objects.create(recap=other, section="lore", place=0, text="Theirs.")
    edit(draft, intro="", texts={line.pk: "Ours."}, now=MONDAY)
    line.refresh_from_db()
    assert line.text == "Theirs."


def test_it_is_taken_by_one_and_posted_once(draft):
    have_posted(draft, channel_id=PLACE, **BY)
    recap = take()
    assert recap.pk == draft.pk
    assert take() is None
    assert recap_posting.begin(recap, now=MONDAY)[1] is None
    recap_posting.posted(recap, message_id="9", now=MONDAY)
    assert take(MONDAY + minutes(60)) is None
    draft.refresh_from_db()
    assert (draft.status, draft.message_id, draft.posted_at) == ("posted", "9", MONDAY)
    assert not DueWork.objects.filter(work="posts").exists()
    assert Action.objects.get(kind="recap_posted").actor == "moderator:mona"


def test_whoever_dies_between_post_and_note_leaves_word_that_it_may_stand_there(draft):
    have_posted(draft, channel_id=PLACE, **BY)
    recap_posting.begin(take(), now=MONDAY)
    assert take(MONDAY + minutes(1)) is None
    again = take(MONDAY + minutes(6))
    assert recap_posting.begin(again, now=MONDAY + minutes(6))[1] == MONDAY


def test_of_a_guild_that_is_elsewhere_nothing_is_taken(draft):
    have_posted(draft, channel_id=PLACE, **BY)
    assert take(here=False) is None
    assert take() is not None


def test_what_fails_is_tried_again_later_and_what_may_not_be_waits_for_a_person(draft):
    have_posted(draft, channel_id=PLACE, **BY)
    recap_posting.not_posted(take(), error="Discord answered 503.", now=MONDAY, again=True)
    assert take(MONDAY + minutes(0.5)) is None
    later = MONDAY + minutes(2)
    recap_posting.not_posted(take(later), error="The bot may not.", now=later, again=False)
    assert take(MONDAY + minutes(600)) is None
    draft.refresh_from_db()
    assert (draft.status, draft.last_error, bool(draft.parked_at)) == ("waiting", "The bot may not.", True)
    take_back(draft, **BY)
    have_posted(draft, channel_id=PLACE, **BY)
    assert take(MONDAY + minutes(601)) is not None


def test_what_the_bot_is_just_posting_is_not_taken_back(draft):
    have_posted(draft, channel_id=PLACE, **BY)
    take()
    with pytest.raises(RecapRefused, match="just posting"):
        take_back(draft, **BY)


@pytest.mark.parametrize("channel", ["", "general", "12 34", "١٢٣"])
def test_a_channel_has_digits(draft, channel):
    with pytest.raises(RecapRefused, match="only digits"):
        have_posted(draft, channel_id=channel, **BY)


def test_without_lines_there_is_nothing_to_post(draft):
    RecapLine.objects.all().delete()
    with pytest.raises(RecapRefused, match="Nothing of it is left"):
        have_posted(draft, channel_id=PLACE, **BY)


def test_only_discord_is_posted_to():
    recap = Recap.objects.create(guild=make_guild("sms:44"), since=MONDAY, until=MONDAY, intro="Hello")
    with pytest.raises(RecapRefused, match="Only a Discord server"):
        have_posted(recap, channel_id=PLACE, **BY)


def test_a_draft_is_discarded_once_and_none_comes_in_its_place(draft, week):
    discard(draft, **BY)
    assert (draft.status, draft.lines.count()) == ("discarded", 0)
    for change in (
        lambda: discard(draft, **BY), lambda: have_posted(draft, channel_id=PLACE, **BY),
        lambda: edit(draft, intro="x", texts={}, now=MONDAY), lambda: take_back(draft, **BY),
    ):  # fmt: skip
        with pytest.raises(RecapRefused, match="discarded"):
            change()
    assert write_due(week, now=MONDAY) is None


@pytest.mark.django_db(transaction=True)
def test_an_erased_member_leaves_no_line_and_no_name(draft):
    edit(draft, intro="Well done, Alice!", texts={}, now=MONDAY)
    RecapLine.objects.filter(section="lore").update(text="Alice says so.")
    receipt = erasure.erase_now(make_member(), by="operator:olga", now=MONDAY)
    draft.refresh_from_db()
    assert draft.intro == ""
    assert set(draft.lines.values_list("section", flat=True)) == {"joined", "numbers"}
    assert receipt.clean


@pytest.mark.django_db(transaction=True)
def test_an_erased_channel_takes_what_was_said_there(draft):
    erasure.erase_now(make_channel(), by="operator:olga", now=MONDAY)
    assert not {"decided", "happened"} & set(draft.lines.values_list("section", flat=True))
