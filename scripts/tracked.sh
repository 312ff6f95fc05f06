#!/usr/bin/env bash
# tracked.sh PATTERN...: the project's files whose paths match a pattern or lie in the folder that it names, one a line. A
# star matches slashes, too. Git knows them in a checkout; a release's tarball lists them in FILES (scripts/dist.sh). Fails
# where no file matches.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ ! -e FILES ]]; then
    git ls-files -- "${@:?a pattern}" | grep .
    exit
fi
found=1
while IFS= read -r file; do
    for pattern; do
        # shellcheck disable=SC2053 # the pattern is to be matched
        [[ $file == $pattern || $file == "$pattern"/* ]] || continue
        echo "$file"
        found=0
        break
    done
done <FILES
exit "$found"
