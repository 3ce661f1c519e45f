# Set-up is incremental: a stamp in .venv remembers which requirements it was made from.

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
# Python keeps what it has compiled, whatever the environment says: else every start compiles it all.
unexport PYTHONDONTWRITEBYTECODE
BIOME = $$(command -v biome || command -v node_modules/.bin/biome)
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile

.PHONY: help release install serve test check bench bench-page bench-large bench-nodes simulate soak format docs page-types lock clean generate

help: ## show this list
	@echo "Usage: make TARGET [ARGS=...] [PYTHON=python3.12]"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' Makefile
	@echo "PYTHON is used to create .venv; to change it later, run make clean first."

install: .venv/runtime.stamp ## set up .venv with what the server needs
	@echo "Installed: $(BIN)/tertulia"

serve: .venv/runtime.stamp ## run the server, for example ARGS="--port 8000 --demo"
	@exec $(BIN)/tertulia serve $(ARGS)

test: .venv/dev.stamp ## run the tests; ARGS="-k reaction", ARGS=--sqlite (quick, no browser), ARGS=--both (everything)
	@$(BIN)/python -m pytest -n 4 --dist worksteal $(ARGS)

check: .venv/dev.stamp ## format, lint, types, import direction
	@echo "Format" && $(BIN)/ruff format --quiet --check .
	@biome=$(BIOME); if [ -n "$$biome" ]; then echo "Format of the page" && $$biome format --log-level=error > /dev/null; \
	else echo "Format of the page: skipped, there is no biome here (npm install -g @biomejs/biome@2.6.7)"; fi
	@echo "Lint" && $(BIN)/ruff check --quiet .
	@echo "Types" && $(BIN)/mypy --no-error-summary src tests $(wildcard bench scripts tools)
	@tsc=$$(command -v tsc || command -v node_modules/.bin/tsc); \
	if [ -n "$$tsc" ]; then echo "Types of the page" && $(BIN)/python scripts/text_types.py && $$tsc -p src/tertulia/web/static/jsconfig.json && \
		$$tsc -p src/tertulia/web/static/jsconfig.worker.json; \
	else echo "Types of the page: skipped, there is no tsc here (npm install -g typescript)"; fi
	@echo "Translations" && $(BIN)/python scripts/translations.py
	@echo "Sizes" && $(BIN)/python scripts/sizes.py
	@echo "Imports" && $(BIN)/python -m pytest -q tests/test_architecture.py

bench: .venv/dev.stamp ## measure speed and memory
	@$(BIN)/python -m bench $(ARGS)

bench-page: .venv/dev.stamp ## measure how soon the page can be read; needs Chromium
	@$(BIN)/python -m bench.page

bench-large: .venv/dev.stamp ## measure reading among a million messages; it makes them first
	@$(BIN)/python -m bench.large $(ARGS)

bench-nodes: .venv/dev.stamp ## measure several servers on one PostgreSQL
	@$(BIN)/python -m bench.nodes $(ARGS)

generate: .venv/runtime.stamp ## make a test organization of a given size, to measure what it costs
	@$(BIN)/python -m tools.generate $(ARGS)

simulate: .venv/dev.stamp ## run whole servers in the simulator; ARGS="--seeds 20", ARGS="--seed 7"
	@$(BIN)/python -m tests.simulation $(ARGS)

soak: .venv/dev.stamp ## run the tests that take minutes, and all others on both databases
	@$(BIN)/python -m pytest -m soak --random $(ARGS)
	@$(BIN)/python -m pytest -n 2 --both --random $(ARGS)

format: .venv/dev.stamp ## format the code
	@$(BIN)/ruff check --quiet --fix-only . && $(BIN)/ruff format --quiet .
	@biome=$(BIOME); [ -z "$$biome" ] || $$biome format --write --log-level=error > /dev/null

release: .venv/dev.stamp ## build sdist, wheel, container context, checksums and notes in dist/; publishes nothing
	@$(BIN)/python scripts/release.py $(ARGS)

docs: .venv/runtime.stamp ## write the pages of docs/ that are lists: endpoints, settings, logs
	@$(BIN)/python -m tertulia.config > docs/settings.md
	@for page in endpoints errors organization-settings personal-settings logs; do \
		$(BIN)/python -m tools.docs_pages $$page > docs/$$page.md; done

page-types: .venv/runtime.stamp ## write the page's types from the API's description (needs openapi-typescript)
	@$(BIN)/python scripts/page_types.py > .venv/api_schema.d.ts
	@mv .venv/api_schema.d.ts src/tertulia/web/static/api_schema.d.ts

COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--custom-compile-command "make lock"

lock: ## pin the newest versions of requirements*.in (needs uv)
	@$(COMPILE) --upgrade requirements.in -o requirements.txt
	@$(COMPILE) --upgrade requirements-dev.in -o requirements-dev.txt

clean: ## remove .venv and everything generated; never the data
	@rm -rf .venv build dist src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Tertulia needs Python 3.11 or newer; choose one with make PYTHON=..."; exit 1; }
	@echo "Creating .venv"
	@$(PYTHON) -m venv --clear --without-pip .venv

# pip is there only while it is needed: it and setuptools are a tenth of everything.
.venv/runtime.stamp: requirements.txt pyproject.toml | .venv/bin/python
	@echo "Installing what the server needs (about 60 MB to download)"
	@$(BIN)/python -m ensurepip > /dev/null
	@$(BIN)/python scripts/install.py requirements.txt
	@echo "Installing Tertulia, removing what only builds need"
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@sh scripts/slim.sh .venv
	@touch $@

.venv/dev.stamp: requirements-dev.txt .venv/runtime.stamp
	@echo "Installing what tests and checks need"
	@$(BIN)/python -m ensurepip > /dev/null
	@$(BIN)/python scripts/install.py requirements-dev.txt
	@touch $@
