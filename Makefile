# The front door: `make` alone lists what there is. The work is done by CMake presets and scripts/.
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local
T ?= safetensors
S ?= 60

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup: ## install what is missing (Debian packages), silent when nothing is
	@scripts/setup.sh

build: setup ## the release build: build/saccade, build/golden
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j$(JOBS)

build-%: setup
	@cmake --preset $* >/dev/null
	@cmake --build --preset $* -j$(JOBS)

demo: build ## train an agent before your eyes, drive unseen tracks, film it
	@scripts/demo.sh

train: build ## start or resume the full CarRacing training (RUN=runs/car-racing)
	@scripts/train.sh

test: setup ## everything that must pass, under AddressSanitizer and UBSan
	@scripts/mujoco.sh || echo "mujoco: not there; what needs it is skipped"
	@scripts/test.sh

test-threads: build-tsan ## the threaded tests under ThreadSanitizer
	@ctest --preset tsan -L threads --timeout 600

lint: setup ## format, warnings, clang-tidy, headers, symbols, scripts
	@scripts/lint.sh

format: setup ## clang-format in place
	@git ls-files '*.c' '*.h' | xargs -r clang-format -i

bench: build ## every figure beside its peer and the last landed one (LAND=1 writes, ROW=name runs one)
	@build/saccade bench $(ROW) $(if $(LAND),--land)

check-kernels: build ## every CPU level against scalar with a fresh seed (BENCH=1 adds timings)
	@build/check_kernels $(if $(BENCH),--bench)

determinism: build ## one hash for every thread count, at every optimisation and CPU level that promises it
	@scripts/determinism.sh

fuzz: setup ## fuzz one parser: T=safetensors S=60
	@tests/fuzz/run.sh $(T) $(S)

check: setup ## all of the above that must pass before work lands, cheapest first
	@scripts/check.sh

mujoco: ## MuJoCo and the models of the control suite, into .venv; then build again
	@scripts/mujoco.sh

peers: ## what saccade is measured against, into .venv (Gymnasium, JAX, PyTorch, pycma)
	@scripts/peers.sh

wheel: build ## the Python package: build/wheel/saccade-*.whl
	@scripts/wheel.sh

docs: ## the guides and the reference as a site: build/docs/index.html
	@scripts/docs.sh

install: build ## into PREFIX=/usr/local (DESTDIR is honoured)
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

uninstall: ## what the last install put there
	@cmake --build build --target uninstall

clean: ## remove what was built
	@rm -rf build build-*

.PHONY: help setup build demo train test test-threads lint format bench check-kernels determinism fuzz check wheel mujoco \
        peers docs install uninstall clean
