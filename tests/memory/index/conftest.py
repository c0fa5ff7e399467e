import pytest

from memoryhub.search import keywords
from memoryhub.search.scope import Scope
from tests.factories import make_guild


@pytest.fixture
def found():
    """Return the rows of a kind that the keyword index finds."""

    def search(kind, query, guild=None, **scope):
        scope = Scope(guild=(guild or make_guild()).pk, audiences=scope.pop("audiences", [0]), **scope)
        return [match.id for match in keywords.search(kind=kind, query=query, scope=scope, limit=10)]

    return search
