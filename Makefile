# make demo   applies the examples, and shows what became of them
# make test   runs the suite
# make lint   runs the checks that need no test: ruff and mypy
# The environment in .venv is built on the first run, and again when pyproject.toml or constraints.txt change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
KERNELS := $(wildcard kernels/pyproject.toml)
PINS := pyproject.toml constraints.txt $(KERNELS)

.PHONY: demo test lint clean

demo: $(VENV)/.installed
	@$(BIN)/python examples/demo.py

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python $(PINS)
	@echo "Installing FastEdit into $(VENV)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing what the suite needs into $(VENV)"
	@$(PIP) $(if $(KERNELS),--editable ./kernels) --editable '.[dev,languages,model,server]'
	@touch $@
