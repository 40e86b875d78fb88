# Everything a developer or CI runs.  `make` alone lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2
T ?=
PYTEST := $(BIN)/python -m pytest -q
MADE := $(VENV)/.made-by-make-dev
TRY := $(VENV)-try
HOME_TCC := docs/examples/home.tcc
FACTS := --facts docs/examples/home.facts.json
ENGINE := $(addsuffix .py,$(subst .,/,$(shell sed 's/#.*//' tcc/engine/_modules.txt 2>/dev/null)))
ENGINE += $(wildcard tcc/engine/*.pxd tcc/engine/*/*.pxd)

.PHONY: help dev try check static fast test browser kernel uml-kernel golden docs site man completions wheel dist deb fresh pythons fuzz engine-bounds engine-asan evidence bench python

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

dev: $(MADE)  ## the environment for development, in .venv, with the engine compiled

try: python  ## a first look, in an environment of its own; needs no root
	$(PYTHON) -m venv $(TRY)
	$(TRY)/bin/pip install -q --upgrade pip
	$(TRY)/bin/pip install -q .
	$(TRY)/bin/tcc explain framing
	$(TRY)/bin/tcc plan $(HOME_TCC) $(FACTS)
	$(TRY)/bin/tcc generate tc-script $(HOME_TCC) $(FACTS)
	$(TRY)/bin/tcc verify $(HOME_TCC)

check: dev  ## format, lint, types, imports, fast tests; no root, no network
	$(MAKE) --no-print-directory -j2 static fast

static:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fast:
	$(PYTEST) -n $(JOBS) -m "not kernel and not uml and not browser and not slow"

test: dev  ## all tests that run without root; make test T=tests/engine for a part
	$(PYTEST) $(if $(T),,-n $(JOBS)) --failed-first -m "not kernel and not uml and not browser" $(T)

browser: dev  ## the pages of results in Chromium; pictures of them go to build/browser
	$(PYTEST) -m browser $(or $(T),tests/browser)

kernel: dev  ## as root: tests on this machine's kernel, and on the 7.3 test kernel
	@[ "$$(id -u)" = 0 ] || { echo "make kernel: needs root, for network namespaces and qdiscs: try sudo make kernel"; exit 1; }
	$(PYTEST) $(if $(T),,-n $(JOBS) --dist loadfile) -m uml $(T) || [ $$? = 5 -a -n "$(T)" ]
	$(PYTEST) -m kernel $(T) || [ $$? = 5 -a -n "$(T)" ]

uml-kernel: python  ## build the 7.3 test kernel into ~/.cache/tcc-kernel (about ten minutes)
	cd tests/kernel && $(PYTHON) -m testkernel.uml_build

golden: dev  ## rewrite tests/golden from what tcc says now; read the diff
	$(PYTEST) tests/test_golden.py tests/errors --update-golden
	git diff --stat tests/golden tests/errors

docs: dev  ## run what the pages show, and write its output into them
	$(PYTEST) tests/docs --update-golden
	git diff --stat README.md docs

site: dev  ## build the manual into build/manual/html; a warning is an error
	$(BIN)/python docs/manual.py site build/manual

man: dev  ## build the man pages tcc(1) and tcc-policy(5) into build/manual/man
	$(BIN)/python docs/manual.py man build/manual

completions: dev  ## write the completions of bash, zsh and fish into build/completions
	$(BIN)/python docs/manual.py completions build/completions

wheel: dev  ## build a wheel, install it elsewhere, run the golden tests against it
	tests/wheel.sh $(BIN)/python

dist: python  ## build what is published, twice and equal, and try it elsewhere; into dist/
	tests/dist.sh $(PYTHON)

deb:  ## build the Debian package tcpolicy into dist/, from what is committed
	tests/deb.sh

fresh: deb  ## as root: what README says, on a clean Debian; the Debian package on another
	tests/fresh.sh

pythons:  ## build and test on Python 3.11 to 3.14, from the PATH or (as root) in a Debian of its own
	tests/pythons.sh $(T)

fuzz: dev  ## give each reader of outside text a minute of hostile bytes; make fuzz T=policy for one
	$(BIN)/python -m pip install -q --group fuzz
	$(BIN)/python tests/fuzz/run.py $(T)

engine-bounds: dev  ## the engine built with checks of bounds and overflows: traces, tests, damaged traces
	@$(BIN)/python tests/evidence/run.py engine-bounds

engine-asan: dev  ## the same under AddressSanitizer
	@$(BIN)/python tests/evidence/run.py engine-asan

evidence: dev  ## list what can be shown; make evidence T=NAME shows one
	@$(BIN)/python tests/evidence/run.py $(T)

bench: dev  ## list the measurements against the peers; make bench T=NAME makes one
	@$(BIN)/python tests/evidence/run.py --in benchmarks $(T)

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "make: needs Python 3.11 or newer: $(PYTHON) is not (set PYTHON=...)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "make: $(PYTHON) has no venv module: apt-get install python3-venv"; exit 1; }
	@printf '#include <Python.h>\n' \
	  | $${CC:-cc} -I"$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')" -E - >/dev/null 2>&1 \
	  || echo "make: no C compiler or no Python.h (apt-get install gcc python3-dev): the engine will be interpreted, and slow (later: make -B dev)"

$(MADE): pyproject.toml setup.py $(wildcard tcc/engine/_modules.txt) $(ENGINE) | python
	[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -e '.[yaml,ui,lsp,cluster]' --group dev
	touch $@
