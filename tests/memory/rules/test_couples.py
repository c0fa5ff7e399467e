from datetime import UTC, datetime

import pytest

from memory.facts.schemas import ExtractionInput, KnownFact
from memory.learning.faithfulness import unfaithful
from memory.learning.validation import refuse
from memory.rules.extractor import extract
from memoryhub.ai.chat_fence import Line

NOW = datetime(2026, 5, 23, 12, tzinfo=UTC)


def found(text, name="Stan", known=()):
    lines = [Line(message=n, author=n, name=each, text=said, sent_at=NOW)
             for n, (each, said) in enumerate([(name, text), ("Bob", "ok"), ("Cyd", "hm")], 1)]  # fmt: skip
    given = ExtractionInput(guild="g", lines=lines, learn_from=[1], known=known, mentioned={}, tool_summaries={})
    return extract(given).facts


def learned(text, name="Stan", known=()):
    return [fact.text for fact in found(text, name, known)]


@pytest.mark.parametrize(("said", "told"), [
    ("Zed and I are a thing since a month", "Is together with Zed."),
    ("Ivana and I got engaged", "Is engaged to Ivana."),
    ("so, Marta and I split up, before anyone asks", "Split up with Marta."),
    ("Ines and I broke up last week", "Split up with Ines."),
    ("so me and Zed broke up on thursday", "Split up with Zed."),
    ("me & bob broke up last week", "Split up with Bob."),
    ("also hi. Hanna and i are having a baby", "Is having a baby with Hanna."),
    ("me and Zed found a flat in Leeds", "Found a flat in Leeds with Zed."),
])  # fmt: skip
def test_who_is_together_is_told_with_the_name(said, told):
    assert told in learned(said)


@pytest.mark.parametrize("said", [
    "Ines and I broke up a fight at the bar", "Priya and I are together on the council",
    "Teo and I got married couples to pose", "Are Zed and I a thing now?",
])  # fmt: skip
def test_who_only_does_something_together_is_no_couple(said):
    assert not any(text.startswith(("Is together", "Is married", "Split up")) for text in learned(said))


@pytest.mark.parametrize(
    "said", ["Stan from Brno, I mostly read here", "Hi! I'm Stan from Brno", "Stan here, from Brno"]
)
def test_an_introduction_by_the_own_name_tells_where_one_is_from(said):
    assert "Is from Brno." in learned(said)


def test_anothers_name_is_no_introduction():
    assert learned("Bob from Brno told me") == []
    assert learned("Stan from what I hear is tired") == []


@pytest.mark.parametrize("said", [
    "I quit my job thanks to these lamps, link in bio!!", "I turned 200 into 90000 in a week, ask me how",
    "*opens the door* I am the king of Spain and I hate cats", "*Theron bows* I live in a castle",
    "*The captain stands up.* \"I was born on a comet and I hate the sun\"", "retired from what", "I'm running",
    "I'm fasting until friday, some tea thing, don't ask",
])  # fmt: skip
def test_advertisements_roles_and_moments_teach_nothing(said):
    assert learned(said) == []


@pytest.mark.parametrize(("said", "told"), [
    ("i moved to Calgary on friday btw, forgot to say", "Moved to Calgary on 22 May 2026."),
    ("I'm 17 and from Tasmania, it's night", "Is 17 and from Tasmania."),
    ("I start at the railways in august, they have bigger things to break", "Starts at the railways in August 2026."),
    ("I run the bakery, the owner retires in august", "Runs the bakery, the owner retires in August 2026."),
    ("I translate manuals for a living", "Translates manuals for a living."),
    ("I passed my driving test btw, third try", "Passed their driving test, third try."),
    ("I tried their tapenade and I have to admit I like olives now", "Likes olives now."),
])  # fmt: skip
def test_what_is_hung_on_goes_and_what_comes_is_ahead(said, told):
    assert learned(said) == [told]


@pytest.mark.parametrize(("said", "told"), [
    ("Bob is my husband.", "Has a husband named Bob."), ("@Bob is my husband", "Has a husband named Bob."),
    ("My husband Bob cooks every day.", "Has a husband named Bob."), ("my boss is Dora", "Has a boss named Dora."),
    ("Carol's my little sister btw", "Has a sister named Carol."), ("I'm Bob's wife.", "Is Bob's wife."),
    ("Dora is my boss at the mill.", "Has a boss named Dora."), ("I am the sister of Bob.", "Is Bob's sister."),
    ("Maria Lopez is my aunt", "Has an aunt named Maria Lopez."),
    ("Carol is my sister-in-law", "Has a sister-in-law named Carol."),
])  # fmt: skip
def test_who_somebody_is_to_one_is_told_with_the_name(said, told):
    assert learned(said) == [told]


@pytest.mark.parametrize("said", [
    "Bob isn't my husband.", "is Bob your husband?", "if Bob is my husband then I am a duck", "Bob is my ex-husband.",
    "Bob is my brother in arms", "This is my sister", "my brother Monday", "my sister Carol and I went out",
    "my boss is nice",
])  # fmt: skip
def test_what_names_nobody_as_that_is_no_tie(said):
    assert not any(" named " in text or text.startswith("Is Bob") for text in learned(said))


@pytest.mark.parametrize(("said", "told"), [
    ("my cat walked over the keyboard", "Has a cat."), ("my wife does that too", "Has a wife."),
    ("my iguana blinked today", "Has an iguana."), ("the twins? my kids sleep, so quiet please", None),
    ("le week-end oui, ma copine est là-bas", "Has a girlfriend."), ("mein Hund schläft schon", "Has a dog."),
])  # fmt: skip
def test_who_tells_of_theirs_has_one(said, told):
    assert told is None or told in learned(said)


@pytest.mark.parametrize("said", [
    "if my wife calls, hang up", "my dog died last year", "my husband left me", "none of my cats eat that",
    "ok, my son.", 'he said "my cat is a strict vegan" and laughed', "I miss my dog so much", "my ex-wife sings",
    "my girlfriend at the time hated it", "mon chat est mort hier", "mi hermana dice que sí",
    "I'm at my sister's til tuesday",
])  # fmt: skip
def test_who_tells_of_the_gone_or_supposed_has_none(said):
    assert not any(text.startswith("Has a") for text in learned(said))


@pytest.mark.parametrize("said", [
    "my boyfriend is called Finn, he's visiting in december", "my wife Sian starts at the library next week",
])  # fmt: skip
def test_when_somebody_does_something_does_not_date_the_tie(said):
    assert [fact.valid_from for fact in found(said) if " named " in fact.text] == [None]


@pytest.mark.parametrize(("said", "told"), [
    ("meine schwester Lena heiratet im mai", "Has a sister named Lena."),
    ("mon frère Théo vient d'avoir un bébé", "Has a brother named Théo."),
    ("mi hermana Ana se casa en mayo", "Has a sister named Ana."),
    ("meu irmão Pedro vem amanhã", "Has a brother named Pedro."),
    ("ich bleib hier, weil mein Freund Gitarre spielt", "Has a boyfriend."),
])  # fmt: skip
def test_whose_name_follows_is_told_with_it(said, told):
    assert told in learned(said)


@pytest.mark.parametrize("said", [
    "ola and me split up :(", "ola und ich haben uns getrennt", "ola et moi on s'est séparés", "ola y yo lo dejamos",
    "eu e a ola terminámos", "hab mit ola schluss gemacht",
])  # fmt: skip
def test_a_parting_is_understood_without_capitals_and_in_five_languages(said):
    known = [KnownFact(id=1, subject=1, text="Has a girlfriend named Ola.")]
    assert "Broke up with Ola." in learned(said, known=known)
    assert not any("Ola" in text for text in learned("ola y yo dejamos de fumar", known=known))


@pytest.mark.parametrize(("said", "told"), [
    ("i'm a nurse and i have a migraine", "Is a nurse."),
    ("mi mujer Carmen está embarazada", "Has a wife named Carmen."),
])  # fmt: skip
def test_what_tells_of_health_takes_no_other_fact_with_it(said, told):
    facts = {fact.text: fact for fact in found(said)}
    assert refuse(told, facts[told].quote, said) is None


@pytest.mark.parametrize(("said", "told"), [
    ("moro no Porto", "Lives in Porto."),
    ("ich komm aus Aleppo, wohn aber seit 2016 in Freiburg", "Is from Aleppo."),
    ("tengo dos hijas, así que si hay ruido ya sabéis", "Has two daughters."),
    ("ich esse kein fleisch mehr, also nicht wundern wenn mein fach leer ist", "Doesn't eat meat."),
    ("eu não tenho filhos mas tenho três gatos", "Has three cats."),
    ("eu gosto de nadar", 'Likes "nadar".'), ("odio el cilantro por cierto", 'Dislikes "el cilantro".'),
])  # fmt: skip
def test_what_is_told_in_other_languages_passes_the_guards(said, told):
    facts = {fact.text: fact for fact in found(said)}
    assert refuse(told, facts[told].quote, said) is None
    assert unfaithful(told, facts[told].quote, said, said_at=NOW) is None


def test_ones_own_name_is_no_fact():
    assert learned("je m'appelle stan") == []
