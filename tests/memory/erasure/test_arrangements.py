"""An erased member's decisions and plans go with them; what they had replaced stands again; an export has them."""

from __future__ import annotations

import json
from zipfile import ZipFile

import pytest

from memory import erasure, pipeline
from memory.erasure.export import export_member
from memoryhub.community.models import Channel, Member
from notes.models import Arrangement
from tests.factories import NOON, days, minutes
from tests.incoming import north, say

pytestmark = pytest.mark.django_db(transaction=True)
NOW = NOON + days(1)
PICNIC = "The picnic with Alice Zettelmann is on Saturday at 14:00."


@pytest.fixture(autouse=True)
def talk():
    say("The picnic by the harbour is on Saturday at 14:00.", "Bob", at=NOON)
    say("The picnic is moved to Sunday at 15:00.", "Zelda", at=NOON + minutes(3))
    say("We decided that Zelda cooks the soup.", "Bob", at=NOON + minutes(6))
    say("We decided on the red tent.", "Bob", channel="tents", at=NOON + minutes(9))
    pipeline.digest(north(), now=NOW)


def texts(**conditions):
    return list(Arrangement.objects.filter(**conditions).order_by("said_at").values_list("text", flat=True))


def test_what_a_member_said_or_what_names_them_goes_and_the_rest_stands():
    receipt = erasure.erase_now(Member.objects.get(display_name="Zelda"), now=NOW, by="operator:anna")
    assert receipt.clean
    assert receipt.counts["arrangements"] == 2
    left = ["The picnic by the harbour is on Saturday at 14:00.", "We decided on the red tent."]
    assert texts(replaced_by=None) == left
    pipeline.digest(north(), now=NOW + minutes(9))
    assert not any("Zelda" in text for text in texts())


def test_a_channel_takes_its_own_along():
    receipt = erasure.erase_now(Channel.objects.get(name="tents"), now=NOW, by="operator:anna")
    assert receipt.clean
    assert texts(channel__name="tents") == []
    assert len(texts()) == 3


def test_an_export_has_what_the_member_said(tmp_path):
    path = export_member(Member.objects.get(display_name="Zelda"), into=tmp_path / "zelda.zip", now=NOW)
    with ZipFile(path) as file:
        (row,) = json.loads(file.read("decisions_and_plans.json"))
    assert (row["text"], row["change"]) == ("The picnic is moved to Sunday at 15:00.", "moved")
