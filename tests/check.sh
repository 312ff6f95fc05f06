# shellcheck shell=bash
# Sourced by the tests that are scripts: single checks, reported in cmocka's words so that they are counted one by one.
#   check "what must hold" COMMAND...      passes when the command succeeds
#   finish                                 at the end of the script
failed=0 running=""
work=$(mktemp -d)
output=$(readlink "/proc/$$/fd/1")

# A shell that dies in a check, as of a variable that is not set, says in which. By then its output is the check's log;
# its own is still open, under a number that no child inherits. A job in the background that is struck before it has
# become the program that it runs is still a copy of this shell, and leaves without a word.
leave()
{
    local code=$? fd
    [[ $BASHPID == "$$" ]] || exit "$code"
    for fd in ${running:+"/proc/$$/fd/"*}; do
        [[ $(readlink "$fd") == "$output" ]] || continue
        { sed 's/^/    /' "$work/check.log"; echo "[  FAILED  ] $running: the script ended in it"; } >>"$fd"
        code=1
        break
    done
    rm -rf "$work"
    exit "$code"
}
trap leave EXIT
echo "[==========] Running checks."

check()
{
    local name=$1
    running=$1
    shift
    if "$@" >"$work/check.log" 2>&1; then
        echo "[       OK ] $name"
    else
        sed 's/^/    /' "$work/check.log"
        echo "[  FAILED  ] $name"
        failed=$((failed + 1))
    fi
    running=""
}

skip() # NAME WHAT: says what is missing; under CI only "a peer: ..." or "../shared/..." may be
{
    echo "skip: needs $2"
    echo "[  SKIPPED ] $1"
}

# exit code, one line on standard error that holds the words, nothing on standard output
refuses() # CODE WORDS COMMAND...
{
    local code=$1 words=$2 status
    shift 2
    "$@" >"$work/out" 2>"$work/err"
    status=$?
    [[ $status == "$code" ]] || { echo "exit code $status, expected $code: $*"; cat "$work/err"; return 1; }
    [[ $(wc -l <"$work/err") == 1 ]] || { echo "expected one line on standard error:"; cat "$work/err"; return 1; }
    [[ ! -s $work/out ]] || { echo "unexpected output:"; head "$work/out"; return 1; }
    grep -qF -- "$words" "$work/err" || { echo "'$(cat "$work/err")' does not say '$words'"; return 1; }
}

finish()
{
    [[ $failed == 0 ]]
    exit
}

newest() # RUN: its newest checkpoint
{
    find "$1/checkpoints" -name '*.safetensors' 2>/dev/null | LC_ALL=C sort | tail -1
}

needs_mujoco() # ends a test whose $task is of a world of MuJoCo's where $saccade has none
{
    # shellcheck disable=SC2154 # they are the test's
    ! grep -qE "^  id: (legs:|rooms|grasp)" "$task" || "$saccade" doctor | grep -q '^legs:flat  *works' || { echo "skip: needs MuJoCo (make worlds)"; exit 77; }
}
