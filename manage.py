#!/usr/bin/env python
"""Django's command line for memoryhub."""

import atexit
import gc
import io
import os
import select
import sys
import threading
from contextlib import suppress

UNREAD = 141  # the exit code that a shell has for what SIGPIPE ended


def main() -> None:
    """Run the command named in the arguments."""
    gc.set_threshold(50_000)  # at its usual 700 a start spends a tenth of its time looking through what it imports
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    if isinstance(sys.stdout, io.TextIOWrapper):  # a file's name need not be UTF-8, nor a terminal know all letters
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        from memoryhub.site.management.command_list import CommandLine
    except ImportError as error:
        sys.exit(f"memoryhub is not installed in this Python ({error}). Run `make setup`, then use .venv/bin/python.")
    from django.core.exceptions import ImproperlyConfigured
    from django.db import Error

    try:
        CommandLine(sys.argv).execute()
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))
    except (Error, OSError) as error:
        from memoryhub.db.trouble import explain, is_of_the_database

        # A bug shows its traceback; what befalls the database file is the operator's to mend.
        if not is_of_the_database(error) or "--traceback" in sys.argv:
            raise
        sys.exit(explain(error))


def leave() -> None:
    """End at once where all is done and no thread runs: freeing each object first takes a sixth of a short command."""
    if threading.active_count() == 1:
        atexit._run_exitfuncs()
        with suppress(OSError):  # a disk that is full, say: Python has its own way to say so
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        if drop_unread():
            sys.exit(UNREAD)


def drop_unread() -> bool:
    """Print to nowhere from now on where nobody reads any more, as behind `| head`; say whether that is so."""
    poll = select.poll()
    for number in (1, 2):
        poll.register(number, 0)
    unread = [number for number, state in poll.poll(0) if state & (select.POLLERR | select.POLLHUP)]
    for number in unread:
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    return bool(unread)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # a command that can say more has said it
        if "--traceback" in sys.argv:
            raise
        sys.stderr.write("\nInterrupted. The same command can be run again.\n")
        sys.exit(130)
    except BrokenPipeError:
        if not drop_unread():
            raise
        sys.exit(UNREAD)
    leave()
