# Two commands: `make run` and `make test`. Both need Python 3.11 or newer, its venv module and make; everything else is
# installed into .venv from the lock files, by name, version and hash.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

NEW_ENOUGH := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for candidate in python3 python3.12 python3.11 python3.13 python3.14 python; do \
	"$$candidate" -c "$(NEW_ENOUGH)" 2>/dev/null && echo "$$candidate" && break; done)
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
LOCKS := bootstrap.lock requirements.lock
CODE := $(patsubst %/__init__.py,%,$(wildcard */__init__.py)) client

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Use the certificates that the machine trusts, as pip does: many networks have their own authority.
export UV_SYSTEM_CERTS := 1
# A test run starts hundreds of processes: without cached bytecode each would compile a thousand modules again.
export PYTHONDONTWRITEBYTECODE :=
# As in workers: linear algebra threads in several processes only wait for each other.
export OPENBLAS_NUM_THREADS := 1

.PHONY: help install run prepare test test-long test-portals chance coverage check format lock bench openapi docs clean mutants

help:
	@echo "make run        start everything on this machine (PostgreSQL, Redis, API, worker, sweeper, courier)"
	@echo "make test       run the tests          make test-long  also run the slow tests"
	@echo "make prepare    compile kernels and bytecode for the tests (make test does it the first time)"
	@echo "make coverage   run the tests and show which lines of the product they reach (compiled kernels aside)"
	@echo "make chance     run the randomized tests twenty times"
	@echo "make test-portals  test with third-party software: metadata validators, CKAN, an OpenID provider, MCP, clients"
	@echo "make check      lint, types, imports   make format     format the code"
	@echo "make bench      run the benchmarks     make openapi    write the OpenAPI document"
	@echo "make docs       write the reference pages of docs/ from the catalogue"
	@echo "make lock       pin the dependencies   make clean      remove built files"
	@echo "make mutants    find bugs that no test would notice (docs/mutants.md)"

install: $(INSTALLED)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Antifaz needs Python 3.11 or newer with its venv module; none was found" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# uv installs in seconds what takes pip minutes; if uv is not available or fails, pip is used.
$(INSTALLED): $(LOCKS) pyproject.toml client/pyproject.toml verifier/pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --require-hashes -r bootstrap.lock || \
		{ echo "uv is not available; continuing with pip" >&2; rm -f $(BIN)/uv; \
		sed -n '/^setuptools==/,/[^\\]$$/p' bootstrap.lock > $(VENV)/setuptools.lock; \
		$(BIN)/python -m pip install --quiet --require-hashes -r $(VENV)/setuptools.lock; }
	{ test -x $(BIN)/uv && $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock; } || \
		$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --no-index --editable client --editable verifier --editable .
	@touch $@

run: $(INSTALLED)
	@exec $(BIN)/antifaz up

# Compiled kernels are cached in a folder for the current version of their source.
CACHED = NUMBA_CACHE_DIR="$$($(BIN)/python -m stack.kernels)"

# The console is tested in the system's Chromium. Debian's is installed if that is allowed; otherwise those tests are skipped.
INSTALL = apt-get install -y --no-install-recommends chromium >/dev/null 2>&1
CHROMIUM = command -v chromium >/dev/null || \
	{ test "$$(id -u)" = 0 && { $(INSTALL) || { apt-get update >/dev/null 2>&1 && $(INSTALL); }; }; } || \
	echo "NO BROWSER: the tests of the console in a browser are skipped; install Chromium to run them" >&2

# The kernels are compiled once before the tests: otherwise every process that a test starts would compile all of them.
# So is the bytecode of the tests and of everything they import: otherwise all test processes would compile it at the
# same time.
prepare: $(INSTALLED) $(VENV)/.bytecode
	$(CACHED) $(BIN)/python -m workers.process.warm
	@$(CHROMIUM)

# Collection errors are reported by the tests themselves.
$(VENV)/.bytecode: $(INSTALLED)
	-@$(BIN)/python -m pytest -q --collect-only >/dev/null 2>&1
	@touch $@

test: prepare
	$(BIN)/python -m pytest -q -m "not long" --numprocesses auto --dist loadfile --no-loadscope-reorder

# Every fault scenario runs three times, and docs/proof.md has the results. Properties are tried with newly drawn examples,
# while those of `make test` stay the same.
test-long: prepare
	ANTIFAZ_PROOF=3 HYPOTHESIS_PROFILE=exploring $(BIN)/python -m pytest -q

# What the tests run, of everything but compiled kernels; `make coverage TESTS=tests/formats` measures a part.
TESTS := tests
coverage: prepare
	rm -rf .coverage && mkdir .coverage
	nice -n 5 $(BIN)/python -m coverage run -m pytest -q -m "not long" --numprocesses auto --dist loadfile --no-loadscope-reorder $(TESTS); \
		found=$$?; $(BIN)/python -m coverage combine --quiet && $(BIN)/python -m coverage report && exit $$found

chance: prepare
	nice -n 5 $(BIN)/python -m bench.chance

# Third-party software in separate environments, so that its versions and licenses do not affect ours: validators and
# readers of metadata, CKAN, and from npm (if it is installed) an OpenID provider and TypeScript.
PORTALS := .portals

$(PORTALS)/%/.installed: tests/portals/%.lock $(INSTALLED)
	test -x $(PORTALS)/$*/bin/python || $(PYTHON) -m venv $(PORTALS)/$*
	{ test -x $(BIN)/uv && \
		$(BIN)/uv pip install --quiet --python $(PORTALS)/$*/bin/python --no-deps --require-hashes -r $<; } || \
		$(PORTALS)/$*/bin/python -m pip install --quiet --no-deps --require-hashes -r $<
	@touch $@

$(PORTALS)/npm/.installed: tests/portals/package.json tests/portals/package-lock.json
	@mkdir -p $(PORTALS)/npm
	cp $^ $(PORTALS)/npm
	if command -v npm >/dev/null; then cd $(PORTALS)/npm && npm ci --silent --no-audit --no-fund; \
		else echo "NO NPM: the tests with an OpenID provider and TypeScript are skipped" >&2; fi
	@touch $@

test-portals: prepare $(PORTALS)/validators/.installed $(PORTALS)/ckan/.installed $(PORTALS)/npm/.installed
	ANTIFAZ_PORTALS=$(PORTALS) $(BIN)/python -m pytest -q tests/portals

check: $(INSTALLED)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m service.openapi --check
	$(BIN)/python -m handbook --check
	$(BIN)/python -m pytest -q tests/test_project.py

format: $(INSTALLED)
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

# One resolution for all: the production lock and uv itself follow the full lock's versions.
COMPILE = UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-annotate --no-emit-package antifaz-client --no-emit-package antifaz-verifier

lock: $(INSTALLED)
	$(COMPILE) --all-extras pyproject.toml --output-file requirements.lock
	$(COMPILE) --extra service --constraint requirements.lock pyproject.toml --output-file requirements.production.lock
	$(COMPILE) --constraint requirements.lock bootstrap.in --output-file bootstrap.lock
	$(COMPILE) tests/portals/validators.in --output-file tests/portals/validators.lock
	$(COMPILE) --override tests/portals/ckan.overrides tests/portals/ckan.in --output-file tests/portals/ckan.lock

bench: $(INSTALLED)
	$(CACHED) $(BIN)/python -m bench.results

# Makes one wrong line at a time in a copy of the source, and lists those that no test notices; takes days.
mutants: $(INSTALLED)
	nice -n 10 $(BIN)/python -m bench.mutants

openapi: $(INSTALLED)
	$(BIN)/python -m service.openapi --write

docs: $(INSTALLED)
	$(BIN)/python -m handbook --write

clean:
	rm -rf build dist *.egg-info client/build client/dist client/*.egg-info .numba_cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage
	find $(CODE) -name __pycache__ -prune -exec rm -rf {} +
