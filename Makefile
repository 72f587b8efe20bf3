# Two commands on a fresh machine with only Python 3.11+ and make:
#   make demo   set up, cluster the embedded data set, write the report
#   make test   set up, then everything: lint, types, tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint types tests speed paper clean

demo: $(VENV)/.ready
	$(BIN)/manyview demo

test: lint types tests

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.ready
	$(BIN)/mypy

# small matrices: BLAS threads would only get in each other's way
tests: $(VENV)/.ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist worksteal

speed: $(VENV)/.ready
	$(BIN)/python benchmarks/scale.py speed --rows 20000 200000

# every experiment of the paper that the data in DATA allow, then docs/paper.md; takes hours, goes on where it was stopped
DATA ?= ../shared/data
paper: $(VENV)/.ready
	$(BIN)/python benchmarks/paper/redo.py --data $(DATA)

$(VENV)/.ready: pyproject.toml src/manyview/kernels/_compiled.c
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis manyview-demo
