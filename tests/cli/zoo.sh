#!/usr/bin/env bash
# saccade zoo from outside, with the recipes of the policies that ship: zoo.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
mapfile -t policies < <(scripts/tracked.sh 'zoo/*.safetensors' | grep -v '^zoo/training/')

commands() # POLICY: the first sh block of its card is what its recipe says
{
    diff <("$saccade" zoo --commands "$1") <(awk '/^```$/ {exit} inside {print} /^```sh$/ {inside = 1}' "${1%.*}.md")
}

sources() # POLICY: every file that its recipe begins with is in the tree
{
    local file
    sed -nE 's/^ *(- )?(start|task): (.*)$/\3/p' "${1%.*}.yaml" >"$work/files"
    [[ -s $work/files ]] || return 1
    while read -r file; do
        # a part may start from the run of an earlier one
        [[ $file == zeros || $file == nothing || $file == '{'* ]] || grep -qx "  - run: $file" "${1%.*}.yaml" || scripts/tracked.sh "$file" >/dev/null || return 1
    done <"$work/files"
}

# what a recipe calls verified is the file that ships, and the card says the same
verified() # POLICY
{
    local name=${1#zoo/} hash date
    name=${name%.*}
    hash=$(sed -n 's/^ *parameters: //p' "${1%.*}.yaml") date=$(sed -n 's/^ *date: //p' "${1%.*}.yaml")
    [[ -n $hash ]] || { echo "$name is not verified, and what cannot be verified does not ship"; return 1; }
    "$saccade" zoo "$1" --json | grep -qF "\"hash\": \"$hash\"" &&
        "$saccade" zoo "$1" --json | grep -qF "\"verified\": \"$date\"" &&
        grep -qF "Verified on $date: \`saccade zoo --verify $name\`" "${1%.*}.md" && grep -qF "\`$hash\`" "${1%.*}.md"
}

# what a card says of its recipe is what scripts/card.sh writes
written() { SACCADE=$saccade scripts/card.sh --check "$1"; }

# the listing tells what the card's table has: the plain world, the least and the most of the others, and the baselines
listed() # POLICY
{
    local numbers
    numbers=$(sed -nE "s/^  - \{variant: '([^']*)', mean: (-?[0-9.]+), .*/\1 \2/p" "${1%.*}.yaml" | awk '
        $2 !~ /\./ {$2 = $2 ".0"} # a value has one digit after the point at least
        $1 == "original" {plain = $2; next} $1 == "random" {random = $2; next} $1 == "idle" {idle = $2 < -10 || $2 > 10 ? sprintf("%.1f", $2) : $2; next} {changed[$2]; if (!n++ || $2 + 0 < least + 0) least = $2; if (n == 1 || $2 + 0 > most + 0) most = $2}
        END {if (n && plain != "" && idle != "") print plain, least " to " most, random, idle}' | tr -s ' ')
    [[ -n $numbers ]] && "$saccade" zoo "$1" | tail -n 1 | tr -s ' ' | grep -qF " $numbers "
}

# the generation that ships, which may lie before the end of the commands; an up-training has none
generation() # POLICY
{
    local at
    if tac "${1%.*}.yaml" | sed '/- run: /q' | grep -q '^ *uptrain: '; then
        grep -qx 'What ships is what this up-training gave.' "${1%.*}.md"
        return
    fi
    at=$(python3 -c 'import json, struct, sys
file = open(sys.argv[1], "rb")
header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
print(json.loads(header["__metadata__"]["info"])["generation"])' "$1") &&
        grep -qE "^What ships is the (vector of|mean of the search after|policy after) generation $at of these [0-9]+[.,]" "${1%.*}.md"
}

# where something before the recipe was trained by another version, the card says so, and what is verified
begins() # POLICY
{
    local start=${1%.*}
    while [[ -e ${start%.*}.yaml ]]; do start=$(sed -n 's/^start: //p' "${start%.*}.yaml"); done
    [[ $start != zoo/training/starts/* ]] || tr '\n' ' ' <"${1%.*}.md" |
        grep -qE "an earlier version of saccade[^.]*; the verification covers the commands? below, and not"
}

# tables that show what such a policy scores say that its last part alone was verified, and zoo/TRAINING.md names it
marked() # POLICY
{
    local start=${1%.*} name=${1#zoo/}
    while [[ -e ${start%.*}.yaml ]]; do start=$(sed -n 's/^start: //p' "${start%.*}.yaml"); done
    [[ $start == zoo/training/starts/* ]] || return 0
    tr '\n' ' ' <zoo/TRAINING.md | grep -oE 'in their last part alone[^|]*' | grep -qF "\`${name%.*}\`" || { echo "zoo/TRAINING.md does not name ${name%.*}"; return 1; }
    ! grep -hE "^\|.*\`saccade eval $1( |\`)" README.md docs/results.md | grep -v 'last part verified'
}

# the columns of scripts/card.sh, and in those of the control suite no blank beside what has a baseline
columns() # POLICY
{
    local card=${1%.*}.md head random idle world
    head=$(grep -m 1 '^| variant |' "$card") && grep -qF "\"$head\"" scripts/card.sh || { echo "$card: $head"; return 1; }
    [[ $1 == zoo/control/* ]] || return 0
    world=$(tr '\n' ' ' <"$card" | grep -oE -- '--random --env [a-z-]+( --set action_repeat=[0-9]+)?' | head -n 1 | cut -d ' ' -f 3-)
    random=$(landed "saccade eval --random --env $world --set observe=state")
    idle=$(landed "saccade eval --idle --env $world --set observe=state")
    awk -F ' *\\| *' -v random="$random" -v idle="$idle" '/^\| variant/ {inside = 1; next} /^\| ---/ {next} !/^\|/ {inside = 0}
        inside {rows++} inside && ($4 != random || $5 != idle) {print; bad = 1} END {exit bad || rows != 5 || !random || !idle}' "$card"
}
landed() { awk -F, -v command="$1" '$4 == command {print $1 " +- " $2}' bench/results/returns.csv; }

# random actions and none act by the policy's own map of actions, whose options its card's command has, as its task does
own_map() # POLICY
{
    local task said option value
    [[ $1 == zoo/legs/* ]] || return 0
    task=$(sed -n 's/^ *task: //p' "${1%.*}.yaml" | tail -n 1)
    said=$(tr '\n' ' ' <"${1%.*}.md" | grep -oE -- '--random --env legs:[^`]*') || return 1
    for option in feet period repeat; do
        value=$(sed -nE "s/^  $option: ([^ ]+).*/\1/p" "$task")
        [[ -z $value || "$said " == *" --set $option=$value "* ]] || { echo "$task has $option $value: $said"; return 1; }
    done
}

check "there are policies" test "${#policies[@]}" -gt 0
for policy in "${policies[@]}"; do
    check "$policy: its card shows its recipe's commands" commands "$policy"
    check "$policy: what its recipe begins with is there" sources "$policy"
    check "$policy: its card says whether it was verified" verified "$policy"
    check "$policy: its card is the one that its recipe gives" written "$policy"
    check "$policy: the listing has the scores of its card" listed "$policy"
    check "$policy: its card says which generation ships" generation "$policy"
    check "$policy: its card says what an earlier version trained" begins "$policy"
    check "$policy: tables say what was verified of it" marked "$policy"
    check "$policy: its card's columns are named and filled" columns "$policy"
    check "$policy: its baselines have its map of actions" own_map "$policy"
done

# "RUN VECTOR TASK" of every part of every recipe, in order
parts()
{
    local recipe
    for recipe in $(scripts/tracked.sh 'zoo/*.yaml' | xargs grep -l '^parts:'); do
        awk -v recipe="$recipe" '$1 == "-" && $2 == "run:" {print "\n" recipe, $3} $1 == "task:" {print $2} $1 == "vector:" {print $2} $1 == "uptrain:" {print "- -"}' "$recipe" |
            awk 'BEGIN {RS = ""} {print $1, $2, $3, $4}'
    done
}
made() # FILE TASK: by a recipe, before it comes to the task
{
    awk -v file="$1" -v task="$2" '
        $1 != recipe {recipe = $1; split("", made)}
        $3 == task && file in made {found = 1}
        {made["runs/" $2 ($4 == "-" ? "" : "/" $4) ".safetensors"]} # an up-training leaves a file and no folder
        END {exit !found}' "$work/parts" || { echo "no recipe makes $1 before it trains $2"; return 1; }
}
# where a task begins: at nothing, at a file of the tree, or at what a recipe has made, or of those in tasks/ another one
starts() # TASK
{
    local start name
    start=$(sed -nE 's/^ *start: *([^ #]+).*/\1/p' "$1")
    case $start in
        "" | draw | zeros) return 0 ;;
        runs/*)
            name=${start#runs/}
            [[ $1 != tasks/* ]] || ! scripts/tracked.sh "tasks/${name%%/*}.yaml" >/dev/null || return 0
            ;;
        *) scripts/tracked.sh "$start"; return ;;
    esac
    made "$start" "$1"
}
parts >"$work/parts"
check "there are parts" test -s "$work/parts"
for task in $(scripts/tracked.sh '*.yaml' | xargs grep -lE '^ *start:' | xargs grep -L '^parts:'); do
    check "$task: its start is there, or a recipe makes it" starts "$task"
done
unmade() # STARTS: a task with such a start is noticed
{
    sed "s#^  start: .*#  start: $1#" zoo/tasks/car-racing-pairs-4.yaml >"$work/unmade.yaml"
    grep -qF "start: $1" "$work/unmade.yaml" && ! starts "$work/unmade.yaml"
}
check "a start that is nowhere is noticed" unmade zoo/training/starts/nothing.safetensors
check "a start that no recipe makes is noticed" unmade runs/car-racing-pairs-seed-4/mean.safetensors

# whom a task of the zoo learns from: a policy that ships, or what a recipe has made before it comes to the task
taught() # TASK
{
    local teacher
    teacher=$(sed -nE '/^teacher:/,$ s/^ *policy: *([^ #]+).*/\1/p' "$1")
    ! printf '%s\n' "${policies[@]}" | grep -qxF "$teacher" || return 0
    made "$teacher" "$1"
}
for task in $(scripts/tracked.sh 'zoo/tasks/*.yaml' | xargs grep -l '^teacher:'); do
    check "$task: its teacher ships, or a recipe trains it" taught "$task"
done

# a recipe of what has not shipped yet says what zoo/TRAINING.md shows, and can be read
unshipped() # RECIPE
{
    local folder=$work/unshipped
    rm -rf "$folder"
    mkdir -p "$folder/zoo"
    cp "$(dirname "$1")/best.safetensors" "$folder/zoo/one.safetensors" && cp "$1" "$folder/zoo/one.yaml"
    SACCADE_ZOO=$folder/zoo "$saccade" zoo --commands one >"$folder/commands" || return 1
    # a line for each command, its words sorted: the order of options is anyone's
    words()
    {
        sed -e ':a; /\\$/ {N; s/\\\n//; ba}' "$1" | grep '^saccade train' |
            while read -ra word; do printf '%s\n' "${word[@]}" | sort | paste -sd ' '; done
    }
    words "$folder/commands" >"$folder/said"
    words zoo/TRAINING.md >"$folder/shown"
    grep -vxFf "$folder/shown" "$folder/said" && return 1
    [[ -s $folder/said ]]
}
for recipe in $(scripts/tracked.sh 'zoo/training/*/recipe.yaml'); do
    check "$recipe: zoo/TRAINING.md shows its commands" unshipped "$recipe"
done

kept() # training states are those that zoo/TRAINING.md goes on with
{
    local state
    for state in $(scripts/tracked.sh zoo/training | cut -d/ -f3 | sort -u); do
        [[ $state == starts ]] || grep -q "^| [0-9]* | \`$state\`" zoo/TRAINING.md || { echo "$state"; return 1; }
    done
}
check "no training state is kept that nothing continues" kept

# --- a zoo of one small policy, made by two parts ---------------------------------------------------------------

export SACCADE_ZOO=$work/zoo
mkdir -p "$work/zoo/toy" "$work/tasks"
sed 's/^env:/env:\n  size: 24\n  max_steps: 12/' tasks/toy.yaml >"$work/tasks/toy.yaml"
recipe=$work/zoo/toy/small.yaml
cat >"$recipe" <<'END'
parts:
  - run: first
    task: tasks/toy.yaml
    generations: 4
    steps: 0
    vector: mean
  - run: second
    task: tasks/toy.yaml
    generations: 13
    steps: 0
    vector: best
    set:
      search: {sigma: 0.05, population: 8}
      train: {seed: 3}
      evaluation: {every: 5, episodes: 4}
END
# as the recipe's commands would be typed
"$saccade" train "$work/tasks/toy.yaml" --run "$work/runs/first" --generations 4 --quiet
"$saccade" train "$work/tasks/toy.yaml" --run "$work/runs/second" --generations 13 --quiet --set search.sigma=0.05 \
    --set "train.start=$work/runs/first/mean.safetensors" --set search.population=8 --set train.seed=3 \
    --set evaluation.every=5 --set evaluation.episodes=4
cp "$work/runs/second/best.safetensors" "$work/zoo/toy/small.safetensors"
steps() { tail -n 1 "$work/runs/$1/metrics.csv" | cut -d, -f2; }

refuses_recipe() { refuses 1 "$1" "$saccade" zoo --verify toy/small; }
check "a recipe without steps is refused" refuses_recipe "small.yaml: part 0 has no steps"
sed -i "0,/steps: 0/s//steps: $(steps first)/; 0,/steps: 0/s//steps: $(steps second)/" "$recipe"

cp "$recipe" "$work/whole.yaml"
printf 'scores:\n  - {variant: original, worth: 3}\n' >>"$recipe"
check "a score of an unknown kind is refused" refuses 2 "small.yaml:17: unknown option 'worth'" "$saccade" zoo --verify toy/small
cp "$work/whole.yaml" "$recipe"
printf 'scores: 3\n' >>"$recipe"
check "scores that are no list are refused" refuses 2 "small.yaml:16: unknown option 'scores'" "$saccade" zoo --verify toy/small
cp "$work/whole.yaml" "$recipe"
printf 'scores:\n  - {variant: size, mean: 2, std: 1}\n  - {variant: original, mean: 7.5, std: 1}\n' >>"$recipe"
check "scores of a recipe are listed" grep -qE "toy/small\..* 7.5 +2.0 to 2.0 " <("$saccade" zoo)
cp "$work/whole.yaml" "$recipe"

same()
{
    "$saccade" zoo --verify toy/small >"$work/said" || { cat "$work/said"; return 1; }
    head -n 1 "$work/said" | grep -q "^1 policy to train again, $(($(steps first) + $(steps second))) steps in all$" &&
        grep -q "^  second: generation 13 of 13, .* left$" "$work/said" && grep -q "^  same: [0-9]* parameters, [0-9a-f]\{16\}$" "$work/said"
}
different() # WORDS: exit code 1, and the words
{
    local code
    "$saccade" zoo --verify small >"$work/said"
    code=$?
    grep -q "$1" "$work/said" && [[ $code == 1 ]]
}
scratch_is_gone() { [[ -z $(TMPDIR=$work/tmp "$saccade" zoo --verify small >/dev/null; ls "$work/tmp") ]]; }
goes_on() # with runs that are there: nothing is trained twice
{
    "$saccade" zoo --verify small --run "$work/kept" >/dev/null && "$saccade" zoo --verify small --run "$work/kept" >"$work/said" &&
        grep -q '^  same: ' "$work/said" && ! grep -q generation "$work/said"
}
begins_with() # a start that no part makes is said
{
    cp "$recipe" "$work/kept.yaml"
    { echo "start: runs/first/mean.safetensors"; cat "$work/kept.yaml"; } >"$recipe"
    "$saccade" zoo --verify small >"$work/said"
    local code=$?
    cp "$work/kept.yaml" "$recipe"
    cat "$work/said"
    grep -qx '  begins with runs/first/mean.safetensors, which is not trained again' "$work/said" && [[ $code == 1 ]]
}
check "the policy that its recipe gives is the same" same
check "what is not trained again is said" begins_with
mkdir "$work/tmp"
check "the scratch folder goes" scratch_is_gone
check "--run keeps the runs and goes on with them" goes_on
sed -i "s/steps: $(steps second)/steps: 17/" "$recipe"
check "another number of steps is a difference" different "DIFFERENT: second took $(steps second) steps, the recipe says 17"
sed -i "s/steps: 17/steps: $(steps second)/" "$recipe"
cp "$work/runs/second/mean.safetensors" "$work/zoo/toy/small.safetensors"
check "another vector is a difference" different "DIFFERENT: the parameters differ, [0-9a-f]\{16\} shipped, [0-9a-f]\{16\} trained"

# paths of any length, or a line before anything is trained
deep() # BYTES: a folder whose path has so many
{
    local path=$work/deep
    while ((${#path} + 102 < $1)); do path+=/$(printf 'x%.0s' $(seq 100)); done
    echo "$path/$(printf 'y%.0s' $(seq $(($1 - ${#path} - 1))))"
}
long_scratch() # the scratch folder is made where TMPDIR says, whatever its length
{
    local folder
    folder=$(deep 230)
    mkdir -p "$folder" || return 1
    ! TMPDIR=$folder "$saccade" zoo --verify small >"$work/said" 2>&1 && grep 'part 1 begins with this file, whose path has .* at most 255' "$work/said" || return 1
    [[ -z $(find "$work/deep" -type f) ]] || { find "$work/deep"; return 1; }
    # one part has no start, so no path is too long
    cp "$recipe" "$work/two.yaml"
    sed -i '/run: second/,$d' "$recipe"
    cp "$work/runs/first/mean.safetensors" "$work/zoo/toy/small.safetensors"
    TMPDIR=$folder "$saccade" zoo --verify small >"$work/said" && grep -q '^  same: ' "$work/said"
    local status=$?
    [[ -z $(ls -A "$folder") ]] || status=1
    "$saccade" zoo --verify small --run "$folder/runs" >"$work/said" && grep -q '^  same: ' "$work/said" && [[ -s $folder/runs/first/mean.safetensors ]] || status=1
    cp "$work/two.yaml" "$recipe"
    return $status
}
long_runs() # nothing is trained where the last part could not begin
{
    local folder
    folder=$(deep 300)
    "$saccade" zoo --verify small --run "$folder" >"$work/said" 2>&1 && return 1
    cat "$work/said"
    grep -q 'take a folder with a shorter path' "$work/said" && ! grep -q generation "$work/said" && [[ ! -e $folder ]]
}
check "a scratch folder of any length" long_scratch
check "--run in a path that is too long for the parts" long_runs
check "a start that is too long says so" refuses 2 "--set train.start=...: KEY=VALUE has at most 255 bytes, this has 312" \
    "$saccade" train tasks/toy.yaml --run "$work/none" --set "train.start=$(printf 'x%.0s' $(seq 300))"
check "--run without --verify is refused" refuses 2 "zoo: --run is for --verify" "$saccade" zoo --run "$work/none"
check "an empty SACCADE_ZOO is refused" refuses 2 "SACCADE_ZOO is empty, expected a folder" env SACCADE_ZOO= "$saccade" zoo
mkdir "$work/bare"
check "a zoo without policies says so" refuses 1 "no trained policies in $work/bare" env "SACCADE_ZOO=$work/bare" "$saccade" zoo
nothing_here() # what was looked for, and how to mend it
{
    local command installed
    command=$(realpath "$saccade") installed=$(dirname "$(dirname "$command")")/share/saccade/zoo
    [[ ! -e $installed ]] || return 0
    local mend="or $installed; go into a checkout of saccade, type 'make install' in one, or set SACCADE_ZOO to such a folder"
    cd "$work/bare" && unset SACCADE_ZOO || return 1
    refuses 1 "no folder of trained policies at ./zoo $mend" "$command" zoo &&
        refuses 1 "no folder of trained policies at ./zoo $mend" "$command" zoo toy/small &&
        mkdir zoo && refuses 1 "no trained policies in ./zoo $mend" "$command" zoo && rmdir zoo
}
nothing_here_alone() { (nothing_here); }
check "a folder without a zoo says what was looked for" nothing_here_alone
check "a SACCADE_ZOO that is no folder says so" refuses 1 "SACCADE_ZOO is '$work/nowhere', where no folder is" \
    env "SACCADE_ZOO=$work/nowhere" "$saccade" zoo
check "an unknown name is a wrong command line" refuses 2 "no policy is called 'smal'" "$saccade" zoo --verify smal

# --- a policy that a teacher has taught, and that goes on by evolution ------------------------------------------

taught=$work/zoo/toy/taught.yaml
{
    sed '/^search:/,$d' "$work/tasks/toy.yaml"
    printf '%s\n' "search: {method: distill, episodes: 4, fit_steps: 10, batch: 4, share: 1 0.5}" "train: {seed: 1}" \
        "evaluation: {every: 1, episodes: 4}" "teacher: {policy: nobody.safetensors}"
} >"$work/tasks/taught.yaml"
cat >"$taught" <<'END'
parts:
  - run: teacher
    task: tasks/toy.yaml
    generations: 3
    steps: 1
  - run: student
    task: tasks/taught.yaml
    generations: 2
    steps: 1
    teacher: teacher
    vector: mean
    set:
      search: {rate: 0.01}
  - run: further
    task: tasks/toy.yaml
    generations: 3
    steps: 1
    vector: mean
END
taught_commands() # the student learns from the teacher's vector, and evolution goes on from the student's
{
    "$saccade" zoo --commands toy/taught >"$work/said" && tr -d '\\\n' <"$work/said" | tr -s ' ' >"$work/line"
    grep -q 'saccade distill tasks/taught.yaml --run runs/student --generations 2 .*--set teacher.policy=runs/teacher/best.safetensors' "$work/line" &&
        grep -q 'saccade train tasks/toy.yaml --run runs/further --generations 3 --set train.start=runs/student/mean.safetensors' "$work/line" &&
        ! grep -q 'train.start=runs/teacher' "$work/line"
}
taught_same() # its commands, typed, give the policy that --verify gives
{
    (
        program=$(realpath "$saccade")
        cd "$work" && "$program" train tasks/toy.yaml --run runs/teacher --generations 3 --quiet &&
            "$program" distill tasks/taught.yaml --run runs/student --generations 2 --quiet --set search.rate=0.01 \
                --set teacher.policy=runs/teacher/best.safetensors &&
            "$program" train tasks/toy.yaml --run runs/further --generations 3 --quiet \
                --set train.start=runs/student/mean.safetensors
    ) || return 1
    cp "$work/runs/further/mean.safetensors" "$work/zoo/toy/taught.safetensors"
    local part
    for part in teacher student further; do sed -i "0,/steps: 1$/s//steps: $(steps "$part")/" "$taught"; done
    "$saccade" zoo --verify taught >"$work/said" && grep -q '^  same: ' "$work/said"
}
cp "$work/runs/first/mean.safetensors" "$work/zoo/toy/taught.safetensors"
check "the commands of a taught policy name its teacher" taught_commands
check "a taught policy is trained again to the bit" taught_same
sed -i 's/    teacher: teacher/    teacher: nobody/' "$taught"
check "a teacher that no part trains is refused" refuses 1 "part 1: teacher: no part before it has the run 'nobody'" \
    "$saccade" zoo --verify taught
sed -i 's/    teacher: nobody/    teacher: teacher\n    start: further/' "$taught"
check "a start that comes later is refused" refuses 1 "part 1: start: no part before it has the run 'further'" \
    "$saccade" zoo --verify taught
sed -i 's/    start: further/    start: teacher/' "$taught"
started() { "$saccade" zoo --commands taught | tr -d '\\\n' | grep -q 'train.start=runs/teacher/best.safetensors *--set teacher.policy'; }
check "a part starts from the part that it names" started
rm "$taught" "$work/zoo/toy/taught.safetensors"

# --- a policy whose attention an up-training made linear ---------------------------------------------------------

linear=$work/zoo/toy/linear.yaml
cat >"$linear" <<'END'
parts:
  - run: soft
    task: tasks/toy.yaml
    generations: 3
    steps: 1
    vector: mean
  - run: linear
    uptrain: {attention: exp, features: 2, random: false, frames: 512, match: 30, tune: 10, rate: 0.0001, rounds: 2}
    steps: 1
END
cp "$work/runs/first/mean.safetensors" "$work/zoo/toy/linear.safetensors" # something to list
# policies with one bit of their last parameter changed, and the checksum that this makes
other_bit() # FROM TO
{
    python3 - "$1" "$2" <<'END'
import json, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
size = struct.unpack("<Q", data[:8])[0]
data[-4] ^= 1
header = json.loads(data[8 : 8 + size])
def mixed(parts, value=0xcbf29ce484222325):
    for byte in b"".join(parts):
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return value
metadata = header.pop("__metadata__")
text = lambda word: word.encode() + b"\0"
total = sum(mixed([text(key), text(value)], 2**64 - 1 ^ 0xcbf29ce484222325) for key, value in metadata.items() if key != "checksum")
for name, tensor in header.items():
    begin, end = (8 + size + offset for offset in tensor["data_offsets"])
    total += mixed([text(name), text(tensor["dtype"]), struct.pack(f"<{len(tensor['shape'])}q", *tensor["shape"]), data[begin:end]])
open(sys.argv[2], "wb").write(data.replace(metadata["checksum"].encode(), b"%016x" % (total % 2**64)))
END
}
linear_commands() # as they would be typed, in the listing as well
{
    local soft="saccade train tasks/toy.yaml --run runs/soft --generations 3"
    local up="saccade uptrain runs/soft/mean.safetensors --attention exp --features 2 --frames 512 --match 30 --tune 10 --rate 0.0001 --rounds 2 --out runs/linear.safetensors"
    "$saccade" zoo --commands linear >"$work/said" && cat "$work/said" && ! grep -q '.\{121\}' "$work/said" &&
        [[ "$(sed ':a; /\\$/ {N; s/ \\\n */ /; ba}' "$work/said")" == "$soft"$'\n'"$up" ]] &&
        "$saccade" zoo linear --json | python3 -c 'import json, sys; assert json.load(sys.stdin)[0]["commands"] == sys.argv[1:]' "$soft" "$up"
}
linear_typed() # what its commands leave ships
{
    local program
    program=$(realpath "$saccade")
    "$saccade" zoo --commands linear | sed "s#^saccade#$program#" >"$work/typed.sh" &&
        (cd "$work" && bash -e typed.sh) && cp "$work/runs/linear.safetensors" "$work/zoo/toy/linear.safetensors"
}
linear_differs() # WORDS
{
    "$saccade" zoo --verify linear >"$work/said"
    local code=$?
    cat "$work/said"
    grep -qE "$1" "$work/said" && [[ $code == 1 ]]
}
linear_same()
{
    sed -i "0,/steps: 1$/s//steps: $(steps soft)/" "$linear"
    sed -i "s/    steps: 1$/    steps: 512/" "$linear"
    "$saccade" zoo --verify linear --run "$work/linear" >"$work/said" || { cat "$work/said"; return 1; }
    cat "$work/said"
    grep -q '^  linear: match, step 30 of 30$' "$work/said" && grep -q '^  linear: tune, step 10 of 10$' "$work/said" &&
        grep -q '^  same: ' "$work/said" && cmp "$work/zoo/toy/linear.safetensors" "$work/runs/linear.safetensors" || return 1
    # the softmax policy is there, and an up-training is carried out again
    "$saccade" zoo --verify linear --run "$work/linear" --threads 2 >"$work/said" && cat "$work/said" &&
        ! grep -q 'soft: generation' "$work/said" && grep -q '^  linear: tune' "$work/said" && grep -q '^  same: ' "$work/said"
}
one_bit() # of a parameter that ships is noticed, and so is damage
{
    cp "$work/zoo/toy/linear.safetensors" "$work/whole.safetensors"
    other_bit "$work/whole.safetensors" "$work/zoo/toy/linear.safetensors" &&
        [[ $(cmp -l "$work/whole.safetensors" "$work/zoo/toy/linear.safetensors" | wc -l) -le 17 ]] &&
        linear_differs 'DIFFERENT: the parameters differ, [0-9a-f]{16} shipped, [0-9a-f]{16} trained'
    local status=$?
    cp "$work/whole.safetensors" "$work/zoo/toy/linear.safetensors"
    return $status
}
from_zoo() # what an up-training begins with may be a policy that ships
{
    mkdir -p "$work/from/zoo/toy"
    cp "$work/runs/soft/mean.safetensors" "$work/from/zoo/toy/soft.safetensors"
    cp "$work/runs/linear.safetensors" "$work/from/zoo/toy/linear.safetensors"
    { echo "start: zoo/toy/soft.safetensors" && sed '/- run: soft/,/vector:/d' "$linear"; } >"$work/from/zoo/toy/linear.yaml"
    SACCADE_ZOO=$work/from/zoo "$saccade" zoo --verify linear >"$work/said" && cat "$work/said" &&
        grep -q '^  begins with zoo/toy/soft.safetensors' "$work/said" && grep -q '^  same: ' "$work/said" &&
        SACCADE_ZOO=$work/from/zoo "$saccade" zoo --commands linear | grep -q '^saccade uptrain zoo/toy/soft.safetensors --attention exp '
}
refuses_linear() # CODE WORDS SED: a recipe that is changed so is refused in one line
{
    cp "$linear" "$work/linear.yaml"
    sed -i "$3" "$linear"
    local status=0
    ! cmp -s "$linear" "$work/linear.yaml" && refuses "$1" "$2" "$saccade" zoo --commands linear || status=1
    cp "$work/linear.yaml" "$linear"
    return $status
}
check "the commands of an up-trained policy are listed" linear_commands
check "they can be typed" linear_typed
check "an up-training's steps are compared" linear_differs 'DIFFERENT: linear took 512 steps, the recipe says 1$'
check "an up-trained policy is made again to the bit" linear_same
check "one bit of it is noticed" one_bit
check "an up-training of a policy that ships" from_zoo
check "an option that up-training does not have" refuses_linear 2 "linear.yaml:8: unknown option 'frame', did you mean 'frames'?" 's/frames/frame/'
check "a map that is not there" refuses_linear 2 "attention is 'epx', expected one of: relu, exp, square, did you mean 'exp'?" 's/exp/epx/'
check "too few pictures" refuses_linear 2 "linear.yaml:8: frames is '511', expected a whole number from 512 to 1048576" 's/512/511/'
check "a word in place of the options" refuses_linear 1 "linear.yaml:8: uptrain takes a map of options" 's/{attention.*/relu/'
check "no attention" refuses_linear 1 "part 1: uptrain has no attention" 's/attention: exp, //'
check "neither task nor up-training" refuses_linear 1 "part 1 has no task, nor uptrain" '/uptrain/d'
check "an up-training with a task" refuses_linear 1 "part 1 up-trains, and takes no task" 's/- run: linear/&\n    task: tasks\/toy.yaml/'
check "an up-training with settings of a task" refuses_linear 1 "linear.yaml:9: a part has 'set', for its task, or 'uptrain', not both" '/uptrain/a\    set: {search: {sigma: 1}}'
check "an up-training without a policy" refuses_linear 1 "part 0 up-trains, and has no policy to start from" '/- run: soft/,/vector:/d'
check "an up-training that starts from nothing" refuses_linear 1 "part 1 up-trains, and has no policy to start from" 's/- run: linear/&\n    start: nothing/'
rm "$linear" "$work/zoo/toy/linear.safetensors"

sed -i 's/vector: best/vector: worst/' "$recipe"
check "a bad word says where" refuses 2 "small.yaml:11: vector is 'worst'" "$saccade" zoo --verify toy/small
rm "$recipe"
check "a policy without a recipe says what is missing" refuses_recipe "small.yaml"
finish
