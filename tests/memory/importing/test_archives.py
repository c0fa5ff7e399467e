"""Folders and zips: what leads out of them, what they swell to, and what is damaged."""

import zipfile

import pytest

from memory.importing import Unreadable, archives
from tests.memory.importing.chat_exports import (
    folder,
    items,
    kind,
    said,
    slack,
    slack_export,
    telegram,
    telegram_chat,
    zipped,
)  # fmt: skip


@pytest.mark.parametrize(
    "name", ["../users.json", "/etc/users.json", "a/../../users.json", "..\\users.json", "C:\\x.json"]
)
def test_a_name_that_climbs_out_of_a_zip_is_refused(tmp_path, name):
    path = zipped(tmp_path / "export.zip", slack_export(slack("x")) | {name: []})
    with pytest.raises(Unreadable, match="climbs out"):
        items(path)


def test_a_link_that_leads_out_of_a_folder_is_refused(tmp_path):
    (tmp_path / "secret.json").write_text("[]")
    place = folder(tmp_path / "export", slack_export(slack("x")))
    (place / "general" / "2025-10-11.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(Unreadable, match="leads out"):
        items(place)


def test_a_zip_that_unpacks_to_far_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "BOMB_SIZE", 1 << 20)
    path = zipped(tmp_path / "bomb.zip", slack_export(slack("x")) | {"general/2025-10-10.json": b" " * (4 << 20)})
    with pytest.raises(Unreadable, match="hundreds of times"):
        items(path)


def test_a_list_that_is_far_too_long_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "MOST_WHOLE", 100)
    with pytest.raises(Unreadable, match=r"users\.json"):
        items(zipped(tmp_path / "export.zip", slack_export(slack("x"))))


def test_half_a_zip_is_refused(tmp_path):
    path = zipped(tmp_path / "export.zip", slack_export(slack("x")))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(Unreadable, match="cut or damaged"):
        items(path)


def test_a_zip_that_is_damaged_inside_is_told_with_the_file(tmp_path):
    path = zipped(tmp_path / "export.zip", slack_export(slack("The ferry leaves at nine.")))
    with zipfile.ZipFile(path) as packed:
        info = packed.getinfo("general/2025-10-09.json")
    data = bytearray(path.read_bytes())
    start = info.header_offset + 30 + len(info.filename)
    data[start + 10 : start + 30] = b"\xff" * 20
    path.write_bytes(bytes(data))
    with pytest.raises(Unreadable, match="2025-10-09"):
        items(path)


def test_a_file_of_a_folder_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "lines.jsonl").write_bytes('{"text": "grün"}'.encode("latin-1"))
    with pytest.raises(Unreadable, match=r"^holds lines\.jsonl, which is not UTF-8 \(line 1, byte "):
        items(tmp_path)


def test_a_zip_of_one_export_is_read_without_unpacking(tmp_path):
    path = zipped(tmp_path / "DataExport.zip", {"DataExport/result.json": telegram_chat(telegram("Hello, harbour."))})
    assert [message.text for message in said(items(path))] == ["Hello, harbour."]
    assert kind(path) == "Telegram export"


def test_a_folder_without_anything_known_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="none of the files"):
        items(folder(tmp_path, {"readme.txt": "Hello.", "picture.png": "x"}))
