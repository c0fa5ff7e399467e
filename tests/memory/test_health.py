"""What an operator is warned of."""

import pytest

from memory.health import model_name, warnings
from memory.overview import overview
from notes.models import ChannelBuffer
from tests.factories import NOON, make_buffer, minutes

pytestmark = pytest.mark.django_db


def told():
    return [warning.text for warning in warnings(overview(now=NOON), now=NOON)]


def test_a_healthy_hub_warns_of_nothing():
    make_buffer()
    assert told() == []


@pytest.mark.parametrize(("age", "late"), [(9, False), (11, True)])
def test_a_worker_that_does_not_come_is_noticed(age, late):
    make_buffer(status=ChannelBuffer.Status.CLOSED, closed_at=NOON - minutes(age))
    assert bool(told()) == late


def test_a_model_that_cannot_be_used_is_told_with_what_to_write(settings):
    settings.MEMORYHUB_MODEL = "gpt"
    [warning] = warnings(overview(now=NOON), now=NOON)
    assert "provider" in warning.remedy or "<model>" in warning.remedy
    assert model_name() == ""
