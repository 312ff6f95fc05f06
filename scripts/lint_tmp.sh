#!/usr/bin/env bash
# make lint: what a reviewer should never have to say. Each check prints its own name and what is wrong.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
jobs=$(nproc)
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
failures=0

check() # NAME COMMAND...: quiet when well
{
    local name=$1
    shift
    if "$@" >"$log/out" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        cat "$log/out"
        failures=$((failures + 1))
    fi
}

format()
{
    scripts/tracked.sh '*.c' '*.h' | xargs -r clang-format --dry-run --Werror
}

warnings() # COMPILER
{
    cmake -S . -B "build-lint-$1" -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS="-Werror -Wno-error=deprecated-declarations" >/dev/null &&
        cmake --build "build-lint-$1" -j"$jobs"
}

tidy() # sources with an entry of their own in the database: those built once a CPU level have none
{
    git diff --name-only ac0bfbc6 -- "src/*.c" "cli/*.c" | while read -r source; do
        grep -q "\"file\": \".*/$source\"" build-lint-clang/compile_commands.json && echo "$source"
    done | xargs -r -P "$jobs" -n 4 clang-tidy --quiet --warnings-as-errors='*' -p build-lint-clang 2>/dev/null
}

headers() # COMPILER STANDARD LANGUAGE: every public header alone
{
    local bad=0
    for header in include/saccade/*.h; do
        printf '#include "saccade/%s"\n' "$(basename "$header")" |
            "$1" -x "$3" -std="$2" -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only - || bad=1
    done
    return $bad
}

symbols() # every symbol that leaves a library starts with sac_
{
    local bad
    bad=$(nm -D --defined-only build/libsaccade.so | awk '$3 !~ /^sac_/ {print "libsaccade.so exports " $3}'
        for library in build/libsaccade.a build/libsaccade-attention.a; do
            nm -g --defined-only "$library" | awk -v l="$library" 'NF == 3 && $3 !~ /^sac_/ {print l ": " $3}'
        done)
    [[ -z $bad ]] || { echo "$bad"; return 1; }
}

intrinsics() # only files of a CPU level include them: named after one; vectors.h is for files that are compiled once for each
{
    local bad
    bad=$(scripts/tracked.sh '*.c' '*.h' |
        xargs grep -nE '#include *<((x|i|e|p|t|s|n|w|a)mmintrin|immintrin|arm_neon|x86intrin|cpuid)\.h>' |
        grep -vE '/(avx2|avx512|neon)[a-z0-9_]*\.[ch]:|^src/base/(cpu\.c|lanes/vectors\.h):')
    [[ -z $bad ]] || { echo "$bad"; return 1; }
}

rooms() # libraries of others stay in their rooms
{
    local bad
    bad=$(scripts/tracked.sh src | xargs grep -nE '#include *<mpi\.h>' | grep -v '^src/rollout/modules/comm_mpi\.c:'
        scripts/tracked.sh src | xargs grep -nE '#include *<mujoco' | grep -v '^src/env/mujoco/'
        scripts/tracked.sh src cli | xargs grep -nE '#include *[<"]libav|#include *[<"]SDL' | grep -v '^src/show/')
    [[ -z $bad ]] || { echo "$bad"; return 1; }
}

types() # one name, one type: a name that begins with sac_ stands for one struct, enum or union
{
    local twice
    twice=$(scripts/tracked.sh src include cli | xargs grep -hoE '^typedef (struct|enum|union) sac_[a-z0-9_]+$' |
        awk '{print $3}' | sort | uniq -d)
    [[ -z $twice ]] || { echo "defined twice: $twice"; return 1; }
}

graph() # of the files that are built: no circles, no call of a higher room, no large folder
{
    python3 scripts/graph.py build
}

scripts()
{
    scripts/tracked.sh '*.sh' .ci/run | xargs shellcheck -S warning
}

check "figures of README and the documents are those that landed" scripts/figures.sh
check "format (clang-format)" format
check "scripts (shellcheck)" scripts
check "headers alone as C99" headers gcc c99 c
check "headers alone as C++" headers g++ c++11 c++
check "intrinsics only in level files" intrinsics
check "libraries only in their rooms" rooms
check "one name, one type" types
check "warnings, gcc" warnings gcc
check "warnings, clang" warnings clang
check "clang-tidy" tidy
cmake --preset release >/dev/null && cmake --build --preset release -j"$jobs" >/dev/null
check "exported symbols" symbols
check "graph of rooms and files" graph
[[ $failures == 0 ]]
