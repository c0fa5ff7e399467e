"""Every setting of the project, read top to bottom; what an operator changes comes from the environment."""

from __future__ import annotations

import logging
import os
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from memoryhub import env, secret_key
from memoryhub.database_url import databases

BASE_DIR = Path(__file__).resolve().parent.parent
env.load(BASE_DIR / ".env")
# What a search multiplies takes one thread less time than several take to wait for each other. numpy reads it once.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
VERSION = "0.1.0"
# Whose files the API's docs page is made of; not an app, since those are imported by whoever asks memory a question.
NINJA = Path(str(getattr(find_spec("ninja"), "origin", ""))).parent

# --- Where things are kept ---------------------------------------------------------------------------------------

DATA_DIR = (BASE_DIR / env.text("MEMORYHUB_DATA_DIR", "data")).resolve()
try:
    DATA_DIR.mkdir(mode=0o750, parents=True, exist_ok=True)
except OSError as error:
    raise ImproperlyConfigured(f"MEMORYHUB_DATA_DIR: {DATA_DIR} cannot be made: {error.strerror}.") from error
SECRET_KEY = env.text("SECRET_KEY") or secret_key.kept_in(DATA_DIR)
DATABASES = databases(
    env.text("DATABASE_URL", "sqlite:///memoryhub.sqlite3"),
    folder=DATA_DIR,
    sync=env.flag("MEMORYHUB_SYNC_COMMITS"),
    replica=env.text("DATABASE_REPLICA_URL"),
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = env.text("REDIS_URL")
REDIS_CACHE = {
    "BACKEND": "memoryhub.server.redis_cache.RedisCache",
    "LOCATION": REDIS_URL,
    "KEY_PREFIX": "memoryhub",
    "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},  # seconds that a request waits for it at most
}
CACHES = {
    # What each process may know for itself: room for who looked at what; what is thrown out is looked up anew.
    "default": REDIS_CACHE
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 20_000}},
    # What all processes on all hosts must see: which provider does not answer.
    "shared": REDIS_CACHE
    if REDIS_URL
    else {"BACKEND": "memoryhub.db.note_cache.NoteCache", "LOCATION": "memoryhub_sharednote"},
}

# --- Who may call ------------------------------------------------------------------------------------------------

DEBUG = env.flag("DEBUG")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_FAILURE_VIEW = "memoryhub.site.error_pages.form_too_old"
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
BEHIND_TLS = any(origin.startswith("https://") for origin in CSRF_TRUSTED_ORIGINS)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = BEHIND_TLS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
# The hub speaks no TLS itself: where people come by https, a proxy stands in front.
MEMORYHUB_PROXIES = env.number("MEMORYHUB_PROXIES", int(BEHIND_TLS), least=0, most=9)
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "sign-in", "home", "sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
# Ten wrong passwords for one name from one address, or thirty for any names, then a quarter of an hour of rest; trying
# on does not lengthen it.
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_HANDLER = "memoryhub.site.login.Limits"
AXES_CLIENT_IP_CALLABLE = "memoryhub.site.login.client_address"
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_TEMPLATE = "memoryhub/locked_out.html"
AXES_DISABLE_ACCESS_LOG = True  # our own audit log has who signed in
AXES_VERBOSE = False
MEMORYHUB_ADMIN_PASSWORD = env.text("MEMORYHUB_ADMIN_PASSWORD")
MEMORYHUB_BIND = env.text("MEMORYHUB_BIND", "127.0.0.1:8000")
MEMORYHUB_METRICS_TOKEN = env.text("MEMORYHUB_METRICS_TOKEN")
MEMORYHUB_MCP_KEY = env.text("MEMORYHUB_MCP_KEY")
# One batch holds 1,000 messages of up to 100,000 characters; beyond this a request is refused with 413.
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024

# --- What runs ---------------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # memoryhub.urls finds what it shows
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "memoryhub.site",  # before django_q, for its own qcluster
    "django_q",
    "csp",
    "axes",
    "memoryhub.db",
    "memoryhub",
    "memoryhub.community",
    "notes",
    "profiles",
    "memory",
    "memory.lab",
    "botrunner",
]
MIDDLEWARE = [
    "memoryhub.site.metrics.RequestMetrics",
    "memoryhub.site.probes.Probes",
    "memoryhub.logging.RequestIdMiddleware",
    "memoryhub.common.permissions.OneGuildARequest",
    "memoryhub.site.request_parser.EncodedSlashes",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",  # a page for everybody says so: login_not_required
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "memoryhub.common.text_direction.UprightText",
    "memoryhub.site.error_pages.ErrorPages",
    "memoryhub.site.audit.AuditMiddleware",
    "memoryhub.common.permissions.ReadersOnlyRead",
    "axes.middleware.AxesMiddleware",  # the last: it turns a sign-in that is locked out into a page
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
ROOT_URLCONF = "memoryhub.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates", NINJA / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memoryhub.common.permissions.rights",
                "memoryhub.site.frame.frame",
            ]
        },
    }
]
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static", NINJA / "static"]
WHITENOISE_USE_FINDERS = True  # no collectstatic step: the files are served from where they lie
WHITENOISE_MAX_AGE = 300

USE_TZ = True
TIME_ZONE = env.zone("TIME_ZONE", "UTC")
LANGUAGE_CODE = "en"

# Web processes, and workers of the queue beside them: the rules and the search take CPU, so one of each for a core.
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
MEMORYHUB_PROCESSES = env.number("MEMORYHUB_PROCESSES", min(max(CORES, 2), 8), least=1, most=64)

# The rows decide on retries, not the queue: a failed task is acknowledged, and `retry` exceeds `timeout` so that
# no task runs twice at once. A small save_limit: each finished task reads all saved ids.
Q_CLUSTER: dict[str, object] = {
    "name": "memoryhub",
    "workers": MEMORYHUB_PROCESSES,
    "timeout": 600,
    "retry": 660,
    "max_attempts": 1,
    "ack_failures": True,
    "bulk": 1,
    "poll": 1,
    "catch_up": False,
    "save_limit": 100,
    "label": "Queue",
    **({"redis": REDIS_URL} if REDIS_URL else {"orm": "default"}),
}

# The nightly job of days that were missed, oldest first; older ones wait for `manage.py consolidate --late`.
MEMORYHUB_CATCH_UP_DAYS = env.number("MEMORYHUB_CATCH_UP_DAYS", 7, least=1, most=366)

# Networks of the operator's own that webhooks may be sent to, such as 10.0.0.0/8: others that are private are refused.
MEMORYHUB_WEBHOOK_NETWORKS = env.words("MEMORYHUB_WEBHOOK_NETWORKS")

# What belongs to no guild: who looked at and changed what; calls of models and actions of the whole hub.
MEMORYHUB_PRIVACY_CONTACT = env.text("MEMORYHUB_PRIVACY_CONTACT")
MEMORYHUB_AUDIT_DAYS = env.number("MEMORYHUB_AUDIT_DAYS", 365, least=1, most=36_500)
MEMORYHUB_LOG_DAYS = env.number("MEMORYHUB_LOG_DAYS", 180, least=1, most=36_500)

# Weights of the preset seed000 that are not as in its design's document: with embeddings, and by words alone.
_WEIGHED = ("semantic", "lexical", "confidence", "recency", "channel")
MEMORYHUB_SEED000_WEIGHTS = env.shares("MEMORYHUB_SEED000_WEIGHTS", _WEIGHED)
MEMORYHUB_SEED000_WORD_WEIGHTS = env.shares("MEMORYHUB_SEED000_WORD_WEIGHTS", _WEIGHED[1:])

# --- Models ------------------------------------------------------------------------------------------------------

MEMORYHUB_MODEL = env.text("MEMORYHUB_MODEL")
MEMORYHUB_CAREFUL_MODEL = env.text("MEMORYHUB_CAREFUL_MODEL")
MEMORYHUB_REPLY_MODEL = env.text("MEMORYHUB_REPLY_MODEL")
MEMORYHUB_FALLBACK_MODEL = env.text("MEMORYHUB_FALLBACK_MODEL")
MEMORYHUB_EMBEDDING_MODEL = env.text("MEMORYHUB_EMBEDDING_MODEL", "offline")
MEMORYHUB_MODEL_BASE_URL = env.text("MEMORYHUB_MODEL_BASE_URL")
MEMORYHUB_CAREFUL_MODEL_BASE_URL = env.text("MEMORYHUB_CAREFUL_MODEL_BASE_URL")
MEMORYHUB_REPLY_MODEL_BASE_URL = env.text("MEMORYHUB_REPLY_MODEL_BASE_URL")
MEMORYHUB_EMBEDDING_MODEL_BASE_URL = env.text("MEMORYHUB_EMBEDDING_MODEL_BASE_URL")
MEMORYHUB_MODEL_API_KEY = env.text("MEMORYHUB_MODEL_API_KEY")
MEMORYHUB_GEMINI_API_VERSION = env.text("MEMORYHUB_GEMINI_API_VERSION")
OPENAI_API_KEY = env.text("OPENAI_API_KEY")
GEMINI_API_KEY = env.text("GEMINI_API_KEY")
ANTHROPIC_API_KEY = env.text("ANTHROPIC_API_KEY")

# --- Discord -----------------------------------------------------------------------------------------------------

DISCORD_TOKEN = env.text("DISCORD_TOKEN")
DISCORD_API_BASE = env.text("DISCORD_API_BASE")
DISCORD_GATEWAY_URL = env.text("DISCORD_GATEWAY_URL")
DISCORD_MESSAGE_CONTENT = env.flag("DISCORD_MESSAGE_CONTENT", default=True)
DISCORD_DIRECT_MESSAGES = env.flag("DISCORD_DIRECT_MESSAGES")
MEMORYHUB_SHARDS = env.number("MEMORYHUB_SHARDS", 0, least=0, most=100_000)
DISCORD_HOLD_SECONDS = env.number("DISCORD_HOLD_SECONDS", 3, least=0, most=60)
PLURALKIT_API = env.text("PLURALKIT_API", "https://api.pluralkit.me/v2")

# --- Traces: the libraries read the other OTEL_ names themselves -------------------------------------------------

OTEL_EXPORTER_OTLP_ENDPOINT = env.text("OTEL_EXPORTER_OTLP_ENDPOINT")
OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = env.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
OTEL_EXPORTER_OTLP_TIMEOUT = env.number("OTEL_EXPORTER_OTLP_TIMEOUT", 5, least=1, most=60)
OTEL_SERVICE_NAME = env.text("OTEL_SERVICE_NAME")

# --- Logging: ids and counts, never message text -----------------------------------------------------------------

LOG_LEVEL = env.one_of("MEMORYHUB_LOG_LEVEL", "INFO", logging.getLevelNamesMapping())
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"run": {"()": "memoryhub.logging.RunFilter"}},
    "formatters": {"line": {"()": "memoryhub.logging.LineFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["run"]}},
    # One line for each call of a model says nothing that the ledger does not keep.
    "loggers": {name: {"level": "WARNING"} for name in ("httpx", "httpx2", "google_genai", "discord", "bm25s")}
    | {"mcp": {"level": "CRITICAL"}}  # it would repeat what a client sent
    # Each try to reach a server that is away; what becomes of it is told to whoever asked.
    | {"psycopg.pool": {"level": "ERROR"}}
    # A line for each task and process of the queue, by random names; what a task did is in the action log. Four for
    # each sign-in, that nothing was cleaned up, with all names hidden; failures are warnings.
    | {name: {"level": "INFO" if LOG_LEVEL == "DEBUG" else "WARNING"} for name in ("django-q", "axes")},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
}
