"""WhatsApp's text: its forms of dates, lines that go on, what the app itself says, and ids that stay."""

from datetime import UTC, datetime

import pytest

from memory.importing import Unreadable
from memory.importing.whatsapp_exports import day_order
from tests.memory.importing.chat_exports import items, kind, left_out, said, zipped

FORMS = {
    "[09/10/2025, 14:05:06] Alice: Hello.": (14, 6), "[09.10.25, 14:05:06] Alice: Hello.": (14, 6),
    "[2025-10-09, 14:05:06] Alice: Hello.": (14, 6), "[2025/10/09 14:05:06] Alice: Hello.": (14, 6),
    "[9.10.2025 klo 14.05.06] Alice: Hello.": (14, 6), "09/10/2025, 14:05 - Alice: Hello.": (14, 0),
    "09.10.25, 14:05 - Alice: Hello.": (14, 0), "09-10-2025 14:05 - Alice: Hello.": (14, 0),
    "09/10/2025 à 14:05 - Alice: Hello.": (14, 0), "09/10/2025 14:05 - Alice: Hello.": (14, 0),
    "9/10/2025, 2:05 p. m. - Alice: Hello.": (14, 0), "2025-10-09, 14:05 - Alice: Hello.": (14, 0),
    "2025. 10. 9. 오후 2:05, Alice : Hello.": (14, 0), "\u200e[09/10/2025, 14:05:06] Alice: Hello.": (14, 6),
    "09.10.25 14.05.06: Alice: Hello.": (14, 6), "[09/10/2025, 2:05:06\u202fPM] Alice: Hello.": (14, 6),
    "9/10/25, 12:05 a.m. - Alice: Hello.": (0, 0),
}  # fmt: skip
"""A line of each form, written on 9 October 2025 at five past; the hour and the second that it tells."""
AFTER = {"sign": "[13/10/2025, 08:00:00] Bob: Later.", "dash": "13/10/2025, 08:00 - Bob: Later."}


def write(tmp_path, *lines, name="WhatsApp Chat with Harbour.txt"):
    path = tmp_path / name
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize("line", FORMS)
def test_every_form_of_a_date_is_read(tmp_path, line):
    later = line.replace("09/10", "13/10").replace("9/10", "13/10") if "PM" in line else line
    [first, *_] = said(items(write(tmp_path, line, *([later] if later != line else []))))
    hour, second = FORMS[line]
    assert first.sent_at == datetime(2025, 10, 9, hour, 5, second, tzinfo=UTC)
    assert (first.author.display_name, first.text) == ("Alice", "Hello.")


@pytest.mark.parametrize(
    ("lines", "order"),
    [(["1/2/25, 9:00 - A: x", "13/2/25, 9:00 - A: x"], "dmy"), (["1/2/25, 9:00 - A: x", "1/13/25, 9:00 - A: x"], "mdy"),
     (["1/12/25, 9:00 - A: x", "2/1/25, 9:00 - A: x"], "mdy"), (["12/1/25, 9:00 - A: x", "1/2/25, 9:00 - A: x"], "dmy"),
     (["1/2/25, 9:00 AM - A: x"], "mdy"), (["1/2/25, 9:00 - A: x"], "dmy"), (["2025-01-02, 9:00 - A: x"], "ymd")],
)  # fmt: skip
def test_the_beginning_decides_whether_day_or_month_comes_first(lines, order):
    assert day_order(lines) == order


def test_the_chat_is_a_guild_named_by_its_file(tmp_path):
    path = write(tmp_path, "09/10/2025, 14:05 - Alice: Hello.")
    [found] = items(path, zone="Europe/Berlin")
    assert kind(path) == "WhatsApp export"
    assert (found.guild.key, found.guild.name) == ("whatsapp:harbour", "Harbour")
    assert found.message.sent_at == datetime(2025, 10, 9, 12, 5, tzinfo=UTC)


def test_the_notice_a_chat_begins_with_is_nobodys_message_also_where_the_group_says_it(tmp_path):
    notice = "Messages and calls are end-to-end encrypted. No one outside of this chat can read them."
    told = items(write(tmp_path, f"09.10.2025, 14:05 - Harbour: {notice}", f"09.10.2025, 14:06 - Alice: {notice}"))
    assert [message.author.display_name for message in said(told)] == ["Alice"]
    assert left_out(told) == ["system_message"]


def test_the_zip_of_an_iphone_has_the_chats_name(tmp_path):
    path = zipped(
        tmp_path / "WhatsApp Chat - Harbour.zip", {"_chat.txt": "[09/10/2025, 14:05:06] Alice: Hello.\n", "a.jpg": b"x"}
    )
    assert items(path)[0].guild.key == "whatsapp:harbour"
    bare = write(tmp_path, "[09/10/2025, 14:05:06] Alice: Hello.", name="_chat.txt")
    with pytest.raises(Unreadable, match="--guild"):
        items(bare)
    assert items(bare, guild="whatsapp:north")[0].guild.key == "whatsapp:north"


def test_a_line_without_a_date_goes_on_with_the_words_before_it(tmp_path):
    path = write(
        tmp_path,
        "09/10/2025, 14:05 - Alice: First: a list",
        "- one",
        "",
        "two: three",
        "09/10/2025, 14:06 - Bob: Fine.",
    )
    assert [message.text for message in said(items(path))] == ["First: a list\n- one\n\ntwo: three", "Fine."]


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        ("Messages and calls are end-to-end encrypted. No one outside of this chat can read them.", "system_message"),
        ("Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.", "system_message"),
        ("Alice changed the subject to “Boats: all of them”", "system_message"),
        ("Alice hat die Gruppe „Boote: alle“ erstellt", "system_message"),
        ("Harbour: \u200eMessages and calls are end-to-end encrypted.", "system_message"),
        ("Alice: <Media omitted>", "attachment"), ("Alice: <Medien ausgeschlossen>", "attachment"),
        ("Alice: <Multimedia omitido>", "attachment"), ("Alice: \u200eimage omitted", "attachment"),
        ("Alice: \u200e<attached: 00000012-PHOTO.jpg>", "attachment"),
        ("Alice: IMG-20251009-WA0001.jpg (Datei angehängt)", "attachment"),
        ("Alice: This message was deleted", "deleted"), ("Alice: \u200eDiese Nachricht wurde gelöscht.", "deleted"),
        ("Alice: Ce message a été supprimé", "deleted"), ("Alice: Данное сообщение удалено", "deleted"),
    ],
)  # fmt: skip
def test_what_the_app_says_and_what_is_gone_is_left_out(tmp_path, rest, why):
    assert left_out(items(write(tmp_path, f"09/10/2025, 14:05 - {rest}"))) == [why]


def test_an_edited_message_keeps_its_last_words(tmp_path):
    line = "09/10/2025, 14:05 - Alice: We meet at ten. \u200e<This message was edited>"
    assert said(items(write(tmp_path, line)))[0].text == "We meet at ten."


def test_a_number_is_one_account_however_it_is_written(tmp_path):
    path = write(
        tmp_path,
        "09/10/2025, 14:05 - \u202a+49 151 2345678\u202c: Hello.",
        "09/10/2025, 14:06 - +49 1512345678: Again.",
    )
    assert {message.author.id for message in said(items(path))} == {"+491512345678"}


def test_ids_are_the_same_in_a_longer_export_and_differ_for_equal_words(tmp_path):
    lines = ["09/10/2025, 14:05 - Alice: Yes.", "09/10/2025, 14:05 - Alice: Yes."]
    short = [message.message_id for message in said(items(write(tmp_path, *lines)))]
    long = [message.message_id for message in said(items(write(tmp_path, *lines, "10/10/2025, 9:00 - Bob: No.")))]
    assert long[:2] == short
    assert len(set(long)) == 3


def test_a_day_that_there_is_not_is_refused_by_its_line(tmp_path):
    found = items(write(tmp_path, "09/10/2025, 14:05 - Alice: Hello.", "31/13/2025, 14:05 - Alice: Never."))
    assert "there is not" in left_out(found)[0]


def test_what_is_not_utf8_further_on_is_told_with_its_line(tmp_path):
    path = write(tmp_path, *["09/10/2025, 14:05 - Alice: Hello."] * 40_000)
    path.write_bytes(path.read_bytes() + "10/10/2025, 9:00 - Bob: Ça va\n".encode("latin-1"))
    with pytest.raises(Unreadable, match="line 40001"):
        items(path)
