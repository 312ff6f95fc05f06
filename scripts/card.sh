#!/usr/bin/env bash
# card.sh POLICY RUNS: puts the policy that a recipe has made into the zoo with its card. POLICY is zoo/WORLD/NAME, beside
# whose recipe, POLICY.yaml, it goes; RUNS is the folder with the run of each part (saccade zoo --verify --run RUNS makes
# it). The card holds the recipe's commands, what they cost, the curve, and the returns over 100 unseen episodes, in other
# looks of the world, too, beside those of random actions and of doing nothing.
# card.sh --recipe POLICY...: writes anew what cards say of recipes, and nothing else.
# card.sh --returns POLICY: measures anew what a card says of returns, by the policy that ships and the last part's task.
# card.sh --scores POLICY...: writes what cards say of returns into their recipes, where saccade zoo reads it.
# card.sh --check POLICY...:  fails, with the difference, where card and recipe say different things.
set -euo pipefail
cd "$(dirname "$0")/.."
saccade=${SACCADE:-build/saccade} threads=${THREADS:-$(nproc)}

steps_of() # RECIPE: in millions, of all parts
{
    awk '$1 == "steps:" {sum += $2} END {printf "%.2f", sum / 1e6}' "$1"
}

# the file that everything goes back to: a recipe may begin with a policy that has a recipe of its own
origin_of() # RECIPE
{
    local start
    start=$(sed -n 's/^start: //p' "$1")
    if [[ -n $start && -e ${start%.*}.yaml ]]; then origin_of "${start%.*}.yaml"; else echo "$start"; fi
}

# where a recipe starts, as a sentence that its commands complete
start_of() # RECIPE
{
    local start origin parts="commands below"
    start=$(sed -n 's/^start: //p' "$1") origin=$(origin_of "$1")
    (($(grep -c '^ *- run: ' "$1") > 1)) || parts="command below"
    if [[ -z $start ]]; then
        echo "From nothing:"
    elif [[ $start == "$origin" ]]; then
        echo "It begins with \`$start\`, which an earlier version of saccade trained and this one cannot train again; the" \
            "verification covers the $parts, and not that vector:"
    elif [[ -z $origin ]]; then
        echo "It begins with the policy that ships as \`$start\`, whose card says how that was trained from nothing; the" \
            "verification covers the $parts:"
    else
        echo "It begins with the policy that ships as \`$start\`, whose card says how that was trained, from a vector of" \
            "an earlier version of saccade; the verification covers the $parts, and not what was before:"
    fi
}

# the lines of a recipe's last part
last_part() { awk '/^[a-z]/ {inside = 0} /^ *- run: / {inside = 1; part = ""} inside {part = part $0 "\n"} END {printf "%s", part}' "$1"; }
uptrains() { last_part "$1" | grep -q '^ *uptrain: '; } # RECIPE

# the task by which the policy learned what up-training has kept: that of the last part that has one, or that of the
# policy that ships with which the recipe begins
task_of() # RECIPE
{
    local task start
    task=$(sed -n 's/^ *task: //p' "$1" | tail -n 1) start=$(sed -n 's/^start: //p' "$1")
    if [[ -n $task ]]; then echo "$task"; else task_of "${start%.*}.yaml"; fi
}

# which generation of its last part ships, as its file says
generation_of() # POLICY
{
    local at of vector
    if uptrains "$1.yaml"; then
        echo "What ships is what this up-training gave."
        return
    fi
    at=$(head -c 65536 "$1.safetensors" | grep -aoE 'generation[\\": ]+[0-9]+' | grep -oE '[0-9]+$' | head -n 1)
    of=$(sed -n 's/^ *generations: //p' "$1.yaml" | tail -n 1) vector=$(sed -n 's/^ *vector: //p' "$1.yaml" | tail -n 1)
    if [[ ${vector:-best} == best ]]; then
        echo "What ships is the vector of generation $at of these $of, the best by the evaluations of its training."
    elif grep -q '^ *method: ppo' "$(task_of "$1.yaml")"; then
        echo "What ships is the policy after generation $at of these $of."
    else
        echo "What ships is the mean of the search after generation $at of these $of."
    fi
}

# what a card says of its recipe: where it starts, the commands, whether they were carried out again
of_recipe() # POLICY
{
    local policy=$1 recipe=$1.yaml name=${1#zoo/} date hash
    date=$(sed -n 's/^ *date: //p' "$recipe") hash=$(sed -n 's/^ *parameters: //p' "$recipe")
    start_of "$recipe" | fmt -w 119
    echo
    echo '```sh'
    "$saccade" zoo --commands "$name"
    echo '```'
    echo
    if [[ -n $date ]]; then
        echo "Verified on $date: \`saccade zoo --verify $name\` ended in these parameters to the bit,"
        echo "\`$hash\`."
        ! grep -q '^ *once: true$' "$recipe" ||
            echo "The file that ships was taken from that run: its last part has not been trained a second time."
    else
        echo "Not verified yet: \`saccade zoo --verify $name\` takes $(steps_of "$recipe") million steps."
    fi
    generation_of "$policy"
    echo
}

# a card whose first paragraph stays; what follows up to the table is the recipe's
refreshed() # POLICY
{
    awk -v recipe=<(of_recipe "$1") '/^\| \| \|$/ && !done {while ((getline line <recipe) > 0) print line; done = 1}
        !done && blanks >= 2 {next} {print} /^$/ {blanks++}' "$1.md"
}

# all three distractions of one strength
all() { echo "camera:$1+color:$1+background:$1"; }

# the returns that a card has, as a recipe lists them
scores_of() # CARD
{
    echo "scores:"
    {
        sed -nE 's/^\| ([^|]*) \| (-?[0-9.]+) \+- ([0-9.]+) \|.*/\1|\2|\3/p' "$1"
        # the baselines of the plain world have columns of their own in some cards
        sed -nE '/random actions \| doing nothing/,$ s/^\| original \| [^|]* \| (-?[0-9.]+) \+- ([0-9.]+) \| (-?[0-9.]+) \+- ([0-9.]+) \|.*/random|\1|\2\nidle|\3|\4/p' "$1"
    } | while IFS='|' read -r row mean std; do
        case $row in
            "original, rules v3") row=original ;;
            "original, rules v0"*) continue ;;
            random* | *--random*) row=random ;;
            idle* | doing* | *--idle*) row=idle ;;
            "easy, static" | "medium, static") row=$(all "${row%,*}") ;;
            "easy, dynamic" | "medium, dynamic") row=$(all "${row%,*}"):dynamic ;;
        esac
        echo "  - {variant: '$row', mean: $mean, std: $std}"
    done
}

# a recipe with the returns of its card
scored() # POLICY
{
    sed '/^scores:/,$d' "$1.yaml"
    scores_of "$1.md"
}

case ${1:-} in
    --scores)
        for policy in "${@:2}"; do
            scored "${policy%.*}" >"${policy%.*}.yaml.tmp"
            mv "${policy%.*}.yaml.tmp" "${policy%.*}.yaml"
        done
        exit
        ;;
    --recipe)
        for policy in "${@:2}"; do
            refreshed "${policy%.*}" >"${policy%.*}.md.tmp"
            mv "${policy%.*}.md.tmp" "${policy%.*}.md"
        done
        exit
        ;;
    --check)
        for policy in "${@:2}"; do
            diff "${policy%.*}.md" <(refreshed "${policy%.*}")
            diff "${policy%.*}.yaml" <(scored "${policy%.*}")
        done
        exit
        ;;
esac

returns_alone=""
[[ ${1:-} != --returns ]] || { returns_alone=1; shift; }
base=${1:?POLICY, such as zoo/control/NAME}
base=${base%.safetensors}
policy=$base.safetensors card=$base.md recipe=$base.yaml name=$(basename "$base") zoo=$(dirname "$base")
vector=$(sed -n 's/^ *vector: //p' "$recipe" | tail -n 1)
task=$(task_of "$recipe")
if [[ ! $returns_alone ]]; then
    runs=${2:?folder of runs}
    run=$runs/$(sed -n 's/^ *- run: //p' "$recipe" | tail -n 1)
    made=$run/$vector.safetensors
    if uptrains "$recipe"; then made=$run.safetensors; else task=$run/task.yaml; fi
fi
world=$(sed -n '/^env:/,/^[a-z]*:$/s/^ *id: //p' "$task" | head -n 1)

# an option as the task says it, without its comment
setting() { sed -nE "s/^ *$1: //p" "$task" | sed 's/ *#.*//' | head -n 1; }

# a policy that was trained with another set of backgrounds is reported with the default one
tested=() same=()
trained_on=$(setting background)
trained_in=$(setting variant) trained_in=${trained_in:-original}
if [[ ${trained_on:-procedural} != procedural ]]; then
    tested=(--set background=procedural)
    trained_in="$trained_in, \`background: $trained_on\`"
fi
# what changes the picture that it sees is a part of its world, and nothing to set
[[ $(setting subtract) != first ]] || trained_in="$trained_in, \`subtract: first\`"
[[ $(setting antialias) != true ]] || trained_in="$trained_in, \`antialias: true\`"
# one that was trained around walls from any side is reported around those of the world
if [[ $(setting walls) == any ]]; then
    tested=(--set walls=alternating --set level=10)
    trained_in="$trained_in, \`walls: any\`, \`level: $(setting level)\`"
fi
# levels are drawn as they were in training, for random actions and none, too
if [[ -n $(setting least_level) ]] && (($(setting least_level) <= $(setting level))); then
    same=(--set "level=$(setting level)" --set "least_level=$(setting least_level)" --set "seconds=$(setting seconds)")
    trained_in="$trained_in, levels $(setting least_level) to $(setting level)"
fi
# things with names are there for random actions and none, too
if [[ -n $(setting things) ]]; then
    same=(--set "things=$(setting things)" --set "steps=$(setting steps)")
fi
# walls that vary are reported as they were trained with, and so are random actions and none among them
if [[ $(setting walls) == varied ]]; then
    same=(--set walls=varied)
    trained_in="$trained_in, \`walls: varied\`"
fi
# which feet an action names, how fast they go and how long it lasts change what random actions and none do
if [[ $world == legs:* ]]; then
    for option in feet period repeat; do
        [[ -z $(setting $option) ]] || same+=(--set "$option=$(setting $option)")
    done
fi

[[ $returns_alone ]] || "$saccade" eval "$made" --seeds 0..99 --threads "$threads" "${tested[@]}" --stamp "$policy" >/dev/null
[[ $returns_alone ]] || uptrains "$recipe" || "$saccade" plot "$run" --out "$zoo/$name.svg" --title "$world, $name" >/dev/null

# score WHAT...: "mean +- standard deviation" over episodes 0..99
score() {
    "$saccade" eval "$@" --seeds 0..99 --threads "$threads" |
        sed -n 's/^mean \([-0-9.]*\), standard deviation \([0-9.]*\),.*/\1 +- \2/p'
}

# what of a policy was chosen, and by what: nothing of one that was up-trained
chosen="and the vector was chosen by seeds 1000 and on"
! grep -q '^ *method: ppo' "$(task_of "$recipe")" || [[ $(sed -n 's/^ *vector: //p' "$recipe" | tail -n 1) != mean ]] ||
    chosen="and the policy is that of the last generation"
! uptrains "$recipe" || chosen="and nothing was chosen by returns"

million() { awk "BEGIN {printf \"%.2f\", $1 / 1e6}"; }
steps_in_words() { if (($1 < 50000)); then sed ':a; s/\B[0-9]\{3\}\>/,&/; ta' <<<"$1 steps"; else echo "$(million "$1") million steps"; fi; }
counted() { echo "$1 $2$([[ $1 == 1 ]] || echo s)"; }
minutes() { awk "BEGIN {printf \"%.0f\", $1 / 60}"; }

rows_of_car_racing() {
    fmt -w 119 <<<"Returns over tracks 0..99, which training never saw (it draws its tracks from seeds above 1,000,000, \
$chosen): \`saccade eval $policy --seeds 0..99 --variant V\`."
    echo
    echo "| variant | mean +- standard deviation of 100 | the paper's agent |"
    echo "| --- | --- | --- |"
    echo "| original, rules v3 | $(score "$policy" --variant original) | |"
    echo "| random actions (\`--random --env car-racing\`) | $(score --random --env car-racing) | |"
    echo "| doing nothing (\`--idle\`) | $(score --idle --env car-racing) | |"
    echo "| original, rules v0 (\`--set rules=v0\`) | $(score "$policy" --variant original --set rules=v0) | 914 +- 15 |"
    echo "| color | $(score "$policy" --variant color) | 866 +- 112 |"
    echo "| bars | $(score "$policy" --variant bars) | 900 +- 35 |"
    echo "| blob | $(score "$policy" --variant blob) | 898 +- 53 |"
    echo "| noise | $(score "$policy" --variant noise) | |"
    echo "| video=procedural | $(score "$policy" --variant video=procedural) | |"
    echo "| fake-lane | $(score "$policy" --variant fake-lane) | |"
}

rows_of_take_cover() {
    echo "Tics survived over episodes 0..99, which training never saw (it draws its episodes from seeds above 1,000,000,"
    echo "$chosen):"
    echo "\`saccade eval $policy --seeds 0..99 --variant V --set skill=S\`."
    echo "Both skills are played by the article's rules (\`rules: released\`); its own score is at skill 5 of an"
    echo "engine of 2019, where random actions had about 210 tics, as at skill 4 of today's."
    echo
    echo "| variant | skill 4 | skill 5 | the paper's agent, at skill 5 of an engine like today's skill 4 |"
    echo "| --- | --- | --- | --- |"
    local row variant
    for row in "original 1125 +- 589" "walls 934 +- 560" "floor 1120 +- 613" "text 1035 +- 627"; do
        variant=${row%% *}
        echo "| $variant | $(score "$policy" --variant "$variant" --set skill=4) |" \
            "$(score "$policy" --variant "$variant" --set skill=5) | ${row#* } |"
    done
    # random actions last as long as the policy's own do
    local other held=()
    [[ $(setting skip) == 3 ]] || held=(--set "skip=$(setting skip)")
    for other in random idle; do
        echo "| \`--$other --env take-cover${held[*]:+ ${held[*]}}\` |" \
            "$(score "--$other" --env take-cover --set skill=4 "${held[@]}") |" \
            "$(score "--$other" --env take-cover --set skill=5 "${held[@]}") | |"
    done
}

# what the articles report of IAP, SAC and QT-Opt in static distractions of medium strength
papers() {
    case $world in
        cheetah-run) echo "134, 77, 74" ;;
        walker-walk) echo "125, 24, 111" ;;
        cartpole-swingup) echo "196, 167, 212" ;;
        reacher-easy) echo "128, 75, 109" ;;
        ball-in-cup-catch) echo "135, 109, 62" ;;
    esac
}

rows_of_control() {
    fmt -w 119 <<<"Returns over episodes 0..99, which training never saw (it draws its episodes from seeds above 1,000,000, \
$chosen): \`saccade eval $policy --seeds 0..99 --variant V${tested[*]:+ ${tested[*]}}\`, and \
\`saccade eval --random --env $world --set action_repeat=$(setting action_repeat) --seeds 0..99\` for random actions, \
\`--idle\` for none. Distractions are of camera, colour and background (procedural${tested[*]:+; none of \
these backgrounds was met in training})."
    echo
    echo "| variant | mean +- standard deviation of 100 | random actions | doing nothing | the article: IAP, SAC, QT-Opt |"
    echo "| --- | --- | --- | --- | --- |"
    local row look paper blind=(--env "$world" --set observe=state --set "action_repeat=$(setting action_repeat)")
    for row in "original|original|" "easy, static|$(all easy)|" "medium, static|$(all medium)|$(papers)" \
        "easy, dynamic|$(all easy):dynamic|" "medium, dynamic|$(all medium):dynamic|"; do
        IFS='|' read -r row look paper <<<"$row"
        # who does not look is spared the pictures
        echo "| $row | $(score "$policy" --variant "$look" "${tested[@]}") | $(score --random "${blind[@]}" --variant "$look") |" \
            "$(score --idle "${blind[@]}" --variant "$look") | $paper${paper:+ }|"
    done
}

rows_of_legs() {
    fmt -w 119 <<<"Metres over episodes 0..99, which training never saw (it draws its episodes from seeds above 1,000,000, \
$chosen): \`saccade eval $policy --seeds 0..99 --variant V${tested[*]:+ ${tested[*]}}\`, with \`--random --env \
$world${same[*]:+ ${same[*]}}\` for random actions and \`--idle\` for none. The last column has the falls that these commands count, of 100: for the \
policy, random actions and none."
    echo
    echo "| variant | mean +- standard deviation of 100 | random actions | doing nothing | falls |"
    echo "| --- | --- | --- | --- | --- |"
    local look own random idle
    for look in original friction mass latency camera terrain; do
        [[ $world != legs:flat || $look != terrain ]] || continue # it has none
        [[ $(setting inputs) == *depth* || $(setting inputs) == *camera* || $look != camera ]] || continue
        own=$(score_and_count fell "$policy" --variant "$look" "${tested[@]}")
        random=$(score_and_count fell --random --env "$world" --variant "$look" "${same[@]}")
        idle=$(score_and_count fell --idle --env "$world" --variant "$look" "${same[@]}")
        echo "| $look | ${own%|*} | ${random%|*} | ${idle%|*} | ${own#*|}, ${random#*|}, ${idle#*|} |"
    done
}

rows_of_grasp() {
    fmt -w 119 <<<"The share of grasps that hold over episodes 0..99, which training never saw (it draws its episodes from seeds above \
1,000,000, $chosen): \`saccade eval $policy --seeds 0..99\`, with \`--set V\` for the rows after the \
first; \`--random --env $world\` for random actions, \`--idle\` for a hand that goes straight down to the middle of the points."
    echo
    echo "| variant | mean +- standard deviation of 100 | random actions | doing nothing |"
    echo "| --- | --- | --- | --- |"
    local row set
    for row in original objects=unseen noise=1 things=3; do
        set=()
        [[ $row == original ]] || set=(--set "$row")
        echo "| $row | $(score "$policy" "${set[@]}") | $(score --random --env "$world" "${set[@]}") |" \
            "$(score --idle --env "$world" "${set[@]}") |"
    done
}

rows_of_rooms() {
    fmt -w 119 <<<"Returns over episodes 0..99, which training never saw (it draws its plans from seeds above 1,000,000, \
$chosen): \`saccade eval $policy --seeds 0..99 --variant V\`, or with \`--set V\` where the row has \
an equals sign; with \`--random --env $world${same[*]:+ ${same[*]}}\` for random actions and \`--idle\` for none. The last column has the goals \
that these commands count as reached, of 100: for the policy, random actions and none."
    echo
    echo "| variant | mean +- standard deviation of 100 | random actions | doing nothing | goals reached |"
    echo "| --- | --- | --- | --- | --- |"
    local row own random idle looks=(original furniture doors noise camera plan) set
    [[ $(setting things) =~ ^0?$ ]] || looks=(original goals=unmet furniture doors noise camera)
    for row in "${looks[@]}"; do
        set=(--variant "$row")
        [[ $row != *=* ]] || set=(--set "$row")
        own=$(score_and_count reached "$policy" "${set[@]}")
        random=$(score_and_count reached --random --env "$world" "${same[@]}" "${set[@]}")
        idle=$(score_and_count reached --idle --env "$world" "${same[@]}" "${set[@]}")
        echo "| $row | ${own%|*} | ${random%|*} | ${idle%|*} | ${own#*|}, ${random#*|}, ${idle#*|} |"
    done
}

# score_and_count WORD WHAT...: "mean +- standard deviation|count", the count of the line that begins with that word
score_and_count() {
    "$saccade" eval "${@:2}" --seeds 0..99 --threads "$threads" | awk -v word="$1" '
        $1 == "mean" {mean = $2; std = $5; gsub(",", "", mean); gsub(",", "", std)}
        $1 == word {count = $2}
        function short(x) {x += 0; return sprintf(x < -10 || x > 10 ? "%.1f" : "%.3g", x)}
        END {print short(mean) " +- " short(std) "|" count}'
}

rows() {
    case $world in
        car-racing) rows_of_car_racing ;;
        take-cover) rows_of_take_cover ;;
        legs:*) rows_of_legs ;;
        grasp) rows_of_grasp ;;
        rooms) rows_of_rooms ;;
        *) rows_of_control ;;
    esac
}

if [[ $returns_alone ]]; then
    {
        # a policy that was up-trained has no curve
        if grep -q '^!\[training curve\]' "$card"; then sed '/^!\[training curve\]/q' "$card"; else sed '/^| seed |/q' "$card"; fi
        echo
        rows
    } >"$card.tmp"
    mv "$card.tmp" "$card"
    exec "$0" --scores "$base"
fi

parameters=$("$saccade" zoo "$policy" --json | sed -nE 's/^ *"parameters": ([0-9]+),?$/\1/p' | sed ':a; s/\B[0-9]\{3\}\>/,&/; ta')

case $(setting kind) in
    iap-trans) agent="IAP-trans, which mixes all patches by attention" ;;
    mlp) agent="A policy of numbers alone" ;;
    hierarchical) agent="A policy of two levels, whose high level looks" ;;
    action-tokens) agent="A small robotics transformer, which says its actions by tokens" ;;
    point-cloud) agent="A small transformer over the points of a thing" ;;
    finder) agent="A robot that goes where words say" ;;
    *) agent="The attention agent" ;;
esac

attention=$(setting attention)
! uptrains "$recipe" || attention=$("$saccade" zoo "$policy" --json | sed -nE 's/^ *"attention": "(.*)",?$/\1/p')

# the run of the part that taught this one; nothing where there is none
teacher=$(sed -n 's/^ *teacher: //p' "$recipe" | tail -n 1)

# what the teacher is told and returns, and what it took
row_of_teacher()
{
    local folder=$runs/$teacher vector steps seconds generation returned told took
    vector=$(awk -v run="$teacher" '$2 == "run:" {own = $3 == run} own && $1 == "vector:" {print $2}' "$recipe")
    IFS=, read -r generation steps seconds _ <<<"$(tail -n 1 "$folder/metrics.csv")"
    returned=$(score "$folder/${vector:-best}.safetensors")
    took=" after $generation generations, $(million "$steps") million steps, $(counted "$(minutes "$seconds")" minute)"
    # planners and pilots learn nothing, so they took nothing
    case $(sed -nE 's/^  kind: ([a-z-]+).*/\1/p' "$folder/task.yaml") in
        stepper) took="" told="a planner that is told the ground about where its feet land, and has nothing to learn" ;;
        dodger) took="" told="a planner that is told where things are and how they move, and tries actions out in its head" ;;
        grasper) took="" told="a planner that is told the thing's shape and place, and tries grasps out in a copy of the world" ;;
        sampler) took="" told="a planner that is told nothing and tries drawn plans out in a copy of the world" ;;
        pilot) took="" told="a pilot that is told the way and has nothing to learn" ;;
        hierarchical) told="a policy of two levels that is told where the next opening is and was trained by evolution" ;;
        *) told="a network that is told the state of the world and was trained by reward" ;;
    esac
    echo "| taught by | \`$teacher\`, $told: $returned over episodes 0..99" \
        "(\`saccade eval runs/$teacher/${vector:-best}.safetensors --seeds 0..99\`)$took |"
}

# what the last part's own run took
rows_of_training()
{
    local generation steps seconds cores shown
    IFS=, read -r generation steps seconds _ <<<"$(tail -n 1 "$run/metrics.csv")"
    cores=$(sed -n 's/.* with \([0-9]*\) threads\{0,1\}.*/\1/p' "$run/events.jsonl" | sort -n | tail -n 1)
    # a policy that ships may have taught this one, which its task names
    shown=$(sed -nE '/^teacher:/,$ s#^ *policy: *(zoo/[^ \#]+).*#\1#p' "$task")
    [[ -z $teacher ]] || row_of_teacher
    [[ -n $teacher || -z $shown ]] || echo "| taught by | \`$shown\`, which ships: $(score "$shown" --variant "$(setting variant)") over episodes 0..99 |"
    echo "| trained for | $generation generations, $(steps_in_words "$steps") |"
    echo "| wall clock | $(counted "$(minutes "$seconds")" minute) on at most $(counted "$cores" core), which other work shared |"
    echo "| seed | $(sed -n '/^train:/,/^[a-z]*:$/s/^ *seed: //p' "$task" | head -n 1) |"
}

# what an up-training began with, and how many steps of the world it saw
rows_of_uptraining()
{
    local from file steps
    from=$("$saccade" zoo --commands "${base#zoo/}" | sed -n 's/^saccade uptrain \([^ ]*\).*/\1/p' | tail -n 1)
    steps=$(last_part "$recipe" | sed -n 's/^ *steps: //p')
    file=$from
    [[ $from == zoo/* ]] || file=$runs/${from#runs/}
    echo "| up-trained from | \`$from\`: $(score "$file") over episodes 0..99 |"
    echo "| up-trained for | $(steps_in_words "$steps") |"
    echo "| seed | $(last_part "$recipe" | grep -oE 'seed: [0-9]+' | grep -oE '[0-9]+' || echo 1) |"
}

{
    if [[ $name == "$world" ]]; then echo "# $world"; else echo "# $world, $name"; fi
    echo
    echo "$agent${attention:+, attention \`$attention\`}, $parameters parameters."
    echo
    of_recipe "$base"
    echo "| | |"
    echo "| --- | --- |"
    echo "| trained in | $trained_in$([[ $world != take-cover ]] || echo ", skill $(setting skill), \`skip: $(setting skip)\`") |"
    if uptrains "$recipe"; then rows_of_uptraining; else rows_of_training; fi
    echo
    if ! uptrains "$recipe"; then
        echo "![training curve]($name.svg)"
        echo
    fi
    rows
} >"$card.tmp"
mv "$card.tmp" "$card"
scored "$base" >"$recipe.tmp"
mv "$recipe.tmp" "$recipe"
echo "$policy and $card"
