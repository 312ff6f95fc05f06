#!/usr/bin/env bash
# saccade theory from outside: every verdict is the one that an independent reference came to, the plots are drawn,
# wrong words are answered.
#   theory.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

# the reference's verdicts: float64, quadrature, Monte Carlo, exhaustive cases
cat >"$work/expected" <<'LIST'
iap1-mse HOLDS
iap1-unbiased FAILS as printed; mended: HOLDS
iap1-ends HOLDS
iap1-best FAILS as printed; mended: HOLDS
iap1-counts FAILS as printed; mended: HOLDS
iap1-compression FAILS as printed; mended: HOLDS
iap2-ranking HOLDS
iap2-hashing HOLDS
iap2-bits FAILS as printed; mended: HOLDS
iap2-speed FAILS as printed; mended: HOLDS
iap2-tree HOLDS
iap2-trig FAILS as printed; mended: HOLDS
iap2-positive FAILS as printed; mended: HOLDS
iap2-orders HOLDS
iap2-recall FAILS as printed; mended: HOLDS
sara-mean HOLDS
sara-tail HOLDS
sara-features FAILS as printed; mended: HOLDS
conv-isotropic FAILS as printed; mended: HOLDS
conv-logits FAILS as printed; mended: HOLDS
conv-nine HOLDS
conv-bound HOLDS
agent-parameters HOLDS
LIST

# "name verdict" a line, from the JSON
verdicts() { sed -nE 's/^    "name": "(.*)",$/\1/p; s/^    "verdict": "(.*)",$/\1/p' "$work/json" | paste -d ' ' - -; }

whole_run()
{
    "$saccade" theory --json >"$work/json" || { echo "exit code $?"; verdicts; return 1; }
    verdicts | diff "$work/expected" -
}

statements() # each says what it claims, predicts, measured, and whether it holds
{
    local key count
    count=$(grep -c '"claim": "' "$work/json")
    ((count > 50)) || { echo "$count statements"; return 1; }
    for key in predicted measured kind; do
        [[ $(grep -cE "\"$key\": \".+\"" "$work/json") == "$count" ]] || { echo "statements without '$key'"; return 1; }
    done
    [[ $(grep -cE '"holds": (true|false)' "$work/json") == "$count" ]]
}

# what is said of a printed statement does not depend on the run, the level or the machine
repeats()
{
    "$saccade" theory iap1-unbiased >"$work/first" && SACCADE_CPU=scalar "$saccade" theory iap1-unbiased >"$work/second" &&
        diff "$work/first" "$work/second"
}

one_paper() { [[ $("$saccade" theory conv | grep -cE '^conv-[a-z]+  \(') == 4 ]]; }

listed() { diff <("$saccade" theory --list | cut -d ' ' -f 1) <(cut -d ' ' -f 1 "$work/expected"); }

plots()
{
    local name
    "$saccade" theory iap1-counts --svg "$work/plots" >/dev/null || return 1
    for name in mse-trig mse-exp mse-hybrid mse-slices mse-relative recall hashing convolution; do
        grep -q '</svg>' "$work/plots/$name.svg" || { echo "no $name.svg"; return 1; }
    done
}

check "theory: every verdict" whole_run
check "theory --json: every statement" statements
check "theory: the same at every CPU level" repeats
check "theory conv" one_paper
check "theory --list" listed
check "theory --svg" plots
check "theory refuses an unknown theorem" refuses 2 "did you mean 'iap2-tree'?" "$saccade" theory iap2-tre
finish
