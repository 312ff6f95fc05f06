#!/usr/bin/env bash
# The report, and the live page: hostile requests, and a real browser.
#   run.sh SACCADE
set -uo pipefail
saccade=$1
here=$(dirname "$0")
source "$here/../check.sh"
"$saccade" train tasks/toy.yaml --run "$work/toy" --generations 10 --quiet

report() # one file that needs nothing else
{
    "$saccade" report "$work/toy" --out "$work/report.html" --frames 20 --command 'a & <b>' >/dev/null || return 1
    ! grep -qE '\{\{|(src|href)="(http|//|\.)' "$work/report.html" && grep -qF 'a &amp; &lt;b&gt;' "$work/report.html" &&
        grep -q 'held-out episodes' "$work/report.html" && grep -q '^search:' "$work/report.html"
}
repeatable() # the same run, the same bytes
{
    "$saccade" report "$work/toy" --out "$work/again.html" --frames 20 --command 'a & <b>' >/dev/null &&
        cmp "$work/report.html" "$work/again.html"
}
check "a report is one file" report
check "a report of the same run has the same bytes" repeatable
if command -v chromium >/dev/null; then
    check "a report in a browser" python3 -B "$here/report.py" "$work/report.html"
else
    skip "a report in a browser" "a peer: chromium"
fi
if [[ ! -e $(dirname "$saccade")/saccade-web.so ]]; then
    skip "the live page" "a peer: libmicrohttpd-dev"
    finish
fi
# memory is watched elsewhere: leaks of the libraries below are not ours
export PYTHONDONTWRITEBYTECODE=1
check "hostile requests get nothing" python3 "$here/hostile.py" "$saccade" "$work/toy"
if command -v chromium >/dev/null; then
    check "the page in a browser" python3 "$here/page.py" "$saccade" "$work/page"
    cat >"$work/slow.yaml" <<'END'
env: {id: toy}
policy: {kind: attention-agent}
search: {method: sep-cma-es, population: 64}
train: {generations: 5000, checkpoint_every: 5, stages: [{above: -1000, episodes: 8}]}
evaluation: {every: 10, episodes: 4}
END
    check "the board and the page say the same" python3 "$here/same.py" "$saccade" "$work/slow.yaml" "$work/slow"
else
    skip "the page in a browser" "a peer: chromium"
fi
no_run() { refuses 1 "expected a run folder" "$saccade" dash "$work/nothing"; }
no_port() { refuses 2 "--port is '70000'" "$saccade" dash "$work/toy" --port 70000; }
check "a folder without a run is said" no_run
check "a port that is none is said" no_port

live() # the page of a run while it trains
{
    timeout -s INT 60 "$saccade" train tasks/toy.yaml --run "$work/live" --generations 100000 --dash 0 --quiet 2>"$work/said" &
    local pid=$! port
    for _ in $(seq 300); do
        port=$(sed -nE 's|^http://localhost:([0-9]+)/ shows this run$|\1|p' "$work/said")
        [[ -z $port ]] || break
        sleep 0.1
    done
    # the first second of the stream: rows that were trained just now
    python3 - "$port" <<'END' || return 1
import sys, urllib.request
with urllib.request.urlopen(f"http://localhost:{sys.argv[1]}/events", timeout=30) as stream:
    names = set()
    while not {"points", "now", "frame"} <= names:
        line = stream.readline().decode()
        if not line:
            sys.exit("the stream ended with " + str(names))
        if line.startswith("event: "):
            names.add(line[7:].strip())
END
    kill -INT "$pid" # timeout passes it on
    wait "$pid"
    grep -q "interrupted at generation" "$work/said"
}
check "train --dash serves the run that it trains" live
finish
