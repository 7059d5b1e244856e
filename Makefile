# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
VARIANT ?= gin-es
export OMP_WAIT_POLICY ?= PASSIVE

.PHONY: demo test test-slow check format bench golden perft lock coverage clean help

help:
	@echo "make demo [VARIANT=gin-es]  train a small agent for about five minutes, judge it, show the result"
	@echo "make test                   the tests (make test-slow: their long forms too)"
	@echo "make check                  format, lint, types, import layers"
	@echo "make bench                  speed against peers"

$(VENV)/ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v < (3, 14) else f"rummy-env needs Python 3.11 to 3.13, this is {v[0]}.{v[1]}: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

demo: $(VENV)/ready
	$(BIN)/python -m train.demo $(VARIANT)

test: $(VENV)/ready
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"
	RUMMY_NOTEBOOK_SHORT=1 $(BIN)/python -m pytest --nbmake notebooks

test-slow: $(VENV)/ready
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/ready
	$(BIN)/python -m eval bench

golden: $(VENV)/ready
	$(BIN)/python -m tests.golden

perft: $(VENV)/ready
	$(BIN)/python -m tests.perft --write

coverage: $(VENV)/ready
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m "not slow" tests/test_solver.py tests/test_twin.py tests/test_rules.py tests/test_cases.py
	$(BIN)/coverage report

# Renews requirements.lock from what is installed (after changing versions by hand with pip).
lock:
	$(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' > requirements.lock

clean:
	rm -rf $(VENV) runs demo dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
