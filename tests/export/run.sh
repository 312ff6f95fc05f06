#!/usr/bin/env bash
# Every policy of the zoo as a C file, bit for bit, and as an ONNX graph, but for rounding, over a whole episode of its
# own world; those of CarRacing also by both compilers, with every option that might change a float, and for a bare
# Cortex-M4 and Cortex-M0 under emulation.
#   run.sh SACCADE EPISODE [STEPS]     STEPS of it on the Cortex-M4, 1000: all; default 8
set -uo pipefail
saccade=$1 episode=$2 steps=${3:-8}
here=$(dirname "$0")
source "$here/../check.sh"

m4=(arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16)
m0=(arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb)

# an episode of a policy's own world into $work/NAME.frames; its sizes into $bytes and $actions
record() # NAME POLICY SEED STEPS [int8]
{
    local name=$1
    shift
    "$episode" "$1" "$2" "$3" "$work/$name.frames" "${@:4}" >"$work/recorded" || { cat "$work/recorded"; return 1; }
    read -r bytes actions < <(sed -E 's/.* ([0-9]+) bytes and ([0-9]+) actions/\1 \2/' "$work/recorded")
}

repeats() # NAME COMPILER...: the actions of every step of its episode, bit for bit
{
    local frames=$work/$1.frames
    shift
    "$@" -Wall -Wextra -Werror "$here/repeat.c" "$work/agent.c" -o "$work/repeat" &&
        "$work/repeat" "$frames" "$bytes" "$actions"
}

tests_itself()
{
    "$@" -Wall -Wextra -Werror -DSELF_TEST "$work/agent.c" -o "$work/self" && "$work/self"
}

# nothing but what a freestanding compiler may ask for, and little enough of it
stands_alone() # COMPILER...
{
    "$@" -std=c99 -Os -ffreestanding -Wall -Werror -c "$work/agent.c" -o "$work/agent.o" || return 1
    arm-none-eabi-nm -u "$work/agent.o" | grep -vE ' U (__aeabi_[a-z0-9_]+|__[a-z0-9]+|mem(cpy|move|set|cmp))$' && return 1
    arm-none-eabi-size "$work/agent.o" | awk 'NR == 2 { print; exit !($2 + $3 < 65536) }'
}

# the episode under emulation, and with the stack that it took there less than 64 KiB of memory beside the image
runs_on() # STEPS COMPILER... -- MACHINE...
{
    local count=$1 compiler=()
    shift
    while [[ $1 != -- ]]; do compiler+=("$1"); shift; done
    shift
    "${compiler[@]}" -O2 -DSTACK --specs=rdimon.specs -T "$here/cortex_m.ld" "$here/repeat.c" "$here/cortex_m.c" \
        "$work/agent.c" -o "$work/chip.elf" || return 1
    head -c $((count * (bytes + 4 * actions))) "$work/car.frames" >"$work/part"
    (cd "$work" && timeout 3600 qemu-system-arm "$@" -nographic -monitor none -serial none -kernel chip.elf \
        -semihosting-config "enable=on,target=native,arg=repeat,arg=part,arg=$bytes,arg=$actions") | tee "$work/ran"
    [[ ${PIPESTATUS[0]} == 0 ]] || return 1
    "${compiler[@]}" -std=c99 -O2 -ffreestanding -c "$work/agent.c" -o "$work/agent.o" || return 1
    arm-none-eabi-size "$work/agent.o" | awk -v stack="$(sed -n 's/ bytes of stack//p' "$work/ran")" '
        NR == 2 { print $2 + $3 " bytes of state"; exit !(stack > 0 && stack < 16384 && $2 + $3 + stack < 65536) }'
}

# how a compiler computes floats follows from its flags, so these tests do not depend on this machine's processor
compiles() { "$@" -Wall -Wextra -Werror -c "$work/agent.c" -o "$work/agent.o"; }
refuses_387()
{
    ! gcc -mfpmath=387 -c "$work/agent.c" -o "$work/agent.o" 2>"$work/err" &&
        grep -qF "float must be computed as float" "$work/err"
}
has_fp16() { gcc -mavx512fp16 -fsyntax-only -x c /dev/null 2>/dev/null; }

says_its_sizes() # MOST: bytes of memory
{
    local memory
    memory=$(sed -nE 's/^.*: [0-9]+ bytes of constants, ([0-9]+) bytes of memory beside the image$/\1/p' "$work/said")
    echo "memory: $memory bytes"
    [[ -n $memory && $memory -lt $1 ]]
}
# the row of docs/export.md's table in which a policy of the zoo stands
row_of() # POLICY
{
    local name=${1##*/}
    case $1 in
        zoo/car-racing/taught* | zoo/car-racing/evolved.*) echo "CarRacing, taught" ;;
        zoo/car-racing/*) echo "CarRacing, ${name%.safetensors}" ;;
        zoo/take-cover/*) echo "TakeCover, ${name%.safetensors}" ;;
        *-taught.safetensors) echo "control tasks, taught" ;;
        *-changed.safetensors) echo "control tasks, taught under change" ;;
        *) echo "control tasks, by evolution" ;;
    esac
}
is_in_the_table() # POLICY: its sizes are those of its row, or within "A to B"
{
    local sizes
    sizes=$(sed -nE 's/^.*: ([0-9]+) bytes of constants, ([0-9]+) bytes of memory beside the image$/\1 \2/p' "$work/said")
    echo "$1: $sizes, row '$(row_of "$1")'"
    awk -F ' *[|] *' -v label="$(row_of "$1")" -v sizes="$sizes" '
        function lies_within(size, cell,    part) {
            sub(/ kB$/, "", cell)
            if (split(cell, part, " to ") == 1) part[2] = part[1]
            size = sprintf("%.1f", size / 1000) + 0
            return size >= part[1] && size <= part[2]
        }
        BEGIN {split(sizes, size, " ")}
        $2 == label {good = lies_within(size[1], $3) && lies_within(size[2], $4)}
        END {exit !good}' docs/export.md
}
says_its_loss() { grep -qE '^8 bits: return .* a loss of .* 4 episodes\.$' "$work/said" && grep -q '8 bits: return' "$work/agent.c"; }

python=${SACCADE_PEERS:-.venv/bin/python}
graphs=no
"$python" -c "import onnxruntime" 2>/dev/null && graphs=yes

graph() # NAME POLICY: its recorded episode by the graph (onnx.py says what may differ)
{
    "$saccade" export "$2" --onnx "$work/$1.onnx" >/dev/null &&
        "$python" -B "$here/onnx.py" "$work/$1.onnx" "$work/$1.frames"
}

# what a policy's world needs and is not there; nothing: it can be played
lacks() # POLICY
{
    local module=
    case $1 in
        zoo/take-cover/*) module=vizdoom ;;
        zoo/control/*) module=mujoco ;;
    esac
    [[ -z $module ]] || "$python" -c "import $module" 2>/dev/null || echo "$module"
}

for policy in zoo/*/*.safetensors; do
    name=${policy#zoo/} name=${name%.safetensors}
    label=${name//\//-}
    missing=$(lacks "$policy")
    if [[ -n $missing ]]; then
        skip "$name over an episode" "$missing"
        continue
    fi
    if ! "$saccade" export "$policy" --c "$work/agent.c" >"$work/said" 2>"$work/err"; then
        check "$name cannot be exported, and export says why" \
            grep -qE "policies of kind '(action-tokens|finder|hierarchical|mlp|point-cloud)' cannot be exported|takes [0-9]+ parts" "$work/err"
        continue
    fi
    check "$name: its sizes are printed, below 60 KiB of memory" says_its_sizes 61440
    check "$name: docs/export.md says its sizes" is_in_the_table "$policy"
    check "$name: an episode is recorded" record "$label" "$policy" 3 100000
    check "$name: a whole episode of the C file, bit for bit" repeats "$label" gcc -O2
    if [[ $graphs == yes ]]; then
        check "$name: a whole episode in onnxruntime" graph "$label" "$policy"
    else
        skip "$name in onnxruntime" "onnxruntime (scripts/python.sh readers)"
    fi
    rm -f "$work/$label".*
done

for agent in softmax linear trans taught; do
    policy=zoo/car-racing/$agent.safetensors
    "$saccade" export "$policy" --c "$work/agent.c" >"$work/said"
    check "$agent: an episode is recorded" record car "$policy" 3 "$steps"
    check "$agent: its own test, gcc in the machine's own instructions" tests_itself gcc -O3 -march=native -std=gnu99
    if has_fp16; then
        check "$agent: compiles where half floats have arithmetic" compiles gcc -O2 -mavx512fp16 -std=gnu99
    fi
    if [[ $(uname -m) == x86_64 ]]; then
        check "$agent: refuses a 387, which computes more than float" refuses_387
    fi
    check "$agent: its own test, clang" tests_itself clang -O2 -std=c99
    if command -v arm-none-eabi-gcc qemu-system-arm >/dev/null && [[ -e /usr/lib/arm-none-eabi/include/stdio.h ]]; then
        check "$agent: freestanding on a Cortex-M4, under 64 KiB" stands_alone "${m4[@]}"
        check "$agent: freestanding on a Cortex-M0, under 64 KiB" stands_alone "${m0[@]}"
        check "$agent: $steps steps on an emulated Cortex-M4" runs_on "$steps" "${m4[@]}" -- -M mps2-an386
        check "$agent: a step on an emulated Cortex-M0" runs_on 1 "${m0[@]}" -- \
            -M microbit -global nrf51-soc.sram-size=262144 -global nrf51-soc.flash-size=262144
    else
        skip "$agent on a Cortex-M" "gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm (make setup-dev)"
    fi
done

# three pictures at once, which no policy of the zoo is shown: 40 steps of a fresh one
stacked() # by the C file and, where there is onnxruntime, by the graph
{
    sed 's/^  id: .*/&\n  frame_stack: 3\n  height: 64\n  width: 64/' tasks/cartpole-swingup.yaml >"$work/stacked.yaml"
    "$saccade" train "$work/stacked.yaml" --run "$work/stacked" --generations 1 --quiet --set search.population=4 \
        --set evaluation.every=0 --set env.control_steps=80 &&
        "$saccade" export "$work/stacked/mean.safetensors" --c "$work/agent.c" >"$work/said" &&
        record stacked "$work/stacked/mean.safetensors" 3 40 && repeats stacked gcc -O2 || return 1
    [[ $graphs == no ]] || graph stacked "$work/stacked/mean.safetensors"
}
missing=$(lacks zoo/control/any)
if [[ -n $missing ]]; then skip "stacked frames" "$missing"; else check "stacked frames, bit for bit" stacked; fi

# what no policy of the zoo has: agents of the toy world, 40 steps
other_graph() # NAME SETTING...
{
    local name=$1
    shift
    sed '/top:/d' tasks/toy.yaml >"$work/toy.yaml" # which other kinds do not have
    "$saccade" train "$work/toy.yaml" --run "$work/$name" --generations 1 --quiet "${@/#/--set=policy.}" &&
        record "$name" "$work/$name/mean.safetensors" 1 40 && graph "$name" "$work/$name/mean.safetensors"
}
if [[ $graphs == yes ]]; then
    check "positive features in onnxruntime" other_graph positive attention=positive normalise_tokens=true controller=mlp
    check "squares in onnxruntime" other_graph square attention=sara-square position_encoding=flat controller=linear
    check "waves in onnxruntime" other_graph trig attention=trig motion=true
    check "hybrid features in onnxruntime" other_graph hybrid attention=hybrid attention_features=6
    check "pixels of patches in onnxruntime" other_graph pixels patch_features=histogram+positions+values activation=clip
    check "convolutions of patches in onnxruntime" other_graph conv patch_features=conv top=3 controller=mlp
    check "masked patches in onnxruntime" other_graph masked masking=true attention=relu patch_features=positions
    check "a larger image in onnxruntime" other_graph larger image_size=61 attention=sara-relu patch_features=values
    check "some rows alone in onnxruntime" other_graph rows crop_top=5 crop_height=20 attention=relu patch_features=values
    check "some rows resized in onnxruntime" other_graph fewer kind=cnn crop_top=11 image_size=50 conv_channels=4,3
    check "a convolutional network in onnxruntime" other_graph cnn kind=cnn image_size=70 conv_channels=4,3,5
    check "a pooled convolutional network in onnxruntime" other_graph pooled kind=cnn image_size=32 conv_channels=4,8,8 \
        conv_kernel=3 conv_stride=1 conv_pool=2,1,2 controller=mlp hidden=10
    check "mixed patches in onnxruntime" other_graph mixed kind=iap-trans attention=positive order=left motion=true
else
    skip "graphs in onnxruntime" "onnxruntime (scripts/python.sh readers)"
fi

"$saccade" export zoo/car-racing/linear.safetensors --c "$work/agent.c" --int8 --seeds 0..3 >"$work/said"
one_episode() # has a loss and no error of it
{
    "$saccade" export zoo/car-racing/linear.safetensors --c "$work/one.c" --int8 --seeds 0 >"$work/one" || return 1
    cat "$work/one"
    grep -qE 'a loss of -?[0-9.]+, 1 episode\.$' "$work/one"
}
check "8 bits: one episode" one_episode
check "8 bits: an episode is recorded" record int8 zoo/car-racing/linear.safetensors 3 200 int8
check "8 bits: what they cost is said" says_its_loss
check "8 bits: an episode, gcc -O2" repeats int8 gcc -O2
check "nothing to write is a wrong command line" refuses 2 "--c F.c or --onnx F.onnx" "$saccade" export zoo/car-racing/linear.safetensors
finish
