# SPDX-License-Identifier: Apache-2.0
# Each target alone is sufficient on a machine with Python >= 3.11 and a C++20 compiler: it makes its own virtual
# environment and takes CMake and Ninja from there.
PYTHON ?= python3
VENV := .venv
BUILD := build/make
RUN := $(VENV)/bin
PIP := $(RUN)/python -m pip
PIP_INSTALL := $(PIP) install --quiet
# The build requirements live in the environment, so that the second build only compiles what changed.
INSTALL := $(PIP_INSTALL) --no-build-isolation -Cbuild-dir=$(BUILD)
CPP_FILES = $(shell find cpp tests/cpp -name '*.hpp' -o -name '*.cpp')
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

.PHONY: demo test lint format bench mutation clean

# 60 epochs over 60 000 records in Poisson batches of 256 on average.
demo: $(VENV)/ready
	$(INSTALL) -Ccmake.define.HOCKEYSTICK_TESTS=OFF '.[cli]'
	$(RUN)/hockeystick dpsgd --noise-multiplier 1.1 --sampling-rate 0.0042666667 --steps 14063 --delta 1e-5

test: $(VENV)/ready
	$(INSTALL) -Ccmake.define.HOCKEYSTICK_TESTS=ON '.[test,peers]'
	$(RUN)/ctest --test-dir $(BUILD) --output-on-failure --no-tests=error
	$(RUN)/python -m pytest

lint: $(VENV)/ready
	$(INSTALL) -Ccmake.define.HOCKEYSTICK_TESTS=ON '.[lint]'
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@echo clang-format --dry-run -Werror
	@$(RUN)/clang-format --dry-run -Werror $(CPP_FILES)

format: $(VENV)/ready
	$(PIP_INSTALL) ruff clang-format
	$(RUN)/ruff check --fix .
	$(RUN)/ruff format .
	$(RUN)/clang-format -i $(CPP_FILES)

bench: $(VENV)/ready
	$(INSTALL) -Ccmake.define.HOCKEYSTICK_TESTS=OFF '.[bench,peers]'
	$(RUN)/python -m pytest bench

# Half an hour; not part of the gate.
mutation: $(VENV)/ready
	$(INSTALL) -Ccmake.define.HOCKEYSTICK_TESTS=ON '.[test]'
	PATH="$(CURDIR)/$(RUN):$$PATH" $(RUN)/python tests/mutation/switch_off_terms.py

clean:
	rm -rf $(VENV) build

# The build requirements are read from pyproject.toml, the one place that lists them.
$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed: make PYTHON=python3.x')"
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --upgrade pip
	$(RUN)/python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['build-system']['requires'], sep='\n')" > $(VENV)/build-requires.txt
	$(PIP_INSTALL) -r $(VENV)/build-requires.txt cmake ninja
	touch $@
