"""A guild in which somebody says things, from which a toy embedder finds them: fixtures for what is asked of it."""

import pytest

from memory.index import embeddings, writing
from tests.factories import make_channel, make_fact, make_member, make_message


@pytest.fixture(autouse=True)
def _near_by_words(toy):
    """Have texts that share words be near each other."""


@pytest.fixture
def tell():
    """Have somebody say something, from which a fact is learned and found."""

    def tell(said, fact=None, *, who="Alice", channel=None, **fields):
        channel = channel or make_channel()
        message = make_message(said, author=make_member(channel.guild, who), channel=channel, **fields)
        writing.index_messages([message])
        if fact:
            row = make_fact(fact, subject=message.author, evidence=[message], audience_id=message.heard_by)
            writing.index_facts([row])
        embeddings.embed_missing(100)
        return message

    return tell
