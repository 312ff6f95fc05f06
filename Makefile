# The front door. `make` alone lists what there is.
.DEFAULT_GOAL := help
build: ; cmake --preset release >/dev/null && cmake --build --preset release -j$$(nproc)
.PHONY: build
