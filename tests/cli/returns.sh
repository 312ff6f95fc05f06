#!/usr/bin/env bash
# The returns of every policy of the zoo, to the last bit: returns.sh SACCADE [--write]
# tests/cli/returns.csv holds what each policy got in a few episodes, with all digits of a double. A change of one bit,
# in a world, in a picture or in a policy, shows here. The seeds are of those that choose, so that the ones that report
# are left alone. Where a world cannot run, its policies are skipped. --write writes the table anew, for a policy that
# was trained again; a world that changes under policies that stay needs a reason.
set -uo pipefail
saccade=$1
table=tests/cli/returns.csv seeds=1000..1007
mapfile -t policies < <(scripts/tracked.sh 'zoo/*.safetensors' | grep -v '^zoo/training/')

episodes_of() # POLICY: "policy,seed,return,steps", a line for each episode
{
    local said
    said=$("$saccade" eval "$1" --seeds $seeds --threads "$(nproc)" --json) || return 1
    grep -oE '\{"seed":[0-9]+,"return":[^,]+,"steps":[0-9]+\}' <<<"$said" | tr -d '{}' |
        sed -E "s|\"[a-z]+\":||g; s|^|$1,|"
}

if [[ ${2:-} == --write ]]; then
    { echo "policy,seed,return,steps" && for policy in "${policies[@]}"; do episodes_of "$policy" || exit 1; done; } >"$table.new" &&
        mv "$table.new" "$table"
    exit
fi

source "$(dirname "$0")/../check.sh"
"$saccade" doctor >"$work/doctor"

same() # POLICY
{
    episodes_of "$1" >"$work/now" && grep -F "$1," "$table" >"$work/landed" && [[ $(wc -l <"$work/landed") == 8 ]] &&
        diff "$work/landed" "$work/now"
}

listed() # the table holds the policies that ship, and no others
{
    diff <(sed 1d "$table" | cut -d, -f1 | uniq) <(printf '%s\n' "${policies[@]}")
}

check "the table lists the policies that ship" listed
for policy in "${policies[@]}"; do
    world=$("$saccade" zoo "$policy" --json | grep -oE '"env": ?"[^"]+"' | cut -d'"' -f4)
    if awk -v world="$world" '$1 == world && $2 == "works" {found = 1} END {exit !found}' "$work/doctor"; then
        check "$policy returns what it did" same "$policy"
    else
        skip "$policy" "$world (make worlds)"
    fi
done
finish
