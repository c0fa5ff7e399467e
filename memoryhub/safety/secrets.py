"""What must never be stored, even when repeated: passwords, keys, card numbers, government ids, diagnoses."""

from __future__ import annotations

import base64
from functools import cache
from typing import TYPE_CHECKING, Any

from memoryhub.language.word_lists import Shapes
from memoryhub.safety.chunks import parts

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin

_NO_SECRET = {"IPPublicDetector"}

_SHAPES = Shapes(__file__)
_TOLD = [_SHAPES[name] for name in ("key", "password", "coded", "beside", "government")]


def carries_secret(text: str) -> bool:
    """Say if `text` shows a password, key, card or account number, or the number of a government document."""
    for part in parts(text):
        if any(shape.search(part) for shape in _TOLD):
            return True
        if any(is_one(run) for shape, is_one in _RUNS.items() for run in _SHAPES[shape].findall(part)):
            return True
        if _SHAPES["suspect"].search(part) and any(any(detector.analyze_string(part)) for detector in _detectors()):
            return True
    return False


@cache
def _detectors() -> list[BasePlugin]:
    """Return the library's detectors of keys by their form; it takes a second to import, and none asks a network."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    known: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return [
        kind() for kind in known.values() if issubclass(kind, RegexBasedDetector) and kind.__name__ not in _NO_SECRET
    ]


def carries_diagnosis(text: str) -> bool:
    """Say if `text` tells a medical diagnosis or test result of anybody."""
    return bool(_SHAPES["diagnosis"].search(text))


def _is_opaque(run: str) -> bool:
    """A long mixed run is a key, unless it is only plain words in base64."""
    try:
        return not base64.b64decode(run + "=" * (-len(run) % 4)).decode().isprintable()
    except ValueError:
        return True


def _is_card_number(run: str) -> bool:
    """Check the digits by Luhn's sum; one digit repeated passes it, but is no card."""
    digits = [int(digit) for digit in run if digit.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(run: str) -> bool:
    """Check an account number by its remainder modulo 97, letters counted from A = 10."""
    iban = run.replace(" ", "")
    return int("".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4])) % 97 == 1


_RUNS = {"opaque": _is_opaque, "digits": _is_card_number, "iban": _is_iban}
