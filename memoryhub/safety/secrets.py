"""What must never be stored, even when repeated: passwords, keys, card numbers, government ids, diagnoses."""

from __future__ import annotations

import base64
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoryhub.language import word_lists
from memoryhub.safety.chunks import parts

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin

# Keys that the library does not know, or knows in an older form.
_KEY = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}|\bgithub_pat_\w{20,}|\bAIza[\w-]{30,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{20,}|\bya29\.[\w-]{20,}|\bmfa\.[\w-]{40,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
# Without one of these in it, no text can be what the library looks for.
_SUSPECT = re.compile(r"[\w+/=-]{15,}|://\S+@|PRIVATE KEY")
_NO_SECRET = {"IPPublicDetector"}
_IS = (
    r"(?:\s*(?:=|:|->|→)\s*|\s+(?:to|for|of|on|at|auf|für|de|do|pour|para)?\s*(?:[\w'.-]+\s+){0,4}?"
    r"(?:is|was|are|ist|lautet|es|est|é|=|:)\s*:?\s*)"
)
_PASSWORD = re.compile(
    r"\b(?:pass(?:word|wd|phrase|code)s?|pwd|contraseña|clave|passwort|kennwort|mot de passe|senha"
    rf"|seed phrase|recovery (?:code|phrase|key)s?)(?!\s+(?:manager|policy|generator|reset|prompt|field|rules?|game"
    rf"|strength|hash\w*|crack\w*|safe|vault)\b){_IS}"
    r"(?!(?:the|a|an|not|too|so|very|really|still|expired|wrong|incorrect|weak|strong|secure|safe"
    r"|reset|required|missing|gone|stolen|leaked|changed|hard|easy|long|short|dead|never|always"
    r"|stored|being|free|on|in|at|from|for|with|no|one|what|where|written|posted|public|shared|known|somewhere|wrong"
    r"|falsch|muy|trop)\b)\S{3,}"
    r"|\bpass(?:word|phrase|code)\s+(?=\S*\d)[^\s.,]{6,}"
    r"|(?:密码|密碼|パスワード|暗証番号|пароль|비밀번호)\s*(?:是|は|:|：|-|—|은|는)?\s*\S{3,}",
    re.IGNORECASE,
)
_CODED = re.compile(
    r"\b(?:pin(?:\s?(?:code|number))?|secret(?: key)?|api[ -]?keys?|(?:access |auth |bot "
    r"|session )?tokens?|cvv|cvc|2fa(?: code)?|backup codes?|otp|login(?: code)?|wifi(?: key)?|door code|gate code"
    r"|alarm code"
    rf"|account number|routing number|sort code|iban){_IS}\W*(?=\S*\d)[\w!@#$%^&*+./-]{{3,}}",
    re.IGNORECASE,
)
# Told without "is": the word and the number side by side.
_BESIDE = re.compile(
    r"\b(?:cvv2?|cvc|sort code|routing(?: number)?|bank account(?: number)?|backup codes?|recovery codes?)\W{0,3}"
    r"\d[\d -]{2,}|\b(?:pw|pwd)\b\W{0,3}(?=\S*\d)\S{6,}"
    r"|\b(?:pw|pwd|pass|login)\s*(?:=|:|is)\s*(?:\S+\s*/\s*)?(?=\S*\d)(?=\S*[a-z])\S{5,}"
    r"|\b\w*(?:key|secret|token|password)\w*\s*[=:]\s*[\"']?(?=\S*\d)[\w+/=-]{20,}"
    r"|\bbearer\s+(?=\S*\d)[\w.~+/-]{20,}",
    re.IGNORECASE,
)
_GOVERNMENT = re.compile(
    r"\b(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b"
    r"|\b(?:passport|social security|ssn|national (?:insurance|id)|driver'?s? licen[cs]e"
    r"|driving licence|licen[cs]e number|tax id|tin|nhs number|aadhaar|personalausweis\w*|reisepass\w*|steuer-?id"
    r"|steuernummer|sozialversicherungsnummer|ausweisnummer|dni"
    r"|nie|nif|cpf|curp|numéro de sécurité sociale|id card|green card|visa)"
    r"(?:\s*(?:number|no\.?|nr\.?|#|id))?(?:['’]s\b)?\W*(?:is|ist|es|est|é|:|=|#)?\W*"
    r"(?!(?:19|20)\d\d\b)(?=[A-Z]{0,5}\d|(?!on|in|of|at|by|to|no|is|my)[A-Z]{2} \d)"
    r"(?=(?:[A-Z .-]{0,5}\d){4})[A-Z0-9](?:[ .-]?[A-Z0-9]){4,}\b"
    r"|\b[A-CEGHJ-PR-TW-Z]{2}\s?\d{2}\s?\d{2}\s?\d{2}\s?[A-D]\b",
    re.IGNORECASE,
)
_OPAQUE = re.compile(r"(?<![\w/])(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])(?=[\w+=-]*\d[\w+=-]*\d)[\w+=-]{28,}(?![\w/])")
_DIGITS = re.compile(r"(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b")

_DIAGNOSES = word_lists.rows(Path(__file__).with_name("diagnosis.txt"))
_DIAGNOSIS = word_lists.pattern("|".join(_DIAGNOSES["diagnosis"]), _DIAGNOSES)
_PATTERNS = (_KEY, _PASSWORD, _CODED, _BESIDE, _GOVERNMENT)


def carries_secret(text: str) -> bool:
    """Say if `text` shows a password, key, card or account number, or the number of a government document."""
    for part in parts(text):
        # A long mixed run is a key, unless it is only plain words in base64.
        if any(pattern.search(part) for pattern in _PATTERNS) or not all(map(_is_plain_base64, _OPAQUE.findall(part))):
            return True
        if any(map(_is_card_number, _DIGITS.findall(part))) or any(map(_is_iban, _IBAN.findall(part))):
            return True
        if _SUSPECT.search(part) and any(any(detector.analyze_string(part)) for detector in _detectors()):
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
    return bool(_DIAGNOSIS.search(text))


def _is_plain_base64(run: str) -> bool:
    try:
        return base64.b64decode(run + "=" * (-len(run) % 4)).decode().isprintable()
    except ValueError:
        return False


def _is_card_number(run: str) -> bool:
    """Check the digits by Luhn's sum; one digit repeated passes it, but is no card."""
    digits = [int(digit) for digit in run if digit.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(run: str) -> bool:
    """Check an account number by its remainder modulo 97, letters counted from A = 10."""
    iban = run.replace(" ", "")
    return int("".join(str(int(letter, 36)) for letter in iban[4:] + iban[:4])) % 97 == 1
