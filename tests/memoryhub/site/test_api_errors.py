import errno
import gzip
import json
import logging

import pytest
from django.db import OperationalError
from django.test import Client, override_settings

from memory import pipeline
from memoryhub.site import audit
from tests.api_client import PROBLEM, Api, a_message, api_for
from tests.factories import make_guild, make_member

pytestmark = pytest.mark.django_db
JSON = {"Content-Type": "application/json"}
TOO_LONG = "Must have at most 100,000 characters."


def is_problem(answer, status: int) -> dict:
    assert (answer.status_code, answer["Content-Type"]) == (status, PROBLEM)
    body = answer.json()
    assert body["status"] == status
    assert {"type", "title", "detail"} <= body.keys()
    return body


@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v2/health", "/admin/api/x"]
)
def test_an_unknown_address_is_a_problem(path):
    is_problem(Api(None).client.get(path, follow=True), 404)


def test_an_unknown_address_is_a_problem_for_a_post_too():
    is_problem(Client(enforce_csrf_checks=True).post("/api/v1/nothing"), 404)


def test_a_wrong_method_is_a_problem_that_names_the_right_ones():
    answer = api_for(make_guild()).call("PUT", "discord:1/facts")
    is_problem(answer, 405)
    assert set(answer["Allow"].split(", ")) == {"GET", "HEAD", "POST"}
    assert answer.json()["detail"] == f"This address takes: {answer['Allow']}."


@pytest.mark.parametrize("page", ["openapi.json", "docs"])
def test_the_document_is_read_and_takes_nothing_else(page):
    answer = Client(enforce_csrf_checks=True).post(f"/api/v1/{page}")
    is_problem(answer, 405)
    assert answer["Allow"] == "GET, HEAD"
    assert Client().get(f"/api/v1/{page}").status_code == 200


def test_an_unknown_field_is_named():
    body = is_problem(api_for(make_guild()).post("discord:1/messages", a_message(color="red")), 422)
    assert body["errors"] == [{"field": "color", "message": "There is no such field."}]


def test_a_field_inside_a_batch_is_named_with_its_place():
    batch = {"messages": [a_message(1), a_message(2, author={"name": "bob"})]}
    body = is_problem(api_for(make_guild()).post("discord:1/messages/batch", batch), 422)
    assert body["errors"] == [{"field": "messages.1.author.id", "message": "This is required."}]


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"text": "x" * 100_001}, "text", TOO_LONG),
        ({"message_id": ""}, "message_id", "Must not be empty."),
        ({"channel": "general"}, "channel", "Must be an object."),
    ],
)
def test_what_is_wrong_with_a_field_is_said_in_plain_words(fields, field, message):
    body = is_problem(api_for(make_guild()).post("discord:1/messages", a_message(**fields)), 422)
    assert body["errors"] == [{"field": field, "message": message}]


def test_a_wrong_parameter_is_named():
    body = is_problem(api_for(make_guild()).get("discord:1/search", q="cats", kind="fact,dream"), 422)
    assert body["errors"] == [{"field": "kind", "message": "Must be one of: fact, note, message."}]


@pytest.mark.parametrize("path", ["/api/v1/health", "/api/v1/guilds/discord:1/facts", "/admin/api/memories"])
def test_a_host_that_is_not_allowed_is_told_what_to_do(path):
    body = is_problem(Client().get(path, headers={"Host": "evil.example"}), 400)
    assert "ALLOWED_HOSTS" in body["detail"]
    assert "evil" not in body["detail"]


def test_a_host_that_is_not_allowed_sees_no_page():
    answer = Client().get("/", headers={"Host": "evil.example"})
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/html; charset=utf-8")


@pytest.mark.parametrize(("error", "status"), [(OperationalError("locked"), 503), (RuntimeError("a secret"), 500)])
def test_what_goes_wrong_outside_of_a_view_is_a_problem(monkeypatch, error, status):
    def broken(*_: object) -> None:
        raise error

    api = api_for(make_guild())
    monkeypatch.setattr(audit, "describe", broken)
    body = is_problem(api.get("discord:1/facts"), status)
    assert "secret" not in body["detail"]


@pytest.mark.parametrize("path", ["channels/c1/flush", "channels/c1/summarize", "snapshot/refresh"])
def test_a_field_is_refused_where_none_is_taken(path):
    api = api_for(make_guild())
    api.post("discord:1/messages", a_message())
    body = is_problem(api.post(f"discord:1/{path}", {"surprise": 1}), 422)
    assert body["errors"] == [{"field": "surprise", "message": "There is no such field."}]
    is_problem(api.post(f"discord:1/{path}", [1]), 422)
    assert api.post(f"discord:1/{path}", {}).status_code == api.post(f"discord:1/{path}").status_code == 200


@pytest.mark.parametrize(("body", "kind", "status"), [("{", "application/json", 400), ("a=1", "text/plain", 415)])
def test_what_is_no_json_is_refused_where_no_body_is_taken(body, kind, status):
    api = api_for(make_guild())
    sent = {"data": body, "content_type": kind, "headers": api.headers}
    is_problem(api.client.post("/api/v1/guilds/discord:1/snapshot/refresh", **sent), status)


def test_a_long_list_of_errors_is_cut():
    batch = {"messages": [a_message(number, color="red") for number in range(50)]}
    body = is_problem(api_for(make_guild()).post("discord:1/messages/batch", batch), 422)
    assert len(body["errors"]) == 20
    assert body["detail"] == "50 fields can't be accepted. The first 20 are named."


def test_a_missing_body_is_invalid():
    is_problem(api_for(make_guild()).call("POST", "discord:1/messages", headers=JSON), 422)


@pytest.mark.parametrize(
    "body",
    [
        b"{", b"{'a': 1}", b"\xff\xfe\x00", b'{"text": "\xe9"}', b"[" * 100_000, b'{"a": NaN}', b'{"a": -1e999}',
        b"1" * 5000, b"\x00",
    ],
)  # fmt: skip
def test_a_body_that_is_no_json_is_malformed(body):
    is_problem(api_for(make_guild()).call("POST", "discord:1/messages", body), 400)


def test_a_malformed_body_is_not_repeated():
    answer = api_for(make_guild()).call("POST", "discord:1/messages", b'{"secret": swordfish}')
    assert b"swordfish" not in answer.content


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml"]
)
def test_a_body_of_another_kind_is_refused(kind):
    api = api_for(make_guild())
    answer = api.client.generic("POST", "/api/v1/guilds/discord:1/messages", "{}", kind, headers=api.headers)
    is_problem(answer, 415)


@pytest.mark.parametrize(("coding", "status"), [("gzip", 415), ("br", 415), ("identity", 201)])
def test_a_packed_body_is_refused_in_words(coding, status):
    api = api_for(make_guild())
    body = json.dumps(a_message()).encode()
    sent = gzip.compress(body) if status == 415 else body
    headers = {**api.headers, "Content-Encoding": coding}
    answer = api.client.generic("POST", "/api/v1/guilds/discord:1/messages", sent, "application/json", headers=headers)
    assert answer.status_code == status
    assert status == 201 or "Content-Encoding" in answer.json()["detail"]


def test_json_with_a_charset_is_json():
    api, address = api_for(make_guild()), "/api/v1/guilds/discord:1/messages"
    body, kind = json.dumps(a_message()), "application/json; charset=utf-8"
    assert api.client.generic("POST", address, body, kind, headers=api.headers).status_code == 201


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1_000)
def test_a_request_beyond_the_limit_is_too_large():
    answer = api_for(make_guild()).post("discord:1/messages", a_message(text="x" * 1_001))
    is_problem(answer, 413)
    assert "32 MB" in answer.json()["detail"]


@override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=1_000)
def test_a_request_beyond_the_limit_is_too_large_with_an_idempotency_key_too():
    answer = api_for(make_guild()).post("discord:1/messages", a_message(text="x" * 1_001), **{"Idempotency-Key": "a"})
    is_problem(answer, 413)


def test_a_database_that_is_away_is_said_to_be(monkeypatch):
    def locked(*_args, **_named):
        raise OperationalError("database is locked")

    monkeypatch.setattr(pipeline, "receive", locked)
    answer = api_for(make_guild()).post("discord:1/messages", a_message())
    assert is_problem(answer, 503)["detail"] == "The database is busy or away. Try again."
    assert answer["Retry-After"] == "5"


def test_a_process_that_may_open_no_further_file_says_so_in_a_line(monkeypatch, caplog):
    def full(*_args, **_named):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(pipeline, "receive", full)
    answer = api_for(make_guild()).post("discord:1/messages", a_message())
    assert "as its system allows" in is_problem(answer, 503)["detail"]
    assert "ulimit -n" in caplog.text
    assert ".py" not in caplog.records[-1].getMessage()


def test_what_nobody_expected_is_told_without_internals(monkeypatch, caplog):
    def breaks(message, **_named):
        raise RuntimeError(message.text)

    monkeypatch.setattr(pipeline, "receive", breaks)
    answer = api_for(make_guild()).post("discord:1/messages", a_message())
    is_problem(answer, 500)
    assert b"Toronto" not in answer.content
    assert "RuntimeError" in caplog.text
    assert "test_api_errors.py" in caplog.text
    assert "Toronto" not in caplog.text


def test_a_refused_question_is_not_logged(caplog):
    with caplog.at_level(logging.DEBUG):
        api_for(make_guild()).get("discord:1/search", q="Where does Alice live?", limit=99)
    assert "live" not in " ".join(f"{record.getMessage()} {vars(record)}" for record in caplog.records)


def test_a_good_answer_is_plain_json():
    assert api_for(make_guild()).get("discord:1/facts")["Content-Type"].startswith("application/json")


def test_a_parameter_that_there_is_not_is_named():
    body = is_problem(api_for(make_guild()).get("discord:1/facts", membr="u1"), 422)
    assert body["errors"] == [{"field": "membr", "message": "There is no such parameter."}]


def test_a_parameter_without_a_value_is_not_given():
    api = api_for(make_guild())
    assert api.get("discord:1/facts", member="", status="", kind="", q="", limit="", cursor="").status_code == 200
    assert api.get("discord:1/search", q="boat", kind="", strict="", explain="", as_of="").status_code == 200
    assert is_problem(api.get("discord:1/search", q=""), 422)["errors"][0]["field"] == "q"


def test_the_routes_of_the_source_designs_let_other_parameters_pass():
    make_guild()
    assert api_for().get("/api/memory", guildId="discord:1", nocache="1").status_code == 200


def test_who_has_no_key_is_not_told_of_parameters():
    is_problem(Api(None).get("discord:1/facts", membr="u1"), 401)


@pytest.mark.parametrize("unknown", ["nope", "0", "-1", "1e3", "9" * 30, "%D9%A3"])
@pytest.mark.parametrize("path", ["facts", "notes", "webhooks", "members/u-alice/profile/entries"])
def test_an_id_of_ours_that_is_no_number_is_not_there(path, unknown):
    make_member(name="Alice")
    method = "DELETE" if path == "webhooks" else "GET"
    api = api_for(make_guild(), "admin")
    told = is_problem(api.call(method, f"discord:1/{path}/999999"), 404)
    assert is_problem(api.call(method, f"discord:1/{path}/{unknown}"), 404) == told


@pytest.mark.parametrize("cursor", ["x", "0", "-1", "1.5", "9" * 30])
@pytest.mark.parametrize(("path", "name"), [("facts", "cursor"), ("parked", "messages_cursor")])
def test_what_no_list_handed_out_is_told_to_be_no_cursor(path, name, cursor):
    errors = is_problem(api_for(make_guild(), "admin").get(f"discord:1/{path}", **{name: cursor}), 422)["errors"]
    assert errors == [{"field": name, "message": "Must be the next cursor that the page before gave."}]


def test_a_memory_whose_id_is_no_number_is_not_there_on_the_route_of_the_source_design_too():
    make_guild()
    is_problem(api_for().delete("/admin/api/memories/nope"), 404)
