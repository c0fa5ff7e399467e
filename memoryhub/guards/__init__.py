"""The three guards of a fact: it carries no secret, it is no instruction, and its source says it."""

from memoryhub.guards.instructions import carries_instruction, is_code, is_request
from memoryhub.guards.secrets import carries_diagnosis, carries_secret
from memoryhub.guards.support import share_said, supported

__all__ = [
    "carries_diagnosis", "carries_instruction", "carries_secret", "is_code", "is_request", "share_said", "supported",
]  # fmt: skip
