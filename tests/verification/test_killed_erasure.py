"""An erasure killed with SIGKILL anywhere: run again it is completed, and there is one receipt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from memory import erasure
from memory.erasure import erase, target
from memory.erasure.holders_messages import Messages
from memory.erasure.registry import HOLDERS
from memory.erasure.target import Target
from memory.index import writing
from memory.models import Erasure, ErasureNeedles
from memory.records import snapshots
from memoryhub import db
from memoryhub.community.models import Member
from tests.factories import minutes
from tests.incoming import north
from tests.memory.erasure.erasure_world import ALICE, BOAT, NOW, talk
from tests.verification.dying import KILLED, begin, die, end

pytestmark = pytest.mark.usefixtures("shared_database")
LATER = NOW + minutes(90)


def dying(*_given: Any, **_named: Any) -> None:
    die()


def second_time(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return what does the work once and dies when it is asked again."""
    times = iter((False, True))

    def done(*given: Any, **named: Any) -> Any:
        return die() if next(times) else work(*given, **named)

    return done


def dying_at(name: str) -> list[Any]:
    """Return what has this holder die at work."""
    return [patch.object(each, "erase", dying) for each in HOLDERS if each.name == name]


PLACES = {
    "before anything went": lambda: dying_at(HOLDERS[0].name),
    "between two messages": lambda: [
        patch.object(target, "CHUNK", 1), patch.object(writing, "drop", second_time(writing.drop)),
    ],
    "before the facts": lambda: dying_at("facts"),
    "before the member's row": lambda: dying_at("member"),
    "after the member's row": lambda: dying_at("guild"),
    "before the pages are cleared": lambda: [patch.object(erase, "clear_pages", dying)],
    "before the receipt is signed": lambda: [patch.object(erase, "sign", dying)],
    "while the receipt is stored": lambda: [patch.object(erase, "log", dying)],
    "after the receipt is stored": lambda: [patch.object(erase, "finished", dying)],
}  # fmt: skip


def again() -> erasure.Receipt:
    """Do as the command and the API do when somebody asks again."""
    member = Member.objects.filter(platform_id=ALICE).first()
    if member is not None:
        return erasure.erase_now(member, now=NOW, by="operator:anna")
    job = erasure.request_erasure(north(), member=ALICE, now=NOW, by="operator:anna", seconds=600)
    assert job is not None
    return erasure.finished(job)


def killed_at(place: str) -> dict[str, int]:
    """Begin to erase Alice and be killed there; return what was planned."""
    alice = talk()
    snapshots.current_snapshot(north(), now=NOW)
    plan = erasure.preview(alice)
    patches = PLACES[place]()
    for each in patches:
        each.start()
    try:
        assert end(begin(lambda: erasure.erase_now(alice, now=NOW, by="operator:anna"))) == KILLED
    finally:
        for each in patches:
            each.stop()
    return plan


def check(plan: dict[str, int]) -> None:
    row = Erasure.objects.get()
    receipt = erasure.verify(row.receipt)
    assert receipt.scan["found_in"] == {}
    assert receipt.counts == plan
    assert not ErasureNeedles.objects.exists()
    assert not Member.objects.filter(platform_id=ALICE).exists()
    assert not any(BOAT.encode() in b"".join(db.read_blocks(path, 1 << 20)) for path in db.files())


@pytest.mark.parametrize("place", PLACES)
def test_it_is_completed_by_running_it_again_and_leaves_one_receipt(place):
    plan = killed_at(place)
    receipt = again()
    check(plan)
    assert again() == receipt


@pytest.mark.parametrize("place", ["between two messages", "after the member's row"])
def test_the_worker_completes_what_nobody_runs_again(place):
    plan = killed_at(place)
    assert erasure.finish_interrupted(now=LATER) == 1
    assert erasure.finish_interrupted(now=LATER) == 0
    check(plan)
    assert Messages().count(Target.of(north())) == 3
