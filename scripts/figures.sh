#!/usr/bin/env bash
# Figures of documents beside those that landed: every row of a table whose last cell holds a command in backticks.
#   figures.sh [DOCUMENT...]     compares (default README.md, results.md, bridge.md, policies.md and images.md of docs/);
#                                a part of make lint
#   figures.sh --measure [WORDS] runs the commands of bench/results/returns.csv again, those that hold WORDS, and writes
#                                what they give; a line of it may hold a command that has no figures yet
# `make bench ROW=NAME`: the second cell holds the value, the third "N x" the peer's figure over it, as last landed in the
# folder of bench/results that the document names. `saccade eval ...` or `python3 examples/...`: each "M +- S" of the row
# is what the next command of the last cell gave, in the order in which they stand. The article's figures have no command:
# they are those that bench/results/returns.csv holds for the world of the first. README.md holds no other figure of these
# kinds. `saccade bench act-tokens-...`: the third cell holds the microseconds with softmax, the fourth those with linear
# attention, the fifth how many per cent less these are, as landed. Tables whose head begins with "side in pixels, tokens
# of 16 x 16" hold what vision.csv of that folder does: "ours / PyTorch's" in milliseconds where the first cell counts the
# tokens, too, and in MB where it does not.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
returns=bench/results/returns.csv

# what an example of examples/ needs: the Python package, and the Python of .venv as python3
unpack_package()
{
    [[ -x .venv/bin/python && ! -e $folder/site ]] || return 0
    .venv/bin/python -m zipfile -e "$(scripts/wheel.sh)" "$folder/site"
}

figures_of() # COMMAND: "mean,std,episodes", run in $folder
{
    local command=$1
    case $command in
        saccade*) command="$command --threads $(nproc)" ;;
        python3*) unpack_package || return 1 ;;
    esac
    (root=$PWD && cd "$folder" && export PYTHONPATH=$folder/site PYTHONDONTWRITEBYTECODE=1 &&
        eval "PATH=$root/build:$root/.venv/bin:\$PATH $command") |
        sed -n 's/^mean \([-0-9.]*\), standard deviation \([0-9.]*\), \([0-9]*\) .*/\1,\2,\3/p'
}

measure() # [WORDS]
{
    local mean std episodes command line
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    ln -s "$PWD/zoo" "$PWD/examples" "$PWD/.venv" "$folder"
    [[ ! -e ../shared/golden ]] ||
        build/saccade import attention-agent-npz ../shared/golden/attention_agent/CarRacing_released.npz "$folder/article.safetensors" >/dev/null
    # the planner of TakeCover, which learns nothing
    ! grep -qF "${1:-}" <(grep 'eval planner/' $returns) ||
        build/saccade train tasks/take-cover-teacher.yaml --run "$folder/planner" --quiet >/dev/null || return 1
    while IFS=, read -r mean std episodes command; do
        line=$mean,$std,$episodes
        if [[ $command == "saccade eval "* || $command == "python3 examples/"* ]] && [[ $command == *"${1:-}"* ]] &&
            [[ $command != *article* || -e $folder/article.safetensors ]]; then
            line=$(figures_of "$command" </dev/null)
            [[ -n $line ]] || { echo "$command: no figure" >&2; return 1; }
            [[ $line == "$mean,$std,$episodes" ]] || echo "$command: $mean +- $std was landed, now $line" >&2
        fi
        echo "$line,$command"
    done <$returns >"$folder/returns.csv" && cp "$folder/returns.csv" $returns
}

compare() # DOCUMENT FOLDER, where what it names landed
{
    awk -v document="$1" -v landed="$2/bench.csv" -v vision="$2/vision.csv" -v returns=$returns '
    function fail(words) {printf "%s:%d: %s\n", document, FNR, words; bad = 1}
    # whether a figure as it is written is the value, rounded to the digits that it shows
    function is_rounded(text, value,    digits, point, half) {
        gsub(/,/, "", text)
        point = index(text, ".")
        if (point) half = 0.5 * 10 ^ (point - length(text))
        else {
            digits = text
            half = 0.5
            while (digits ~ /0$/ && length(digits) > 2) {sub(/0$/, "", digits); half *= 10}
        }
        return text - value <= half * 1.000001 && value - text <= half * 1.000001
    }
    # how often the unit that is written holds the landed one
    function scale(text, unit) {
        if (unit == "steps/s") return text ~ /a second/ ? 1 : 0
        if (unit == "us") return text ~ / ms/ ? 1000 : text ~ / us/ ? 1 : 0
        if (unit == "s") return text ~ /[0-9] s *$/ ? 1 : 0
        return unit == "ms" && text ~ / ms/ ? 1 : 0
    }
    function check_bench(name, shown, beside,    number, ratio) {
        if (!(name in value)) {fail("no figure of " name " has landed in " landed); return}
        ratio = peer[name] ? (unit[name] == "steps/s" ? value[name] / peer[name] : peer[name] / value[name]) : 0
        match(shown, /[0-9][0-9.,]*/)
        number = substr(shown, RSTART, RLENGTH)
        if (shown ~ /[0-9] x/) {if (!is_rounded(number, ratio)) fail(name ": " number " x, landed is " ratio)}
        else if (!scale(shown, unit[name])) fail(name ": " shown " is not in a unit of " unit[name])
        else if (!is_rounded(number, value[name] / scale(shown, unit[name]))) fail(name ": " shown ", landed is " value[name] " " unit[name])
        if (!match(beside, /[0-9][0-9.,]* x /)) {
            if (peer[name] || beside ~ /[^ ]/) fail(name ": \"" beside "\" holds no \"N x\", which is " ratio)
            return
        }
        number = substr(beside, RSTART, RLENGTH - 3)
        if (!is_rounded(number, ratio)) fail(name ": " number " x, landed is " ratio)
    }
    # which world a command drives in; the vector of the article is for the car
    function world_of(command) {return command ~ /take-cover|wall_to_wall/ ? "take-cover" : command ~ /car-racing|article/ ? "car-racing" : ""}
    # the figures of one row, each beside its own command
    function check_returns(shown, commands, command,    pair, used) {
        while (match(shown, /-?[0-9.]+ \+- [0-9.]+/)) {
            pair = substr(shown, RSTART, RLENGTH)
            shown = substr(shown, RSTART + RLENGTH)
            if (used && index(article[world_of(command[1])], "|" pair "|")) continue
            if (++used > commands) fail(pair " has no command beside it")
            else if (of[command[used]] != pair) fail(pair " is not what \"" command[used] "\" gave, landed in " returns)
        }
        if (used < commands) fail(command[used + 1] " has no figure beside it")
    }
    # two times of an action by tokens, and how much less the second is
    function check_tokens(name, softmax, linear, less,    percent) {
        gsub(/ /, "", softmax); gsub(/ /, "", linear)
        if (!(name in value)) {fail("no figure of " name " has landed in " landed); return}
        if (!is_rounded(softmax, peer[name])) fail(name ": " softmax ", landed is " peer[name] " us")
        if (!is_rounded(linear, value[name])) fail(name ": " linear ", landed is " value[name] " us")
        percent = 100 * (1 - value[name] / peer[name])
        if (less + 0 != sprintf("%.0f", percent)) fail(name ": " less + 0 " %, landed is " percent " %")
    }
    # a row of a table of vision transformers, whose columns the head names
    function check_vision(head, row,    columns, rows, i, name, side, patch, tokens, what, pair, unit, both, key) {
        columns = split(head, name, "|")
        split(row, cell, "|")
        patch = name[2]; sub(/.* x /, "", patch)
        side = cell[2]; tokens = ""
        if (match(side, /, /)) {tokens = substr(side, RSTART + 2); side = substr(side, 1, RSTART - 1)}
        gsub(/[, ]/, "", side); gsub(/[, ]/, "", tokens)
        if (tokens != "" && tokens != (side / patch) ^ 2) fail(side " pixels are not " tokens " tokens")
        what = tokens == "" ? "MB" : "ms"
        for (i = 3; i < columns; i++) {
            key = name[i]; gsub(/[` ]/, "", key); sub(/,andbackward$/, ",both", key)
            key = key "," patch + 0 "," side
            if (!((key, what) in looks)) {fail("no figure of " key " has landed in " vision); continue}
            split(cell[i], pair, "/")
            split(looks[key, what], both, "/")
            gsub(/ /, "", pair[1]); gsub(/ /, "", pair[2])
            if (!is_rounded(pair[1], both[1]) || !is_rounded(pair[2], both[2]))
                fail(key ": " pair[1] " / " pair[2] " " what ", landed is " both[1] " / " both[2])
        }
    }
    function read_vision(    line, cell, key) {
        while ((getline line <vision) > 0) {
            split(line, cell, ",")
            key = cell[1] "," cell[2] "," cell[3] "," cell[4]
            looks[key, "ms"] = cell[5] "/" cell[8]
            looks[key, "MB"] = cell[6] / 1e6 "/" cell[9] / 1e6
        }
    }
    function read_landed(    line, cell, count) {
        while ((getline line <landed) > 0) {
            count = split(line, cell, ",")
            value[cell[1]] = cell[2]; unit[cell[1]] = cell[3]; peer[cell[1]] = count > 5 ? cell[6] : 0
        }
        while ((getline line <returns) > 0) {
            split(line, cell, ",")
            pair = cell[1] " +- " cell[2]
            sub(/^[^,]*,[^,]*,[^,]*,/, "", line)
            of[line] = pair
            if (sub(/^the article: /, "", line)) article[substr(line, 1, index(line, ";") - 1)] = article[substr(line, 1, index(line, ";") - 1)] "|" pair "|"
        }
    }
    BEGIN {read_landed(); read_vision()}
    !/^\|/ {head = ""}
    head != "" && !/^\| ---/ {check_vision(head, $0); rows++; next}
    /^\| side in pixels, tokens of / {head = $0}
    /^\|.*\|$/ {
        count = split($0, cell, "|")
        last = cell[count - 1]
        if (match(last, /`make bench ROW=[a-z0-9-]+`/)) {
            check_bench(substr(last, RSTART + 16, RLENGTH - 17), cell[3], cell[4])
            rows++
            next
        }
        if (match(last, /`saccade bench act-tokens-[a-z0-9-]+`/)) {
            check_tokens(substr(last, RSTART + 15, RLENGTH - 16), cell[4], cell[5], cell[6])
            rows++
            next
        }
        if (last ~ /`(saccade eval|python3 examples\/)/) {
            commands = 0
            for (rest = last; match(rest, /`[^`]*`/); rest = substr(rest, RSTART + RLENGTH))
                command[++commands] = substr(rest, RSTART + 1, RLENGTH - 2)
            check_returns(cell[3] " | " cell[4], commands, command)
            rows++
            next
        }
    }
    document ~ /README/ && /[0-9] \+- [0-9]|[0-9] x |[0-9] (steps )?a second/ {fail("a figure without a command beside it: " $0)}
    END {if (!rows) fail("no row with a command"); exit bad}' "$1"
}

# the parameters of each row's policies, by their cards
check_parameters() # DOCUMENT
{
    local line count policy at bad=0
    while IFS=: read -r at line; do
        count=$(sed -nE 's/.*\(([0-9,]+) parameters.*/\1/p' <<<"$line")
        policy=$(grep -oE 'zoo/[a-z0-9/-]+' <<<"$line" | head -n 1)
        [[ -n $count && -n $policy ]] || continue
        grep -qF " $count parameters" "$policy.md" ||
            { echo "$1:$at: $count parameters are not what $policy.md says" >&2; bad=1; }
    done < <(grep -n '^|.*parameters' "$1")
    return $bad
}

# "19.4 0.44": million steps of all parts of a recipe but the last, and of the last; a teacher's and its student's
million_steps() { awk '$1 == "steps:" {all += $2; last = $2} END {printf "%.3g %.2f\n", (all - last) / 1e6, last / 1e6}' "$1"; }

check_steps() # README, whose one sentence counts the steps of three recipes
{
    local car evolved cheetah words
    read -ra car < <(million_steps zoo/car-racing/taught-changed.yaml)
    read -ra evolved < <(million_steps zoo/car-racing/evolved.yaml)
    read -ra cheetah < <(million_steps zoo/control/cheetah-run-taught.yaml)
    words="car's in ${car[0]} million steps before its student's ${car[1]} and ${evolved[1]} of evolution, the cheetah's in ${cheetah[0]} before ${cheetah[1]}"
    tr '\n' ' ' <"$1" | grep -qF "$words" || { echo "$1:$(grep -n 'million steps' "$1" | head -n 1 | cut -d: -f1): by the recipes it should say: $words" >&2; return 1; }
}

# documents say what landed of the ResNet on Fashion-MNIST, by its one sentence in each
check_fashion() # DOCUMENT
{
    local landed
    landed=$(awk -F, 'END {printf "%.2f %%", 100 * $7}' bench/results/resnet.csv)
    tr '\n' ' ' <"$1" | awk -v landed="$landed" '{
        if (!match($0, /ResNet-10 of (width 16 with )?308,538 numbers,? (ended with|has) [0-9.]+ %/)) exit
        said = substr($0, RSTART, RLENGTH); sub(/.* (with|has) /, "", said); exit said != landed}' ||
        { echo "$1:$(grep -n '308,538 numbers' "$1" | head -n 1 | cut -d: -f1): the ResNet on Fashion-MNIST has $landed in bench/results/resnet.csv" >&2; return 1; }
}

if [[ ${1:-} == --measure ]]; then
    measure "${2:-}"
    exit
fi
[[ $# -gt 0 ]] || set -- README.md docs/{results,bridge,policies,images}.md
status=0
for document in "$@"; do
    machine=$(grep -oE 'bench/results/[a-z0-9]+(-[a-z0-9]+)+' "$document" | head -n 1)
    # returns are the same on every machine, so a document that holds only those names none
    [[ -n $machine ]] || ! grep -qE 'make bench ROW=|`saccade bench act-tokens' "$document" || { echo "$document: it names no folder of bench/results" >&2; status=1; continue; }
    [[ -z $machine || -e $machine/bench.csv ]] || { echo "$document: nothing has landed in $machine" >&2; status=1; continue; }
    compare "$document" "${machine:-/dev/null}" || status=1
    check_parameters "$document" || status=1
    check_fashion "$document" || status=1
    [[ $document != *README*.md ]] || check_steps "$document" || status=1
done
exit $status
