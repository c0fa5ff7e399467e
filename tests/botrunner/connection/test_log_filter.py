"""What discord.py logs while it reconnects is a sentence."""

from __future__ import annotations

import logging

from botrunner.connection.log_filter import short_logs


def _fails_to_connect():
    try:
        raise OSError("Connect call failed")
    except OSError:
        logging.getLogger("discord.shard").exception("Failed to connect for shard_id: %s. Retrying...", 0)


def test_a_failed_try_is_told_in_one_line_while_the_bot_runs(caplog):
    with short_logs():
        _fails_to_connect()
    assert caplog.records[0].getMessage() == "Failed to connect for shard_id: 0. Retrying... (OSError)"
    assert caplog.records[0].exc_info is None


def test_afterwards_nothing_is_shortened(caplog):
    with short_logs():
        pass
    _fails_to_connect()
    assert caplog.records[0].exc_info is not None
