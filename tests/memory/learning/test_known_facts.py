"""What is known where a new fact is to go: of many facts the newest, asked of the database or at hand."""

import pytest

from memory.learning.known_facts import NEWEST_READ, STORED, AtHand, Counting
from tests.factories import NOON, days, make_channel, make_fact
from tests.memory.learning.conftest import propose

pytestmark = pytest.mark.django_db

MANY = NEWEST_READ + 5


@pytest.fixture(params=["a member's", "lore", "of a closed channel"])
def proposal(request):
    proposal = propose("Plays go.")
    channel = make_channel(guild=proposal.guild, audience="channel")
    elsewhere = {"guild": proposal.guild, "subject": proposal.subject}
    fields = {"subject": None} if request.param == "lore" else {}
    fields |= {"audience_id": channel.pk} if request.param == "of a closed channel" else {}
    make_fact("Told to others.", **elsewhere, **({} if "audience_id" in fields else {"audience": channel}))
    make_fact("Is over.", status="archived", **elsewhere)
    place = {"guild": proposal.guild, "subject": fields.get("subject", proposal.subject)}
    for number in range(MANY):  # those stored last were said first
        make_fact(f"Plays game {number}.", said_at=NOON - days(number), audience_id=fields.get("audience_id"), **place)
    return propose("Plays go.", guild=proposal.guild, **{"subject": proposal.subject, **fields})


@pytest.mark.parametrize("source", [lambda _: STORED, lambda proposal: AtHand([proposal])])
def test_of_many_known_facts_the_newest_are_read(proposal, source):
    known = source(proposal)
    ids, texts = known.believed(proposal)
    assert sorted(texts.split("|")) == sorted(f"plays game {number}" for number in range(MANY))
    newest = [f"Plays game {number}." for number in range(NEWEST_READ)]
    for some in (ids, ids[: MANY // 2]):
        said = [row.text for row in known.newest(proposal, some, of=MANY)]
        among = {text for pk, text in zip(ids, texts.split("|"), strict=True) if pk in some}
        every = [f"Plays game {number}." for number in range(MANY) if f"plays game {number}" in among]
        assert said == (newest if some == ids else every)


def test_what_is_known_by_its_words_is_found(proposal):
    known = STORED.believed(proposal)
    places = dict(zip(known.texts.split("|"), known.ids, strict=True))
    assert known.having("plays game 7") == [places["plays game 7"]]
    assert known.having("plays game") == known.having("game 7") == known.having("is over") == []


def test_nothing_is_known_by_no_words():
    known = STORED.believed(propose("Plays go."))
    assert known == ([], "")
    assert known.having("") == []


def test_facts_for_any_audience_are_counted(proposal):
    counting = Counting()
    counting.believed(proposal)
    assert counting.counted == MANY + (proposal.subject is not None)
