"""What is hearsay, supposed or stated, in five languages."""

import pytest

from memoryhub.language.assertion_filter import doubt


@pytest.mark.parametrize(
    "said",
    [
        "somebody said the exam is cancelled",
        "I heard that the exam is off",
        "heard bob's leaving the club",
        "quelqu'un a dit que l'examen est annulé à cause de la grève",
        "il paraît que l'examen est annulé",
        "on dit que la salle est fermée",
        "j'ai entendu dire que la salle est fermée",
        "jemand hat gesagt, dass die Prüfung ausfällt",
        "ich habe gehört, dass die Prüfung ausfällt",
        "angeblich fällt die Prüfung aus",
        "alguien dijo que el examen está cancelado",
        "parece que el examen está cancelado",
        "alguém disse que a prova foi cancelada",
        "ouvi dizer que a prova foi cancelada",
    ],
)
def test_what_others_are_said_to_say_is_hearsay(said):
    assert doubt(said) == "reported"


@pytest.mark.parametrize(
    "said",
    [
        "maybe I move to Berlin",
        "vielleicht ziehe ich nach Berlin",
        "falls ich gewinne, ziehe ich um",
        "peut-être que je déménage à Lyon",
        "si je gagne, je pars",
        "a lo mejor me mudo a Madrid",
        "quizás me mudo a Madrid",
        "se calhar mudo para o Porto",
        "talvez mude para o Porto",
    ],
)
def test_what_may_be_is_supposed(said):
    assert doubt(said) == "supposed"


@pytest.mark.parametrize(
    "said",
    [
        "Ich wohne in Berlin",
        "Ich habe gehört, wie er singt",
        "j'habite à Lyon",
        "j'ai dit que je viens",
        "je suis si contente",
        "ma sœur dit bonjour",
        "sí, vivo en Madrid",
        "disse adeus ao meu emprego",
        "moro no Porto",
        "My son falls asleep at eight",
        "we live near Niagara Falls",
        "I work in OB and si units",
        "I had the dream job at last",
        "heard back from the zoo, I start in May",
    ],
)
def test_what_is_stated_is_neither(said):
    assert doubt(said) is None


@pytest.mark.parametrize("said", ["had the weirdest dream, i scored in the cup final", "I had such a dream of Rome"])
def test_what_was_dreamt_is_no_news(said):
    assert doubt(said) == "dreamt"


def test_what_somebody_is_quoted_with_is_not_ones_own():
    assert doubt("as tyrion says, i drink and i know things") == "quoted"
