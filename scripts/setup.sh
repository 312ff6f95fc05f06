#!/usr/bin/env bash
# Installs the Debian packages of a set that are missing; silent when none is.
#   scripts/setup.sh SET... [package...]
#     user        what building the command takes, and its films, plots, window and live page: all that the demo needs
#     python      what `make wheel` takes beside it
#     developer   both, and what tests and lint take: compilers to compare, chips to emulate, a browser, OpenGL, MPI
#     packages    by name, beside those of the sets
set -euo pipefail

user=(
    cmake gcc libc6-dev make pkg-config                                                    # to build
    liblapacke-dev libopenblas-dev libpng-dev libyaml-dev libjansson-dev                   # the core
    libcairo2-dev libsdl2-dev libavformat-dev libavcodec-dev libavutil-dev libswscale-dev  # plots, window, film
    libmicrohttpd-dev                                                                      # the live page
)
python=(python3-dev python3-cffi python3-setuptools python3-wheel python3-numpy gfortran)
developer=(
    libcmocka-dev valgrind python3-pytest                        # tests
    libopenmpi-dev openmpi-bin                                   # ranks
    python3-venv python3-pip                                     # scripts/python.sh
    chromium                                                     # the live page and reports as people see them
    gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm    # exported policies on the chips that they are for
    libegl1 libgl1-mesa-dri                                      # MuJoCo's own renderer, --renderer opengl
    g++ clang clang-format clang-tidy shellcheck                 # lint
)
packages=()
while [[ $# -gt 0 ]]; do
    case $1 in
        user) packages+=("${user[@]}") ;;
        python) packages+=("${python[@]}") ;;
        developer) packages+=("${user[@]}" "${python[@]}" "${developer[@]}") ;;
        *) packages+=("$1") ;;
    esac
    shift
done

missing=()
architecture=$(dpkg --print-architecture 2>/dev/null || true) # other ones may be installed beside it
for package in "${packages[@]}"; do
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
# Another installation may be under way: wait for it, up to five minutes. apt-get waits by itself for the lock on
# packages, and not for the one on their lists.
apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
lists()
{
    local second
    for ((second = 0; second < 300; second += 5)); do
        "${apt[@]}" update -qq >"$log" 2>&1 && return
        grep -q 'Could not get lock' "$log" || return 1
        sleep 5
    done
    return 1
}
if ! lists || ! "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    echo "setup: apt-get failed, see above" >&2
    exit 1
fi
