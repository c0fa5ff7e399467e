"""Who knows about something: who told of it themselves, where it may be told, and lets themselves be found."""

from __future__ import annotations

import pytest

from memory import erasure
from memory.expertise.statements import matter, own_sentence, tells
from memory.expertise.who_knows import MOST, OF_ONE, who_knows
from memory.models import Fact, FactChange
from memoryhub.community import consent
from memoryhub.community.models import ConsentChoice, Guild
from tests.factories import NOON, days, make_channel, make_fact, make_guild, make_member, make_message
from tests.verification.statements import recorded, unbound

pytestmark = pytest.mark.django_db

NOW = NOON + days(1)


def ask(question="rust", *, guild=None, **fields):
    return who_knows(guild or make_guild(), question=question, now=NOW, **fields)


def names(found):
    return [str(each.member) for each in found]


# --- Who is found ----------------------------------------------------------------------------------------------------


def test_who_told_of_it_is_found_with_their_own_words(tell):
    message = tell("I have written Rust at work for six years.", "Writes Rust at work.")
    tell("I bake bread.", "Bakes bread.", who="Bob")
    (found,) = ask()
    assert (str(found.member), found.told[0].text) == ("Alice", "Writes Rust at work.")
    (source,) = found.told[0].sources
    assert (source.message_id, source.quote) == (message.platform_id, "I have written Rust at work for six years.")


def test_what_was_said_and_not_learned_is_found_by_its_sentence(tell):
    message = tell("Hello all! I keep bees behind the house. See you tomorrow.")
    (found,) = ask("Who knows about bees?")
    assert [each.text for each in found.told] == ["I keep bees behind the house."]
    assert found.told[0].sources[0].message_id == message.platform_id


def test_what_others_say_of_somebody_makes_them_no_expert(tell):
    message = tell("Bob is great at Rust.")
    make_fact("Is great at Rust.", subject=make_member(name="Bob"), evidence=[message])
    assert ask() == []


@pytest.mark.parametrize(
    "said",
    [
        "Does anybody here know Rust?", "My sister writes Rust.", "I don't know any Rust.", "I hate Rust.",
        "I wish I knew Rust.", "If I knew Rust I would help.", "> I know Rust\nlol",
        "I am looking for a Rust developer.",
        "Rust is a language.", "I gave up on Rust.",
    ],
)  # fmt: skip
def test_who_asks_denies_supposes_or_tells_of_others_is_not_found(tell, said):
    tell(said)
    assert ask() == []


def test_a_relative_who_knows_it_makes_nobody_know_it(tell):
    message = tell("My sister writes Rust and I like tea.")
    make_fact("Their sister writes Rust.", subject=message.author, evidence=[message], kind="relationship")
    assert ask() == []


def test_what_a_member_had_the_bot_remember_counts_as_told_by_them():
    alice, bob = make_member(), make_member(name="Bob")
    for member, actor in ((alice, f"member:{alice.platform_id}"), (bob, "operator:eve")):
        fact = make_fact("Knows Rust.", subject=member)
        FactChange.objects.create(fact=fact, action="add", batch="0" * 32, actor=actor)
    assert names(ask()) == ["Alice"]


def test_a_source_that_is_gone_tells_nothing(tell):
    message = tell("I write Rust.", "Writes Rust.")
    type(message).objects.update(deleted_at=NOON, text="")
    Fact.objects.update(status="archived")
    assert ask() == []


def test_a_fact_that_was_replaced_is_not_told(tell):
    tell("I used the loom.", "Weaves on a loom.")
    Fact.objects.update(status="superseded")
    assert [each.kind for found in ask("loom") for each in found.told] == ["message"]


def test_each_is_named_once_with_their_best_words(tell):
    for number in range(5):
        tell(f"I wrote Rust project number {number}.", f"Wrote Rust project {number}.")
    (found,) = ask()
    assert len(found.told) == OF_ONE
    assert {each.kind for each in found.told} == {"fact"}


def test_there_is_a_most_of_them(tell):
    for name in ("Alice", "Bob", "Carol"):
        tell("I write Rust.", "Writes Rust.", who=name)
    assert len(ask()) == 3
    assert len(ask(limit=2)) == 2
    assert MOST == 24


# --- Whom nobody finds -----------------------------------------------------------------------------------------------


def test_who_will_not_be_found_is_not_and_can_change_their_mind(tell):
    alice = tell("I write Rust.", "Writes Rust.").author
    consent.let_be_found(alice, findable=False, actor="member:u-alice", now=NOW)
    assert ask() == []
    consent.let_be_found(alice, findable=True, actor="member:u-alice", now=NOW)
    assert names(ask()) == ["Alice"]
    assert [(each.about, each.answer) for each in ConsentChoice.objects.all()] == [("found", "yes"), ("found", "no")]
    assert alice.remember is None


def test_who_is_not_remembered_is_not_found_in_either_mode(tell):
    alice = tell("I write Rust.", "Writes Rust.").author
    guild = make_guild()
    guild.consent_mode = Guild.ConsentMode.OPT_IN
    guild.save()
    assert ask(guild=guild) == []
    consent.choose(alice, remember=True, actor="member:u-alice", now=NOW)
    assert names(ask(guild=guild)) == ["Alice"]
    consent.choose(alice, remember=False, actor="member:u-alice", now=NOW)
    assert ask(guild=guild) == []
    guild.consent_mode = Guild.ConsentMode.OPT_OUT
    assert ask(guild=guild) == []


def test_a_blocked_account_and_a_bot_are_not_found(tell):
    tell("I write Rust.", "Writes Rust.")
    robot = make_member(name="Robot", is_bot=True)
    make_fact("Writes Rust.", subject=robot, evidence=[make_message("I write Rust.", author=robot)])
    guild = make_guild()
    assert names(ask(guild=guild)) == ["Alice"]
    guild.blocked = ["u-alice"]
    assert ask(guild=guild) == []


def test_what_was_told_in_private_is_found_only_there(tell):
    staff = make_channel(name="staff", private=True)
    tell("I write Rust.", "Writes Rust.", channel=staff)
    assert ask() == []
    assert ask(channel=make_channel()) == []
    assert names(ask(channel=staff)) == ["Alice"]


def test_another_guild_is_not_looked_at(tell):
    tell("I write Rust.", "Writes Rust.", channel=make_channel(make_guild("discord:2")))
    assert ask() == []


def test_where_memory_is_off_nobody_is_found(tell):
    tell("I write Rust.", "Writes Rust.")
    guild = make_guild()
    guild.memory_on = False
    assert ask(guild=guild) == []


# --- Names -----------------------------------------------------------------------------------------------------------


def test_twins_are_found_each_for_what_they_told(tell):
    one, other = make_member(name="Sam"), make_member(name="Sam", platform_id="u-sam-2")
    for member, said in ((one, "I write Rust."), (other, "I bake bread.")):
        make_fact(said[2:].capitalize(), subject=member, evidence=[make_message(said, author=member)])
    assert [each.member.pk for each in ask()] == [one.pk]
    assert [each.member.pk for each in ask("bread")] == [other.pk]


def test_a_name_is_no_knowledge(tell):
    tell("I bake bread.", "Bakes bread.", who="Rust Expert")
    assert ask() == []


# --- Questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("rust", "rust"), ("Who knows about bees?", "bees"),
        ("who here has experience with sourdough bread", "sourdough bread"),
        ("Anyone good at knitting?", "knitting"), ("  ", ""), ("who knows", ""), ("???", ""), ("C++", "C++"),
    ],
)  # fmt: skip
def test_the_matter_is_what_stands_in_the_question(question, about):
    assert matter(question).casefold() == about.casefold()


@pytest.mark.parametrize("question", ["", "   ", "who knows about", "\n", "?" * 5_000, "x" * 5_000, "'; DROP", "%"])
def test_a_question_about_nothing_finds_nobody(tell, question):
    tell("I write Rust.", "Writes Rust.")
    assert ask(question) == []


def test_a_sentence_is_told_as_it_was_said():
    assert own_sentence("Ha. I sail every Sunday! You?", "sailing") == "I sail every Sunday!"
    assert tells("Can't wait to sail.")
    assert not tells("Does not sail.")


def test_every_statement_names_the_guild(tell):
    tell("I write Rust.", "Writes Rust.")
    with recorded() as statements:
        ask()
    assert [sql for sql in statements if unbound(sql)] == []


@pytest.mark.django_db(transaction=True)
def test_nothing_of_who_was_erased_is_found_and_their_choice_goes_with_them(tell):
    alice = tell("I write Rust.", "Writes Rust.").author
    tell("I write Rust, too.", "Writes Rust, too.", who="Bob")
    consent.let_be_found(alice, findable=False, actor="member:u-alice", now=NOW)
    erasure.request_erasure(make_guild(), member=alice.platform_id, now=NOW, by="member:u-alice", seconds=60)
    assert names(ask()) == ["Bob"]
    assert not ConsentChoice.objects.exists()
