# Two commands for everybody: `make demo` shows it, `make test` proves it. Both set everything up first.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: help demo screenshots test check bench slow soak docs lock clean system-packages

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ladderboard needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV) || { echo "On Debian: apt-get install -y python3-venv"; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP)  ## a running competition with honest teams and one attacker
	$(BIN)/ladderboard demo

check: $(STAMP)  ## formatting, lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check system-packages  ## everything that must hold
	$(BIN)/pytest --numprocesses 2

system-packages:
	@scripts/system_packages.sh

slow: $(STAMP)  ## the claims that take minutes, at full size
	$(BIN)/pytest -m slow

soak: $(STAMP) system-packages  ## faults and floods at full size, for many minutes
	$(BIN)/pytest -m soak -rP

bench: $(STAMP)  ## ratios against floors and peers, measured in one run
	$(BIN)/python -m benchmarks

screenshots: $(STAMP) system-packages  ## take the pictures in README and docs of the demo
	$(BIN)/python scripts/screenshots.py

docs: $(STAMP)  ## write the generated pages of docs/reference
	$(BIN)/python -m docs.generate

lock: $(STAMP)  ## renew requirements.lock
	$(BIN)/uv pip compile --quiet --upgrade --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-header pyproject.toml --output-file requirements.lock

clean:  ## remove what was set up and built
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
