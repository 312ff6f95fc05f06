#!/usr/bin/env bash
# Cross-builds the wheel for aarch64 and runs it under qemu-user with Debian's Python of that architecture: attention,
# policies of the zoo, worlds and a search give the bytes that this machine's wheel gives, and worlds of MuJoCo step.
# A part of make check; the first time it fetches Debian's packages and mujoco for aarch64.
#   check_arm.sh BUILD_DIR
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "$0")/../.."
scripts/setup.sh qemu-user python
arm=$PWD/build-aarch64
wheel=$(scripts/wheel-aarch64.sh)
native=$(SACCADE_BUILD=$build scripts/wheel.sh)
mujoco=$arm/$(grep '^mujoco==' python/mujoco.txt | sed 's/==/-/')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/arm" "$work/native"
/usr/bin/python3 -m zipfile -e "$wheel" "$work/arm"
/usr/bin/python3 -m zipfile -e "$native" "$work/native"
[[ $wheel == *_aarch64.whl ]]
if readelf -d "$work"/arm/saccade/*.so | grep -E 'RPATH|RUNPATH' | grep -vF "[\$ORIGIN/../mujoco]"; then exit 1; fi
for policy in car-racing/softmax car-racing/trans car-racing/linear; do cp "zoo/$policy.safetensors" "$work"; done

cat >"$work/bytes.py" <<'PYTHON'
import hashlib, pathlib, sys
import numpy as np
import saccade

def tell(name, *arrays):
    print(name, hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in arrays)).hexdigest())

random = np.random.RandomState(1)
numbers = lambda *shape: (random.randint(-1000, 1000, shape) / 512).astype(np.float32)
q, k, v = numbers(4, 529), numbers(4, 529), numbers(3, 529)
for form in saccade.forms():
    try:
        attention = saccade.Attention(form, key_size=4)
    except saccade.ArgumentError:  # it wants other sizes
        continue
    tell("attention " + form, attention.importance(q, k), attention.output(q, k, v))
world = saccade.World("car-racing", max_steps=20)
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.safetensors")):
    policy = saccade.load(path)
    state, seen, over = policy.state(), [world.reset(seed=3)], False
    while not over:
        observation, reward, terminated, truncated = world.step(state.act(seen[-1]))
        seen, over = seen + [observation], terminated or truncated
    tell("drives " + path.stem, *seen)
search = saccade.Search("cma-es", np.zeros(6), seed=1)
for _ in range(5):
    x = search.ask()
    search.tell(x, -np.square(x - 0.5).sum(1))
tell("search", search.mean)
PYTHON
cat >"$work/worlds.py" <<'PYTHON'
import saccade
for name in ("cheetah-run", "legs:flat", "rooms"):
    world = saccade.World(name)
    world.reset(seed=1)
    reward = world.step([0.1] * world.spec.action_size)[1]
    assert abs(reward) < 100 and world.picture(60).std() > 5, (name, reward)
    print("steps", name)
PYTHON

emulated() # FOLDER_OF_PACKAGES... PROGRAM ARGUMENT
{
    qemu-aarch64 -L "$arm/debian" -E PYTHONPATH="$1" -E PYTHONDONTWRITEBYTECODE=1 \
        -E LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu/openblas-pthread "$arm/debian/usr/bin/python3.11" "${@:2}"
}
(cd "$work" && PYTHONPATH=$work/native /usr/bin/python3 -B bytes.py "$work" >native.txt && emulated "$work/arm" bytes.py "$work" >arm.txt)
[[ $(wc -l <"$work/native.txt") -ge 10 ]]
diff "$work/native.txt" "$work/arm.txt"
echo "$(wc -l <"$work/native.txt") results have the same bytes"
(cd "$work" && emulated "$work/arm:$mujoco" worlds.py)
