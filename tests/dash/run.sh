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
    skip "a report in a browser" "chromium (make setup-dev)"
fi
if [[ ! -e $(dirname "$saccade")/saccade-web.so ]]; then
    skip "the live page" "libmicrohttpd-dev (make setup)"
    finish
fi
# memory is watched elsewhere: leaks of the libraries below are not ours
export PYTHONDONTWRITEBYTECODE=1
check "hostile requests get nothing" python3 "$here/hostile.py" "$saccade" "$work/toy"
if command -v chromium >/dev/null; then
    check "the page in a browser" python3 "$here/page.py" "$saccade" "$work/page"
else
    skip "the page in a browser" "chromium (make setup-dev)"
fi
no_run() { refuses 1 "expected a run folder" "$saccade" dash "$work/nothing"; }
no_port() { refuses 2 "--port is '70000'" "$saccade" dash "$work/toy" --port 70000; }
check "a folder without a run is said" no_run
check "a port that is none is said" no_port

serve() # FILE ARGUMENT...: a page in the background; sets pid and port once it says where it is
{
    local said=$1
    shift
    "$saccade" dash "$@" >"$said" 2>&1 &
    pid=$!
    for _ in $(seq 300); do
        port=$(sed -nE 's|^http://localhost:([0-9]+)/ shows .*|\1|p' "$said")
        [[ -z $port ]] || return 0
        sleep 0.1
    done
    return 1
}

taken() # the port of another page: one line that offers a free one, which works; nothing is trained
{
    local first second status=0 free
    serve "$work/first" "$work/toy" --port 0 || return 1
    first=$pid second=$port
    refuses 1 "port $second is in use; the next one that is free is " timeout 20 "$saccade" dash "$work/toy" --port "$second" || status=1
    free=$(sed -nE 's|.* free is ([0-9]+)$|\1|p' "$work/err")
    refuses 1 "port $second is in use" timeout 20 \
        "$saccade" train tasks/toy.yaml --run "$work/no-run" --generations 3 --dash "$second" || status=1
    [[ ! -e $work/no-run ]] || { echo "a folder was made"; status=1; }
    if serve "$work/second" "$work/toy" --port "$free"; then kill -INT "$pid" && wait "$pid"; else status=1; fi
    kill -INT "$first"
    wait "$first"
    # a page that has ended leaves its port at once, also where a connection lingers
    if serve "$work/again" "$work/toy" --port "$second"; then kill -INT "$pid" && wait "$pid"; else status=1; fi
    return $status
}
check "a port that another page has is said" taken

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
