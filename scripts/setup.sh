#!/usr/bin/env bash
# Installs the Debian packages that the build, the tests and the lint need and that are missing; else silent.
#   scripts/setup.sh [package...]   further packages beside the usual ones
set -euo pipefail

packages=(
    cmake gcc g++ libc6-dev make pkg-config                                                # to build
    liblapacke-dev libopenblas-dev libpng-dev libyaml-dev libjansson-dev                   # the core
    libcairo2-dev libsdl2-dev libavformat-dev libavcodec-dev libavutil-dev libswscale-dev  # plots, window, film
    libmicrohttpd-dev                                                                      # the live page
    libopenmpi-dev openmpi-bin                                                             # ranks
    python3-dev python3-cffi python3-setuptools python3-wheel python3-numpy python3-pytest gfortran # Python package
    libcmocka-dev valgrind clang clang-format clang-tidy shellcheck                        # tests and lint
)

missing=()
architecture=$(dpkg --print-architecture 2>/dev/null || true) # other ones may be installed beside it
for package in "${packages[@]}" "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Status} ' "$package:$architecture" "$package:all" 2>/dev/null || true)
    [[ $status == "installed " ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "setup: apt-get not found; install by hand what stands for these Debian packages: ${missing[*]}" >&2
    exit 1
fi
sudo=()
if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || { echo "setup: run as root or install sudo; missing: ${missing[*]}" >&2; exit 1; }
    sudo=(sudo)
fi
echo "setup: installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() { "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; }
if ! { "${sudo[@]}" apt-get update -qq && install; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "setup: apt-get failed, see above" >&2
    exit 1
fi
