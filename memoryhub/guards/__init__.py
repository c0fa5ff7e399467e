"""The guards of a fact: no secret, nothing sensitive that is not kept, no instruction, and its source says it."""

from memoryhub.guards.instructions import carries_instruction, is_code, is_request
from memoryhub.guards.secrets import carries_diagnosis, carries_secret
from memoryhub.guards.sensitive import Sensitive, sensitive
from memoryhub.guards.support import share_said, supported

__all__ = [
    "Sensitive", "carries_diagnosis", "carries_instruction", "carries_secret", "is_code", "is_request", "sensitive",
    "share_said", "supported",
]  # fmt: skip
