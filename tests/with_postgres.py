"""Runs a script on a PostgreSQL that it starts from the wheel: `python -m tests.with_postgres FILE ...`."""

from __future__ import annotations

import runpy
import sys

import tests.postgres  # noqa: F401  (with MEMORYHUB_TEST_DATABASE=postgres it starts the server and names it)

if __name__ == "__main__":
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
