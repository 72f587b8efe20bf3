# Two commands on a fresh machine with only Python 3.11+ and make:
#   make demo   set up, cluster the embedded data set, write the report
#   make test   set up, then everything: lint, types, tests
# and, while you work or before a release:
#   make quick         the core of the tests, in less than a minute
#   make test-minimum  the tests with the oldest versions that pyproject.toml allows
#   make docs          the site in docs/_build/html, with all examples
#   make sanitize      the compiled loops under the sanitizers of the compiler
#   make chaos         kills, full disks, rivals and damaged files, drawn from a seed, in less than five minutes
#   make compare       speed of this commit and of BASE, as ratios
#   make peers-env     an environment of its own for the packages that benchmarks/peers compares us with
#   make package       sdist and wheels in dist/, and what the packaging tools say about them
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
MINIMUM := build/minimum
PACKAGE := build/package
PEERS := build/peers
SPEED := build/asv/tool
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test lint types tests quick test-minimum docs sanitize chaos package speed compare paper peers-env clean

demo: $(VENV)/.ready
	$(BIN)/manyview demo

test: lint types tests

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

types: $(VENV)/.ready
	$(BIN)/mypy

# small matrices: BLAS threads would only get in each other's way
tests: $(VENV)/.ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --numprocesses 2 --dist worksteal

QUICK := tests/kernels tests/metrics tests/views tests/geometry tests/anchors tests/packaging \
	tests/cluster/test_checks.py tests/cli/test_demo.py tests/test_import_rule.py tests/test_tests_assert.py
quick: $(VENV)/.ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest --quiet --exitfirst --numprocesses 2 --dist worksteal $(QUICK)

test-minimum: $(MINIMUM)/.ready
	OPENBLAS_NUM_THREADS=1 $(MINIMUM)/bin/pytest --numprocesses 2 --dist worksteal

# warnings are errors, every example runs, every link between pages is checked; open docs/_build/html/index.html
docs: $(VENV)/.ready
	OPENBLAS_NUM_THREADS=1 $(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html

sanitize: $(VENV)/.ready
	$(BIN)/python tests/sanitize/run.py

chaos: $(VENV)/.ready
	$(BIN)/python tests/chaos/run.py

# the wheel for this platform, the one for all, and the sdist that both are made from
package: $(PACKAGE)/.ready
	rm -rf dist build/lib* build/bdist*
	$(PACKAGE)/bin/python -m build --outdir dist
	MANYVIEW_PURE=1 $(PACKAGE)/bin/python -m build --wheel --outdir dist
	$(PACKAGE)/bin/twine check --strict dist/*
	$(PACKAGE)/bin/check-wheel-contents dist
	$(PACKAGE)/bin/validate-pyproject pyproject.toml
	$(PACKAGE)/bin/pyroma --min 10 --skip-tests Url,AuthorEmail .  # there is neither a public page nor an address yet
	$(PACKAGE)/bin/sp-repo-review .

speed: $(VENV)/.ready
	$(BIN)/python benchmarks/scale.py speed --rows 20000 200000

# asv builds both commits in environments of their own, and times them in turn
BASE ?= HEAD~1
compare: $(SPEED)/.ready
	$(SPEED)/bin/asv --config benchmarks/asv/asv.conf.json continuous --interleave-rounds --factor 1.2 $(BASE) HEAD

# every experiment of the paper that the data in DATA allow, then docs/paper.md; takes hours, goes on where it was stopped
DATA ?= ../shared/data
paper: $(VENV)/.ready
	$(BIN)/python benchmarks/paper/redo.py --data $(DATA)

peers-env: $(PEERS)/.ready

$(VENV)/.ready: pyproject.toml setup.py src/manyview/kernels/_compiled.c
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"  # the first that knows dependency groups
	$(BIN)/pip install --quiet --editable ".[all]" --group dev
	touch $@

$(MINIMUM)/.ready: pyproject.toml setup.py constraints/minimum.txt
	$(PYTHON) -m venv --clear $(MINIMUM)
	$(MINIMUM)/bin/pip install --quiet --upgrade "pip>=25.1"
	$(MINIMUM)/bin/pip install --quiet --editable ".[all]" --group test --constraint constraints/minimum.txt
	touch $@

$(PEERS)/.ready: benchmarks/peers/requirements.txt
	$(PYTHON) -m venv --clear $(PEERS)
	$(PEERS)/bin/pip install --quiet --upgrade pip
	$(PEERS)/bin/pip install --quiet --requirement $<
	touch $@

$(SPEED)/.ready:
	$(PYTHON) -m venv --clear $(SPEED)
	$(SPEED)/bin/pip install --quiet "asv>=0.6.4" virtualenv
	touch $@

$(PACKAGE)/.ready: pyproject.toml
	$(PYTHON) -m venv --clear $(PACKAGE)
	$(PACKAGE)/bin/pip install --quiet --upgrade "pip>=25.1"
	$(PACKAGE)/bin/pip install --quiet --group package
	touch $@

clean:
	rm -rf $(VENV) build dist docs/_build docs/_sample docs/api docs/gallery src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis manyview-demo
