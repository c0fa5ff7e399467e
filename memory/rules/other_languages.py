"""The commonest statements in Spanish, German, French and Portuguese.

The frame is put in English. The value stays as it was said: a name as it is ("Lives in Madrid."), other words between
quotation marks ("Works as "enfermera"."), since translating them would be guessing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.facts.kinds import Kind
from memory.facts.schemas import Candidate
from memoryhub import language
from memoryhub.ai.chat_fence import Line

CONFIDENCE = 0.6

_TABLE: tuple[tuple[Kind, str, str], ...] = (
    # kind, how it is put in English, how it is said (es | de | fr | pt)
    (
        "profile",
        "Lives in {}",
        r"(?:vivo|resido) en|ich wohne (?:jetzt |gerade )?in|ich lebe (?:jetzt |seit \d+ )?in"
        r"|j['’]habite (?:à|a|en|au)|je vis (?:à|en|au)|(?:eu )?moro (?:em|no|na)|(?:eu )?vivo (?:em|no"
        r"|na)",
    ),
    (
        "profile",
        "Moved to {}",
        r"me (?:mudé|he mudado) a|ich bin (?:\w+ \w+ )?nach (?=[A-ZÄÖÜ][\wäöüß]+ (?:um)?gezogen)"
        r"|j['’]ai déménagé (?:à|en|au)|je me suis installée? (?:à|en|au)|(?:eu )?me mudei (?:para|pra)"
        r"|mudei(?:-me)? (?:para|pra)",
    ),
    (
        "profile",
        "Is from {}",
        r"soy de|ich komme aus|je viens (?:de|du|d['’])|je suis originaire (?:de|du|d['’])|(?:eu )?sou "
        r"(?:de|do|da)",
    ),
    ("profile", "Works as {}", r"trabajo (?:como|de)|ich arbeite als|je travaille comme|(?:eu )?trabalho como"),
    (
        "profile",
        "Works at {}",
        r"trabajo (?:en|para)|ich arbeite (?:bei|für)|je travaille (?:chez|pour)|(?:eu )?trabalho (?:na"
        r"|no|em|para)",
    ),
    ("profile", "Studies {}", r"estudio|ich studiere|j['’]étudie (?:la |le |les |l['’])?|(?:eu )?(?:estudo|curso)"),
    (
        "profile",
        "Is learning {}",
        r"estoy aprendiendo|ich lerne (?:gerade )?|j['’]apprends (?:le |la |l['’]|à )?|estou aprendendo",
    ),
    (
        "relationship",
        "Has a dog named {}",
        r"mi perr[oa] se llama|tengo un[a]? perr[oa] (?:que se llama|llamad[oa])|mein hund hei(?:ß|ss)t"
        r"|ich habe einen hund namens|mon chien s['’]appelle|j['’]ai un chien (?:qui s['’]appelle|nommé)"
        r"|meu cachorro se chama|tenho um cachorro chamado",
    ),
    (
        "relationship",
        "Has a cat named {}",
        r"mi gat[oa] se llama|meine katze hei(?:ß|ss)t|ich habe eine katze namens|mon chat s['’]appelle"
        r"|minha gata se chama|meu gato se chama",
    ),
    (
        "preference",
        "Likes {}",
        r"me (?:gustan?|encantan?)(?: mucho)?|ich (?:mag|liebe)|j['’](?:aime|adore)(?: beaucoup| bien)?|"
        r"(?:eu )?(?:gosto(?: muito)? de|adoro|amo)",
    ),
    (
        "preference",
        "Dislikes {}",
        r"no me gustan?(?: nada)?|odio|ich hasse|je d[ée]teste|je n['’]aime pas|(?:eu )?(?:não gosto de"
        r"|odeio|detesto)",
    ),
    (
        "profile",
        "Is allergic to {}",
        r"soy alérgic[oa] (?:a|al)|ich bin (?:allergisch gegen)|je suis allergique (?:à|au|aux)"
        r"|sou alérgic[oa] (?:a|ao|à)",
    ),
    (
        "relationship",
        "Is married to {}",
        r"estoy casad[oa] con|ich bin verheiratet mit|je suis mariée? (?:à|avec)|sou casad[oa] com",
    ),
)
_ROWS = tuple(
    (
        kind,
        form,
        re.compile(
            r"^(?:[¡¿]|(?:y|pero|und|aber|et|mais|e|oi|hola|hallo|salut|bonjour|pues|also|alors)[ ,]+)*"
            rf"(?:{said})\s*(?P<value>[^\s,.!;:][^,.!;:]*)",
            re.IGNORECASE,
        ),
    )
    for kind, form, said in _TABLE
)
OPENING_WORDS = frozenset(re.findall(r"[\w']+", " ".join(said for _, _, said in _TABLE).lower().replace("['’]", "'")))
_STOP = re.compile(
    r"\s+(?:y|pero|porque|und|aber|weil|seit|desde|depuis|et|mais|parce|car|e|mas|hace|vor|há|gezogen"
    r"|umgezogen|con|mit|avec|com|que|dass|de\s+(?=\d)|en\s+(?=\d)|in\s+(?=\d))\s*.*$|\s+"
    r"(?:um)?gezogen$",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"^(?:que|dass|das|es|esto|eso|ça|cela|isso|isto|dich|dir|te|tu|toi|você|quand|cuando|wenn|ihn"
    r"|sie|lo|la|le|les)$|\b(?:te|dich|toi|você|tu|dein\w*)\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"(?:[A-ZÀ-Þ][\w'’-]*)(?:\s+(?:de|del|la|von|am|du|da|do|[A-ZÀ-Þ][\w'’-]*))*$")
_CAPITAL_NOUNS = re.compile(r"^(?:ich|mein|und)\b", re.IGNORECASE)  # German writes every noun with a capital


def candidates(sentence: str, line: Line) -> Iterator[Candidate]:
    """Yield the fact of a sentence in one of the tables' shapes."""
    for kind, form, said in _ROWS:
        found = said.match(sentence.strip())
        value = _STOP.sub("", found["value"]).strip() if found else ""
        if value and len(value.split()) <= 6 and not _POINTING.search(value):
            yield _fact(kind, form.format(_written(value, form, sentence)), sentence, line)
            return


def _written(value: str, form: str, sentence: str) -> str:
    place_or_name = form.endswith(("in {}", "to {}", "from {}", "at {}", "named {}"))
    plain = _PLAIN.match(value) and (place_or_name or not _CAPITAL_NOUNS.match(sentence))
    return value if plain else f'"{value}"'


def _fact(kind: Kind, text: str, sentence: str, line: Line) -> Candidate:
    return Candidate(
        text=f"{text}.",
        subject=line.author,
        kind=kind,
        confidence=CONFIDENCE,
        explicit=True,
        quote=sentence,
        messages=[line.message],
        said_on=line.sent_at.date(),
        valid_from=language.dates.resolve(sentence, said_at=line.sent_at),
    )
