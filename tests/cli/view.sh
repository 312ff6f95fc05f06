#!/usr/bin/env bash
# What people see, from outside: films, the window, one frame's attention, plots, and what is said when they cannot be.
#   view.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER
run=$work/run policy=$work/run/mean.safetensors
modules=$(dirname "$saccade")

"$saccade" train tasks/toy.yaml --run "$run" --generations 3 --quiet
printf '0.1,0.2\n-0.3,0.4\n' >"$work/actions.csv"
"$saccade" replay toy --seed 3 --actions "$work/actions.csv" --out "$work/t.csv" --frames "$work/seen" --every 1
image=$work/seen/000001.png

returns() # what a watch prints, and what eval says of the same episode
{
    "$saccade" eval "$policy" --seeds 4..4 | awk '$1 == 4 { print $2 }' >"$work/expected"
    grep -qE "^return $(cat "$work/expected") after 50 steps \(toy, original, seed 4\)$" "$1"
}

frames() # one for the start and one a step, in the size that was asked for
{
    "$saccade" watch "$policy" --seed 4 --frames "$work/frames" --size 320x200 >"$work/said" || return 1
    returns "$work/said" || return 1
    "$saccade" watch "$policy" --seed 4 --frames "$work/one" --steps 1 | grep -qF ' after 1 step (' || return 1
    [[ $(find "$work/frames" -name '*.png' | wc -l) == 51 && -s $work/frames/000050.png ]] || return 1
    [[ $(head -c 24 "$work/frames/000050.png" | tail -c 8 | od -An -tx1 | tr -d ' \n') == 00000140000000c8 ]]
}

film()
{
    "$saccade" watch "$policy" --seed 4 --video "$work/a.mp4" --size 320x200 --steps 9 >/dev/null || return 1
    [[ $(head -c 8 "$work/a.mp4" | tail -c 4) == ftyp && ! -e $work/a.mp4.tmp ]]
}

stopped() # by Ctrl-C: the film ends there and is whole
{
    "$saccade" watch --env car-racing --video "$work/s.mp4" --size 320x200 >"$work/said" &
    local watcher=$! status
    while [[ ! -s $work/s.mp4.tmp ]] && kill -0 "$watcher"; do sleep 0.05; done
    kill -INT "$watcher"
    wait "$watcher"
    status=$?
    [[ $status == 130 && $(head -c 8 "$work/s.mp4" | tail -c 4) == ftyp && ! -e $work/s.mp4.tmp ]] && grep -q '^return ' "$work/said"
}

# a display that is named but not there: SDL alone would draw into nothing
no_answer() { refuses 1 "the display DISPLAY=:87 does not answer" timeout 20 env DISPLAY=:87 "$saccade" watch "$policy" && grep -qF -- "--video F.mp4" "$work/err"; }

window() # SDL's dummy driver is a display that nobody sees
{
    SDL_VIDEODRIVER=dummy timeout 60 "$saccade" watch "$policy" --seed 4 --steps 50 --fps 1000 --size 320x200 \
        >"$work/said" && sed -i 1d "$work/said" && returns <(grep ^return "$work/said")
}

share()
{
    "$saccade" watch "$policy" --histogram "$work/h.svg" >"$work/said" && grep -q '</svg>' "$work/h.svg" &&
        grep -qE '^3 of 49 patches \(5 %\) got [0-9.]+ % of the attention' "$work/said"
}

patches() # a picture, the same each time
{
    "$saccade" watch "$policy" --patches "$work/p.png" >/dev/null && cp "$work/p.png" "$work/q.png" &&
        "$saccade" watch "$policy" --patches "$work/p.png" >/dev/null && cmp "$work/p.png" "$work/q.png"
}

attention() # every patch once, ranks in the order of importance with ties to the lower index, the top ones on standard output
{
    "$saccade" attend "$policy" "$image" --csv "$work/a.csv" --png "$work/a.png" >"$work/top" || return 1
    [[ $(head -1 "$work/a.csv") == row,column,importance,rank && $(wc -l <"$work/a.csv") == 50 && -s $work/a.png ]] || return 1
    awk -F, 'NR > 1 { if ($1 * 7 + $2 != NR - 2) exit 1; at[$4] = $3; index_of[$4] = NR; n++ }
             END { for (r = 0; r < n; r++) if (!(r in at)) exit 1
                   for (r = 1; r < n; r++) if (at[r] + 0 > at[r - 1] + 0 ||
                       (at[r] + 0 == at[r - 1] + 0 && index_of[r] < index_of[r - 1])) exit 1 }' "$work/a.csv" || return 1
    diff <(awk 'NR > 2 { print $1, $2, $3 }' "$work/top") \
        <(awk -F, 'NR > 1 && $4 < 4 { print $4, $1, $2 }' "$work/a.csv" | sort -n)
}

# an agent that mixes all patches keeps none: what is shown is what each of them contributes
mixes()
{
    cat >"$work/mix.yaml" <<'END'
env: {id: toy}
policy: {kind: iap-trans, attention: relu, rows: 4, controller: linear}
search: {method: sep-cma-es, population: 16}
train: {generations: 3, checkpoint_every: 3}
END
    "$saccade" train "$work/mix.yaml" --run "$work/mix" --quiet || return 1
    local mixer=$work/mix/mean.safetensors
    "$saccade" attend "$mixer" "$image" --csv "$work/m.csv" --png "$work/m.png" >"$work/top" || return 1
    grep -qE '^keeps none of 7 x 7 patches but mixes all; the best 3 \(5 %\) give [0-9.]+ % of what it is told' "$work/top" || return 1
    diff <(awk 'NR > 2 { print $1, $2, $3 }' "$work/top") \
        <(awk -F, 'NR > 1 && $4 < 10 { print $4, $1, $2 }' "$work/m.csv" | sort -n) || return 1
    "$saccade" plot "$work/m.csv" --out "$work/m.svg" && grep -q '</svg>' "$work/m.svg" || return 1
    "$saccade" watch "$mixer" --seed 4 --frames "$work/mixed" --size 320x200 --steps 3 >/dev/null &&
        [[ -s $work/mixed/000003.png ]]
}

# a policy that looks at every third step: what it kept is shown until it looks again; vectors do not change where it looks
holds()
{
    cat >"$work/levels.yaml" <<'END'
env: {id: toy}
policy: {kind: hierarchical, inputs: camera state, teacher: true, shortest: 3, longest: 3, high: {top: 4}}
search: {method: sep-cma-es, population: 16}
train: {generations: 2}
END
    "$saccade" train "$work/levels.yaml" --run "$work/levels" --quiet || return 1
    local levels=$work/levels/mean.safetensors
    "$saccade" attend "$levels" "$image" >"$work/top" && grep -q '^4 of 7 x 7 patches$' "$work/top" || return 1
    "$saccade" watch "$levels" --seed 4 --attention "$work/l.csv" >/dev/null || return 1
    # 50 steps and the start are 17 looks
    awk -F, 'NR > 1 { step = NR - 2; $1 = ""; if (step % 3) { if ($0 != last) exit 1 } else { looks++; changed += $0 != last }
             last = $0 } END { exit !(looks == 17 && changed > 3) }' "$work/l.csv" || return 1
    "$saccade" watch "$levels" --seed 4 --frames "$work/held" --size 320x200 --steps 3 >/dev/null &&
        [[ -s $work/held/000003.png ]]
}

curve() { "$saccade" plot "$run" --out "$work/c.svg" && grep -q '</svg>' "$work/c.svg"; }
heat() { "$saccade" plot "$work/a.csv" --out "$work/i.png" && [[ -s $work/i.png ]]; }
over_time() # a row a step, drawn
{
    "$saccade" watch "$policy" --seed 4 --attention "$work/o.csv" >"$work/said" && returns "$work/said" &&
        [[ $(wc -l <"$work/o.csv") == 52 ]] && "$saccade" plot "$work/o.csv" --out "$work/o.svg" && grep -q '</svg>' "$work/o.svg"
}
worlds()
{
    "$saccade" generalise "$policy" --seeds 0..1 --out "$work/g.csv" >/dev/null &&
        "$saccade" plot "$work/g.csv" --out "$work/g.svg" && grep -q '</svg>' "$work/g.svg"
}
comparison() { "$saccade" plot "$run" "$run/metrics.csv" --x minutes --out "$work/c.png" && [[ -s $work/c.png ]]; }

check "watch --frames" frames
check "attend" attention
check "watch --patches" patches
check "attend and watch of an agent that keeps no patch" mixes
check "attend and watch of a policy that does not look in every step" holds
for module in film window plot; do
    [[ -e $modules/saccade-$module.so ]] && continue
    skip "$module" "saccade-$module.so, which this build was made without"
done
[[ ! -e $modules/saccade-film.so ]] || check "watch --video" film
[[ ! -e $modules/saccade-film.so ]] || check "watch --video ends whole" stopped
[[ ! -e $modules/saccade-window.so ]] || check "watch in a window" window
[[ ! -e $modules/saccade-window.so ]] || check "watch on a display that does not answer" no_answer
if [[ -e $modules/saccade-plot.so ]]; then
    check "watch --histogram" share
    check "plot of one run" curve
    check "plot of two runs" comparison
    check "plot of the importance in one image" heat
    check "plot of attention over time" over_time
    check "plot of changed worlds" worlds
fi

watch=("$saccade" watch)
check "watch without a policy" refuses 2 "--env" "${watch[@]}"
check "watch without a display" refuses 1 "--video F.mp4 or --frames DIR" "${watch[@]}" "$policy"
check "watch with a missing policy" refuses 1 "none.safetensors" "${watch[@]}" "$work/none.safetensors" --video "$work/b.mp4"
check "watch with a bad size" refuses 2 "such as 1136x720" "${watch[@]}" "$policy" --size 12by9 --frames "$work/b"
check "watch with an odd size" refuses 2 "even sides" "${watch[@]}" "$policy" --size 321x200 --frames "$work/b"
check "watch with an unknown variant" refuses 2 "nose" "${watch[@]}" "$policy" --variant nose --frames "$work/b"
check "watch with a wrong film name" refuses 2 ".mp4" "${watch[@]}" "$policy" --video "$work/b.avi"
check "watch into a folder that is not there" refuses 1 "no/b.mp4" "${watch[@]}" "$policy" --video "$work/no/b.mp4"
check "watch with two seeds" refuses 2 "one seed" "${watch[@]}" "$policy" --seed 1..2 --frames "$work/b"
if [[ ! -e /usr/local/lib/saccade ]]; then # an installed module would be found
    mkdir "$work/alone" && cp "$saccade" "$work/alone/"
    alone=(env -u SACCADE_MODULES "$work/alone/saccade")
    check "a film without its module" refuses 1 "install libavformat" "${alone[@]}" watch "$policy" --video "$work/b.mp4"
    check "a window without its module" refuses 1 "install libsdl2" "${alone[@]}" watch "$policy"
    check "a plot without its module" refuses 1 "install libcairo2" "${alone[@]}" plot "$run" --out "$work/b.svg"
    check "modules are found where SACCADE_MODULES says" env SACCADE_MODULES="$modules" "$work/alone/saccade" \
        plot "$run" --out "$work/there.svg"
fi
check "nothing was left behind" test ! -e "$work/b" -a ! -e "$work/b.mp4" -a ! -e "$work/b.mp4.tmp"
check "attend without an image" refuses 2 "POLICY IMAGE.png" "$saccade" attend "$policy"
check "attend with a missing image" refuses 1 "none.png" "$saccade" attend "$policy" "$work/none.png"
check "attend with an image that is none" refuses 1 "actions.csv" "$saccade" attend "$policy" "$work/actions.csv"
check "attend with a policy that sees depth" refuses 1 "'saccade watch' shows where it looks" "$saccade" attend zoo/legs/stones.safetensors "$image"
check "attend with an image of another size" refuses 1 "320" "$saccade" attend "$policy" "$work/frames/000000.png"
check "plot without metrics" refuses 1 "none" "$saccade" plot "$work/none"
check "plot of something else" refuses 1 "begins with '0.1,0.2'" "$saccade" plot "$work/actions.csv" --out "$work/x.svg"
check "plot with a wrong ending" refuses 2 ".svg or .png" "$saccade" plot "$run" --out "$work/x.gif"
check "plot of a run and of a table" refuses 2 "do not go together" "$saccade" plot "$run" "$work/a.csv"
check "a flag for other plots" refuses 2 "--memory is for tables of bench attention" "$saccade" plot "$run" --memory
check "plot over an unknown axis" refuses 2 "steps, minutes or generations" "$saccade" plot "$run" --x hours
finish
