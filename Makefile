# Everything is set up in .venv: nothing is installed into the system.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test lint types contracts tests bench clean

demo: $(READY)
	$(BIN)/sightline build server/sightline/text.py::Text.fold --max-input-tokens 12000 --summary

test: lint types contracts tests

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks

contracts: $(READY)
	$(BIN)/lint-imports

tests: $(READY)
	$(BIN)/pytest -n auto

# Folders of public code to measure on: make bench CODE="path/to/checkout …"
bench: $(READY)
	$(BIN)/python benchmarks/exactness.py python
	$(if $(CODE),$(BIN)/python benchmarks/signatures.py $(CODE) --limit 200)

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Sightline needs Python 3.11 or newer; say which: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
