#!/usr/bin/env bash
# saccade bench from outside: its JSON, its refusals, and that the peers compute the same agent.
#   bench.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

fields() # a list of rows with the promised keys, and null where the peer is absent
{
    SACCADE_PEERS=/nonexistent "$saccade" bench agent-relu --json >"$work/json" || return 1
    for key in name value unit peer peer_value ratio; do
        [[ $(grep -c "\"$key\":" "$work/json") == 1 ]] || { echo "not one \"$key\""; cat "$work/json"; return 1; }
    done
    [[ $(head -c 1 "$work/json") == "[" ]] && grep -q '"peer": null' "$work/json" && grep -q '"ratio": null' "$work/json"
}

# the ranking of patches may differ where two importances are equal to rounding: on one frame of 16, not on more
same_agent() # ROW
{
    "$saccade" bench "$1" --json >"$work/json" 2>"$work/err" || return 1
    cat "$work/err"
    grep -q '"peer": "' "$work/json" || return 1
    ! grep -q 'looked at the same patches' "$work/err" || grep -q 'patches on 15 of 16' "$work/err"
}

has() { "${SACCADE_PEERS:-.venv/bin/python}" -c "import $1" >/dev/null 2>&1; }

check "bench --json" fields
check "bench refuses an unknown row" refuses 2 "did you mean 'env-step'?" "$saccade" bench env-stp
check "bench refuses bad seeds" refuses 2 "--seeds is '5..1'" "$saccade" bench env-step --seeds 5..1
for peer in numpy jax torch; do
    row=agent-softmax-$peer
    [[ $peer != jax ]] || row=agent-softmax
    if has $peer && has numpy; then
        check "$peer computes the same agent" same_agent "$row"
    else
        skip "$peer computes the same agent" "a peer: $peer"
    fi
done
finish
