"""Who is not to be remembered is absent everywhere at once: of work in flight too, and after a guild's mode changed."""

import pytest

from memory import pipeline
from memory.context import builder
from memory.context.builder import Turn
from memory.curation import guild_settings
from memory.facts.schemas import Candidate, Candidates
from memory.learning import batches, extraction
from memory.models import Evidence, Fact
from memory.recall import search
from memory.records import snapshots
from memoryhub.community.models import Guild, Member
from notes.models import InteractionNote, Message
from profiles import consent_effects
from profiles.models import ProfileEntry, RelationshipDay
from profiles.relationships.graph import edges
from tests.api_client import api_for
from tests.factories import (
    NOON,
    make_channel,
    make_entry,
    make_fact,
    make_guild,
    make_member,
    make_message,
    make_note,
    minutes,
)
from tests.incoming import north, say
from tests.scripted import scripted

pytestmark = pytest.mark.django_db

LATER = NOON + minutes(60)
WAYS = ["chooses", "is blocked", "is asked first"]


def leave(member, way="chooses"):
    """Have the member be remembered no more, by their choice, by an operator, or because the guild asks first now."""
    guild = member.guild
    if way == "chooses":
        consent_effects.choose(member, remember=False, actor=f"member:{member.platform_id}", now=LATER)
    elif way == "is blocked":
        guild_settings.block(guild, platform_id=member.platform_id, blocked=True, actor="operator:olga", now=LATER)
    else:
        Member.objects.exclude(pk=member.pk).update(remember=True)
        guild_settings.change_settings(guild, {"consent_mode": "opt_in"}, actor="operator:olga", now=LATER)


@pytest.mark.parametrize("way", WAYS)
def test_a_batch_that_is_being_read_stores_nothing_of_who_says_no_meanwhile(way):
    say("I live in Toronto.", "Alice"), say("I live in Rome.", "Bob", at=NOON + minutes(1))
    mine, other = Message.objects.order_by("sent_at")

    def ask(task, given, *, guild):
        leave(Member.objects.get(pk=mine.author_id), way)
        facts = [("Lives in Toronto.", mine), ("Lives in Rome.", other)]
        return Candidates(
            facts=[Candidate(text=t, subject=m.author_id, quote=m.text, messages=[m.pk]) for t, m in facts]
        )

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("memory.learning.extraction.ask", ask)
        for batch in batches.waiting(Guild.ExtractionMode.BATCH, now=LATER):
            extraction.learn(batch, now=LATER)
    assert [fact.text for fact in Fact.objects.all()] == ["Lives in Rome."]


@pytest.mark.parametrize("purpose", ["note", "profile"])
def test_a_conversation_that_is_being_digested_tells_nothing_of_who_says_no_meanwhile(purpose):
    for number, author in enumerate(("Alice", "Bob") * 3):
        say(f"My {author} kayak number {number} leaks at the bow and I love to paddle it.", author, at=NOON)
    say("I live in Toronto.", "Alice", at=NOON)  # of whom nothing was learned no profile is asked for
    alice = Member.objects.get(name="", display_name="Alice")
    with scripted() as model:
        model.meanwhile(purpose, lambda: leave(alice))
        pipeline.digest(north(), now=LATER)
        pipeline.digest(north(), now=LATER + minutes(30))
    assert not ProfileEntry.objects.filter(profile__member=alice).exists()
    told = InteractionNote.objects.told(north())
    assert [str(member) for note in told for member in note.participants.all()] == ["Bob"]
    assert all("Alice" not in note.title + note.summary for note in told)


def test_a_choice_holds_while_every_model_is_away():
    say("I live in Toronto.", "Alice")
    with scripted() as model:
        model.fail("extraction", times=9).fail("note", times=9)
        leave(Member.objects.get())
        assert model.asked == []
    assert say("I live in Rome.", "Alice", at=LATER).reason == "opted_out"
    assert Message.objects.get().processed_at


@pytest.fixture
def known():
    """A guild that knows much of Alice and of Bob."""
    guild = make_guild(relationships_on=True)
    alice, bob, channel = make_member(), make_member(name="Bob"), make_channel()
    for who, town in ((alice, "Toronto"), (bob, "Rome")):
        message = make_message(f"I moved to {town} with my kayak.", author=who, channel=channel, sent_at=NOON)
        make_fact(f"Lives in {town}.", subject=who, evidence=[message])
        make_note(f"Moving to {town}", messages=[message], summary=f"{who} moved to {town}.")
        make_entry(f"Lives in {town}", member=who)
    RelationshipDay.objects.create(source=alice, target=bob, channel=channel, day=NOON.date(), replies=9)
    snapshots.render_journal(guild, day=NOON.date(), now=NOON)
    snapshots.current_snapshot(guild, now=NOON)
    return alice


def _everything(guild):
    channel = make_channel()
    present = list(Member.objects.all())
    turn = Turn(guild=guild, text="Who moved house?", members=present, channel=channel, max_tokens=4000, now=LATER)
    return {
        "recall": str(search.recall(guild, question="Who moved to Toronto with a kayak?", now=LATER, channel=channel)),
        "context": builder.build(turn).text,
        "snapshot": snapshots.current_snapshot(guild, now=LATER).text,
        "journal": snapshots.read_journal(guild, day=NOON.date(), now=LATER).text,
        "notes": str([(note.title, note.summary) for note in InteractionNote.objects.told(guild)]),
        "graph": str(edges(RelationshipDay.objects.of(guild), guild=guild, now=LATER)),
    }


@pytest.mark.parametrize("way", WAYS)
def test_who_is_not_remembered_is_absent_everywhere_and_the_others_are_not(way, known):
    before = _everything(north())
    assert [name for name, text in before.items() if "Alice" not in text] == []
    leave(known, way)
    after = _everything(Guild.objects.get())
    assert [name for name, text in after.items() if "Alice" in text or "Toronto" in text] == []
    assert [name for name, text in after.items() if "Rome" not in text] == ["graph"]
    assert "[not remembered]" in after["journal"]
    assert "[not remembered]" in after["context"]


def test_who_says_yes_again_is_told_of_again(known):
    leave(known)
    consent_effects.choose(known, remember=True, actor="member:u-alice", now=LATER)
    after = _everything(north())
    assert [name for name, text in after.items() if "Toronto" not in text] == ["graph"]


def test_what_somebody_said_of_another_is_told_without_their_words(known):
    bob = Member.objects.get(display_name="Bob")
    hearsay = make_message("Bob paddles on Sundays.", author=known)
    make_fact("Paddles on Sundays.", subject=bob, evidence=[hearsay])
    leave(known)
    found = search.recall(north(), question="who paddles on Sundays", now=LATER, kinds=("fact",))
    (memory,) = [each for each in found if each.text == "Paddles on Sundays."]
    assert memory.sources == []
    assert Evidence.objects.filter(message=hearsay).exists()


@pytest.mark.parametrize("way", WAYS)
def test_a_line_of_somebody_else_cites_no_note_that_tells_of_who_is_not_remembered(way, known):
    bob = Member.objects.get(display_name="Bob")
    make_entry("Moves often", member=bob, notes=[make_note("Alice moved to Toronto", participants=[known, bob])])
    make_entry("Paddles a lot", member=bob, notes=[make_note("Bob paddled", participants=[bob], summary="He did.")])
    leave(known, way)
    guild, api, members = Guild.objects.get(), api_for(), list(Member.objects.filter(pk=bob.pk))
    turn = Turn(guild=guild, text="Who moves often?", members=members, channel=None, max_tokens=4000, now=LATER)
    lines = api.get("discord:1/members/u-bob/profile/entries").json()
    for told in (builder.build(turn), api.get("discord:1/members/u-bob/profile").json(), lines):
        assert "Moves often" in str(told)
        assert "Bob paddled" in str(told)
        assert "Toronto" not in str(told)
