from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError

from tests.ports import reserved_port


def said(part):
    with pytest.raises(CommandError) as refused:
        call_command("healthcheck", part)
    return str(refused.value)


class NotReady(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(503)

    def log_message(self, *_):
        pass


def test_a_web_server_that_is_not_there_is_said_to_be_silent():
    address = f"http://127.0.0.1:{reserved_port()}/health/ready"
    assert said(address) == f"{address} does not answer: Connection refused."


def test_a_web_server_that_is_not_ready_is_quoted():
    with HTTPServer(("127.0.0.1", 0), NotReady) as server:
        Thread(target=server.handle_request, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/health/ready"
        assert said(address) == f"{address} answered 503, Service Unavailable."


def test_no_other_part_can_be_asked():
    assert said("cellar") == "'cellar' is nothing that can be asked: write worker, bot or http://HOST:PORT/PATH."


@pytest.mark.parametrize("address", ["http://[::1", "http://hub.example/\u00fc"])
def test_what_is_no_address_is_told_in_words(address):
    assert said(address) == f"{address!r} is no address; write http://HOST:PORT/PATH."


@pytest.mark.django_db
def test_a_bot_that_never_said_so_does_not_run():
    assert said("bot") == "No bot of this host has said that it runs."


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_named(monkeypatch):
    def broken(**_):
        raise OperationalError("unable to open database file")

    monkeypatch.setattr("botrunner.models.BotProcess.objects.filter", broken)
    assert said("bot") == "bot: the database does not answer (OperationalError)."
