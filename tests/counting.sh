#!/usr/bin/env bash
# How tests are counted, and which may be skipped: under CI none but those that need what saccade is compared with.
#   counting.sh
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
source tests/check.sh

# what ctest -V prints of one test that skips for a reason
skipping() # REASON
{
    printf '7: %s\n' "[==========] Running 1 test(s)." "[ RUN      ] needy" "skip: needs $1" "[  SKIPPED ] needy" "[       OK ] other"
    printf '1/1 Test #7: test_needy ....................   Passed    0.1 sec\n'
}
counted() { awk -v ci="$1" -v built=0 -f scripts/count.awk "$work/log"; }
peer_is_fine() { skipping "a peer: jax" >"$work/log" && [[ $(counted true | tail -n 1) == "1 passed, 0 failed, 1 skipped" ]]; }
rest_fails_under_ci()
{
    skipping "gymnasium (make worlds)" >"$work/log"
    counted true >"$work/said" && return 1
    grep -q "another reason.* needy" "$work/said" && [[ $(tail -n 1 "$work/said") == "1 passed, 1 failed, 1 skipped" ]] &&
        [[ $(counted "" | tail -n 1) == "1 passed, 0 failed, 1 skipped" ]]
}

# worlds that could not be installed: said at the end, and a failure under CI, whatever else passed
uninstalled() # CI
{
    printf '1/1 Test #7: test_fine ....................   Passed    0.1 sec\n' >"$work/log"
    awk -v ci="$1" -v built=0 -v worlds=1 -f scripts/count.awk "$work/log" >"$work/said"
}
worlds_are_said()
{
    uninstalled "" && grep -q '^not tested, as the worlds of other makers could not be installed' "$work/said" &&
        [[ $(tail -n 1 "$work/said") == "1 passed, 0 failed, 0 skipped" ]]
}
worlds_fail_under_ci()
{
    ! uninstalled true && grep -q '^failed: the worlds of other makers could not be installed' "$work/said" &&
        [[ $(tail -n 1 "$work/said") == "1 passed, 1 failed, 0 skipped" ]]
}

unbuilt_counts() # the tests of a program that could not be built, one by one
{
    {
        tests/unbuilt.sh tests/unit/test_control_physics.c "MuJoCo (make mujoco)" | sed 's/^/3: /'
        printf '1/1 Test #3: test_control_physics .......***Skipped   0.1 sec\n2/2 Test #4: a ....   Passed    0.1 sec\n'
    } >"$work/log"
    [[ $(counted "" | tail -n 1) == "1 passed, 0 failed, $(grep -c '^TEST(' tests/unit/test_control_physics.c) skipped" ]] &&
        ! counted true >/dev/null
}

# a shell that dies in a check fails in that check, in a line that is counted
dying()
{
    cat >"$work/dying.sh" <<'END'
set -uo pipefail
source tests/check.sh
dies() { local at=generation; echo "before"; echo $((at + 1)); }
check "it lives" true
check "it dies" dies
check "it is never reached" true
finish
END
    bash "$work/dying.sh" >"$work/said" && return 1
    cat "$work/said"
    grep -qxF '[       OK ] it lives' "$work/said" && grep -qxF '[  FAILED  ] it dies: the script ended in it' "$work/said" &&
        ! grep -q reached "$work/said" && grep -q unbound "$work/said"
}

# what the tests call a peer is something to compare with; what is a part of the product has no such excuse
peers_are_peers()
{
    local known='jax|evojax|torch|PyTorch|daqp and quadprog|pycma 4\.5\.0|cma|numpy with torch or jax|\$peer|MuJoCo with EGL or OSMesa|the Point Cloud Library'
    if scripts/tracked.sh tests | grep -vE '^tests/(counting|check)\.sh$' | xargs grep -nIE 'a peer:' | grep -vE "a peer: ($known)|a peer: (\.\.\.|' if peers)"; then return 1; fi
}

check "a peer that is missing is no failure" peer_is_fine
check "another reason fails under CI and nowhere else" rest_fails_under_ci
check "tests that were not built are counted" unbuilt_counts
check "a shell that dies in a check is counted as a failure of it" dying
check "what tests call a peer is one" peers_are_peers
check "worlds that could not be installed are said" worlds_are_said
check "worlds that could not be installed fail under CI" worlds_fail_under_ci
finish
