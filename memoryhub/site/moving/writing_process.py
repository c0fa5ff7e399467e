"""The process that writes the new database: with that one's address, it does what it is told through a pipe."""

from __future__ import annotations

import os
from multiprocessing.connection import Connection


def run(pipe: Connection, url: str) -> None:
    """Answer calls of `NewDatabase`'s methods until the pipe is closed."""
    os.environ.update(DATABASE_URL=url, DATABASE_URL_FILE="")  # before anything reads the settings
    import django

    try:
        django.setup()
        from django.db import Error

        from memoryhub.db.trouble import explain
        from memoryhub.site.moving.new_database import NewDatabase, Refused

        new = NewDatabase()
        while True:
            method, *arguments = pipe.recv()
            try:
                pipe.send(("ok", getattr(new, method)(*arguments)))
            except Refused as error:
                pipe.send(("refused", str(error)))
            except (Error, OSError) as error:
                pipe.send(("refused", f"The new database: {explain(error).replace('DATABASE_URL', '--to')}"))
    except EOFError:
        return  # whoever called is done, or was killed
    except Exception as error:  # noqa: BLE001  the step boundary: who waits at the other end must be told
        pipe.send(("refused", f"The new database: {error}"))
