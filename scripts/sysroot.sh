#!/usr/bin/env bash
# Debian packages of another architecture, unpacked into a folder for compiling and emulating: nothing is installed, and
# this machine's own packages and architectures stay as they are. Silent when the folder has the packages already.
#   scripts/sysroot.sh ARCHITECTURE FOLDER PACKAGE...
set -euo pipefail
architecture=$1
folder=$(realpath -m "$2")
shift 2

[[ ! -e $folder/packages || $(<"$folder/packages") != "$*" ]] || exit 0
command -v apt-get >/dev/null || { echo "sysroot: apt-get not found; packages of $architecture come from Debian" >&2; exit 1; }
apt=$folder.apt # the lists and archives of that architecture, apart from this machine's
rm -rf "$folder" "$apt"
mkdir -p "$folder" "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"
options=(-qq -o "APT::Architecture=$architecture" -o "APT::Architectures=$architecture" -o "Dir::State=$apt"
    -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt"
    -o "Dir::Cache::archives=$apt/archives" -o APT::Sandbox::User= -o APT::Install-Recommends=false
    -o Debug::NoLocking=true)
echo "sysroot: fetching packages of $architecture: $*" >&2
log=$apt/log
if ! { apt-get "${options[@]}" update && apt-get "${options[@]}" install -y --download-only "$@"; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "sysroot: apt-get failed, see above" >&2
    exit 1
fi
for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
rm -rf "$apt"
echo "$*" >"$folder/packages"
