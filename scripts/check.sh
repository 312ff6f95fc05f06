#!/usr/bin/env bash
# make check: everything that must pass before work lands, cheapest first; stops at nothing, ends with what failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
failed=()
step()
{
    echo "=== $*"
    "$@" || failed+=("$*")
}

scripts/setup.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user dataset-fashion-mnist || exit 1
step make lint
step make test
step make check-kernels
step tests/kernels/check_arm.sh
step tests/python/check_arm.sh build # the wheel for aarch64
step tests/python/sdist.sh build # the wheel as pip builds it from the sources
step tests/python/fresh.sh build # README's Python lines where there is Python alone
step tests/mujoco/versions.sh build # other versions of MuJoCo beside their own renderers
step tests/mujoco/asan.sh # a thousand pictures of each of twenty models, and hostile ones, under ASan
step tests/kernels/check_cpus.sh build # this processor with masked levels, and others under emulation
if [[ -e /usr/lib/aarch64-linux-gnu/libjansson.so ]]; then step tests/golden/check_arm.sh; fi # foreign packages: by hand
step tests/cli/returns.sh build/saccade # every policy of the zoo returns what it did, to the bit
for level in scalar avx2; do step env "SACCADE_CPU=$level" tests/cli/returns.sh build/saccade; done
step tests/learn/fashion.sh build/saccade # pictures that make data brings
step make determinism
step make docs
step scripts/abi.sh # what has changed in C since the last version is named
step make test-threads
for source in tests/fuzz/fuzz_*.c; do
    target=$(basename "$source" .c)
    step make fuzz "T=${target#fuzz_}" "S=${S:-60}"
done
step tests/export/run.sh build/saccade build/export_episode 1000 # a whole episode under emulation
step python3 -B tests/dash/flood.py build/saccade "${S:-60}" # 600: ten minutes
step tests/bridge/run.sh tests/bridge/deaths.py build/saccade 1000
step env EVERY=1 build/test_contract # each world in each of its variants
step env EPISODES=100 build/test_snapshot # a thousand branches of each world
step env MINUTES=30 build/test_legs_world # random actions of each robot, and nothing that is not finite
step tests/train/kill.sh build/saccade 50
step tests/train/ranks.sh build/saccade 50
step env TASK=tests/train/everything.yaml tests/train/kill.sh build/saccade 50
step env TASK=tests/train/everything.yaml tests/train/ranks.sh build/saccade 50
step env TASK=tests/train/reward.yaml GENERATIONS=60 tests/train/kill.sh build/saccade 50
step env TASK=tests/train/reward.yaml GENERATIONS=60 tests/train/ranks.sh build/saccade 50
step env TASK=tests/train/taught.yaml GENERATIONS=60 tests/train/kill.sh build/saccade 50
step env TASK=tests/train/taught.yaml GENERATIONS=60 tests/train/ranks.sh build/saccade 50
step env TASK=tests/train/tokens-taught.yaml GENERATIONS=30 tests/train/kill.sh build/saccade 50
step env TASK=tests/train/tokens-taught.yaml GENERATIONS=30 tests/train/ranks.sh build/saccade 50
step env TASK=tests/train/pictures.yaml GENERATIONS=30 tests/train/kill.sh build/saccade 50
step env TASK=tests/train/pictures.yaml GENERATIONS=30 tests/train/ranks.sh build/saccade 50
for robot in legs-evolved legs-taught legs-reward rooms-taught rooms-words grasp-taught; do
    step env "TASK=tests/train/$robot.yaml" GENERATIONS=30 tests/train/kill.sh build/saccade 50
    step env "TASK=tests/train/$robot.yaml" GENERATIONS=30 tests/train/ranks.sh build/saccade 50
done
step env TASK=tests/train/bridged.yaml GENERATIONS=80 tests/train/ranks.sh build/saccade 50

[[ ${#failed[@]} == 0 ]] && echo "all checks passed" && exit 0
printf 'failed: %s\n' "${failed[@]}"
exit 1
