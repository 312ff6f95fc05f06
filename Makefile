# The front door: `make` alone lists what there is. The work is done by CMake presets and scripts/.
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local
T ?= safetensors
S ?= 60

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

setup: ## install what building and the demo need and is missing (Debian packages)
	@scripts/setup.sh user

setup-dev: ## the same, and what tests and lint need
	@scripts/setup.sh developer

build: setup ## the release build: build/saccade, build/golden
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j$(JOBS)

build-%: setup-dev
	@cmake --preset $* >/dev/null
	@cmake --build --preset $* -j$(JOBS)

demo: build ## train an agent before your eyes, drive unseen tracks, film it
	@scripts/demo.sh

train: build ## start or resume the full CarRacing training (RUN=runs/car-racing)
	@scripts/train.sh

test: setup-dev ## everything that must pass, under AddressSanitizer and UBSan
	@scripts/test.sh

test-threads: build-tsan ## the threaded tests under ThreadSanitizer
	@ctest --preset tsan -L threads --timeout 1800

lint: setup-dev ## format, warnings, clang-tidy, headers, symbols, scripts
	@scripts/lint.sh

format: setup-dev ## clang-format in place
	@scripts/tracked.sh '*.c' '*.h' | xargs -r clang-format -i

bench: build ## every figure beside its peer and the last landed one (LAND=1 writes, ROW=name runs one)
	@build/saccade bench $(ROW) $(if $(LAND),--land)

check-kernels: build ## every CPU level against scalar with a fresh seed (BENCH=1 adds timings)
	@build/check_kernels $(if $(BENCH),--bench)

determinism: build ## one hash for every thread count, at every optimisation and CPU level that promises it
	@scripts/determinism.sh

fuzz: setup-dev ## fuzz one parser: T=safetensors S=60
	@tests/fuzz/run.sh $(T) $(S)

check: setup-dev ## all of the above that must pass before work lands, cheapest first
	@scripts/check.sh

data: ## Fashion-MNIST, which `saccade fit` learns from (Debian's dataset-fashion-mnist)
	@scripts/setup.sh dataset-fashion-mnist

worlds: ## all worlds of other makers, into .venv (MuJoCo, Gymnasium, ViZDoom); then build again
	@scripts/python.sh worlds

mujoco: ## of these MuJoCo and the models of the control suite alone
	@scripts/python.sh mujoco

peers: ## what saccade is compared with, into .venv (JAX, PyTorch, Stable-Baselines3 and others), beside the worlds
	@scripts/python.sh peers

wheel: $(if $(ARCH),,mujoco build) ## the Python package: build/wheel/saccade-*.whl; ARCH=aarch64: for ARM
	@scripts/setup.sh python
	@scripts/wheel$(if $(ARCH),-$(ARCH)).sh

sdist: mujoco build ## the package's sources, from which pip builds it: build/wheel/saccade-*.tar.gz
	@cd python && python3 -B -c 'import backend; print(backend.build_sdist("../build/wheel"))'

dist: build wheel ## the release's tarball, its checksum and what is linked: build/dist
	@scripts/dist.sh

distcheck: build wheel ## make dist, and make test from the tarball alone
	@scripts/dist.sh check

docs: build ## guides, gallery of the zoo, and reference of C and Python as a site: build/docs/index.html
	@scripts/docs.sh

install: build ## into PREFIX=/usr/local (DESTDIR is honoured)
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

uninstall: ## what the last install put there
	@cmake --build build --target uninstall

clean: ## remove what was built
	@rm -rf build build-*

.PHONY: help setup setup-dev build demo train test test-threads lint format bench check-kernels determinism fuzz check wheel \
        sdist data worlds mujoco peers docs dist distcheck install uninstall clean
