"""Which message stands before which, and how much of a busy channel is read to know it."""

import pytest

from memory.index import reply_context
from memoryhub import db
from notes.models import Message
from tests.factories import NOON, make_member, make_message, minutes

pytestmark = pytest.mark.django_db


def talk(*, of_each):
    """Have Alice say a line, then Bob some, and so on; return Alice's, whose third was deleted."""
    alice, bob, at = make_member(name="Alice"), make_member(name="Bob"), NOON
    said = []
    for number in range(4):
        said.append(make_message(f"line {number}", author=alice, sent_at=at))
        for more in range(of_each):
            make_message(f"answer {number} {more}", author=bob, sent_at=(at := at + minutes(1)))
        at += minutes(1)
    Message.objects.filter(pk=said[2].pk).update(deleted_at=NOON, text="")
    return list(Message.objects.filter(author=alice).select_related("author", "channel", "guild"))


def pairs(messages, **more):
    return [
        (message.text, before and before.text)
        for message, before in reply_context.with_the_one_before(messages, **more)
    ]


def test_each_is_told_with_what_was_said_right_before_and_so_is_what_comes_after():
    hers = talk(of_each=3)
    assert pairs(hers) == [
        ("line 0", None), ("answer 0 0", "line 0"),
        ("line 1", "answer 0 2"), ("answer 1 0", "line 1"),
        ("answer 2 0", "answer 1 2"),  # what she said between is gone
        ("line 3", "answer 2 2"), ("answer 3 0", "line 3"),
    ]  # fmt: skip


@pytest.mark.parametrize("without", [0, 1])
def test_in_a_busy_channel_only_what_is_right_beside_them_is_read_and_tells_the_same(monkeypatch, without):
    hers = talk(of_each=6)
    gone = [message.pk for message in hers[:without]]
    whole = pairs(hers, without=gone)
    monkeypatch.setattr(reply_context, "MOST_BETWEEN", 5)
    rows, read = [], db.read
    monkeypatch.setattr(db, "read", lambda *args, **more: rows.extend(found := read(*args, **more)) or found)
    assert pairs(hers, without=gone) == whole
    assert len(rows) <= 2 * len(hers)
