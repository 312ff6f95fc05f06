#!/usr/bin/env bash
# What is read from attention stays linear where the tokens outgrow the caches: rank and trans read every plane of their
# inputs once. Reads of lines from memory are callgrind's, past a cache of 1 MiB, which 65,536 tokens outgrow nine times
# and more. It has 64 ways, so that lines of different planes do not compete for the same places.
#   reads.sh COST_PROGRAM
#
# Lines a token read by rank: 16 planes of queries, 4 of P, 16 of keys. By trans: 16 + 10 and 16 + 16, and P V
# is added up while a block of P and one of V are in the cache.
set -uo pipefail
program=$1
source "$(dirname "$0")/../check.sh"
command -v valgrind >/dev/null || { echo "reads: valgrind is missing: make setup" >&2; exit 1; }

# lines read from memory for each 16 tokens, which a line of a plane holds
lines() # READING L FUNCTION...
{
    local reading=$1 n=$2 toggles=() function
    shift 2
    for function in "$@"; do toggles+=("--toggle-collect=$function"); done
    # valgrind knows no AVX-512
    SACCADE_CPU=avx2 valgrind --tool=callgrind --cache-sim=yes --LL=1048576,64,64 --collect-atstart=no "${toggles[@]}" \
        --callgrind-out-file="$work/out" "$program" relu "$n" "$reading" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
    # summary: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
    awk -v n="$n" '/^(summary|totals):/ { print $9 * 16 / n; exit }' "$work/out"
}

# no more than the planes by 3 %: first reads of the workspace and of the code's tables are among the misses
reads_at_most() # PLANES READING L FUNCTION...
{
    local planes=$1 got
    shift
    got=$(lines "$@") || return 1
    echo "$1 at $2 tokens: $got lines a 16 tokens, expected at most $planes and 3 %"
    awk -v got="$got" -v planes="$planes" 'BEGIN { exit !(got > 0.9 * planes && got <= 1.03 * planes) }'
}

check "rank reads each plane once" reads_at_most 36 rank 65536 sac_rank_summary sac_rank_scores
check "trans reads each plane once" reads_at_most 58 trans 65536 sac_trans_run
finish
