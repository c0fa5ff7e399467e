"""Why a model did not answer: one exception, a closed list of reasons, and the map from what vendors raise to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

Reason = Literal[
    "wrong_setting",
    "wrong_key",
    "unknown_model",
    "no_credit",
    "rate_limited",
    "unavailable",
    "unreachable",
    "timed_out",
    "garbled",
    "too_long",
    "rejected",
    "filtered",
    "cut_short",
    "bad_answer",
]


@dataclass(frozen=True)
class Kind:
    """What to say of a reason, and what helps: only the operator, asking again at once, asking another model.

    Another model is no help against what the task itself brings about: an answer that does not fit or is too long. Nor
    does it hide a setting that can't be read.
    """

    message: str
    permanent: bool = False
    again: bool = False
    elsewhere: bool = True


KINDS: dict[Reason, Kind] = {
    "wrong_setting": Kind("The model's setting is wrong.", permanent=True, elsewhere=False),
    "wrong_key": Kind("The provider refused the key. Check it, and that it may use this model.", permanent=True),
    "unknown_model": Kind("The provider does not know this model. Check its name and the base URL.", permanent=True),
    "no_credit": Kind("The provider's account has no credit or quota left.", permanent=True),
    "rate_limited": Kind("The provider asks to wait.", again=True),
    "unavailable": Kind("The provider has an error or is overloaded.", again=True),
    "unreachable": Kind("The provider could not be reached, or the connection broke.", again=True),
    "timed_out": Kind("The provider did not answer in time.", again=True),
    "garbled": Kind("The provider's response could not be read.", again=True),
    "too_long": Kind("The request is longer than the model reads."),
    "rejected": Kind("The provider rejected the request."),
    "filtered": Kind("The provider's content filter stopped the answer."),
    "cut_short": Kind("The answer was cut off at its length limit.", elsewhere=False),
    "bad_answer": Kind("The answer did not fit the schema, also after one repair.", elsewhere=False),
}


class ModelFailed(Exception):
    """A model gave no usable answer; carries no text of the prompt or the answer.

    `retry_after` is the seconds the provider asked to wait. `permanent`: nothing changes until the operator acts
    (key, model name, credit, setting); everything else may work later.
    """

    def __init__(self, reason: Reason, message: str = "", *, retry_after: float | None = None) -> None:
        self.reason: Reason = reason
        self.message = message or KINDS[reason].message
        self.retry_after = retry_after
        super().__init__(self.message)

    @property
    def permanent(self) -> bool:
        """Whether only the operator can lift it."""
        return KINDS[self.reason].permanent

    @property
    def again(self) -> bool:
        """Whether the same request may succeed in a moment."""
        return KINDS[self.reason].again

    @property
    def of_the_words(self) -> bool:
        """Whether what was asked brings it about: neither waiting nor an operator helps."""
        return not (self.again or self.permanent)

    @property
    def elsewhere(self) -> bool:
        """Whether another model may succeed where this one failed."""
        return KINDS[self.reason].elsewhere


@cache
def vendor_errors() -> dict[type[Exception], Reason]:
    """Return what the vendors' code raises, subclasses before their bases; imports pydantic-ai."""
    import httpx2
    from pydantic_ai import exceptions

    return {
        exceptions.UserError: "wrong_setting",
        exceptions.ModelAuthenticationError: "wrong_key",
        exceptions.ModelNotFoundError: "unknown_model",
        exceptions.ModelQuotaExceededError: "no_credit",
        exceptions.ModelContextWindowExceededError: "too_long",
        exceptions.ModelRequestRejectedError: "rejected",
        exceptions.ModelRateLimitError: "rate_limited",
        exceptions.ModelUnavailableError: "unavailable",
        exceptions.ModelServerError: "unavailable",
        exceptions.ModelTimeoutError: "timed_out",
        exceptions.ModelRequestTimeout: "timed_out",
        exceptions.ModelConnectionError: "unreachable",
        exceptions.ModelHTTPError: "unavailable",
        exceptions.ModelAPIError: "garbled",
        exceptions.ContentFilterError: "filtered",
        exceptions.OutputTokenLimitExceeded: "cut_short",
        exceptions.AgentRunError: "bad_answer",
        httpx2.TimeoutException: "timed_out",
        httpx2.HTTPError: "unreachable",
        TimeoutError: "timed_out",
        OSError: "unreachable",
        # What the SDKs trip over in a body that is no JSON (JSONDecodeError is a ValueError) or of another shape.
        ValueError: "garbled",
        LookupError: "garbled",
        AttributeError: "garbled",
        TypeError: "garbled",
    }


def failed(error: Exception, *, model: str) -> ModelFailed:
    """Return our failure for a vendor's: the vendor's words are dropped, since they may quote the chat."""
    reason = next(reason for kind, reason in vendor_errors().items() if isinstance(error, kind))
    status = getattr(error, "status_code", None)
    message = f"{model}: {KINDS[reason].message}" + (f" (HTTP {status})" if status else "")
    return ModelFailed(reason, message, retry_after=getattr(error, "retry_after", None))
