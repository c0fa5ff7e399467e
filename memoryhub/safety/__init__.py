"""The guards of a fact: no secret, nothing sensitive that is not kept, no instruction, and its source says it."""

from memoryhub.safety.grounding import denied, may_say, share_said, supported
from memoryhub.safety.meant_instruction import means_instruction
from memoryhub.safety.prompt_injection import carries_instruction, is_code, is_request, looks_like_code
from memoryhub.safety.secrets import carries_diagnosis, carries_secret
from memoryhub.safety.sensitive import Sensitive, sensitive

__all__ = [
    "Sensitive", "carries_diagnosis", "carries_instruction", "carries_secret", "denied", "is_code",
    "is_request", "looks_like_code", "may_say", "means_instruction", "sensitive", "share_said", "supported",
]  # fmt: skip
