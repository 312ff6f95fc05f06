#!/usr/bin/env bash
# saccade generalise from outside: generalise.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
policy=$work/run/mean.safetensors
"$saccade" train tasks/toy.yaml --run "$work/run" --generations 2 --quiet

mean() # VARIANT: as eval says
{
    "$saccade" eval "$policy" --variant "$1" --seeds 0..4 | sed -n 's/^mean \([^,]*\), standard deviation \([^,]*\),.*/\1 +- \2/p'
}

table() # a row a variant, with eval's figures, and the same in the file
{
    "$saccade" generalise "$policy" --seeds 0..4 --out "$work/t.csv" >"$work/said" || return 1
    [[ $(wc -l <"$work/said") == 4 && $(wc -l <"$work/t.csv") == 3 ]] || return 1
    local variant
    for variant in original noise; do
        grep -qF "| mean | toy | 4 | $variant | $(mean $variant) |" "$work/said" || return 1
        grep -q "^$policy,toy,4,$variant,5,[-0-9.]*,[0-9.]*,,$" "$work/t.csv" || return 1
    done
}

published() # the article's figures stand beside its worlds
{
    local car=zoo/car-racing/linear.safetensors
    "$saccade" generalise $car --seeds 0 --variant bars >"$work/said" && grep -q '| car-racing | 10 | bars |.*| 900 +- 35 |$' "$work/said"
}

pictures() # of another size are for a policy that resizes what it sees
{
    "$saccade" train tasks/toy.yaml --run "$work/resized" --generations 2 --quiet --set policy.image_size=32 &&
        "$saccade" generalise "$work/resized/mean.safetensors" --seeds 0..1 --set size=48 >"$work/said" &&
        [[ $(wc -l <"$work/said") == 4 ]] && refuses 2 "takes 'camera 32 x 32 x 3 bytes', but toy shows 'camera 48 x 48 x 3 bytes'" bash -c \
        '"$0" generalise "$1" --seeds 0..1 --set size=48 >/dev/null' "$saccade" "$policy"
}

baselines() # a network that sees everything, and attention that leaves nothing out: no K
{
    local kind
    for kind in "cnn, conv_channels: '4,4'" "iap-trans, attention: relu"; do
        printf '%s\n' "env: {id: toy}" "policy: {kind: $kind}" "search: {method: sep-cma-es, population: 8}" \
            >"$work/${kind%%,*}.yaml"
        "$saccade" train "$work/${kind%%,*}.yaml" --run "$work/${kind%%,*}" --generations 2 --quiet || return 1
    done
    "$saccade" generalise "$work"/{cnn,iap-trans}/mean.safetensors --seeds 0..1 >"$work/said" &&
        [[ $(grep -c '| mean | toy | 0 | \(original\|noise\) |' "$work/said") == 4 ]]
}

films() # the worst episode of each variant
{
    "$saccade" generalise "$policy" --seeds 0..1 --worst "$work/films" >/dev/null || return 1
    local variant
    for variant in original noise; do
        [[ $(head -c 8 "$work/films/mean-$variant.mp4" | tail -c 4) == ftyp ]] || return 1
    done
}

check "a row a variant" table
[[ ! -e $(dirname "$saccade")/saccade-film.so ]] || check "the worst episodes as films" films
check "the article's figures" published
check "pictures of another size" pictures
check "baselines" baselines
check "one variant" grep -q noise <("$saccade" generalise "$policy" --seeds 0..1 --variant noise | tail -n +3)
check "an unknown variant" refuses 2 "no environment has such a variant" \
    bash -c '"$0" generalise "$1" --variant nose >/dev/null' "$saccade" "$policy"
check "a policy that is not there" refuses 1 "none.safetensors" bash -c '"$0" generalise none.safetensors >/dev/null' "$saccade"
# before anything is driven: the table would be on standard output
check "a table that cannot be written" refuses 1 "no/t.csv: cannot be written" \
    "$saccade" generalise "$policy" --seeds 0 --out "$work/no/t.csv"
check "a file that is missing is one line and no table" refuses 1 "missing.safetensors" "$saccade" generalise missing.safetensors --seeds 0..0
finish
