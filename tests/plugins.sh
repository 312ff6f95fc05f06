# shellcheck shell=bash
# Sourced after tests/check.sh by the tests of plugins: builds the examples as people would.
unset SACCADE_PLUGINS
root=$PWD
compiler=${CC:-cc}
need_compiler() { command -v "$compiler" >/dev/null || { skip "$1" "a C compiler"; exit 77; }; } # WHAT is tested

build() # OUT SOURCE [flag...]
{
    local out=$1 source=$2
    shift 2
    "$compiler" -O2 -shared -fPIC -I"$root/include" "$@" "$source" -o "$out" -lm
}

# the line in examples/NAME.c itself, with the headers of this checkout, into $work/LIBRARY.so, NAME.so by default
builds_as_it_says() # NAME [LIBRARY]
{
    local line
    line=$(sed -nE "s,^// +(cc .*$1\.c.*)\$,\1,p" "examples/$1.c")
    [[ -n $line ]] || { echo "no build line"; return 1; }
    (cd examples && eval "${line/\$(pkg-config --cflags saccade)/-I../include}" && mv "${2:-$1}.so" "$work")
}
