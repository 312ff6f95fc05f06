#!/usr/bin/env bash
# The lint of figures finds what has drifted: figures.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh

drift() # NAME FROM TO: README with one figure changed is refused, and the lint says which
{
    local document=$work/README-$1.md
    sed "s/$2/$3/" README.md >"$document"
    ! cmp -s README.md "$document" || { echo "README.md has no $2"; return 1; }
    ! scripts/figures.sh "$document" >"$work/said" 2>&1 && grep -q "README-$1.md:[0-9]*: " "$work/said"
}

check "README and docs/results.md hold what landed" scripts/figures.sh
check "a speed that was not measured" drift speed '36,900 a second' '37,400 a second'
check "a peer's figure that was not measured" drift ratio '246 x Gymnasium' '249 x Gymnasium'
check "a speed in another unit" drift unit '36,900 a second' '36,900 us'
check "a return that its command does not give" drift return '912.6 +- 20.1' '914.6 +- 20.1'
check "a baseline that nothing gave" drift baseline '139.5 +- 48.7' '152.5 +- 48.4'
check "a row whose figure never landed" drift row 'ROW=env-step' 'ROW=env-steps'
check "a figure without a command" drift prose 'Returns are of' 'It makes 12,000 steps a second. Returns are of'
check "a machine that nothing landed for" bash -c "! scripts/figures.sh <(sed 's/amd-epyc-avx512/amd-epyc-avx2/' README.md)"
finish
