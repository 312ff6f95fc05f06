#!/usr/bin/env bash
# The attention library as somebody takes it home: strict C17 under both compilers, small, and in need of libc and libm
# alone. Its example is built against it and prints what it should.
#   library.sh BUILD_DIR
set -uo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
library=$build/libsaccade-attention.a
flags="-std=c17 -Wall -Wextra -Wpedantic -Werror"

commands() # how each of its sources is compiled
{
    sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$build/compile_commands.json" |
        grep -E ' -o [^ ]*/sac_(base|kernels|tokens|attention)\.dir/' | sed 's/\\"/"/g'
}

strict() # COMPILER: no extension of the language, no warning
{
    local bad=0 command
    [[ $(commands | wc -l) -gt 20 ]] || { echo "no sources found in $build/compile_commands.json"; return 1; }
    while read -r command; do
        # the level files' wrappers and the feature macros are as the build has them; flags of loops are gcc's alone
        command=$(sed -E "s|^[^ ]+ |$1 |; s| -std=[^ ]+||; s| -o [^ ]+||; s| -fsanitize[^ ]*||g; s| -fno-[a-z]+-loops||g" \
            <<<"$command")
        eval "$command $flags -fsyntax-only" || bad=1
    done < <(commands)
    return $bad
}

small() # code and data of everything in it, in bytes
{
    local total
    total=$(size -t "$library" | awk 'END {print $1 + $2}')
    echo "$total bytes of code and data"
    [[ $total -gt 0 && $total -lt $((300 * 1024)) ]]
}

alone() # all of it, used or not, finds every symbol in libc and libm
{
    echo 'int main(void) { return 0; }' >"$work/main.c"
    gcc "$work/main.c" -o "$work/whole" -Wl,--whole-archive "$library" -Wl,--no-whole-archive -lm &&
        "$work/whole" &&
        ! readelf -d "$work/whole" | grep NEEDED | grep -vE '\[(libc|libm|ld-linux[^]]*)\.so'
}

example() # COMPILER
{
    "$1" $flags -Iinclude examples/attention.c "$library" -lm -o "$work/example" &&
        "$work/example" | tee "$work/printed" &&
        [[ $(head -n 1 "$work/printed") == "row 200, column 408" && $(wc -l <"$work/printed") == 10 ]]
}

for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || { echo "library: $compiler is missing"; exit 1; }
    check "strict C17 under $compiler" strict "$compiler"
    check "the example under $compiler" example "$compiler"
done
check "libc and libm alone" alone
check "smaller than 300 KiB" small
finish
