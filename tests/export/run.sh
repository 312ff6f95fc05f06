#!/usr/bin/env bash
# The zoo's agents as C files: by both compilers, with every option that might change a float, and for a bare Cortex-M4
# and Cortex-M0 under emulation, over an episode of real frames.
#   run.sh SACCADE EPISODE [STEPS]     STEPS of it on the Cortex-M4, 1000: all; default 40
set -uo pipefail
saccade=$1 episode=$2 steps=${3:-40}
here=$(dirname "$0")
source "$here/../check.sh"

m4=(arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16)
m0=(arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb)

repeats() # EPISODE COMPILER...: the actions of every step, bit for bit
{
    local frames=$1
    shift
    "$@" -Wall -Wextra -Werror "$here/repeat.c" "$work/agent.c" -o "$work/repeat" && "$work/repeat" "$frames" 27648 3
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
    head -c $((count * (27648 + 12))) "$work/frames" >"$work/part"
    (cd "$work" && timeout 3600 qemu-system-arm "$@" -nographic -monitor none -serial none -kernel chip.elf \
        -semihosting-config enable=on,target=native,arg=repeat,arg=part,arg=27648,arg=3) | tee "$work/ran"
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

says_its_sizes() { grep -qE '^.*: [0-9]+ bytes of constants, [0-9]+ bytes of memory beside the image$' "$work/said"; }
says_its_loss() { grep -qE '^8 bits: return .* a loss of .* 4 episodes\.$' "$work/said" && grep -q '8 bits: return' "$work/agent.c"; }

for agent in softmax linear; do
    policy=zoo/car-racing/$agent.safetensors
    "$saccade" export "$policy" --c "$work/agent.c" >"$work/said"
    "$episode" "$policy" 3 1000 "$work/frames" >/dev/null
    check "$agent: its sizes are printed" says_its_sizes
    check "$agent: a whole episode, gcc -O2" repeats "$work/frames" gcc -O2
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

python=${SACCADE_PEERS:-.venv/bin/python}
graphs=no
"$python" -c "import onnxruntime" 2>/dev/null && graphs=yes

# with the same patches kept, what differs is the order of sums: a gate adds some 40 products of which the largest is
# below 40, each rounded to 2^-24, and no function after it is steeper than 1: 40 * 40 * 2^-24 < 1e-4
graph() # NAME POLICY SEED STEPS
{
    "$saccade" export "$2" --onnx "$work/$1.onnx" >/dev/null && "$episode" "$2" "$3" "$4" "$work/$1.frames" >/dev/null &&
        "$python" -B "$here/onnx.py" "$work/$1.onnx" "$work/$1.frames"
}
other_graph() # NAME SETTING...: an agent of the toy world
{
    local name=$1
    shift
    "$saccade" train tasks/toy.yaml --run "$work/$name" --generations 1 --quiet "${@/#/--set=policy.}" &&
        graph "$name" "$work/$name/mean.safetensors" 1 40
}
if [[ $graphs == yes ]]; then
    check "softmax: 200 steps in onnxruntime" graph softmax zoo/car-racing/softmax.safetensors 3 200
    check "linear: 200 steps in onnxruntime" graph linear zoo/car-racing/linear.safetensors 3 200
    check "positive features in onnxruntime" other_graph positive attention=positive normalize=true controller=mlp
    check "squares in onnxruntime" other_graph square attention=sara-square position_encoding=flat controller=linear
else
    skip "graphs in onnxruntime" "onnxruntime (scripts/python.sh readers)"
fi

"$saccade" export zoo/car-racing/linear.safetensors --c "$work/agent.c" --int8 --seeds 0..3 >"$work/said"
"$episode" zoo/car-racing/linear.safetensors 3 200 "$work/frames" int8 >/dev/null
check "8 bits: what they cost is said" says_its_loss
check "8 bits: an episode, gcc -O2" repeats "$work/frames" gcc -O2
check "nothing to write is a wrong command line" refuses 2 "--c F.c or --onnx F.onnx" "$saccade" export zoo/car-racing/linear.safetensors
finish
