"""Whatever a provider does, no message is lost, no fact is half written, and one's failure is not another's.

The real SDKs ask servers on loopback: llmock, and for silence and cut connections one of our own.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from llmock.pytest_plugin import LLMock
from llmock.scenarios import Reply

from memory import pipeline
from memory.models import Action, Evidence, Fact, FactChange, ModelCall
from memoryhub.ai import model_choice, providers
from memoryhub.community.models import Guild
from notes.models import ChannelBuffer, InteractionNote, Message
from tests.factories import NOON, make_guild, minutes
from tests.incoming import say
from tests.memory.learning.conftest import BATCH, LATER
from tests.memoryhub.ai.fake_provider import CUT, SILENCE, provider
from tests.memoryhub.ai.sample_tasks import NAMES
from tests.memoryhub.conftest import quick  # noqa: F401  a fixture
from tests.scripted import scripted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick")]
PLACES = {"Alice": "Toronto", "Bob": "Rome"}


@dataclass(frozen=True)
class Fault:
    """What the provider does, for how many requests of one question, and what the operator is told."""

    does: Callable[[LLMock], object]
    told: str
    stumbles: bool = True  # over what was said: then each member's part is tried alone

    def strike(self, llmock: LLMock) -> None:
        """Have the next requests fail."""
        self.does(llmock)


def answers(text: str, times: int = 2, **fields: str) -> Callable[[LLMock], object]:
    """Return a fault: the model answers this, and again when it is asked to repair it."""
    return lambda llmock: llmock.add(Reply(text=text, times=times, **fields))


def fails(status: int, times: int = 3) -> Callable[[LLMock], object]:
    """Return a fault: the provider refuses the request and its repeats."""
    return lambda llmock: llmock.fail(status, times=times, retry_after=0)


HALF = '{"facts": [{"text": "Lives in Oslo.", "subject": 1, "quote": "I live in", "messages": [1]}, '
UNFIT = "did not fit the schema"
FAULTS = {
    "429": Fault(fails(429), "asks to wait", stumbles=False),
    "500": Fault(fails(500), "has an error or is overloaded", stumbles=False),
    "503": Fault(fails(503), "has an error or is overloaded", stumbles=False),
    "wrong key": Fault(fails(401, 1), "refused the key", stumbles=False),
    "unknown model": Fault(fails(404, 1), "does not know this model", stumbles=False),
    "no credit": Fault(fails(402, 1), "no credit", stumbles=False),
    "JSON cut short": Fault(answers(HALF), UNFIT),
    "empty text": Fault(answers(""), UNFIT),
    "an empty object": Fault(answers("{}"), UNFIT),
    "wrong schema": Fault(answers(HALF + '{"text": 3}]}'), UNFIT),
    "finish reason length": Fault(answers(HALF, 1, finish_reason="length"), "cut off"),
    "prose": Fault(answers("Sure! Alice lives in Toronto and Bob lives in Rome."), UNFIT),
    "10 MB": Fault(answers("a" * 10_000_000), UNFIT),
}
every_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)


@pytest.fixture
def model(settings, llmock: LLMock) -> LLMock:
    """llmock as the model that reads; the rules decide."""
    use(settings, NAMES["openai"], llmock.base_url("openai"))
    return llmock


def use(settings, name: str, url: str) -> None:
    settings.MEMORYHUB_MODEL, settings.MEMORYHUB_MODEL_BASE_URL = name, url
    settings.MEMORYHUB_CAREFUL_MODEL, settings.MEMORYHUB_EMBEDDING_MODEL = "offline", "none"
    settings.OPENAI_API_KEY = settings.GEMINI_API_KEY = "test-key"


def speak(*, channel: str = "general", **fields: str) -> None:
    """Let Alice and Bob each say where they live, Bob in the channel given."""
    say("I live in Toronto.", "Alice", **fields)
    say("I live in Rome.", "Bob", at=NOON + minutes(1), channel=channel, **fields)


def right(*names: str) -> str:
    """Return a right answer for these members' messages."""
    said = Message.objects.filter(author__display_name__in=names)
    facts = [
        {"text": f"Lives in {PLACES[str(m.author)]}.", "subject": m.author_id, "quote": m.text, "messages": [m.pk]}
        for m in said.select_related("author")
    ]
    return json.dumps({"facts": facts})


def known() -> set[str]:
    """Return whose facts are known, after seeing that each is whole."""
    facts = Fact.objects.select_related("subject")
    for fact in facts:
        assert fact.text == f"Lives in {PLACES[str(fact.subject)]}."
        assert Evidence.objects.get(fact=fact).speaker == fact.subject
        assert FactChange.objects.filter(fact=fact).exists()
    return {str(fact.subject) for fact in facts}


def assert_waits(told: str) -> None:
    """Alice's message is there, waits, and says why in words; nobody else's does."""
    assert set(Message.objects.values_list("text", flat=True)) == {"I live in Toronto.", "I live in Rome."}
    message = Message.objects.get(processed_at=None)
    assert (str(message.author), message.attempts, message.parked_at) == ("Alice", 1, None)
    assert told in message.last_error
    assert "Toronto" not in message.last_error
    assert message.next_attempt_at == LATER + minutes(5)
    assert Action.objects.filter(kind="memory_extract_error").exists()


def learn(later: float = 0) -> None:
    pipeline.learn_waiting(BATCH, now=LATER + minutes(later))


@every_fault
def test_a_failing_batch_waits_and_another_is_read(model: LLMock, fault: Fault) -> None:
    speak(channel="tea")
    fault.strike(model)
    model.reply(right("Bob"))
    learn()
    assert known() == {"Bob"}
    assert_waits(fault.told)
    assert set(ModelCall.objects.values_list("outcome", flat=True)) == {"failed", "ok"}
    model.reply(right("Alice"))
    learn(5)
    assert known() == {"Alice", "Bob"}
    assert not Message.objects.filter(processed_at=None).exists()


@pytest.mark.parametrize(
    "fault", [f for f in FAULTS.values() if f.stumbles], ids=[n for n in FAULTS if FAULTS[n].stumbles]
)
def test_what_one_member_said_stops_nobody_in_the_same_channel(model: LLMock, fault: Fault) -> None:
    speak()
    fault.strike(model)  # both
    fault.strike(model)  # Alice alone
    model.reply(right("Bob"))
    learn()
    assert known() == {"Bob"}
    assert_waits(fault.told)


@every_fault
def test_a_conversation_whose_digest_fails_waits_whole_and_is_digested_later(model: LLMock, fault: Fault) -> None:
    Guild.objects.filter(pk=make_guild().pk).update(extraction_mode="flush")
    say("I live in Toronto.", "Alice")
    fault.strike(model)
    report = pipeline.digest(None, now=LATER)
    assert (report.failed, report.facts, report.notes) == (1, 0, 0)
    buffer = ChannelBuffer.objects.get()
    assert (buffer.status, buffer.step, buffer.attempts) == ("closed", "extract", 1)
    assert fault.told in buffer.last_error
    assert not Fact.objects.exists()
    model.reply(right("Alice"))
    pipeline.digest_closed(None, now=LATER + timedelta(hours=1))
    assert known() == {"Alice"}
    assert ChannelBuffer.objects.get().status == "done"


@pytest.mark.parametrize("name", ["503", "no credit", "wrong schema", "finish reason length"])
def test_a_note_that_fails_costs_nothing_that_was_learned(model: LLMock, name: str) -> None:
    say("I live in Toronto.", "Alice")
    say("The boat lies at the bridge by the old mill all winter long, and in spring we paint it blue. " * 2, "Bob")
    model.reply(right("Alice"))
    learn()
    FAULTS[name].strike(model)
    assert pipeline.digest(None, now=LATER).failed == 1
    assert known() == {"Alice"}
    assert (ChannelBuffer.objects.get().step, InteractionNote.objects.count()) == ("note", 0)
    with scripted():
        pipeline.digest_closed(None, now=LATER + timedelta(hours=1))
    assert InteractionNote.objects.get().messages.count() == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("body", "told"), [(SILENCE, "in time"), (CUT, "connection broke")], ids=["time-out", "cut"])
def test_silence_and_cut_connections_are_survived_too(settings, monkeypatch, name: str, body: bytes, told: str) -> None:
    seconds = 1.5 if body == SILENCE else 60  # the answer that comes after the silence needs some, too
    terms = {tier: replace(terms, seconds=seconds) for tier, terms in model_choice.TERMS.items()}
    monkeypatch.setattr(providers, "TERMS", terms)
    speak(channel="tea")
    with provider(spoken(name, right("Bob"))) as there:
        there.first = [body] * 3
        use(settings, NAMES[name], there.url)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", there.url)
        learn()
        assert known() == {"Bob"}
        assert_waits(told)
        there.body = spoken(name, right("Alice"))
        learn(5)
    assert known() == {"Alice", "Bob"}


def spoken(name: str, text: str) -> bytes:
    """Return the answer as the provider writes it."""
    part = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "small", "choices": [choice]}
    return json.dumps(whole if name == "openai" else {"candidates": [part]}).encode()


def test_gemini_s_failures_are_survived_as_well(model: LLMock, settings) -> None:
    settings.MEMORYHUB_MODEL = NAMES["google"]
    speak(channel="tea")
    FAULTS["wrong schema"].strike(model)
    model.reply(right("Bob"))
    learn()
    assert known() == {"Bob"}
    assert_waits(UNFIT)


def test_json_in_prose_is_an_answer_like_any_other(model: LLMock) -> None:
    speak()
    model.reply(f"Sure! Here is what I found:\n{right('Alice', 'Bob')}\nAnything else?")
    learn()
    assert known() == {"Alice", "Bob"}


def test_a_bare_list_is_an_answer_like_any_other(model: LLMock) -> None:
    speak()
    model.reply(json.dumps(json.loads(right("Alice", "Bob"))["facts"]))
    learn()
    assert known() == {"Alice", "Bob"}
    assert len(model.requests) == 1


def test_a_spent_budget_lets_the_rules_learn_and_says_so(model: LLMock) -> None:
    Guild.objects.filter(pk=make_guild().pk).update(daily_tokens=0)
    speak()
    learn()
    assert known() == {"Alice", "Bob"}
    assert model.requests == []
    assert set(ModelCall.objects.values_list("outcome", flat=True)) == {"budget"}
    assert Action.objects.filter(kind="model_budget_spent").count() == 1
