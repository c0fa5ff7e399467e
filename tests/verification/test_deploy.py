"""What stands in deploy/ runs: the commands of the image, of compose and of the units, outside of any container."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from configparser import ConfigParser
from urllib.parse import urlsplit

import pytest
import yaml

from tests.botrunner import wire as wires
from tests.verification.hub import ROOT, a_hub, until

DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "memoryhub"}
IMAGE = re.sub(r"\\\n", " ", (DEPLOY / "Containerfile").read_text(encoding="utf-8")).splitlines()
GIVEN = 30  # seconds until a stop is a kill


def instructions(name: str) -> list[str]:
    return [line.removeprefix(f"{name} ") for line in IMAGE if line.startswith(f"{name} ")]


def unit(name: str) -> ConfigParser:
    found = ConfigParser(strict=False, interpolation=None)
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read(DEPLOY / "systemd" / f"memoryhub-{name}.service")
    return found


def command(part: str, kind: str) -> list[str]:
    """Return the command of a part, as it is written down."""
    if kind == "image":
        return json.loads(instructions("CMD")[0])
    if kind == "compose":
        return SERVICES["migrate" if part == "prepare" else part]["command"]
    return unit(part)["Service"]["ExecStart"].split()


def arguments(words: list[str], port: int) -> list[str]:
    """Return the arguments for this test's Python; only program and address are others."""
    program, *rest = words
    rest = ["-m", "gunicorn", *rest] if program == "gunicorn" else rest
    assert program in ("gunicorn", "python", "/opt/memoryhub/.venv/bin/python")
    address = re.compile(r"(0\.0\.0\.0|127\.0\.0\.1):8000|\$\{MEMORYHUB_BIND\}")
    return [address.sub(f"127.0.0.1:{port}", word) for word in rest]


def is_well(hub, part):
    words = SERVICES[part]["healthcheck"]["test"]
    assert words[0] == "CMD"
    return hub.manage(*arguments(words[1:], hub.port)[1:]).returncode == 0


def stop(process):
    process.send_signal(signal.SIGTERM)
    assert process.wait(GIVEN) == 0


@pytest.mark.parametrize("kind", ["compose", "unit"])
def test_what_comes_first_makes_the_tables_and_the_administrator_once(kind, tmp_path):
    with a_hub(tmp_path) as hub:
        (tmp_path / "memoryhub.sqlite3").unlink()
        words = arguments(command("prepare", kind), hub.port)
        first, second = (hub.manage(*words[1:]) for _ in range(2))
        assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
        assert "Sign in as admin with the password" in first.stdout
        assert second.stdout == "The database is ready.\n"
        assert hub.manage("check").returncode == 0


@pytest.mark.parametrize("kind", ["image", "compose", "unit"])
def test_the_web_server_becomes_ready_and_stops_in_time(kind, tmp_path):
    with a_hub(tmp_path, HOME=str(tmp_path), XDG_RUNTIME_DIR="") as hub:
        process = hub.start(*arguments(command("web", kind), hub.port))
        until(lambda: is_well(hub, "web"), "the web server is ready")
        assert not list(tmp_path.rglob("*.ctl"))  # the home of two containers is one volume
        stop(process)
        assert not is_well(hub, "web")


@pytest.mark.parametrize("kind", ["compose", "unit"])
def test_the_worker_becomes_well_and_stops_in_time(kind, tmp_path):
    with a_hub(tmp_path) as hub:
        assert not is_well(hub, "worker")
        process = hub.start(*arguments(command("worker", kind), hub.port))
        until(lambda: is_well(hub, "worker"), "the worker is well")
        stop(process)
        assert not is_well(hub, "worker")


@pytest.mark.parametrize("kind", ["compose", "unit"])
async def test_the_bot_becomes_well_and_stops_in_time(kind, tmp_path):
    with a_hub(tmp_path, DISCORD_TOKEN="a.b.c") as hub:
        async with wires.served() as wire:
            hub.changes |= {"DISCORD_API_BASE": wire.api, "DISCORD_GATEWAY_URL": wire.gateway}
            assert not is_well(hub, "bot")
            process = hub.start(*arguments(command("bot", kind), hub.port))
            await wires.until(lambda: wire.shards)
            assert is_well(hub, "bot")
            process.terminate()
            await wires.until(lambda: process.poll() is not None)
    assert process.returncode == 0
    assert "all that it heard is written" in hub.log


def test_the_image_has_all_that_runs_and_runs_as_nobody_special():
    copied = {line.split()[0] for line in instructions("COPY")}
    assert copied == {"manage.py", "requirements-traces.txt"} | {
        path.name for path in ROOT.iterdir() if (path / "__init__.py").exists() and path.name != "tests"
    } | {"templates", "static"}
    assert instructions("USER") == ["10001:10001"]  # a number: an orchestrator sees that it is not root
    health = json.loads(instructions("HEALTHCHECK")[0].partition("CMD ")[2])
    assert ["CMD", *health] == SERVICES["web"]["healthcheck"]["test"]


def test_nothing_but_what_the_image_is_made_of_is_handed_to_its_builder():
    *_, ignored = (rules := (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()[1:])
    assert (rules[0], ignored) == ("*", "**/__pycache__")
    copied = {line.split()[0] for line in instructions("COPY")}
    assert {rule.removeprefix("!") for rule in rules[1:-1]} == copied


def test_the_image_can_back_up_the_server_that_compose_starts():
    server = SERVICES["database"]["image"].rpartition(":pg")[2]
    installed = re.findall(r"postgresql-client-(\d+)", "".join(instructions("RUN")))
    assert installed == [server]  # an older pg_dump refuses a newer server


def test_every_container_of_ours_gives_up_its_rights_and_has_time_to_stop():
    assert sorted(OURS) == ["bot", "migrate", "web", "worker"]
    for service in OURS.values():
        assert (service["read_only"], service["cap_drop"], service["stop_grace_period"]) == (True, ["ALL"], "30s")
        assert service["volumes"] == ["data:/data"]
        url = re.sub(r"\$\{[^}]*\}", "secret", service["environment"]["DATABASE_URL"])
        assert (urlsplit(url).scheme, urlsplit(url).hostname) == ("postgres", "database")
    assert SERVICES["web"]["ports"] == ["127.0.0.1:8000:8000"]  # a proxy with TLS stands in front
    assert "pgvector" in SERVICES["database"]["image"]


@pytest.mark.parametrize("part", ["prepare", "web", "worker", "bot"])
def test_every_unit_runs_as_its_own_user_from_where_the_project_lies(part):
    service = unit(part)["Service"]
    assert (service["User"], service["WorkingDirectory"]) == ("memoryhub", "/opt/memoryhub")
    assert part == "prepare" or (service["TimeoutStopSec"], service["KillMode"]) == ("30", "mixed")


def test_systemd_finds_nothing_wrong_with_the_units(tmp_path):
    """Where this machine has systemd; its own look is the only one that knows every option."""
    analyze = shutil.which("systemd-analyze")
    units = sorted((DEPLOY / "systemd").glob("*.service"))
    assert [each.stem for each in units] == [f"memoryhub-{part}" for part in ("bot", "prepare", "web", "worker")]
    if analyze is None:
        return
    found = subprocess.run([analyze, "verify", "--man=no", *units], capture_output=True, text=True, check=False).stderr
    assert not re.search(r"Unknown|Invalid|Failed to parse", found), found
