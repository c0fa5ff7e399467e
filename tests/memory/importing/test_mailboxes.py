"""An mbox: whose list, who wrote, what is quoted, encodings, and mails that are none."""

from datetime import UTC, datetime

from tests.memory.importing.chat_exports import items, kind, left_out, said

MAIL = """From alice@example.org Thu Oct  9 10:53:20 2025
From: =?utf-8?q?Ali=C3=A7e?= <Alice@Example.org>
To: harbour@lists.example.org
List-Id: Harbour talk <harbour.lists.example.org>
Message-ID: <one@example.org>
Date: Thu, 09 Oct 2025 10:53:20 +0200
Content-Type: text/plain; charset=utf-8

The ferry leaves at nine.
>From the south pier.

--{}
Alice, harbour master
""".format(" ")  # the sign of a signature ends with a blank
ANSWER = """From bob@example.org Thu Oct  9 11:00:00 2025
From: bob@example.org
Message-ID: <two@example.org>
In-Reply-To: <one@example.org>
List-Id: <harbour.lists.example.org>
Date: Thu, 09 Oct 2025 09:00:00 +0000
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: 8bit

On Thu, 9 Oct 2025 at 10:53, Alice wrote:
> The ferry leaves at nine.

Ça va.
"""


def write(tmp_path, *mails):
    path = tmp_path / "harbour.mbox"
    path.write_bytes(b"\n".join(mail.encode("latin-1") if "8859" in mail else mail.encode() for mail in mails))
    return path


def test_a_list_is_a_guild_and_its_mails_are_read_in_their_encodings(tmp_path):
    path = write(tmp_path, MAIL, ANSWER)
    found = items(path)
    first, second = said(found)
    assert kind(path) == "mbox"
    assert {each.guild.key for each in found} == {"mail:harbour.lists.example.org"}
    assert (first.message_id, first.author.id, first.author.display_name) == (
        "one@example.org",
        "alice@example.org",
        "Aliçe",
    )
    assert first.text == "The ferry leaves at nine.\nFrom the south pier."
    assert first.sent_at == datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
    assert (second.text, second.reply_to) == ("Ça va.", "one@example.org")


def test_a_folder_of_mail_without_a_list_is_named_by_its_file(tmp_path):
    plain = MAIL.replace("List-Id: Harbour talk <harbour.lists.example.org>\n", "")
    assert items(write(tmp_path, plain))[0].guild.key == "mail:harbour"


def test_a_mail_without_plain_words_is_left_out(tmp_path):
    page = MAIL.replace("text/plain", "text/html")
    assert left_out(items(write(tmp_path, page))) == ["no_plain_text"]


def test_what_a_machine_answers_for_somebody_is_not_said_by_them(tmp_path):
    away = ANSWER.replace("List-Id", "Auto-Submitted: auto-replied\nList-Id")
    [found] = said(items(write(tmp_path, away)))
    assert (found.author.id, found.author.is_bot) == ("automatic:bob@example.org", True)


def test_what_is_no_mail_is_refused_by_its_number_and_the_next_is_read(tmp_path):
    undated = MAIL.replace("Date: Thu, 09 Oct 2025 10:53:20 +0200", "Date: some day")
    found = items(write(tmp_path, undated, ANSWER))
    assert "mail 1" in found[0].where
    assert len(said(found)) == 1
