#!/usr/bin/env bash
# Stands for tests that this build was made without: each one of the source is counted as skipped.
#   unbuilt.sh SOURCE.c WHAT      SOURCE: "" for a test that is a script; WHAT is missing, and what to type for it
set -euo pipefail
if [[ -z $1 ]]; then
    echo "skip: needs $2"
    exit 77
fi
echo "[==========] Running nothing of $(basename "$1")."
while read -r name; do
    echo "skip: needs $2"
    echo "[  SKIPPED ] $name"
done < <(sed -n 's/^TEST(\(.*\))$/\1/p' "$1")
exit 77
