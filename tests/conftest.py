"""What every test gets: no keys, a data folder of its own, empty indexes after what is not rolled back."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis

from memory import erasure
from memory.curation import corrections
from memoryhub.db.backend import on_postgres
from tests import factories, toy_embedder

# How long an example takes says only how busy the machine is; a test's fixtures serve all of its examples. What a test
# says for itself takes the place of this. Examples are the same each time, so that no change is refused by chance; with
# MEMORYHUB_TEST_EXAMPLES they are drawn anew. The pass on PostgreSQL tries fewer.
hypothesis.register_profile(
    "hub",
    deadline=None,
    derandomize="MEMORYHUB_TEST_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    max_examples=25 if on_postgres() else 100,
)
hypothesis.load_profile("hub")

KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "MEMORYHUB_MODEL_API_KEY", "MEMORYHUB_MODEL_BASE_URL")
MODELS = ("MEMORYHUB_MODEL", "MEMORYHUB_CAREFUL_MODEL", "MEMORYHUB_REPLY_MODEL", "MEMORYHUB_FALLBACK_MODEL")
ADDRESSES = tuple(f"MEMORYHUB_{name}_MODEL_BASE_URL" for name in ("CAREFUL", "REPLY", "EMBEDDING"))


def pytest_configure() -> None:
    """Heed Ctrl-C: a shell that starts the tests in the background has them ignore it, and every hub they start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def starts_hubs(item: pytest.Function) -> bool:
    """Say whether a test's module starts hubs and waits for them."""
    of_hubs = "tests.verification.hub"
    named = any(getattr(value, "__module__", "") == of_hubs for value in vars(item.module).values())
    return named or "verification" in item.path.parts


def runs_on_postgres(item: pytest.Function) -> bool:
    """Say whether a test tells anything of PostgreSQL: what uses no database has had its turn on SQLite."""
    if item.get_closest_marker("both_databases"):
        return True
    uses_database = {"db", "transactional_db"} & set(item.fixturenames) or item.get_closest_marker("django_db")
    left_out = any(item.get_closest_marker(name) for name in ("sqlite_only", "browser"))
    return bool(uses_database) and not starts_hubs(item) and not left_out


def runs_on_sqlite(item: pytest.Function) -> bool:
    """Say whether a test tells anything of SQLite, or of no database."""
    return item.get_closest_marker("postgres_only") is None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """Begin with the tests that start hubs and wait for them: at the end they would leave a core idle."""
    runs_here = runs_on_postgres if on_postgres() else runs_on_sqlite
    config.hook.pytest_deselected(items=[item for item in items if not runs_here(item)])
    items[:] = [item for item in items if runs_here(item)]
    items.sort(key=starts_hubs, reverse=True)


@pytest.fixture(autouse=True)
def _machine_of_its_own(settings, tmp_path, monkeypatch) -> None:
    """Keep the operator's `.env` and data folder out of the tests, and what another test kept; hash quickly.

    Who asks for much to be erased waits for the end of it, however busy the machine is: five seconds may be too few.
    """
    cache.clear()
    factories.begin_at_noon()
    for name in (*KEYS, *MODELS, *ADDRESSES):
        setattr(settings, name, "")
    for asked in (erasure.request_erasure, corrections.forget_all):
        monkeypatch.setitem(asked.__kwdefaults__, "seconds", 240.0)
    settings.DATA_DIR = tmp_path
    settings.WHITENOISE_AUTOREFRESH = True  # look for a file when it is asked for: each client would list them all
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _empty_indexes(request) -> Iterator[None]:
    """Clear the raw tables where no rollback does: Django's flush knows only its own."""
    marker = request.node.get_closest_marker("django_db")
    if not (marker and marker.kwargs.get("transaction")) and "transactional_db" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")
    yield
    from memoryhub.search import keywords, vectors

    vectors.clear()
    keywords.clear()


@pytest.fixture
def toy(monkeypatch) -> toy_embedder.ToyEmbedder:
    """Put the toy embedder in the place of the settings' one."""
    return toy_embedder.install(monkeypatch)


@pytest.fixture
def olga(db: None) -> Client:
    """Return the browser of an operator who is signed in."""
    client = Client()
    client.force_login(User.objects.create_superuser("olga"))
    return client


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Let PostgreSQL's databases go with their server: threads of the bot may still hold connections to them."""
    return on_postgres()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker) -> None:
    """Migrate, and on PostgreSQL remember what that left."""
    if on_postgres():
        from tests import as_migrated

        with django_db_blocker.unblock():
            as_migrated.begin()
