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
# what it prints repeats the run, whatever became of it and whatever it began with
repeats() { python3 -B "$here/repeat.py" "$saccade" "$work/$1"; }
cut_short() # stopped long before the task's end, off the schedule of its evaluations
{
    "$saccade" train tasks/toy.yaml --run "$work/cut" --set train.generations=100000 --set evaluation.every=50 \
        --quiet 2>"$work/said" &
    local pid=$!
    for _ in $(seq 300); do
        [[ -e $work/cut/metrics.csv ]] && (($(wc -l <"$work/cut/metrics.csv") > 60)) && break
        sleep 0.1
    done
    kill -INT "$pid"
    wait "$pid"
    grep -q 'interrupted at generation' "$work/said" && repeats cut
}
unmeasured() # stopped before the first evaluation
{
    "$saccade" train tasks/toy.yaml --run "$work/early" --set train.generations=1000000 --set evaluation.every=1000000 \
        --quiet 2>"$work/said" &
    local pid=$!
    for _ in $(seq 300); do
        [[ -e $work/early/metrics.csv ]] && (($(wc -l <"$work/early/metrics.csv") > 20)) && break
        sleep 0.1
    done
    kill -INT "$pid"
    wait "$pid"
    [[ -e $work/early/best.safetensors ]] && repeats early
}
begun() # with another run's policy, whose file is gone by now
{
    cp "$work/toy/best.safetensors" "$work/first.safetensors"
    "$saccade" train tasks/toy.yaml --run "$work/begun" --set "train.start=$work/first.safetensors" \
        --generations 6 --quiet && rm "$work/first.safetensors" && repeats begun
}
unscored() # no evaluation at all: there is a mean and no best
{
    "$saccade" train tasks/toy.yaml --run "$work/unscored" --set evaluation.every=0 --generations 3 --quiet &&
        repeats unscored
}

# whoever sees the task sees how long the run is to be, which the page shows
signed() { [[ -s $work/toy/host.json && ! $work/toy/host.json -nt $work/toy/task.yaml ]]; }

check "a report is one file" report
check "a run says how long it shall be before it is seen" signed
check "a report repeats a run that was finished" repeats toy
check "a report repeats a run that was stopped" cut_short
check "a report repeats a run that was stopped before it was evaluated" unmeasured
check "a report repeats a run that began with a policy" begun
check "a report repeats a run without evaluations" unscored
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
printf 'task: tasks/toy.yaml\nfields: {search: {sigma: [0.05, 0.3]}, evaluation: {every: [2]}}\nseeds: [1, 2]\n' >"$work/sweep.yaml"
"$saccade" sweep "$work/sweep.yaml" --run "$work/few" --generations 4 --quiet >/dev/null
check "hostile requests get nothing from the page of a folder" python3 "$here/hostile.py" "$saccade" "$work/few" runs
# a net that learns to tell stripes apart, and its page
python3 examples/pictures.py "$work/stripes" 300
cat >"$work/net.yaml" <<END
data: {folder: $work/stripes}
net: {kind: attention-net, width: 12, layers: 2, heads: 4, hidden: 16}
train: {epochs: 6, batch: 20, rate: 0.05}
END
"$saccade" fit "$work/net.yaml" --run "$work/net" --quiet
digest() # RUN: what it keeps; seconds are in metrics.csv alone
{
    (cd "$1" && find . -name '*.safetensors' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum && cut -d, -f1,2,4- metrics.csv &&
        cat confusion.csv heads.csv)
}
watched_net() # it computes the same while its page is open, and the page tells of all that the folder holds
{
    local long=(--set train.epochs=80)
    "$saccade" fit "$work/net.yaml" --run "$work/alone" --quiet "${long[@]}" || return 1
    "$saccade" fit "$work/net.yaml" --run "$work/watched" --dash 0 --quiet "${long[@]}" 2>"$work/said" &
    local pid=$!
    python3 - "$work/said" <<'END'
import re, sys, time, urllib.request
while not (port := re.search(r"http://localhost:(\d+)/ shows this run", open(sys.argv[1]).read())):
    time.sleep(0.01)
names = set()
try:
    with urllib.request.urlopen(f"http://localhost:{port[1]}/events", timeout=30) as stream:
        while line := stream.readline().decode():
            if line.startswith("event: "):
                names.add(line[7:].strip())
except OSError:
    pass  # the run has ended, and its page with it
assert {"anew", "epochs", "looks", "confusion", "events", "now"} <= names, names
END
    local watched=$?
    wait "$pid" && [[ $watched == 0 ]] && diff <(digest "$work/alone") <(digest "$work/watched")
}
net_stream() # everything about a run that has ended
{
    local first status
    serve "$work/first" "$work/net" --port 0 || return 1
    first=$pid
    python3 - "$port" <<'END'
import json, sys, urllib.request
with urllib.request.urlopen(f"http://localhost:{sys.argv[1]}/events", timeout=30) as stream:
    told, name = {}, None
    while not {"epochs", "looks", "confusion", "events", "now"} <= set(told):
        line = stream.readline().decode()
        assert line, told
        if line.startswith("event: "):
            name = line[7:].strip()
        elif line.startswith("data: "):
            told[name] = json.loads(line[6:])
assert [row[0] for row in told["epochs"]] == [1, 2, 3, 4, 5, 6]
assert {look["epoch"] for look in told["looks"]} <= set(range(7)) and len(told["looks"][0]["heads"]) == 8
assert sum(map(sum, told["confusion"])) == 100
assert told["now"]["state"] == "finished" and told["now"]["net"] == "attention-net" and told["now"]["live"]["epoch"] == 6
END
    status=$?
    kill -INT "$first"
    wait "$first"
    return $status
}
net_says() # what cannot be is said before anything is made
{
    local fit=("$saccade" fit "$work/net.yaml" --run "$work/no-run")
    refuses 2 "--dash is '70000'" "${fit[@]}" --dash 70000 &&
        refuses 2 "fit: unknown option '--port', did you mean '--dash=8833'?" "${fit[@]}" --port 8833 &&
        [[ ! -e $work/no-run ]]
}
net_report() # one file that needs nothing else, the same bytes each time; what it holds ends no script
{
    cp -r "$work/net" "$work/<net>"
    "$saccade" report "$work/<net>" --out "$work/net.html" --command 'a & <b>' >/dev/null &&
        ! grep -qE '\{\{|(src|href)="(http|//|/|\.)' "$work/net.html" && grep -qF 'a &amp; &lt;b&gt;' "$work/net.html" &&
        ! grep -q '<net>' "$work/net.html" && grep -q '^net:' "$work/net.html" &&
        "$saccade" report "$work/<net>" --out "$work/net-again.html" --command 'a & <b>' >/dev/null &&
        cmp "$work/net.html" "$work/net-again.html"
}
check "hostile requests get nothing from the page of a net" python3 "$here/hostile.py" "$saccade" "$work/net"
check "a net is the same whether its page is open or not" watched_net
check "fit --dash says what cannot be" net_says
check "a report of a net is one file, with the same bytes each time" net_report
if command -v chromium >/dev/null; then
    check "the page in a browser" python3 "$here/page.py" "$saccade" "$work/page"
    check "the page of a folder of runs in a browser" python3 "$here/runs.py" "$saccade" "$work/sweep.yaml" "$work/sides"
    check "the page of a net in a browser" python3 "$here/net.py" "$saccade" "$work/net.yaml" "$work"
    cat >"$work/slow.yaml" <<'END'
env: {id: toy}
policy: {kind: attention-agent}
search: {method: sep-cma-es, population: 16}
train: {generations: 5000, checkpoint_every: 5, stages: [{above: -1000, episodes: 8}]}
evaluation: {every: 10, episodes: 4}
END
    # drawn parameters will do: what is shown does not depend on how good an agent is
    for kind in 'keeps attention-agent' 'mixes iap-trans' 'none cnn'; do
        read -r what policy <<<"$kind"
        printf 'env: {id: car-racing}\npolicy: {kind: %s}\nsearch: {method: sep-cma-es, population: 2}\n%s\n%s\n' \
            "$policy" 'train: {generations: 1, steps: 2, patience: 0}' 'evaluation: {every: 0}' >"$work/$what.yaml"
        "$saccade" train "$work/$what.yaml" --run "$work/$what" --quiet
        check "the page of an agent of kind $policy" \
            python3 "$here/scene.py" "$saccade" "$work/toy" "$work/$what/mean.safetensors" "$what"
    done
    check "the board and the page say the same" python3 "$here/same.py" "$saccade" "$work/slow.yaml" "$work/slow"
    check "the board and the page say the same of an end by the clock" python3 "$here/same.py" "$saccade" \
        "$work/slow.yaml" "$work/slow-timed" --generations 1000000 --seconds 200
else
    skip "the page in a browser" "chromium (make setup-dev)"
fi
# who came by ssh is told how to bring the page over; others are not
tunnel()
{
    local pid said=$work/tunnel
    : >"$said"
    USER=me SSH_CONNECTION="10.0.0.9 5151 10.0.0.2 $1" "$saccade" dash "$work/toy" --port 0 >>"$said" &
    pid=$!
    for _ in $(seq 100); do [[ $(wc -l <"$said") -ge 2 ]] && break; sleep 0.1; done
    kill -INT "$pid"
    wait "$pid"
    local port
    port=$(sed -nE 's|^http://localhost:([0-9]+)/ .*|\1|p' "$said")
    grep -qxF "from your own machine: ssh $2-N -L $port:localhost:$port me@10.0.0.2, then open that address there" "$said"
}
no_tunnel()
{
    env -u SSH_CONNECTION timeout -s INT 2 "$saccade" dash "$work/toy" --port 0 >"$work/plain"
    ! grep -q ssh "$work/plain" && [[ $(wc -l <"$work/plain") == 1 ]] && "$saccade" dash --help | grep -q 'ssh -L'
}
check "the way to the page by ssh is said" tunnel 22 ""
check "another port of ssh's is said" tunnel 2222 "-p 2222 "
check "without ssh nothing of it is said" no_tunnel
no_run()
{
    mkdir -p "$work/hollow"
    refuses 1 "nothing: No such file or directory; expected a run folder, or a folder that holds some" \
        "$saccade" dash "$work/nothing" &&
        refuses 1 "hollow: there is no run in it; expected a run folder, or a folder that holds some" \
            "$saccade" dash "$work/hollow"
}
no_port() { refuses 2 "--port is '70000'" "$saccade" dash "$work/toy" --port 70000; }
check "a folder without a run is said" no_run
check "a port that is none is said" no_port
dash_takes_it() # what `saccade dash` calls --port is said to who trains or distills
{
    local train=("$saccade" train tasks/toy.yaml --run "$work/no-run" --generations 3 --dash)
    refuses 2 "train: unknown option '--port', did you mean '--dash=8833'?" "${train[@]}" --port 8833 &&
        refuses 2 "train: unknown option '--port', did you mean '--dash=8833'?" "${train[@]}" --port=8833 &&
        refuses 2 "train: unknown option '--port', did you mean '--dash=N'?" "${train[@]}" --port &&
        refuses 2 "distill: unknown option '--port', did you mean '--dash=7'?" "$saccade" distill x --port 7 &&
        refuses 2 "'train' has no option '--port', did you mean '--dash=7'?" env SACCADE_TRAIN_PORT=7 "${train[@]}"
}
check "train --port is told to be --dash" dash_takes_it

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

check "the page of a net is told of the whole run" net_stream

taken() # the port of another page: one line that offers a free one, which works; nothing is trained
{
    local first second status=0 free
    serve "$work/first" "$work/toy" --port 0 || return 1
    first=$pid second=$port
    refuses 1 "port $second is in use; the next one that is free is " timeout 20 "$saccade" dash "$work/toy" --port "$second" || status=1
    free=$(sed -nE 's|.* free is ([0-9]+)$|\1|p' "$work/err")
    refuses 1 "port $second is in use" timeout 20 \
        "$saccade" train tasks/toy.yaml --run "$work/no-run" --generations 3 --dash "$second" || status=1
    refuses 1 "port $second is in use" timeout 20 "$saccade" fit "$work/net.yaml" --run "$work/no-run" --dash "$second" || status=1
    [[ ! -e $work/no-run ]] || { echo "a folder was made"; status=1; }
    if serve "$work/second" "$work/toy" --port "$free"; then kill -INT "$pid" && wait "$pid"; else status=1; fi
    kill -INT "$first"
    wait "$first"
    # a page that has ended leaves its port at once, also where a connection lingers
    if serve "$work/again" "$work/toy" --port "$second"; then kill -INT "$pid" && wait "$pid"; else status=1; fi
    return $status
}
check "a port that another page has is said" taken

# by a program that listens on ::1 alone, where "localhost" leads first; without IPv6 there is none
taken_on_ipv6()
{
    local other taken status=0
    rm -f "$work/taken"
    python3 - "$work/taken" <<'END' &
import pathlib, signal, socket, sys
try:
    listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
except OSError:
    pathlib.Path(sys.argv[1]).write_text("none\n")
else:
    pathlib.Path(sys.argv[1]).write_text(f"{listener.getsockname()[1]}\n")
    signal.pause()
END
    other=$!
    for _ in $(seq 100); do [[ -s $work/taken ]] && break; sleep 0.1; done
    taken=$(cat "$work/taken")
    if [[ $taken != none ]]; then
        refuses 1 "port $taken is in use; the next one that is free is " timeout 20 "$saccade" dash "$work/toy" --port "$taken" || status=1
        kill "$other"
        wait "$other"
        # and is free as soon as that program has ended
        if serve "$work/freed" "$work/toy" --port "$taken"; then kill -INT "$pid" && wait "$pid"; else status=1; fi
    fi
    return $status
}
check "a port that another program has on ::1 is said" taken_on_ipv6

live() # the page of a run while it trains
{
    # in the foreground: otherwise timeout sends a signal twice, and the second one ends the run at once
    timeout --foreground -s INT 60 "$saccade" train tasks/toy.yaml --run "$work/live" --generations 100000 --dash 0 --quiet 2>"$work/said" &
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
