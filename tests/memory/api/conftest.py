"""A caller in a guild of which something is known."""

import pytest

from tests.api_client import api_for
from tests.factories import make_guild, make_member


@pytest.fixture
def api():
    """Return a caller in a guild in which Alice is."""
    make_member(name="Alice")
    return api_for(make_guild())


@pytest.fixture
def tea(api):
    """Return a fact that was told of Alice."""
    return api.post("discord:1/facts", {"member": "u-alice", "text": "Likes green tea.", "kind": "preference"}).json()
