"""An operator blocks an account: nothing of it is stored, and the action log tells who did it."""

import pytest

from memory.models import Action
from notes.models import Message
from tests.api_client import api_for
from tests.factories import make_guild
from tests.incoming import say

pytestmark = pytest.mark.django_db
PATH = "discord:1/members/u-mallory/blocked"


def test_a_blocked_account_is_not_stored_until_it_is_unblocked():
    api = api_for(make_guild(), "admin")
    assert api.put(PATH, {"blocked": True}).json() == {"blocked": True}
    assert say("I live in Toronto.", "Mallory").reason == "blocked"
    assert not Message.objects.exists()
    api.put(PATH, {"blocked": False})
    assert say("I live in Toronto.", "Mallory").status == "stored"
    told = Action.objects.order_by("pk").values_list("kind", "detail")
    assert list(told) == [(f"member_{done}", {"member": "u-mallory"}) for done in ("blocked", "unblocked")]
    assert all(Action.objects.values_list("actor", flat=True))


@pytest.mark.parametrize("scope", ["read", "write"])
def test_only_an_admin_key_blocks(scope):
    assert api_for(make_guild(), scope).put(PATH, {"blocked": True}).status_code == 403
    assert say("I live in Toronto.", "Mallory").status == "stored"


def test_blocking_needs_a_plain_answer():
    assert api_for(make_guild(), "admin").put(PATH, {"blocked": "perhaps"}).status_code == 422
