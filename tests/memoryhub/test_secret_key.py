"""The secret key is made once, whole or not at all; one that can't be used is told in words."""

from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier

import pytest
from django.core.exceptions import ImproperlyConfigured

from memoryhub import secret_key

AT_ONCE = 4


def test_all_who_start_at_once_have_the_same_key(tmp_path, monkeypatch):
    barrier, make = Barrier(AT_ONCE), secret_key._make

    def together(path):
        barrier.wait()  # none had found a key
        make(path)

    monkeypatch.setattr(secret_key, "_make", together)
    numbers = count()
    monkeypatch.setattr(secret_key.os, "getpid", lambda: next(numbers))
    with ThreadPoolExecutor(AT_ONCE) as starts:
        keys = {*starts.map(secret_key.kept_in, [tmp_path] * AT_ONCE)}
    assert keys == {(tmp_path / "secret_key").read_text(encoding="utf-8")}
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_a_disk_that_is_full_at_the_first_start_leaves_no_half_of_a_key(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(secret_key.os, "fsync", full)
        with pytest.raises(ImproperlyConfigured, match="cannot be made: No space left"):
            secret_key.kept_in(tmp_path)
    assert not [*tmp_path.iterdir()]
    assert secret_key.kept_in(tmp_path) == secret_key.kept_in(tmp_path)


def test_a_key_that_is_empty_or_not_to_be_read_is_told_with_what_to_do(tmp_path):
    (tmp_path / "secret_key").touch()
    with pytest.raises(ImproperlyConfigured, match=r"is empty\. Put back the one"):
        secret_key.kept_in(tmp_path)
    (tmp_path / "secret_key").unlink()
    (tmp_path / "secret_key").mkdir()
    with pytest.raises(ImproperlyConfigured, match=r"cannot be read: Is a directory\. Let the user"):
        secret_key.kept_in(tmp_path)
