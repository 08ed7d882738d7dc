# Two commands for everybody: `make demo` shows it, `make test` proves it. Both set everything up first.

PYTHON ?= python3
PORT   ?= 8000
VENV   := .venv
BIN    := $(VENV)/bin
# What is installed in the one environment: enough for the demo, or everything.
FOR_DEMO := $(VENV)/.installed-for-demo
FOR_ALL  := $(VENV)/.installed
FOR_BENCH := $(VENV)/.installed-for-bench
PIP     := $(BIN)/python -m pip install --disable-pip-version-check
COMPILE := $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-strip-extras \
	--group build pyproject.toml

# Tests start hundreds of processes: what those import is compiled once, even where the environment says otherwise.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo screenshots quick test check bench slow soak adapters docs site lock clean system-packages

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ladderboard needs Python 3.11 or newer")'
	@$(PYTHON) -m venv $(VENV) || { echo "On Debian: apt-get install -y python3-venv"; exit 1; }

$(FOR_DEMO): requirements/demo.lock pyproject.toml | $(BIN)/python
	@echo "Installing what the demo needs into $(VENV)/ …"
	$(PIP) --require-hashes --requirement requirements/demo.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(FOR_ALL): requirements/dev.lock pyproject.toml | $(BIN)/python
	@echo "Installing everything that development needs into $(VENV)/ …"
	$(PIP) --require-hashes --requirement requirements/dev.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $(FOR_DEMO) $@

$(FOR_BENCH): requirements/bench.lock $(FOR_ALL)
	@echo "Installing the peers that the benchmarks compare with into $(VENV)/ …"
	$(PIP) --require-hashes --requirement requirements/bench.lock
	@touch $@

demo: $(FOR_DEMO)  ## a running competition with honest teams and one attacker; PORT=8080 for another port
	$(BIN)/ladderboard demo --port $(PORT)

check: $(FOR_ALL)  ## formatting, lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# A worker keeps the tests of a module together, so that what they share is made once, and helps out at the end.
PYTEST := -m pytest --numprocesses 2 --dist worksteal

quick: $(FOR_ALL)  ## the tests without processes, browsers and databases: under two minutes
	$(BIN)/python $(PYTEST) -p tests.quick

test: check system-packages  ## everything that must hold, and how much of the code it covers
	$(BIN)/python -m slipcover --out .coverage $(PYTEST)
	@tail -n 1 .coverage | awk '{ print "Lines covered: " $$4 " %; see .coverage" }'

system-packages:
	@scripts/system_packages.sh

slow: $(FOR_ALL)  ## the claims and grids that take minutes, at full size
	$(BIN)/python $(PYTEST) -m slow

# Packages that tests of examples need and that pull in hundreds of others: in an environment of their own, unpinned.
adapters: $(FOR_ALL)  ## the examples of loops with DSPy, Inspect and lm-eval, in an environment of their own
	@$(PYTHON) -m venv $(VENV)/adapters
	$(VENV)/adapters/bin/python -m pip install --quiet --disable-pip-version-check dspy gepa inspect-ai lm-eval pytest pytest-randomly --editable .
	$(VENV)/adapters/bin/python -m pytest tests/examples/test_loop_examples.py -k "inspect or lm_eval or gepa" -rs

soak: $(FOR_ALL) system-packages  ## faults and floods at full size, for many minutes
	$(BIN)/pytest -m soak -rP

bench: $(FOR_BENCH)  ## ratios against floors and peers, measured in one run; fails where a target is missed
	$(BIN)/python -m benchmarks

screenshots: $(FOR_ALL) system-packages  ## take the pictures in README and docs of the demo
	$(BIN)/python scripts/screenshots.py

docs: $(FOR_ALL)  ## write the generated pages of docs/reference
	$(BIN)/python -m docs.generate

site: $(FOR_ALL)  ## the documentation as a site in build/site: search, dark, nothing from elsewhere
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "See it: python3 -m http.server --bind 127.0.0.1 --directory build/site"

lock: $(FOR_ALL)  ## renew the locks in requirements/; all have the same versions as the developers'
	$(COMPILE) --extra dev --output-file requirements/dev.lock
	$(COMPILE) --extra demo --constraint requirements/dev.lock --output-file requirements/demo.lock
	$(COMPILE) --extra server --extra postgres --extra oidc --constraint requirements/dev.lock --output-file requirements/server.lock
	$(COMPILE) --extra bench --constraint requirements/dev.lock --output-file requirements/bench.lock

clean:  ## remove what was set up and built
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache .coverage dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
