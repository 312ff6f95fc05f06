#!/usr/bin/env bash
# The lint of figures finds what has drifted: figures.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

drift() # NAME FROM TO [DOCUMENT]: README with one figure changed is refused, and the lint says which
{
    local of=${4:-README.md} document
    document=$work/$(basename "$of" .md)-$1.md
    sed "s/$2/$3/" "$of" >"$document"
    ! cmp -s "$of" "$document" || { echo "$of has no $2"; return 1; }
    ! scripts/figures.sh "$document" >"$work/said" 2>&1 && grep -q "$(basename "$document"):[0-9]*: " "$work/said"
}

# every table of returns has what random actions and what doing nothing return beside the agents; that of export compares
# an agent with itself
has_baselines() # DOCUMENT...
{
    awk 'FNR == 1 {inside = 0}
        /^\|/ {if (!inside) {start = FNR; table = ""} inside = 1; table = table tolower($0); next}
        inside {inside = 0; if (table ~ /[0-9] \+- [0-9]/ && (table !~ /random/ || table !~ /nothing|still|idle/)) {print FILENAME ":" start; bad = 1}}
        END {exit bad}' "$@"
}
finds_a_lonely_table() { ! has_baselines <(sed '/^| random actions/d' docs/results.md) && ! has_baselines <(sed '/without training/d' docs/generalisation.md); }

check "every table of returns has its baselines" has_baselines README.md docs/*.md zoo/*.md
check "a table without them is found" finds_a_lonely_table
check "README and the documents with figures hold what landed" scripts/figures.sh
check "a speed that was not measured" drift speed '23,000 steps a second' '23,900 steps a second'
check "a peer's figure that was not measured" drift ratio '97 x NumPy and Gymnasium' '99 x NumPy and Gymnasium'
check "a speed in another unit" drift unit '23,000 steps a second' '23,000 us'
check "a return that its command does not give" drift return '929.4 +- 11.1' '926.4 +- 11.1'
check "a baseline that nothing gave" drift baseline '0.119 +- 0.066' '0.219 +- 0.066'
check "a baseline of another skill" drift skill '| 196.7 +- 85.4 |' '| 53.6 +- 21.1 |' docs/results.md
check "a baseline of another world" drift world 'random actions -32.8 +- 5.3' 'random actions 39.5 +- 8.0'
check "a baseline that was left out" drift less ', doing nothing -93.2 +- 0.5' ''
check "a baseline without its command" drift bare '; `saccade eval --idle --env car-racing`' ''
check "two baselines, exchanged" drift twins 'random actions 6.7 +- 2.5, doing nothing 0.119 +- 0.066' 'random actions 0.119 +- 0.066, doing nothing 6.7 +- 2.5'
check "the article's figure for another world" drift article '914 +- 15' '1125 +- 589'
check "a ratio in words" drift words '97 x NumPy and Gymnasium' '900 times NumPy and Gymnasium'
check "a peer that is left out" drift peer '97 x NumPy and Gymnasium' ''
check "a figure of an example" drift example '718.2 +- 473.6' '785.0 +- 440.9' docs/bridge.md
check "the figures of two commands, exchanged" drift exchanged '152.5 +- 48.7 | 56.4 +- 8.8' '56.4 +- 8.8 | 152.5 +- 48.7' docs/bridge.md
check "the second of two commands" drift second '| 237.2 +- 144.7' '| 266.0 +- 165.9' docs/bridge.md
check "an accuracy that no run had" drift accuracy 'ended with 93.50 %' 'ended with 94.50 %' docs/images.md
check "the same in the table of results" drift share '308,538 numbers has 93.50 %' '308,538 numbers has 93.80 %' docs/results.md
check "a time of an action by tokens" drift action '| 9,510 | 1,130 |' '| 9,510 | 1,150 |' docs/policies.md
check "how much less time linear attention takes" drift less '| 61 % |' '| 62 % |' docs/policies.md
check "a time of a vision transformer" drift ours '| 522 / 578 |' '| 532 / 578 |' docs/images.md
check "a peer's time of a vision transformer" drift theirs '| 522 / 578 |' '| 522 / 568 |' docs/images.md
check "the memory of a vision transformer" drift memory '650 / 3,172' '640 / 3,172' docs/images.md
check "the tokens of a picture" drift count '| 896, 3,136 |' '| 896, 3,163 |' docs/images.md
check "a row whose figure never landed" drift row 'ROW=rollout-softmax' 'ROW=rollout-softmaxes'
check "a figure without a command" drift prose 'Returns are of' 'It makes 12,000 steps a second. Returns are of'
check "parameters that the card does not say" drift parameters '(9,933 parameters)' '(9,934 parameters)'
check "steps that the recipe does not say" drift steps '19.4 million steps' '19.5 million steps'
check "a machine that nothing landed for" bash -c "! scripts/figures.sh <(sed 's/amd-epyc-avx512/amd-epyc-avx2/' README.md)"
finish
