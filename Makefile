# memoryhub: every command of the project. `make demo` is the place to begin.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := UV_PYTHON_DOWNLOADS=never $(BIN)/uv
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
DEMO_SERVE ?= 1
SIZES ?= 1000,10000,100000
LOAD ?= 60
EXAMPLES ?= 12
# `make setup TRACES=1` also installs what sends traces to an OpenTelemetry collector.
LOCKED := requirements$(if $(filter 1,$(TRACES)),-traces).txt
# Some machines tell Python not to keep compiled files: then each process compiles all it imports, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup dev hooks demo run test test-postgres fuzz check peers bench bench-peers client map lock clean

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

setup: $(STAMP)  ## Build .venv with everything locked that the hub needs to run

dev: $(DEV_STAMP)  ## The same, with the tools for tests, checks and evaluation

$(STAMP): $(LOCKED)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "memoryhub needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>/dev/null || echo not there). Name another: make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "The venv module is missing: on Debian, apt install python3-venv"; exit 1; }
	@echo "Installing what memoryhub needs into $(VENV): once, a minute or two..."
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall 'uv>=0.11,<1'
	@$(UV) pip sync --quiet --compile-bytecode --require-hashes --python $(BIN)/python $(if $(wildcard $(DEV_STAMP)),requirements-dev.txt,$(LOCKED)) || { rm -f $(BIN)/uv; echo "Setup failed; it can be run again."; exit 1; }
	@touch $@

$(DEV_STAMP): $(STAMP) requirements-dev.txt
	@$(UV) pip sync --quiet --compile-bytecode --require-hashes --python $(BIN)/python requirements-dev.txt || { echo "Setup failed; it can be run again."; exit 1; }
	@touch $@

hooks: dev  ## Run the quick checks before each commit
	@$(BIN)/pre-commit install

demo: setup  ## Load a sample community, show what is learned, serve the dashboard
	@$(BIN)/python manage.py demo $(if $(filter 0,$(DEMO_SERVE)),--no-serve)

run: setup  ## Start web, worker and (with DISCORD_TOKEN) bot
	@exec $(BIN)/python manage.py run

test: dev  ## All tests, with a real browser, and what touches the database once more on PostgreSQL
	@$(BIN)/python tests/chromium.py
	@$(BIN)/python tests/clients/install.py
	@$(BIN)/python -m slipcover --json --out .coverage -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder -m "not browser" --durations 12
	@$(BIN)/python -m slipcover --merge .coverage --out .coverage --fail-under 95
	@$(BIN)/python -m pytest -q -m browser -n 2 --dist loadfile
	@$(MAKE) --no-print-directory test-postgres

test-postgres: dev  ## What touches the database, on a PostgreSQL that it starts from a wheel
	@MEMORYHUB_TEST_DATABASE=postgres $(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder

fuzz: dev  ## Before a release: 2,500 random calls of the JSON API, walks along its links, and what was learned from texts, anew
	@MEMORYHUB_TEST_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest -q tests/memoryhub/site/test_api_fuzzed.py
	@$(BIN)/python manage.py train_guard --check
	@$(BIN)/python manage.py train_direction lasting --check
	@$(BIN)/python manage.py train_direction general --check
	@$(BIN)/python manage.py train_adapter --check

check: dev  ## Lint, format, types, who imports whom, templates, migrations, documented settings
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/djlint --quiet --lint templates
	@$(BIN)/python manage.py makemigrations --check --dry-run
	@$(BIN)/python manage.py check
	@$(BIN)/python -m pytest -q tests/house/test_configuration.py

peers: dev  ## Install the stores that `manage.py evaluate guild` measures beside ours, apart from .venv
	@$(BIN)/python -m memory.lab.evaluation.peers.install

bench: dev  ## Benchmarks on SQLite and, side by side, on PostgreSQL (POSTGRES=address, else from a wheel)
	@$(BIN)/python manage.py bench --sizes $(SIZES) --json $(VENV)/bench.json
	@MEMORYHUB_TEST_DATABASE=postgres $(if $(POSTGRES),DATABASE_URL=$(POSTGRES) $(BIN)/python,$(BIN)/python -m tests.with_postgres) manage.py bench --sizes $(SIZES) --beside $(VENV)/bench.json
	@$(BIN)/python manage.py load --seconds $(LOAD)

bench-peers: dev  ## The hub beside langgraph's SqliteStore, installed apart, on the same rows
	@$(BIN)/python manage.py bench --only peers --sizes 1000,10000

client: setup  ## A typed Python client of the JSON API, made from its document into dist/memoryhub-client
	@mkdir -p dist && $(BIN)/python manage.py openapi > dist/openapi.json
	@$(UV) tool run --with ruff --from openapi-python-client==0.29.1 openapi-python-client generate --path dist/openapi.json --output-path dist/memoryhub-client --overwrite

map:  ## One line for each file: what it is for
	@git ls-files '*.py' | grep -v -e '^tests/' -e migrations | while read f; do printf '%-45s %s\n' "$$f" "$$(head -1 $$f | tr -d '"')"; done

lock: dev  ## Resolve pyproject.toml anew into the three locks
	@$(UV) pip compile pyproject.toml --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --python-version 3.11 --quiet --output-file requirements.txt
	@$(UV) pip compile pyproject.toml --extra traces --constraint requirements.txt --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --python-version 3.11 --quiet --output-file requirements-traces.txt
	@$(UV) pip compile pyproject.toml --extra traces --group dev --constraint requirements-traces.txt --universal --generate-hashes --no-header --no-emit-index-url --no-emit-find-links --python-version 3.11 --quiet --output-file requirements-dev.txt

clean:  ## Remove what can be rebuilt (never data/)
	rm -rf $(VENV) .clients .peers .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis screenshots
