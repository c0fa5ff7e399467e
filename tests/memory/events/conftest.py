"""Somebody who takes what the hub sends."""

import pytest

from tests.memory.events.receiver import LOOPBACK, receiving


@pytest.fixture
def receiver(settings):
    settings.MEMORYHUB_WEBHOOK_NETWORKS = LOOPBACK
    with receiving() as receiver:
        yield receiver
