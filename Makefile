# Everything a person or CI runs here. It needs Python 3.11 or newer, git and make, and no more.
# VENV=DIR puts the virtual environment elsewhere; PYTHON=/path/to/python3 chooses the Python.

VENV ?= .venv
JOBS ?= auto
PY := $(VENV)/bin/python
BIN := $(VENV)/bin
MADE := $(VENV)/.made
RUN := $(VENV)/.installed
TEST := $(VENV)/.installed-test

# Every file is checked against its hash; a package that had to be built here would bring unchecked build tools along.
PIP_FLAGS ?= --only-binary :all:
PIP := $(PY) -m pip --disable-pip-version-check -qq
INSTALL := $(PIP) install --require-hashes $(PIP_FLAGS)
INSTALL_SELF := $(PIP) install --no-deps --no-build-isolation --editable .
PYTEST := $(PY) -m pytest -n $(JOBS) --maxprocesses 4

# A virtual environment holds absolute paths and a link to its Python: made anew when the checkout moved, that Python
# is gone, or PYTHON names another one.
VERSION := -c 'import sys; sys.stdout.write(sys.version)'
ifneq ($(filter-out help clean lock,$(or $(MAKECMDGOALS),help)),)
ifneq ($(PYTHON),)
SAME := && test "$$('$(PYTHON)' $(VERSION) 2>/dev/null)" = "$$('$(PY)' $(VERSION) 2>/dev/null)"
endif
STALE := $(shell { test "$$(cat '$(MADE)' 2>/dev/null)" = '$(CURDIR)' && '$(PY)' -c '' 2>/dev/null $(SAME); } \
	|| rm -f '$(MADE)' '$(RUN)' '$(TEST)')
endif

.PHONY: help demo test lint proof bench lock wheel clean compiled
.DEFAULT_GOAL := help

help: ## what there is to run
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):.*## (.*)/make \1|\2/' | while IFS='|' read -r name what; do \
		printf '  %-12s %s\n' "$$name" "$$what"; done

demo: $(RUN) compiled ## play a real session on a scratch repository; no key needed
	@$(BIN)/agentmem demo

test: lint compiled ## format, lint, types, imports, and all tests with coverage
	$(PYTEST) -p tests.rooms --cov --cov-report=json:.coverage.json

lint: $(TEST) ## the checks that run nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

proof: $(TEST) compiled ## the long forms of proofs and fuzzing
	HYPOTHESIS_PROFILE=proof $(PYTEST) -m ''

bench: $(RUN) compiled ## measure against the budgets and rewrite benchmarks/RESULTS.md
	$(PY) -m benchmarks

lock: ## resolve the dependencies anew (UPGRADE=1 lifts the pins); needs uv
	@.ci/lock $(if $(UPGRADE),--upgrade)

wheel: $(TEST) ## build dist/*.whl
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .

clean: ## remove what the commands above made
	@test ! -f $(VENV)/pyvenv.cfg || rm -rf $(VENV)
	rm -rf dist build .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find agentmem tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@if test -e $(VENV) && test ! -f $(VENV)/pyvenv.cfg && test -n "$$(ls -A $(VENV))"; then \
		echo "$(VENV) exists and is no virtual environment; name another place: make ... VENV=DIR" >&2; exit 1; fi
	@python=$$(PYTHON='$(PYTHON)' .ci/python) && echo "making $(VENV) with $$python" && "$$python" -m venv --clear $(VENV)
	@printf '%s' '$(CURDIR)' > $@

$(RUN): $(MADE) requirements.lock pyproject.toml
	@echo 'installing agentmem and what it needs (once, about a minute)'
	@$(INSTALL) -r requirements.lock
	@$(INSTALL_SELF)
	@touch $@

$(TEST): $(MADE) requirements-test.lock pyproject.toml
	@echo 'installing agentmem and what its tests need (once, about a minute)'
	@$(INSTALL) -r requirements-test.lock
	@$(INSTALL_SELF)
	@touch $(RUN) $@

# Python starts 2.5 times slower from source alone, and some machines tell it to write no .pyc files.
compiled: | $(MADE)
	@$(PY) -m compileall -q agentmem
