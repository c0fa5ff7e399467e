"""How the web server serves: processes with an event loop and a few threads each, warm before they answer."""

from __future__ import annotations

import os
import resource
import sys
from typing import Any

from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")

# A question of 2,000 characters takes 24,000 bytes of an address where each is four percent-encoded bytes.
limit_request_line = 32 * 1024
workers = settings.MEMORYHUB_PROCESSES
preload_app = True  # imported once, before the processes part: what they only read, they share
worker_class = "memoryhub.server.web_worker.WebWorker"
asgi_loop = "asyncio"  # the one that is everywhere: by itself gunicorn takes uvloop where tests' packages bring it
keepalive = 75  # seconds: longer than bots pause, and than the 60 s that proxies keep a connection for
graceful_timeout = 20  # seconds that a stop waits for answers under way; `manage.py run` waits a little longer
timeout = 120  # seconds without a sign of life, until a process is replaced; to warm up may take a minute
control_socket_disable = True  # nobody asks it, and two servers with one home would take each other's away
max_requests = 20_000
max_requests_jitter = 2_000
loglevel = "warning"

# Python lets a thread run for 5 ms while others wait. One that holds the database's only write lock asks for its turn
# again after each statement, and with it waits everybody who writes.
TURN = 0.0005  # seconds


def on_starting(_server: object) -> None:
    """Take as many sockets as the system gives: many allow 1,024 unless a process asks."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def when_ready(server: Any) -> None:
    """Import and load what requests need while there is one process."""
    from memoryhub.server import shared_imports

    server.app.wsgi().warm_up()
    shared_imports.keep()


def post_worker_init(worker: Any) -> None:
    """Shorten the turns, and make ready what the first request would wait for: until then nobody is answered."""
    from memoryhub.server import instruments, tracing

    sys.setswitchinterval(TURN)
    instruments.share("web")
    tracing.start("web")
    worker.asgi.warm_up()
