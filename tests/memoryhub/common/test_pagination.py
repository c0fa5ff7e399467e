import pytest

from memoryhub.common.pagination import Window, cut, page
from memoryhub.community.models import Member
from tests.factories import make_member

pytestmark = pytest.mark.django_db


def names(window: Window, **order: bool) -> tuple[list[str], str | None]:
    found = page(Member.objects.all(), window=window, show=lambda member: member.name, **order)
    return found.items, found.next_cursor


@pytest.fixture
def alphabet():
    return [make_member(name=name) for name in ("a", "b", "c", "d", "e")]


def test_the_newest_come_first(alphabet):
    assert names(Window(limit=2))[0] == ["e", "d"]


def test_the_cursor_goes_on_where_the_page_ended(alphabet):
    _, cursor = names(Window(limit=2))
    assert names(Window(limit=2, cursor=cursor))[0] == ["c", "b"]


def test_a_list_can_be_walked_from_its_beginning(alphabet):
    first, cursor = names(Window(limit=3), oldest_first=True)
    assert (first, names(Window(limit=3, cursor=cursor), oldest_first=True)) == (["a", "b", "c"], (["d", "e"], None))


def test_the_last_page_has_no_cursor(alphabet):
    assert names(Window(limit=5))[1] is None


def test_what_comes_in_between_does_not_shift_the_pages(alphabet):
    _, cursor = names(Window(limit=2))
    make_member(name="f")
    assert names(Window(limit=2, cursor=cursor))[0] == ["c", "b"]


def test_a_ranked_list_is_cut_into_pages():
    seen, cursor = [], None
    for _ in range(3):
        cut_out = cut("abcde", window=Window(limit=2, cursor=cursor), show=str.upper)
        seen, cursor = seen + cut_out.items, cut_out.next_cursor
    assert (seen, cursor) == (list("ABCDE"), None)
