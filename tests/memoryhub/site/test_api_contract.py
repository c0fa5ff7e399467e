import json
import os
from pathlib import Path

import jsonschema
import pytest
from django.db import connection
from django.utils import timezone
from django_q.models import Schedule

from memoryhub.site import auth, openapi
from memoryhub.site.api import Renderer, api, known_names
from tests.api_client import BODIES, Api
from tests.factories import make_guild

SNAPSHOT = Path(__file__).parents[2] / "snapshots" / "openapi.json"
DOCUMENT = json.loads(json.dumps(api.get_openapi_schema()))
OPERATIONS = [(path, method, op) for path, ops in DOCUMENT["paths"].items() for method, op in ops.items()]
NAMES = [op["operationId"] for _, _, op in OPERATIONS]
TAKEN = {
    op["operationId"]: op["requestBody"]["content"]["application/json"]
    for _, _, op in OPERATIONS
    if "requestBody" in op
}


def test_the_document_is_as_it_was():
    """Set UPDATE_SNAPSHOTS=1 to accept a change of the contract."""
    document = json.dumps(DOCUMENT, indent=1, sort_keys=True) + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        SNAPSHOT.write_text(document, encoding="utf-8")
    assert document == SNAPSHOT.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "written"),
    [("Käse", '{"text":"Käse"}'), ("\ud83d", '{"text": "\\ud83d"}')],
    ids=["whole", "half a character"],
)
def test_an_answer_is_written_whatever_is_in_it(text, written, rf):
    body = Renderer().render(rf.get("/"), {"text": text}, response_status=200)
    assert (body.decode() if isinstance(body, bytes) else body) == written


def test_every_operation_has_a_name_of_its_own():
    assert len(set(NAMES)) == len(NAMES)


def test_what_a_route_takes_is_what_the_document_says():
    known, bodiless = known_names()
    parameters = dict(known)
    for path, method, operation in OPERATIONS:
        route = (method.upper(), path)
        told = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"}
        takes_none = method == "post" and "requestBody" not in operation and path.startswith("/api/v1/")
        assert (parameters.pop(route), route in bodiless) == (told, takes_none), route
    assert not parameters


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_every_route_says_how_it_may_refuse(path, method, operation):
    declared = set(operation["responses"])
    needed = {"503"} if path.endswith("/health") else {"401", "403", "404", "503"}
    needed |= {"422"} if operation["parameters"] else set()
    needed |= {"400", "413", "415", "422"} if "requestBody" in operation else set()
    assert needed <= declared


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_every_refusal_is_a_problem(path, method, operation):
    if path.endswith("/health"):
        return
    for status, response in operation["responses"].items():
        if int(status) >= 400 and status != "414":  # the web server's own
            assert list(response["content"]) == ["application/problem+json"]


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_every_route_is_described(path, method, operation):
    assert operation["description"].endswith(".")


@pytest.mark.parametrize("name", [name for name, op in zip(NAMES, OPERATIONS, strict=True) if op[1] == "post"])
def test_every_post_takes_an_idempotency_key(name):
    operation = next(op for _, _, op in OPERATIONS if op["operationId"] == name)
    assert "Idempotency-Key" in [parameter["name"] for parameter in operation["parameters"]]


def test_every_field_that_a_body_does_not_name_is_refused():
    bodies = [
        op["requestBody"]["content"]["application/json"]["schema"] for _, _, op in OPERATIONS if "requestBody" in op
    ]
    names = [ref.rsplit("/", 1)[1] for body in bodies for ref in _references(body)]
    assert names
    assert all(DOCUMENT["components"]["schemas"][name]["additionalProperties"] is False for name in names)


def test_tests_have_a_body_for_every_route_that_needs_one():
    needing = {op["operationId"] for _, _, op in OPERATIONS if op.get("requestBody", {}).get("required")}
    assert needing == set(BODIES)


def _references(schema):
    found = [schema["$ref"]] if "$ref" in schema else []
    return found + [ref for part in schema.get("anyOf", []) for ref in _references(part)]


@pytest.mark.django_db
def test_the_document_is_served():
    assert Api(None).get("/api/v1/openapi.json").json() == DOCUMENT


@pytest.mark.django_db
def test_the_page_to_try_it_asks_nobody_outside():
    page = Api(None).get("/api/v1/docs")
    assert page.status_code == 200
    assert b"https://" not in page.content


@pytest.mark.django_db
def test_the_hub_says_how_it_is_without_a_key():
    Schedule.objects.update(next_run=timezone.now())  # the database may have been made minutes ago
    assert Api(None).get("/api/v1/health").json() == {
        "status": "ok", "version": api.version, "database": "ok", "queue": "ok",
        "vectors": "pgvector" if connection.vendor == "postgresql" else "sqlite-vec", "model": "offline",
    }  # fmt: skip


LINKED = [
    (name, target, link["parameters"])
    for name, (_, _, op) in zip(NAMES, OPERATIONS, strict=True)
    for status, answer in op["responses"].items()
    for target, link in answer.get("links", {}).items()
    if status < "300"
]


@pytest.mark.parametrize(("name", "target", "given"), LINKED)
def test_a_link_gives_all_that_its_route_needs(name, target, given):
    operation = OPERATIONS[NAMES.index(target)][2]
    assert {each["name"] for each in operation["parameters"] if each["required"]} == given.keys()
    path = OPERATIONS[NAMES.index(name)][0]
    from_path = [value.rpartition(".")[2] for value in given.values() if value.startswith("$request.path")]
    assert all(f"{{{each}}}" in path for each in from_path)


@pytest.mark.django_db
def test_a_client_follows_a_link_from_what_it_made_to_what_it_reads():
    """As a generated client does: by the document alone."""
    api = Api(auth.issue(name="test", guild=make_guild(), scope="admin"))
    made = api.post("discord:1/facts", {"lore": True, "text": "The cat rules the channel."})
    links = OPERATIONS[NAMES.index("remember_fact")][2]["responses"]["201"]["links"]
    given = links["show_fact"]["parameters"]
    assert given == {"key": "$request.path.key", "fact_id": "$response.body#/id"}
    path = OPERATIONS[NAMES.index("show_fact")][0].format(key="discord:1", fact_id=made.json()["id"])
    assert api.get(path).json() == made.json()


@pytest.mark.parametrize("name", sorted(openapi.EXAMPLES))
def test_an_example_of_a_body_is_one_that_the_route_takes(name):
    jsonschema.validate(TAKEN[name]["example"], {"components": DOCUMENT["components"]} | TAKEN[name]["schema"])


def test_every_body_has_an_example_but_those_that_may_be_left_out():
    assert set(TAKEN) - set(openapi.EXAMPLES) == {"replay_parked", "replay_webhook"}


def test_every_parameter_and_every_subject_is_explained():
    silent = {
        (each["name"], operation["operationId"])
        for _, _, operation in OPERATIONS
        for each in operation["parameters"]
        if not (each.get("description") or each["schema"].get("description"))
    }
    assert silent == set()
    assert [each["name"] for each in DOCUMENT["tags"] if not each["description"]] == []
