"""Makes ready what the first question would wait for: the embedder, the clients of models that are set, patterns."""

from __future__ import annotations

from contextlib import suppress

from memoryhub.ai import providers
from memoryhub.ai.embedding.embedder import embedder
from memoryhub.ai.embedding.local import Embedded
from memoryhub.ai.embedding.question_adapter import question_adapter
from memoryhub.ai.embedding.remote import Hosted
from memoryhub.ai.model_choice import TERMS, chosen
from memoryhub.ai.model_errors import ModelFailed
from memoryhub.language import date_phrases


def warm_up() -> None:
    """Load them; nobody's server is asked anything. What is set wrong stays for `doctor` to tell.

    Who has done so may fork: there is no thread and no connection yet.
    """
    date_phrases.phrases()
    made = embedder()
    if isinstance(made, Embedded):
        made.query("Hello")
        question_adapter(made.identity)
    elif isinstance(made, Hosted):
        providers.embedding_model(made.choice)
    for tier in TERMS:
        with suppress(ModelFailed):
            if choice := chosen(tier):
                from pydantic_ai import Agent

                Agent(providers.model(choice))
