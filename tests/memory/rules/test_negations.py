"""What was denied is never learnt or told as said, in five languages."""

import re
from datetime import UTC, datetime
from itertools import product

import pytest

from memory import rules
from memory.facts.schemas import ExtractionInput
from memoryhub.ai.chat_fence import Line
from notes.writing.channel_rules import summarise
from notes.writing.rules import write_note
from notes.writing.schemas import NoteInput, SummaryInput

MONDAY = datetime(2026, 2, 23, 18, 0, tzinfo=UTC)
DENIED = {
    "en": "no longer in Tampere|no longer dating Max|no kids, two cats|not in Tampere anymore|I don't live in Tampere"
    "|I no longer live in Tampere|I never liked Tampere|never been to Tampere|not vegan anymore|nope, no cats at home"
    "|no more coffee for me|I can't stand Tampere|I have no cats|none of my cats like Tampere|not a nurse anymore",
    "de": "ich wohne nicht mehr in Tampere|ich mag Katzen nicht|ich mag keine Katzen|ich lerne kein Spanisch"
    "|ich mag Katzen mit Flöhen nicht|nicht mehr in Tampere|ich liebe Tampere nicht|keine Katzen, zwei Hunde"
    "|mein Hund heißt nicht Rex|ich arbeite nicht mehr als Koch|ich habe nie in Tampere gewohnt",
    "fr": "je n'habite plus à Tampere|j'aime pas les chats|j'habite plus à Tampere|plus à Tampere|pas de chats"
    "|je ne travaille plus comme infirmier|j'adore pas Tampere|j'apprends plus le finnois|je n'aime pas les chats",
    "es": "ya no vivo en Tampere|no me gustan los gatos|nunca me gustan los gatos|no soy de Tampere|sin gatos en casa"
    "|no trabajo como enfermera|ya no estudio derecho|no vivo en Tampere",
    "pt": "não moro em Tampere|já não moro em Tampere|não gosto de gatos|eu não sou de Tampere|nunca gosto de gatos"
    "|não trabalho como enfermeira|moro em Tampere não|não tenho gatos",
}
NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|no longer|hates|dislikes|nicht|nie|kein\w*|ne|n['’]\w+|pas|plus|jamais|ya no|nunca"
    r"|sin|não|já não)\b|n['’]t\b",
    re.IGNORECASE,
)
OPENINGS = ["", "btw ", "so ", "well, ", "oh, ", "yeah, ", "also ", "ok so ", "Wow, ", "ach, ", "pues ", "bon, "]
ENDINGS = ["", " btw", ", moved to Joensuu", " lol", ", and Bob laughed", ". More on Sunday in Joensuu!", " :("]


def of(text: str) -> list[Line]:
    return [
        Line(message=number, author=number % 2, name=name, text=said, sent_at=MONDAY)
        for number, (name, said) in enumerate([("Bob", "where do people live now?"), ("Alice", text)], start=10)
    ]


def is_of_the_denial(told: str, said: str) -> bool:
    return any(word in told for word in re.findall(r"\w{4,}", said) if word[0].isupper() or word in {"cats", "dating"})


@pytest.mark.parametrize("tongue", DENIED)
def test_no_fact_and_no_note_turns_a_denial_round(tongue):
    for said, opening, ending in product(DENIED[tongue].split("|"), OPENINGS, ENDINGS):
        assert not turned_round(f"{opening}{said}{ending}", said)


def turned_round(text: str, said: str) -> list[str]:
    lines = of(text)
    facts = [fact.text for fact in rules.extract(ExtractionInput(guild="", lines=lines, learn_from=[11])).facts]
    note = write_note(NoteInput(guild="", channel="general", lines=lines)).summary
    summary = summarise(SummaryInput(channel="general", lines=lines)).summary
    told = [*facts, *re.split(r"\n|(?<=[.!?]) ", f"{note}\n{summary}")]
    turned = [text for text in told if is_of_the_denial(text, said) and not NEGATION.search(text)]
    return [text for text in turned if "about" not in text]  # a header names matters, and claims nothing


@pytest.mark.parametrize(
    "said",
    [
        "I am a spy in Lisbon, just kidding",
        "if I win the lottery I buy a boat in Lisbon",
        "rumour has it that I heard Bob owns a boat in Lisbon, they said",
        "in my dream I owned a boat in Lisbon",
        "I might buy a boat in Lisbon next summer",
        "*buys a boat in Lisbon*",
    ],
)
def test_a_note_tells_no_joke_if_dream_or_hearsay(said):
    lines = of(said)
    assert "Lisbon" not in write_note(NoteInput(guild="", channel="general", lines=lines)).summary
    assert "Lisbon" not in summarise(SummaryInput(channel="general", lines=lines)).summary


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I live in Tampere, so if I lag tonight don't wait", "Lives in Tampere."),
        ("I'm a nurse at a hospital and I might be late", "Is a nurse at a hospital."),
        ("I moved to Lisbon in 2019, but maybe I'll come back", "Moved to Lisbon in 2019."),
        ("I'd come but I work nights", "Works nights."),
        ("might be late, i live in Tampere now", "Lives in Tampere now."),
        ("sorry if I answer at odd hours, I work nights at the bakery", "Works nights at the bakery."),
        ("what r we cooking, im vegan remember", "Is vegan."),
    ],
)
def test_a_doubt_is_of_its_clause(said, told):
    facts = rules.extract(ExtractionInput(guild="", lines=of(said), learn_from=[11])).facts
    assert [fact.text for fact in facts] == [told]
    assert facts[0].quote in said


@pytest.mark.parametrize(
    "said",
    [
        "I own a boat and a house, I wish",
        "I own a boat, but maybe not",
        "I own a boat in Lisbon if you believe them",
        "maybe I'm a nurse and live in Lisbon",
        "I own a boat and a car in my dream",
        "if I win, I move to Rome",
        "maybe next year, I move to Rome",
        "hopefully, I start at the mill in June",
        "imagine we won, I live in Rome",
        "she would say I'm a nurse",
        "I wish I had a yard, my dog and my house in Lisbon",
        "would you come, I live in Lisbon?",
        "in the game I would fly, I live in Rome",
    ],
)
def test_a_doubt_of_all_leaves_nothing(said):
    assert not rules.extract(ExtractionInput(guild="", lines=of(said), learn_from=[11])).facts
