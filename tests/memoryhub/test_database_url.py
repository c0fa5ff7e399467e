"""DATABASE_URL: an address that names no database is told in one sentence, without the password in it."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryhub.database_url import databases


def test_a_path_is_relative_to_the_data_folder_or_absolute(tmp_path):
    assert databases("sqlite:///x.sqlite3", folder=tmp_path, sync=False)["default"]["NAME"] == tmp_path / "x.sqlite3"
    assert str(databases("sqlite:////srv/x", folder=tmp_path, sync=False)["default"]["NAME"]) == "/srv/x"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://hub:secret@host/house", "house", "sqlite://host/file", "postgres://hub:secret@host",
        "postgres://hub:secret@[host/house", "postgres://hub:secret@host/house?nonsense=1", "://",
    ],
)  # fmt: skip
def test_another_address_is_refused_in_a_sentence_without_its_password(url, tmp_path):
    with pytest.raises(ImproperlyConfigured) as refused:
        databases(url, folder=tmp_path, sync=False)
    assert "postgres://user:password@host/database" in str(refused.value)
    assert "secret" not in str(refused.value)
