# shellcheck shell=bash
# Sourced by the tests that are scripts: single checks, reported in cmocka's words so that they are counted one by one.
#   check "what must hold" COMMAND...      passes when the command succeeds
#   finish                                 at the end of the script
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "[==========] Running checks."

check()
{
    local name=$1
    shift
    if "$@" >"$work/check.log" 2>&1; then
        echo "[       OK ] $name"
    else
        sed 's/^/    /' "$work/check.log"
        echo "[  FAILED  ] $name"
        failed=$((failed + 1))
    fi
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
