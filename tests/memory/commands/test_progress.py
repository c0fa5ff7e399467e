"""How far a file is read is told on standard error: a bar on a terminal, else a line now and then."""

import sys

import pytest

from memory.management import progress


def test_without_a_terminal_a_line_is_written_now_and_then(capsys, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.0)
    with progress.file_bar("talk.json", 3_000_000) as tell:
        tell(1_000_000, 1234)
    assert capsys.readouterr() == ("", "talk.json: 1 of 3 MB read, 1,234 messages\n")


def test_without_a_terminal_a_quick_import_is_silent(capsys):
    with progress.file_bar("talk.json", 3_000_000) as tell:
        tell(1_000_000, 1234)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("what", ["web:smile: a day", "[red]web:1"])
def test_a_bar_shows_what_is_under_way_as_it_is_called(capsys, what):
    with progress.bars() as advance:
        advance(what, 1, 2)
    assert what in capsys.readouterr().err


@pytest.mark.parametrize("size", [None, 3_000_000])
def test_a_terminal_shows_a_bar_and_never_takes_a_name_for_markup(capsys, monkeypatch, size):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress.file_bar("[red]:smile:.json", size) as tell:
        tell(1_000_000, 1234)
    out, err = capsys.readouterr()
    assert out == ""
    assert "[red]:smile:.json" in err
    assert "1,234 messages" in err
