# discreet: `make` prints this help; every target makes its own environment in .venv first.

PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2
BY_FILE := --dist loadfile --no-loadscope-reorder  # what a file makes once is made once; its folders end with the unit tests, which are short
export PYTHONDONTWRITEBYTECODE =  # images of containers set it: each of hundreds of processes would compile all again

.PHONY: help demo test nightly quick near house check poison mutants bench denoising figures docs dist lowest reference words site browser screenshots postgres spark r clean

help:  ## print this help
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

demo: .venv/demo  ## the main job on real census data: plan, pay, release, report
	@$(BIN)/discreet demo

test: .venv/test  ## every kind of test; of exhaustive ones the twentieth part whose turn it is at this commit (the browser test skips where there is no Chromium: see `make browser`)
	@$(BIN)/python -m pytest -n $(WORKERS) $(BY_FILE) -rfEs --no-fold-skipped --durations 20 --share 20 tests

nightly: .venv/test  ## all cases of all tests, all of poison, all mutants, Spark: some hours
	@NIGHTLY=1 $(BIN)/python -m pytest -n $(WORKERS) $(BY_FILE) -rfEs --no-fold-skipped tests
	@$(MAKE) spark poison mutants

quick: .venv/test  ## the unit tests that take milliseconds, in less than a minute: to run while you think
	@$(BIN)/python -m pytest -n $(WORKERS) -m "not slow" --share 20 tests/unit tests/house

near: .venv/test  ## the quick tests nearest to one file, in seconds: make near FILE=src/discreet/post/moments.py
	@$(BIN)/python tools/near.py $(FILE)

check: .venv/test  ## formatting, lints, types, import contracts, the laws of the house
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/house.py

poison: .venv/test  ## the strangest rows and files through every door: nothing may move too far or stop (SHARE=20: one case of 20)
	@$(BIN)/python -m poison --share $(or $(SHARE),1)

bench: .venv/bench  ## speed, as ratios measured in one run; writes docs/benchmarks-tables.md
	@$(BIN)/python -m bench

mutants: .venv/test  ## break each claim in small ways; its own tests must see each (SHARE=10: those whose turn it is; CLAIMS="C07 C08": these alone)
	@$(BIN)/python -m mutants --share $(or $(SHARE),1) $(CLAIMS)

denoising: .venv/test  ## the denoisers' choice, case by case, and on real tables; writes docs/denoising-*.md (DATA=folder: the real map, too)
	@$(BIN)/python -m bench.denoising $(if $(DATA),--data $(DATA))
	@$(BIN)/python -m bench.real_tables $(if $(DATA),--data $(DATA))

figures: .venv/test  ## draw the documents' figures again, into docs/figures (DATA=folder: the real map, too)
	@$(BIN)/python -m figures all --out docs/figures
	@if [ -n "$(DATA)" ]; then $(BIN)/python -m figures street-map --data $(DATA) --out drawn; fi

house: .venv/test  ## measure the house and draw it; writes docs/house.md and docs/house.svg
	@$(BIN)/python tools/bars.py

reference: .venv/test  ## write the pages that are made from the code: decisions, plan files, commands, errors, claims, what was measured
	@$(BIN)/python tools/reference.py
	@$(BIN)/python tools/claims.py
	@$(BIN)/python tools/measured.py

words: .venv/test  ## how plainly docs, docstrings and messages are written, worst first (PAGE=docs/x.md: its long sentences)
	@$(BIN)/python tools/words.py $(PAGE)

site: .venv/site  ## build the site of the docs into build/site, strictly: a page or a heading that a link misses stops it
	@$(BIN)/zensical build --strict --clean

docs: .venv/test  ## check that the examples in README and docs run as written
	@$(BIN)/python -m pytest tests/e2e/test_readme.py tests/e2e/test_docs.py tests/house/test_claims.py

dist: .venv-dist/made  ## build wheel and source twice, compare, check, install into an empty environment and run the README; into dist/
	@.venv-dist/bin/python tools/dist.py

lowest: .venv-dist/made  ## the quick unit tests on the lowest versions that pyproject.toml allows
	@.venv-dist/bin/uv venv --quiet --clear .venv-lowest
	@.venv-dist/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct --editable ".[test]"
	@.venv-lowest/bin/python -m pytest -n $(WORKERS) -m "not slow" -W ignore::DeprecationWarning --deselect tests/unit/document/test_document.py::test_the_published_schema_is_the_schema tests/unit

postgres:  ## install PostgreSQL for the tests of its engine (Debian, needs root)
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || (apt-get update -qq && apt-get install -y -qq postgresql)

spark: .venv/test  ## install Spark and Java, and run the tests of its engine: some minutes (Debian, needs root)
	@command -v java >/dev/null || (apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless)
	@$(BIN)/python -m pip install --quiet --editable ".[spark]" "pyspark[connect]"
	@$(BIN)/python -m pytest -k spark --share $(or $(SHARE),20) tests/engine/test_spark.py tests/engine/test_spark_parts.py tests/engine/test_spark_settings.py tests/engine/test_spark_readers.py tests/engine/test_spark_rows.py tests/engine/test_logarithms.py tests/engine/test_spelled_keys.py tests/engine/test_names_of_ours.py tests/engine/test_names_by_case.py tests/engine/test_hash_of_spark.py tests/engine/test_spark_connect.py tests/engine/test_spark_lost.py tests/adversarial/test_broken_spark.py tests/engine/test_suite_on_servers.py tests/engine/test_doubles_on_servers.py tests/engine/test_found_keys_on_servers.py tests/engine/test_listed_engines.py tests/adversarial/test_tight_on_servers.py tests/adversarial/test_one_unit_in_worlds.py tests/e2e/test_engines_page.py tests/statistical/test_fair_rows.py tests/engine/test_one_source.py tests/engine/test_narrow_sums.py

r: .venv/test  ## install R, and run the tests of its package: R CMD check and the vignette (Debian, needs root)
	@dpkg -s r-base-core r-cran-jsonlite r-cran-knitr r-cran-markdown >/dev/null 2>&1 || (apt-get update -qq && apt-get install -y -qq --no-install-recommends r-base-core r-cran-jsonlite r-cran-knitr r-cran-markdown)
	@$(BIN)/python -m pytest -rs tests/e2e/test_r.py

browser: .venv/test  ## install Chromium and axe for the tests of the report page (Debian, needs root)
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium)
	@$(BIN)/python -m pip install --quiet --no-deps "axe-playwright-python>=0.1.8"

screenshots: .venv/test  ## take the pictures of the demo's report page for the docs (needs `make browser`)
	@PYTHONPATH=$(CURDIR)/src:$(CURDIR)/tests $(BIN)/python tools/screenshots.py docs/pictures

clean:  ## remove the environment and the demo's files
	rm -rf .venv .venv-dist .venv-lowest demo dist

.venv/bin/python:
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade pip

.venv/demo: pyproject.toml | .venv/bin/python
	@echo "installing discreet into .venv ..."
	@$(BIN)/python -m pip install --quiet --editable ".[demo]"
	@touch $@

.venv/test: pyproject.toml | .venv/bin/python
	@echo "installing discreet and its test tools into .venv ..."
	@$(BIN)/python -m pip install --quiet --editable ".[demo,check]"
	@touch $@

.venv/site: pyproject.toml | .venv/bin/python
	@echo "installing what builds the site into .venv ..."
	@$(BIN)/python -m pip install --quiet --editable ".[site]"
	@touch $@

.venv-dist/made: pyproject.toml
	@$(PYTHON) -m venv .venv-dist
	@.venv-dist/bin/python -m pip install --quiet "build>=1.2" "cyclonedx-bom>=5" "hatch-fancy-pypi-readme>=24.1" "hatchling>=1.27" "twine>=6.1" "uv>=0.5"
	@touch $@

.venv/bench: pyproject.toml | .venv/bin/python
	@echo "installing discreet and its peers into .venv ..."
	@$(BIN)/python -m pip install --quiet --editable ".[bench]"
	@touch $@
