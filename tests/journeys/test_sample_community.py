"""From the first message of the sample community to an answer, and the promises on all it leads to."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest

from memory import erasure, pipeline
from memory.index import reindexing
from memory.models import Action, Evidence, Fact, JobRun, ModelCall
from memory.recall.search import recall
from memory.records import snapshots
from memoryhub.community.models import Channel, Member
from notes.models import InteractionNote, Summary
from profiles.models import Profile, ProfileEntry
from tests.verification.portrait import oddities, sourceless

pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("journey")]
TELLING = 24
"""Characters from which on a message is no everyday phrase that a log line might hold by chance."""


def test_without_key_and_network_every_kind_of_memory_is_made(life):
    assert Fact.objects.of(life.guild).active().filter(subject__isnull=False).count() > 20
    assert InteractionNote.objects.of(life.guild).filter(kind="conversation").count() > 10
    assert ProfileEntry.objects.filter(profile__member__guild=life.guild).count() > 10
    assert Summary.objects.of(life.guild).exists()
    assert Profile.objects.exclude(summary="").exists()
    assert "Alice" in snapshots.current_snapshot(life.guild, now=life.now).text
    assert not ModelCall.objects.exists()
    assert set(JobRun.objects.values_list("status", flat=True)) == {"done"}


def test_nothing_is_left_undone_or_out_of_its_index(life):
    assert not oddities(life.guild)
    assert not life.guild.buffers.exclude(status="done").exists()
    assert all(finding.ok for finding in reindexing.check())


def test_every_derived_line_has_a_source(life):
    assert not sourceless(life.guild)


def test_every_quote_stands_in_the_message_that_it_cites(life):
    rows = Evidence.objects.filter(fact__guild=life.guild).select_related("message")
    assert rows.exists()
    assert not [row.pk for row in rows if _plain(row.quote) not in _plain(row.message.text)]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def test_a_question_is_answered_with_sources(life):
    found = recall(life.guild, question="Where does Alice live now?", now=life.now)
    assert found
    assert all(memory.sources for memory in found)
    cited = {source.message_id for memory in found for source in memory.sources if source.message_id}
    assert cited <= {message.message_id for message in life.said}


def test_no_fact_is_about_a_bot_or_rests_on_its_words(life):
    bots = Member.objects.of(life.guild).filter(is_bot=True)
    assert bots.exists()
    assert not Fact.objects.filter(subject__in=bots).exists()
    assert not Evidence.objects.filter(message__author__in=bots).exists()


def test_no_line_of_any_kind_is_heard_by_more_than_its_source(life):
    private = Channel.objects.of(life.guild).filter(audience="channel")
    assert Fact.objects.filter(audience__in=private).exists()
    for rows in (Fact.objects.filter(evidence__message__channel__in=private), _notes_of(private)):
        assert set(rows.values_list("audience", flat=True)) <= set(private.values_list("pk", flat=True))


def _notes_of(channels):
    return InteractionNote.objects.filter(messages__channel__in=channels)


def test_logs_of_the_whole_life_at_debug_level_hold_no_text_of_a_message(life):
    assert "consolidat" in str(list(Action.objects.values_list("kind", flat=True)))
    assert not _told(life, life.log)


def test_the_action_log_and_the_job_runs_hold_no_text_of_a_message(life):
    actions = [f"{row.kind} {row.actor} {json.dumps(row.detail, ensure_ascii=False)}" for row in Action.objects.all()]
    runs = [f"{row.counts} {row.last_error}" for row in JobRun.objects.all()]
    assert actions
    assert not _told(life, "\n".join([*actions, *runs]))


def _told(life, text: str) -> list[str]:
    """Return the ids of messages of which a telling piece stands in the text."""
    text = _plain(text)
    pieces = {m.message_id: re.findall(rf"(?s).{{{TELLING}}}", _plain(m.text))[:4] for m in life.said}
    assert sum(map(len, pieces.values())) > 300
    return [name for name, parts in pieces.items() if any(part in text for part in parts)]


def test_who_is_erased_is_named_in_nothing_that_is_derived_not_even_when_it_is_written_anew(life):
    """Inside of the test's transaction: what the pages of the file hold is another test's."""
    alice = Member.objects.get(guild=life.guild, platform_id="u-alice")
    receipt = erasure.erase_now(alice, now=life.now, by="operator:anna")
    assert [place for place in receipt.scan["found_in"] if not place.startswith("pages")] == []
    assert receipt.scan["in_words_of_others"] > 10
    pipeline.digest(life.guild, now=life.now + timedelta(hours=1))
    notes = InteractionNote.objects.of(life.guild)
    texts = [*notes.values_list("summary", flat=True), *notes.values_list("title", flat=True)]
    texts += [*Fact.objects.of(life.guild).values_list("text", flat=True)]
    texts += [*ProfileEntry.objects.filter(profile__member__guild=life.guild).values_list("text", flat=True)]
    assert len(texts) > 60
    assert [text for text in texts if re.search(r"\bAlice\b", text)] == []
