#!/usr/bin/env bash
# Linear forms are linear: the instructions of one importance grow with L to a power between 0.97 and 1.03, fitted from
# 1,024 to 65,536 tokens of 16 numbers. Instructions are callgrind's, of the importance alone.
#   linear.sh COST_PROGRAM [FORM...]
set -euo pipefail
program=$1
shift
command -v valgrind >/dev/null || { echo "linear: valgrind is missing: make setup-dev" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[[ $# -gt 0 ]] || set -- relu positive trig hybrid sara-relu sara-exp sara-square

instructions() # FORM L
{
    # valgrind knows no AVX-512
    SACCADE_CPU=avx2 valgrind --tool=callgrind --collect-atstart=no --toggle-collect=sac_attention_importance \
        --callgrind-out-file="$work/out" "$program" "$1" "$2" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
    sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' "$work/log"
}

status=0
for form in "$@"; do
    : >"$work/points"
    for n in 1024 4096 16384 65536; do echo "$n $(instructions "$form" $n)" >>"$work/points"; done
    awk -v form="$form" '
        { x = log($1); y = log($2); sx += x; sy += y; sxx += x * x; sxy += x * y; last = $2 / $1 }
        END {
            slope = (NR * sxy - sx * sy) / (NR * sxx - sx * sx)
            good = NR == 4 && slope >= 0.97 && slope <= 1.03
            printf "%-12s instructions ~ L^%.4f, %.1f a token: %s\n", form, slope, last, good ? "linear" : "NOT LINEAR"
            exit !good
        }' "$work/points" || status=1
done
exit $status
