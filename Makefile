# Needs python3 >= 3.11, make and gcc; everything else comes from the package registries.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
# uv installs into this checkout's environment, whatever environment the caller is in.
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/$(VENV)
export UV_PYTHON := $(CURDIR)/$(BIN)/python
export UV_PYTHON_DOWNLOADS := never
export PIP_DISABLE_PIP_VERSION_CHECK := 1
unexport VIRTUAL_ENV
# Tests often wait for a process, so that three workers keep two cores busy.
WORKERS ?= 3

.PHONY: help setup setup-pi prompts demo test acceptance-evidence check bench clean

help:  ## List what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(VENV)/.ready static/vendor/.stamp  ## Install everything into .venv and static/vendor

setup-pi: setup agent/node_modules/.stamp  ## Install Pi and its Node, for a language model instead of the analyst

prompts: setup  ## Write again what the prompts in agent/ take from the workflow and the contracts
	$(BIN)/python agent/write_prompts.py

demo: setup  ## Start Thoth with its own services and example data; Ctrl-C stops it
	@exec $(BIN)/python -m thoth up

test: setup  ## Run the tests on real services
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -q

acceptance-evidence: setup  ## Show what Evidence promises, from rough notes on, without a model
	$(BIN)/pytest tests/evidence_app/acceptance -q

# Commands that serve nobody still want the variables that the servers need.
check: export THOTH_SECRET_KEY := only-for-checks-$(shell printf 'a1-%.0s' {1..30})
check: export THOTH_LEDGER_KEY := only-for-checks
check: setup  ## Everything that needs no running service: style, types, architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy thoth sessions_app evidence_app memory_app
	$(BIN)/lint-imports
	find templates -name '*.html' -print0 | xargs -0 $(BIN)/djhtml --check --tabwidth 2
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python -W ignore::RuntimeWarning -m thoth makemigrations --check --dry-run
	$(BIN)/python -m thoth check
	THOTH_HTTPS=1 $(BIN)/python -m thoth check --deploy --fail-level WARNING
	$(UV) lock --check

QDRANT_OPENAPI ?= ../shared/bench/qdrant/openapi.json

check-qdrant: setup  ## Compare the vector contract's exchanges with Qdrant's OpenAPI description, if found
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	THOTH_TEST_QDRANT_RECORD=$$folder/exchanges.json $(BIN)/pytest tests/vector/contract -q && \
	$(BIN)/python -m tests.vector.contract.openapi $$folder/exchanges.json $(QDRANT_OPENAPI)

BENCH_CORPORA ?= ../shared/bench

bench: setup  ## Run the benchmarks; those on corpora that are not part of this repository if found
	$(BIN)/python -m benchmarks --corpora $(BENCH_CORPORA)

clean:  ## Remove what setup made (data in .thoth stays)
	rm -rf $(VENV) static/vendor agent/node_modules

$(VENV)/.ready: pyproject.toml uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || { echo "On Debian: apt-get install python3-venv"; exit 1; }
	@test -x $(UV) || $(BIN)/python -m pip install --quiet uv
	$(UV) sync --frozen --extra embedded --all-groups --inexact --quiet
	@touch $@

static/vendor/.stamp: $(VENV)/.ready static/package.json static/package-lock.json static/fetch_assets.py
	$(BIN)/python static/fetch_assets.py
	@touch $@

# npm is the wheel's own; it takes the registry from its usual configuration. Nothing of the packages
# runs while they are installed.
agent/node_modules/.stamp: $(VENV)/.ready agent/package.json agent/package-lock.json agent/.npmrc
	$(UV) sync --frozen --extra embedded --extra pi --all-groups --inexact --quiet
	cd agent && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --ignore-scripts --omit=dev --no-audit --no-fund --loglevel=error
	@touch $@
