# Everything is set up in .venv: nothing is installed into the system.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
EDITORS_READY := .venv/.editors-ready

.PHONY: demo test lint types contracts tests editors vscode docs bench clean

demo: $(READY)
	$(BIN)/sightline build server/sightline/text.py::Text.fold --max-input-tokens 12000 --summary

test: lint types contracts tests editors

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(EDITORS_READY)
	$(BIN)/mypy
	$(BIN)/mypy tests benchmarks
	$(BIN)/mypy editors/vscode/build.py editors/protocol_types.py docs/reference.py

contracts: $(READY)
	$(BIN)/lint-imports
	$(BIN)/pytest -q tests/tidy

tests: $(READY)
	$(BIN)/pytest -n auto --ignore tests/editors

# A workbench wants the machine for itself.
editors: $(EDITORS_READY)
	$(BIN)/pytest -n auto tests/editors --ignore tests/editors/vscode
	$(BIN)/pytest tests/editors/vscode

# Builds editors/vscode/sightline.vsix, with the server's wheel in it.
vscode: $(EDITORS_READY)
	$(BIN)/python editors/vscode/build.py

# Builds the documentation in site/. It needs no network once mkdocs is there.
docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs]'
	$(BIN)/python docs/reference.py
	$(BIN)/mkdocs build --strict --quiet

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

$(EDITORS_READY): $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,editors]'
	@touch $@

clean:
	rm -rf .venv site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
