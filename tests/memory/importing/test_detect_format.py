"""A file is known by its content, read as a stream, and refused with words that say what to do."""

import gzip

import pytest

from memory.importing import Invalid, ReadMessage, Skipped, Unreadable, open_source, read
from tests.exported import export, exported, line, lines, studied, write


def items(folder, data, guild=""):
    with open_source(write(folder, data)) as source:
        return list(read(source, guild=guild))


def complaint(folder, data):
    with pytest.raises(Unreadable) as caught:
        items(folder, data)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (export(exported()), "discord:1"),
        (lines(line()), "discord:1"),
        (lines(studied()), "conversation:talk-1"),
        (b"\xef\xbb\xbf" + export(exported()), "discord:1"),
        (b"\xef\xbb\xbf" + lines(line()), "discord:1"),
        (b"\n  \n" + lines(line()), "discord:1"),
        (lines(line()).replace(b"\n", b"\r\n"), "discord:1"),
        (lines(line()).rstrip(), "discord:1"),
        (export(exported()).replace(b"\n", b""), "discord:1"),
    ],
    ids=["export", "lines", "study", "export BOM", "lines BOM", "blank lines", "CRLF", "no last newline", "one line"],
)
def test_each_kind_of_file_is_known_by_its_content(tmp_path, data, key):
    [said] = items(tmp_path, data)
    assert isinstance(said, ReadMessage)
    assert (said.guild.key, said.message.text) == (key, "I live in Toronto.")
    assert said.message.source == "import"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (gzip.compress(lines(line())), "Unpack it first"),
        (b"PK\x03\x04rest", "Unpack it first"),
        (lines(line()).decode().encode("utf-16"), "iconv -f UTF-16 -t UTF-8"),
        (lines(line()).decode().encode("utf-16-le"), "iconv -f UTF-16 -t UTF-8"),
        (export(exported()).decode().encode("utf-16-be"), "iconv -f UTF-16 -t UTF-8"),
        (export(exported()).decode().encode("utf-32"), "iconv -f UTF-32 -t UTF-8"),
        (lines(line(text="Ça va ?")).decode().encode("latin-1"), "iconv -f LATIN1 -t UTF-8"),
        (export(exported(content="Ça va ?")).decode().encode("latin-1"), "iconv -f LATIN1 -t UTF-8"),
        (b"id,author,text\n1,alice,hello\n", "none of the files that can be read"),
        (b'[{"message_id": "1"}]', "none of the files that can be read"),
        (b'{"name": "memoryhub", "version": "1"}', "none of the files that can be read"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is no text"),
        (b"\x89no picture", "not UTF-8"),
        (lines({"conversation": "talk-1", "question_id": 1, "question": "Where?"}), "none of the files"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(tmp_path, data, words):
    assert words in complaint(tmp_path, data)


def test_a_complaint_goes_on_after_the_name_of_the_file(tmp_path):
    assert complaint(tmp_path, b"id,author,text\n1,alice,hello\n").startswith("is none of the files that can be read: ")


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(Unreadable, match="is not there"), open_source(str(tmp_path / "gone")):
        pass


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(Unreadable, match="cannot be opened: Is a directory"), open_source(str(tmp_path)):
        pass


def test_bad_lines_are_refused_by_number_and_the_others_read(tmp_path):
    bad = b"".join(
        [lines(line(1)), b"not JSON\n", b"[1]\n", b"\n", lines(line(5, sent_at="2026-03-02T12:00:00"), line(6))]
    )
    found = items(tmp_path, bad)
    assert [each.message.message_id for each in found if isinstance(each, ReadMessage)] == ["m-1", "m-6"]
    assert [each.where for each in found if isinstance(each, Invalid)] == ["line 2", "line 3", "line 5"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"sent_at": "yesterday"}, "sent_at: "),
        ({"sent_at": "2026-03-02T12:00:00"}, "sent_at: Must be a moment with its time zone"),
        ({"sent_at": "1969-12-31T23:59:59Z"}, "sent_at: Must not lie before 1970"),
        ({"sent_at": 1772452800}, "sent_at: "),
        ({"message_id": 17}, "message_id: Must be text"),
        ({"message_id": ""}, "message_id: "),
        ({"text": "x" * 100_001}, "text: Must have at most 100,000 "),
        ({"channel": {"name": "general"}}, "channel.id: This is required"),
        ({"author": "alice"}, "author: "),
        ({"mood": "glad"}, "mood: There is no such field"),
        ({"guild": {"key": "1234"}}, "guild.key: "),
        ({"guild": "discord:1"}, "guild: "),
    ],
)
def test_a_refused_line_names_the_field_and_never_quotes_it(tmp_path, fields, words):
    data = lines(line(1, text="The secret is Dumpling.")) + lines({**line(2, text="The secret is Dumpling."), **fields})
    _, refused = items(tmp_path, data)
    assert isinstance(refused, Invalid)
    assert refused.where == "line 2"
    assert words in refused.reason
    assert "Dumpling" not in refused.reason
    assert "xxx" not in refused.reason


def test_a_field_name_cannot_write_to_the_terminal(tmp_path):
    [refused] = items(tmp_path, b'{"message_id": "m-1", "\\u001b[2Jodd\\ud800": 1}\n')
    assert isinstance(refused, Invalid)
    assert refused.reason.isprintable()


def test_a_line_without_a_guild_needs_the_option(tmp_path):
    data = lines(line(guild=None))
    [refused] = items(tmp_path, data)
    assert "--guild" in refused.reason
    [said] = items(tmp_path, data, guild="sms:7")
    assert said.guild.key == "sms:7"


def test_the_option_names_the_guild_of_all_that_a_file_holds(tmp_path):
    [said] = items(tmp_path, lines(line()), guild="sms:7")
    assert (said.guild.key, said.guild.name) == ("sms:7", "")


def test_a_line_keeps_what_it_says_of_its_source(tmp_path):
    [said] = items(tmp_path, lines(line(source="voice")))
    assert said.message.source == "voice"


def test_text_comes_through_as_it_was_said(tmp_path):
    text = "שלום 👩‍👩‍👧 \u202eabc\u202c na\u0308ive \u2028 line"
    [said] = items(tmp_path, lines(line(text=text)))
    assert said.message.text == text


def test_null_characters_and_half_letters_are_left_out(tmp_path):
    [said] = items(tmp_path, lines(line()).replace(b"Toronto", b"Tor\\u0000on\\ud83dto"))
    assert said.message.text == "I live in Toronto."


def test_a_line_beyond_all_measure_is_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr("memory.importing.json_lines.LONGEST", 400)
    _first, second, third = items(tmp_path, lines(line(1), line(2, text="x" * 2000), line(3)))
    assert (second.where, third.message.message_id) == ("line 2", "m-3")


def test_a_deeply_nested_line_is_refused(tmp_path):
    _, refused = items(tmp_path, lines(line()) + b'{"text":' + b"[" * 100_000 + b"\n")
    assert isinstance(refused, Invalid)


def stream(folder, data):
    """What came before the break, and the complaint."""
    found = []
    try:
        with open_source(write(folder, data)) as source:
            for item in read(source):
                found.append(item)
    except Unreadable as error:
        return found, str(error)
    return found, ""


def test_half_a_file_of_lines_is_read_up_to_the_break(tmp_path):
    whole = lines(line(1), line(2), line(3, text="Grüße"))
    found, why = stream(tmp_path, whole[:-30])
    assert len(found) == 2
    assert f"in line 3, which begins at byte {len(lines(line(1), line(2)))}" in why


def test_half_an_export_is_read_up_to_the_break(tmp_path):
    whole = export(*(exported(number) for number in range(1, 11)))
    cut = whole[: whole.index(b'"m-8"')]
    found, why = stream(tmp_path, cut)
    assert len(found) == 7
    assert f"breaks off at byte {len(cut)}, after 7 whole messages and without the messageCount" in why


@pytest.mark.parametrize("less", range(1, 25))
def test_a_file_that_lacks_its_last_bytes_is_never_taken_for_whole(tmp_path, less):
    whole = export(exported(1), exported(2))
    found, why = stream(tmp_path, whole[:-less])
    assert len(found) == 2
    assert "breaks off" in why


@pytest.mark.parametrize("less", range(2, 12))
def test_a_file_cut_inside_a_letter_is_cut_not_badly_encoded(tmp_path, less):
    data = lines(line(1), line(2, text="ok", sent_at=None, guild=None)) + '{"text": "Grüße 👍👍'.encode()
    _, why = stream(tmp_path, data[:-less])
    assert "breaks off" in why


@pytest.mark.parametrize("more", range(1, 8))
def test_an_export_cut_inside_a_letter_is_cut_not_badly_encoded(tmp_path, more):
    whole = export(exported(1), exported(2, "👍👍"))
    found, why = stream(tmp_path, whole[: whole.index("👍".encode()) + more])
    assert len(found) == 1
    assert "breaks off" in why


def test_an_export_with_a_broken_place_says_where_and_does_not_quote_it(tmp_path):
    whole = export(exported(1, "Dumpling one"), exported(2, "Dumpling two"), exported(3))
    found, why = stream(tmp_path, whole.replace(b'"content": "Dumpling two"', b'"content": Dumpling two'))
    assert len(found) == 1
    assert "is not JSON after message 1" in why
    assert "Dumpling" not in why


def test_a_bad_letter_far_into_a_file_of_lines_stops_it_there(tmp_path, monkeypatch):
    monkeypatch.setattr("memory.importing.open_file.HEAD", 200)
    data = lines(line(1), line(2)) + lines(line(3, text="Ça va ?")).decode().encode("latin-1") + lines(line(4))
    found, why = stream(tmp_path, data)
    assert len(found) == 2
    assert "is not UTF-8 (line 3, byte " in why


def test_left_out_is_not_refused(tmp_path):
    assert items(tmp_path, lines(studied(system=True))) == [Skipped("system_message")]
