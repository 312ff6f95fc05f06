#!/usr/bin/env bash
# saccade fit as people call it, on pictures that it makes itself: fit.sh SACCADE
set -uo pipefail
saccade=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
source tests/check.sh
task=$PWD/tests/train/pictures_fit.yaml
python3 examples/pictures.py "$work/stripes" 300 || exit 1
cd "$work" || exit 1

fit() { "$saccade" fit "$task" "$@"; }

digest() # of what a run keeps; seconds are in metrics.csv alone
{
    (cd "$1" && find . -name '*.safetensors' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum &&
        cut -d, -f1,2,4- metrics.csv confusion.csv && { [[ ! -e heads.csv ]] || cat heads.csv; })
}

alone() { fit --run alone --quiet && [[ -s alone/net.safetensors && $(wc -l <alone/metrics.csv) == 4 ]]; }

learns() # stripes are told apart, and the table counts every test picture once
{
    local right
    right=$(awk -F, 'END {print $NF}' alone/metrics.csv)
    echo "accuracy $right"
    awk -v right="$right" 'BEGIN {exit !(right > 0.9)}' &&
        [[ $(awk -F, 'NR > 1 {for (i = 2; i <= NF; i++) sum += $i} END {print sum}' alone/confusion.csv) == 100 ]] &&
        [[ $(awk -F, -v r="$right" 'NR > 1 {same += $NR} END {print (same / 100 == r)}' alone/confusion.csv) == 1 ]]
}

threads() # NAME [option...]: the same bytes for any number of them, more than there are slices included
{
    local name=$1 count
    shift
    for count in 2 5; do
        fit --run "$name-$count" --threads "$count" --quiet "$@" &&
            diff <(digest "$name") <(digest "$name-$count") || return 1
    done
}

stopped() # by a signal, and gone on with: 130, then the same bytes
{
    local pid status
    # not through a function: the signal is for the process itself
    "$saccade" fit "$task" --run stopped --set train.epochs=3000 --quiet >log 2>&1 &
    pid=$!
    until [[ -s stopped/metrics.csv && $(wc -l <stopped/metrics.csv) -gt 1 ]]; do
        kill -0 "$pid" 2>/dev/null || { cat log; return 1; }
        sleep 0.05
    done
    kill -INT "$pid"
    wait "$pid"
    status=$?
    [[ $status == 130 ]] && grep -q "interrupted at step .* the same command with --resume goes on" log || { cat log; return 1; }
    refuses 2 "the run was started with train.epochs '3000', now it is '3'; use another --run" \
        "$saccade" fit "$task" --run stopped --resume
}

timed() # a limit of time: an end without failure, whose line is no JSON's, and from which --resume goes on
{
    local said
    said=$(fit --run timed --set train.epochs=100000 --seconds 1 2>log) && [[ ! -s log && -n $(newest timed) ]] &&
        grep -qE '^interrupted at step [0-9]+ of [0-9]+, after 1 s; .*--resume goes on$' <<<"$said" &&
        ! grep -q 'test pictures right' <<<"$said" &&
        fit --run timed --set train.epochs=100000 --seconds 1 --resume --json >said && ! grep -q interrupted said &&
        [[ $(grep -c '"resumed"' timed/events.jsonl) == 1 ]] || { cat log; return 1; }
}

# kill -9 as soon as there is another checkpoint, so that what follows goes on from it; fails where the run ends before
strike() # RUN COMMAND...
{
    local run=$1 before pid struck
    shift
    before=$(newest "$run")
    "$@" >log 2>&1 &
    pid=$!
    while [[ $(newest "$run") == "$before" ]] && kill -0 "$pid" 2>/dev/null; do :; done
    kill -9 "$pid" 2>/dev/null
    struck=$?
    wait "$pid" 2>/dev/null
    return "$struck"
}

kills() # NAME [option...]: behind checkpoints; each time the run goes on, to the bytes of NAME
{
    local name=$1 resumed=0
    shift
    for _ in 1 2 3 4 5 6; do
        strike "killed_$name" "$saccade" fit "$task" --run "killed_$name" --resume --quiet "$@" && continue
        diff <(digest "$name") <(digest "killed_$name") || return 1
        resumed=$((resumed + $(grep -c '"resumed"' "killed_$name/events.jsonl")))
        rm -rf "killed_$name"
    done
    fit --run "killed_$name" --resume --threads 2 --quiet "$@" && diff <(digest "$name") <(digest "killed_$name") || return 1
    resumed=$((resumed + $(grep -c '"resumed"' "killed_$name/events.jsonl")))
    echo "$resumed times gone on with"
    [[ $resumed -gt 0 ]]
}

content_kills() # heads that look at contents, and drop a share of what they give: what is dropped goes on, too
{
    sed '/width\|stages/d; s/epochs: 3/epochs: 6/' "$task" >content.yaml
    local task=$PWD/content.yaml
    local heads=(--set net.kind=attention-net --set net.encoding=transformer-xl --set net.dropout=0.2 --set net.heads=4
        --set net.size=4 --set net.layers=2 --set net.width=12 --set net.patch=2 --set net.hidden=16)
    fit --run content --quiet "${heads[@]}" && threads content "${heads[@]}" && kills content "${heads[@]}"
}

transformer_kills() # a vision transformer, whose attention is linear
{
    sed '/width\|stages/d; s/epochs: 3/epochs: 6/' "$task" >vit.yaml
    local task=$PWD/vit.yaml
    local vit=(--set net.kind=vit --set net.attention=relu --set net.layers=2 --set net.width=12 --set net.heads=2
        --set net.patch=2 --set net.hidden=16)
    fit --run transformer --quiet "${vit[@]}" && threads transformer "${vit[@]}" && kills transformer "${vit[@]}"
}

again() # a finished run is evaluated once more, and nothing in it changes
{
    digest alone >before
    fit --run alone --resume >said && digest alone | diff before - && grep -q "of 100 test pictures right" said
}

json()
{
    fit --run json --json --set train.epochs=1 >said && python3 - <<'PYTHON'
import json
rows = [json.loads(line) for line in open("said")]
assert [row.get("epoch") for row in rows] == [1, None]
assert sum(map(sum, rows[1]["confusion"])) == rows[1]["pictures"] == 100
assert rows[0]["test_accuracy"] == rows[1]["test_accuracy"]
PYTHON
}

every_kind() # and each falls below its first loss
{
    local kind
    for kind in resnet,width=5 attention-net,encoding=quadratic attention-net,encoding=quadratic-isotropic \
        attention-net,encoding=relative attention-net,encoding=relative-content \
        attention-net,encoding=transformer-xl vit,attention=softmax vit,attention=relu vit,attention=trig; do
        local small=(--set net.layers=1 --set net.width=12 --set net.patch=2 --set net.hidden=16)
        [[ $kind != attention-net* ]] || small+=(--set net.heads=4 --set net.size=4)
        [[ $kind != resnet* ]] || small=()
        sed '/width\|stages/d' "$task" >kind.yaml
        "$saccade" fit kind.yaml --run "$kind" --quiet --set "net.kind=${kind%,*}" --set "net.${kind#*,}" "${small[@]}" &&
            awk -F, -v kind="$kind" 'NR == 2 {first = $5} END {print kind, first, $5; exit !($5 < first)}' \
                "$kind/metrics.csv" || return 1
    done
}

started() # a net with another attention begins where one with softmax ended; the start is not needed to go on
{
    local small=(--set net.kind=vit --set net.layers=1 --set net.width=12 --set net.patch=2 --set net.hidden=16 --quiet)
    local from="vit,attention=softmax/net.safetensors" first
    "$saccade" fit kind.yaml --run linear "${small[@]}" --set net.attention=trig --set "train.start=$from" &&
        grep -q "with [0-9]* of [0-9]* tensors of vit,attention=softmax" linear/events.jsonl || return 1
    first=$(awk -F, 'NR == 2 {print $5}' linear/metrics.csv)
    awk -F, -v first="$first" 'NR == 2 {print first, $5; exit !(first < $5)}' "vit,attention=trig/metrics.csv" || return 1
    # every tensor of the same net is taken, and one step at a rate of 0 leaves it as it was
    "$saccade" fit kind.yaml --run same "${small[@]}" --set net.attention=softmax --set "train.start=$from" \
        --set train.rate=0 --set train.epochs=1 &&
        cmp <(tail -n 1 "vit,attention=softmax/confusion.csv") <(tail -n 1 same/confusion.csv) || return 1
    cp "$from" moved.safetensors
    "$saccade" fit kind.yaml --run moved "${small[@]}" --set net.attention=relu --set train.start=moved.safetensors &&
        rm moved.safetensors && "$saccade" fit kind.yaml --run moved "${small[@]}" --set net.attention=relu \
            --set train.start=moved.safetensors --resume || return 1
    refuses 1 "moved.safetensors: " "$saccade" fit kind.yaml --run no "${small[@]}" --set train.start=moved.safetensors &&
        refuses 2 "is of kind resnet, and this net of kind vit" \
            "$saccade" fit kind.yaml --run no "${small[@]}" --set train.start=alone/net.safetensors &&
        refuses 2 "the options of the section net must agree but for the attention" \
            "$saccade" fit kind.yaml --run no "${small[@]}" --set net.width=16 --set "train.start=$from"
}

refusals()
{
    refuses 2 "there is no 'resnt', did you mean 'resnet'?" "$saccade" fit "$task" --run no --set net.kind=resnt &&
        refuses 2 "there is no 'zebra', expected resnet, attention-net or vit" \
            "$saccade" fit "$task" --run no --set net.kind=zebra &&
        refuses 2 "unknown option 'widht', did you mean 'width'?" "$saccade" fit "$task" --run no --set net.widht=3 &&
        refuses 2 "unknown section 'nets', expected data, net, train or evaluation, did you mean 'net'?" \
            "$saccade" fit "$task" --run no --set nets.width=3 &&
        refuses 2 "net.patch is 3, which does not divide pictures of 8 x 8" \
            "$saccade" fit kind.yaml --run no --set net.kind=vit --set net.patch=3 &&
        refuses 2 "train.batch is 1000, and there are 300 pictures" \
            "$saccade" fit "$task" --run no --set train.batch=1000 &&
        refuses 2 "data.padding is 8, expected less than 8: a crop of these pictures could be black all over" \
            "$saccade" fit "$task" --run no --set data.padding=8 &&
        refuses 2 "train.falls is '', expected 1 to 8 rising epochs" "$saccade" fit "$task" --run no --set train.schedule=falls &&
        refuses 2 "a task of a policy, which 'saccade train' carries out" "$saccade" fit "$OLDPWD/tasks/toy.yaml" --run no &&
        refuses 1 "nowhere: no such folder: 'make data' installs Fashion-MNIST" \
            "$saccade" fit "$task" --run no --set data.folder=nowhere &&
        refuses 1 "nowhere: no such folder: give data.folder the folder of CIFAR-10's binary version" \
            "$saccade" fit "$task" --run no --set data.folder=nowhere --set data.format=cifar-10 &&
        refuses 1 "alone holds no train-images-idx3-ubyte, with or without .gz" \
            "$saccade" fit "$task" --run no --set data.folder=alone &&
        refuses 1 "alone holds no data_batch_1.bin: give data.folder the folder of CIFAR-10's binary version" \
            "$saccade" fit "$task" --run no --set data.folder=alone --set data.format=cifar-10 &&
        refuses 2 "there is a run already; --resume goes on with it" "$saccade" fit "$task" --run alone &&
        [[ ! -e no ]]
}

no_policy()
{
    refuses 2 "pictures_fit.yaml is a task of pictures, not of a policy: 'saccade fit' carries it out" \
        "$saccade" train "$task" --run no && [[ ! -e no ]]
}

states() # of runs, and what happened to them
{
    "$saccade" runs . --json >said && python3 - <<'PYTHON'
import json
runs = {run["run"]: run for run in json.load(open("said"))}
alone, stopped = runs["./alone"], runs["./stopped"]
assert (alone["state"], alone["net"], alone["generation"], alone["generations"]) == ("finished", "resnet", 3, 3), alone
assert (stopped["state"], stopped["generations"]) == ("interrupted", 3000), stopped
events = [json.loads(line)["event"] for line in open("alone/events.jsonl")]
assert events == ["started", "finished", "resumed", "finished"], events
PYTHON
}

longer() # seconds go on where a run goes on
{
    "$saccade" fit "$task" --run longer --quiet --set train.checkpoint_every=1 && cut -d, -f3 longer/metrics.csv >before &&
        rm longer/checkpoints/00000045.safetensors && "$saccade" fit "$task" --run longer --quiet --resume &&
        awk -F, 'NR == 1 {next} $3 < last {exit 1} {last = $3}' longer/metrics.csv && diff <(head -3 before) <(cut -d, -f3 longer/metrics.csv | head -3)
}

# What is done within the first epoch stays known: what happened before, and the time that it took. Checkpoints hold no
# time, so that they are the same everywhere.
within()
{
    local run=("$saccade" fit "$task" --run within --quiet --set train.start=alone/net.safetensors --set train.epochs=1
        --set train.checkpoint_every=1)
    "${run[@]}" && [[ $(tail -n 1 within/seconds.csv) == 15,* && $(wc -l <within/seconds.csv) == 16 ]] &&
        awk -F, 'NR == 1 {next} $2 < last {exit 1} {last = $2}' within/seconds.csv &&
        rm within/checkpoints/00000015.safetensors && sed -i 's/^14,.*/14,1000.000/' within/seconds.csv &&
        "${run[@]}" --resume && awk -F, 'END {print $3; exit !($3 >= 1000 && $3 < 1600)}' within/metrics.csv &&
        [[ $(tail -n 1 within/seconds.csv) == 15,1[0-5]* && $(wc -l <within/seconds.csv) == 16 ]] && python3 - <<'PYTHON'
import json
events = [json.loads(line)["event"] for line in open("within/events.jsonl")]
assert events == ["started", "began", "resumed", "finished"], events
PYTHON
}

lost() # checkpoints: a run that has had some is not begun anew, and an empty folder is; kills before the first are none
{
    local run=("$saccade" fit "$task" --run lost --quiet)
    mkdir lost && "${run[@]}" --resume 2>log && [[ ! -s log ]] && mv lost/checkpoints away && cp -r lost lost_before || return 1
    refuses 1 "lost: its checkpoints are gone: put the last one back into lost/checkpoints" "${run[@]}" --resume &&
        diff -r -x host.json -x checkpoints lost_before lost || return 1
    cp away/*.safetensors lost/checkpoints/ && "${run[@]}" --resume && digest alone | diff <(digest lost) - || return 1
    # a run of before the mark was kept may have lost them: what is replaced is said
    rm -r lost/checkpoints lost/checkpointed && "${run[@]}" --resume 2>log && digest alone | diff <(digest lost) - &&
        grep -q '^saccade: lost: there is no checkpoint so far: the run begins anew, and 3 rows of metrics.csv are replaced$' log
}

few() # pictures of which the first are of one class, which a net would name without having learned anything
{
    cp -r stripes sorted && python3 - <<'PYTHON' || return 1
with open("sorted/train-labels-idx1-ubyte", "r+b") as file:
    file.seek(8)
    file.write(bytes([2]) * 40 + bytes([0]))
PYTHON
    refuses 1 "sorted: all 40 pictures for training that are used have class 2, expected two classes or more" \
        "$saccade" fit "$task" --run no --set data.folder=sorted --set data.limit=40 && [[ ! -e no ]] &&
        "$saccade" fit "$task" --run sorted_run --set data.folder=sorted --set data.limit=41 --set train.epochs=1 --quiet
}

members() # gzip files of several members, one after another, are what these hold; one that is cut short is damaged
{
    cp -r stripes members && python3 - <<'PYTHON' || return 1
import gzip
for name in ("images-idx3", "labels-idx1"):
    path = f"members/t10k-{name}-ubyte.gz"
    plain = gzip.open(path).read()
    packed = b"".join(gzip.compress(part) for part in (plain[:3], b"", plain[3:50], plain[50:], b""))
    open(path, "wb").write(packed)
PYTHON
    "$saccade" classify alone/net.safetensors --json >said &&
        "$saccade" classify alone/net.safetensors --set data.folder=members --json | diff said - || return 1
    truncate -s -1 members/t10k-images-idx3-ubyte.gz
    refuses 1 "gzip is damaged or cut short" "$saccade" classify alone/net.safetensors --set data.folder=members &&
        cp stripes/t10k-images-idx3-ubyte.gz members/ && printf x >>members/t10k-images-idx3-ubyte.gz &&
        refuses 1 "gzip is damaged or cut short" "$saccade" classify alone/net.safetensors --set data.folder=members
}

damaged() # files that are cut short: one line, nothing is made
{
    cp -r stripes cut
    head -c 1000 stripes/train-images-idx3-ubyte >cut/train-images-idx3-ubyte
    refuses 1 "the IDX header tells of 19200 bytes, and there are 984" \
        "$saccade" fit "$task" --run no --set data.folder=cut || return 1
    cp stripes/train-images-idx3-ubyte cut/
    head -c 100 stripes/t10k-images-idx3-ubyte.gz >cut/t10k-images-idx3-ubyte.gz
    refuses 1 "gzip is damaged or cut short" "$saccade" fit "$task" --run no --set data.folder=cut && [[ ! -e no ]] ||
        return 1
    rm -rf cut && cp -r stripes cut && gunzip cut/*.gz || return 1
    printf '\377' | dd of=cut/train-labels-idx1-ubyte bs=1 seek=$((8 + 5)) conv=notrunc 2>/dev/null
    refuses 1 "cut: picture 5 for training has the label 255, and there are 5 labels in all: is train-labels-idx1-ubyte" \
        "$saccade" fit "$task" --run no --set data.folder=cut || return 1
    cp stripes/train-labels-idx1-ubyte* cut/ && gunzip -f cut/*.gz
    printf '\377' | dd of=cut/t10k-labels-idx1-ubyte bs=1 seek=$((8 + 5)) conv=notrunc 2>/dev/null
    refuses 1 "cut: picture 5 for testing has the label 255, and the net has 4 classes" \
        "$saccade" fit "$task" --run no --set data.folder=cut && [[ ! -e no ]]
}

cifar() # five files of colours
{
    python3 - <<'PYTHON'
import os, random
os.makedirs("colours")
draw = random.Random(2)
for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    with open(f"colours/{name}.bin", "wb") as file:
        for _ in range(12):
            label = draw.randrange(3)
            planes = [bytes(draw.randrange(128, 256) if plane == label else draw.randrange(128) for _ in range(1024))
                      for plane in range(3)]
            file.write(bytes([label]) + b"".join(planes))
PYTHON
    fit --run colours_run --set data.folder=colours --set data.format=cifar-10 --set data.padding=4 --set data.flip=true \
        --set train.batch=10 --set net.width=4 --set train.epochs=10 --quiet &&
        awk -F, 'END {print; exit !($NF > 0.9)}' colours_run/metrics.csv
}

cifar_tasks() # those of the repository, with nets and runs that are small
{
    local small=(--set data.folder=colours --set train.epochs=1 --set train.batch=10 --quiet) tasks=$OLDPWD/tasks
    "$saccade" fit "$tasks/cifar-attention.yaml" --run cifar_attention "${small[@]}" --set net.width=12 --set net.layers=1 \
        --set net.hidden=16 --set net.heads=4 &&
        "$saccade" fit "$tasks/cifar-resnet.yaml" --run cifar_resnet "${small[@]}" --set net.width=4 --set net.blocks=1 &&
        "$saccade" heads cifar_attention --json >/dev/null && "$saccade" classify cifar_resnet/net.safetensors --json |
        grep '"pictures":12,'
}

classified() # over the test pictures, to the bit what the fit itself says, for any number of threads and from elsewhere
{
    local threads
    fit --run alone --resume --json >said && fit --run alone --resume >table || return 1
    for threads in 1 2 5; do
        "$saccade" classify alone/net.safetensors --threads "$threads" --json | diff said - || return 1
    done
    "$saccade" classify alone/net.safetensors | diff table - && mkdir -p elsewhere &&
        (cd elsewhere && "$saccade" classify ../alone/net.safetensors --set data.folder=../stripes --json) | diff said - &&
        "$saccade" classify alone/net.safetensors --set data.limit=7 --json | grep '"pictures":7,' && python3 - <<'PYTHON'
import json
last = json.loads(open("said").read())
rows = [line.split(",")[1:] for line in open("alone/confusion.csv").read().split()[1:]]
assert last["confusion"] == [[int(count) for count in row] for row in rows]
assert f"{last['test_loss']:.9g}" == open("alone/metrics.csv").read().split()[-1].split(",")[-2]
PYTHON
}

write_pictures() # the test pictures as PNG files: grey, in colours that are equal, in other colours; the run of colours
{
    [[ -e pictures ]] && return 0
    mkdir pictures && python3 - <<'PYTHON'
import gzip, struct, zlib

def png(name, width, height, channels, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    line = width * channels
    rows = b"".join(b"\0" + pixels[y * line : (y + 1) * line] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    with open(f"pictures/{name}.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) +
                   chunk(b"IEND", b""))

pixels = gzip.open("stripes/t10k-images-idx3-ubyte.gz").read()[16:]
labels = gzip.open("stripes/t10k-labels-idx1-ubyte.gz").read()[8:]
for i, label in enumerate(labels):
    one = pixels[64 * i : 64 * i + 64]
    png(f"grey-{i:03}-{label}", 8, 8, 1, one)
    png(f"equal-{i:03}-{label}", 8, 8, 3, bytes(value for value in one for _ in range(3)))
# red, green and blue as bright as 76, 150 and 29 by Rec. 601
png("red", 8, 8, 3, bytes([255, 0, 0]) * 64)
png("green", 8, 8, 4, bytes([0, 255, 0, 9]) * 64)
png("blue", 8, 8, 3, bytes([0, 0, 255]) * 64)
for value in (76, 150, 29):
    png(f"bright-{value}", 8, 8, 1, bytes([value]) * 64)
png("wide", 9, 8, 1, bytes(72))
batch = open("colours/test_batch.bin", "rb").read()
for i in range(12):
    label, planes = batch[3073 * i], batch[3073 * i + 1 : 3073 * (i + 1)]
    png(f"colours-{i:02}-{label}", 32, 32, 3, bytes(planes[p * 1024 + k] for k in range(1024) for p in range(3)))
png("colours-grey", 32, 32, 1, bytes(k % 256 for k in range(1024)))
png("colours-equal", 32, 32, 3, bytes(k % 256 for k in range(1024) for _ in range(3)))
PYTHON
}

pictures() # one by one they are what the table counts; grey and colours become what a net takes
{
    write_pictures || return 1
    "$saccade" classify alone/net.safetensors pictures/grey-* --json >grey && fit --run alone --resume --json >said &&
        "$saccade" classify alone/net.safetensors pictures/equal-* --json --threads 3 | sed 's/equal/grey/' | diff grey - &&
        "$saccade" classify colours_run/net.safetensors pictures/colours-[01]* --json >listed_colours &&
        "$saccade" classify colours_run/net.safetensors --json >said_colours || return 1
    [[ $("$saccade" classify alone/net.safetensors pictures/{red,green,blue}.png | sed 's/.*: //') == \
       "$("$saccade" classify alone/net.safetensors pictures/bright-{76,150,29}.png | sed 's/.*: //')" ]] &&
        [[ $("$saccade" classify colours_run/net.safetensors pictures/colours-grey.png | sed 's/.*: //') == \
           "$("$saccade" classify colours_run/net.safetensors pictures/colours-equal.png | sed 's/.*: //')" ]] &&
        "$saccade" classify alone/net.safetensors pictures/grey-000-?.png | tee line &&
        grep -qE '^pictures/grey-000-[0-3].png: class [0-3]; [0-3] [0-9.]+ %, [0-3] [0-9.]+ %, [0-3] [0-9.]+ %$' line &&
        python3 - <<'PYTHON'
import json
for listed, said in (("grey", "said"), ("listed_colours", "said_colours")):
    rows = [json.loads(line) for line in open(listed)]
    table = json.loads(open(said).read())["confusion"]
    counted = [[0] * len(table) for _ in table]
    for row in rows:
        counted[int(row["picture"].split("-")[-1][0])][row["class"]] += 1
        shares = [likely["probability"] for likely in row["most_likely"]]
        assert len(shares) == 3 and shares == sorted(shares, reverse=True) and sum(shares) < 1 + 1e-6
        assert row["most_likely"][0]["class"] == row["class"]
        assert len({likely["class"] for likely in row["most_likely"]}) == 3
    assert counted == table, (counted, table)
PYTHON
}

other_data() # a run goes on with its own alone, wherever they lie; older checkpoints do not say which those are
{
    local part
    rm -rf moved && cp -r stripes moved && fit --run moved_run --quiet --set train.epochs=1 && for part in train t10k; do
        cp -r stripes "other_$part" && gunzip -kf "other_$part"/*.gz && python3 - "other_$part/$part-labels-idx1-ubyte" <<'PYTHON' || return 1
import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(8 + 7)
    label = file.read(1)[0]
    file.seek(8 + 7)
    file.write(bytes([(label + 1) % 4]))
PYTHON
    done
    python3 "$OLDPWD/examples/pictures.py" fewer 240 || return 1
    local again=("$saccade" fit "$task" --run moved_run --resume --set train.epochs=1)
    "${again[@]}" --set data.folder=moved --quiet &&
        refuses 2 "other_train: the pictures or labels for training are not those that the run began with; use another --run" \
            "${again[@]}" --set data.folder=other_train &&
        refuses 2 "other_t10k: the pictures or labels for testing are not those that the run began with" \
            "${again[@]}" --set data.folder=other_t10k &&
        refuses 2 "fewer holds 240 and 80 pictures of 8 x 8 x 1 numbers in 4 classes, and the run learned from 300 and 100 of 8 x 8 x 1 in 4" \
            "${again[@]}" --set data.folder=fewer || return 1
    forget_data moved_run/checkpoints/*15.safetensors && "${again[@]}" --quiet 2>log &&
        [[ $(wc -l <log) == 1 ]] && grep -q "the checkpoint is of before runs kept what they learn from" log
}

forget_data() # CHECKPOINT: as it was before runs kept which data they learn from
{
    python3 - "$1" <<'PYTHON'
import json, struct, sys
source = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", source[:8])[0]
header = json.loads(source[8 : 8 + size])
lost = header.pop("fit.data")
begin, end = lost["data_offsets"]
data = source[8 + size :]

def fnv(data): # the tensor's part of the checksum
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value

words = b"fit.data\0I64\0" + struct.pack("<q", lost["shape"][0])
checksum = int(header["__metadata__"]["checksum"], 16) - fnv(words + data[begin:end])
header["__metadata__"]["checksum"] = f"{checksum % 2**64:016x}"
for tensor in header.values():
    if "data_offsets" in tensor and tensor["data_offsets"][0] >= end:
        tensor["data_offsets"] = [at - (end - begin) for at in tensor["data_offsets"]]
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + data[:begin] + data[end:])
PYTHON
}

shrunk() # a file that becomes shorter while a fit reads it: one line that names it, and a run that goes on
{
    local pid status
    cp -r stripes shrinking && "$saccade" fit "$task" --run shrunk --set data.folder=shrinking --set train.epochs=3000 \
        --quiet >log 2>&1 &
    pid=$!
    until [[ -s shrunk/metrics.csv && $(wc -l <shrunk/metrics.csv) -gt 1 ]]; do
        kill -0 "$pid" 2>/dev/null || { cat log; return 1; }
        sleep 0.05
    done
    : >shrinking/train-images-idx3-ubyte
    wait "$pid"
    status=$?
    [[ $status == 1 && $(cat log) == "saccade: $PWD/shrinking/train-images-idx3-ubyte became shorter while it was read" ]] ||
        { echo "exit code $status"; cat log; return 1; }
}

listed() # finished runs, one that was interrupted, and one of before runs told of events; with epochs and accuracy
{
    local right
    right=$(awk -F, 'END {printf "%.2f", 100 * $NF}' alone/metrics.csv)
    mkdir -p listed && cp -r alone stopped listed/ && cp -r alone listed/older && rm listed/older/events.jsonl &&
        "$saccade" runs listed | tee table &&
        grep -qE "^listed/alone +finished +3/3 +100% .* $right % .* resnet$" table &&
        grep -qE "^listed/older +finished +3/3 +100% .* $right % " table &&
        grep -qE "^listed/stopped +interrupted +[0-9]+/3000 .* resnet$" table &&
        "$saccade" runs listed --json | python3 -c "
import json, sys
alone = json.load(sys.stdin)[0]
assert alone['state'] == 'finished' and alone['net'] == 'resnet' and f\"{100 * alone['test_accuracy']:.2f}\" == '$right'"
}

reported() # as one page; what is for episodes is refused
{
    "$saccade" report alone --out report.html && ! grep -qE '\{\{|(src|href)="(http|//|\.)' report.html &&
        refuses 2 "--seed and --frames are for episodes, and alone is a run of 'saccade fit'" "$saccade" report alone --seed 3
}

diverges() # one line and no net: in the last step, where no later one would tell, and over the test pictures alone
{
    local steep=(--set train.rate=1000 --set train.schedule=constant --set train.epochs=1) said="the fit diverged: after step"
    refuses 1 "$said 3 what batch norms have measured is not finite; try a rate below 1000" \
        "$saccade" fit "$task" --run diverged "${steep[@]}" --set train.decay=1000 --set train.momentum=0 \
        --set train.batch=100 || return 1
    sed '/width\|stages/d' "$task" >kind.yaml
    refuses 1 "$said 2 the loss over the test pictures is no number; try a rate below 1000" \
        "$saccade" fit kind.yaml --run diverged_vit "${steep[@]}" --set net.kind=vit --set net.patch=2 --set net.width=12 \
        --set net.heads=3 --set net.attention=exp --set train.batch=128 --set train.slices=8 || return 1
    [[ -z $(find diverged diverged_vit -name '*.safetensors') ]] && [[ $(wc -l <diverged/metrics.csv) == 1 ]]
}

too_large() # a net whose numbers are finite, and too large for sums of them
{
    write_pictures && mkdir -p large && python3 - <<'PYTHON' || return 1
import array, json, struct
source = open("alone/net.safetensors", "rb").read()
size = struct.unpack("<Q", source[:8])[0]
header, data = json.loads(source[8 : 8 + size]), bytearray(source[8 + size :])
begin, end = header["linear.weight"]["data_offsets"]

def hash_of(data): # the tensor's part of the checksum, which is FNV-1a
    value = 0xCBF29CE484222325
    shape = b"".join(struct.pack("<q", side) for side in header["linear.weight"]["shape"])
    for byte in b"linear.weight\0F32\0" + shape + bytes(data[begin:end]):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value

before = hash_of(data)
data[begin:end] = array.array("f", [3e38 if i % 2 else -3e38 for i in range((end - begin) // 4)]).tobytes()
old = header["__metadata__"]["checksum"]
new = f"{(int(old, 16) - before + hash_of(data)) % 2**64:016x}"
open("large/net.safetensors", "wb").write(source[: 8 + size].replace(old.encode(), new.encode()) + data)
PYTHON
    refuses 1 "large/net.safetensors: the loss over the test pictures is" "$saccade" classify large/net.safetensors &&
        refuses 1 "large/net.safetensors: its outputs are no numbers: the net has diverged" \
            "$saccade" classify large/net.safetensors pictures/red.png
}

# Finite parameters whose queries and keys are not: attention that is no number has no centre, and no run's film, table
# or page shows one. The fit looks at test pictures in the end alone, and by then it has diverged.
no_attention()
{
    cat >steep.yaml <<'YAML'
data: {folder: more, padding: 1}
net: {kind: attention-net, encoding: transformer-xl, patch: 2, width: 16, layers: 2, hidden: 32, size: 8, heads: 4}
train: {rate: 30, batch: 300, epochs: 12, schedule: constant, momentum: 1, decay: 0}
evaluation: {keep: 1, every: 0}
YAML
    local words="steep/nets/000003.safetensors: the attention of head 0 of layer 1 is no number: the net has diverged"
    python3 "$OLDPWD/examples/pictures.py" more &&
        refuses 1 "the fit diverged: after step 7 the loss or its gradient is no number" \
            "$saccade" fit steep.yaml --run steep --quiet &&
        refuses 1 "$words" "$saccade" heads steep/nets/000003.safetensors || return 1
    cp steep/nets/000003.safetensors steep/net.safetensors
    refuses 1 "steep/net.safetensors: the attention" "$saccade" heads steep --csv steep.csv
}

older() # a file of version 1 is refused; the run writes its net again, and with the same bytes
{
    cp -r alone older && python3 - <<'PYTHON'
import json, struct
path = "older/net.safetensors"
source = open(path, "rb").read()
size = struct.unpack("<Q", source[:8])[0]
header = source[8 : 8 + size].replace(b'"version":"2"', b'"version":"1"')
assert header != source[8 : 8 + size]
open(path, "wb").write(source[:8] + header + source[8 + size :])
PYTHON
    refuses 1 "net files of version 1 do not say which pictures they take: 'saccade fit TASK.yaml --run DIR --resume' writes" \
        "$saccade" classify older/net.safetensors && fit --run older --resume --quiet &&
        cmp alone/net.safetensors older/net.safetensors
}

no_net()
{
    write_pictures || return 1
    local net=alone/net.safetensors root=$OLDPWD
    head -c 3000 $net >cut.safetensors
    refuses 1 "net.safetensors is a net that classifies pictures, not a policy: 'saccade classify' uses it, and" \
        "$saccade" eval $net --seeds 0 &&
        refuses 1 "is a policy, not a net that classifies pictures: did you mean 'saccade eval'?" \
            "$saccade" classify "$root/zoo/car-racing/linear.safetensors" &&
        refuses 1 "is no net of 'saccade fit'" "$saccade" classify alone/checkpoints/*45.safetensors &&
        refuses 1 "cut.safetensors: " "$saccade" classify cut.safetensors &&
        refuses 1 "none.safetensors: " "$saccade" classify none.safetensors &&
        refuses 1 "alone is a folder, did you mean 'alone/net.safetensors'?" "$saccade" classify alone &&
        refuses 2 "wide.png is a picture, and the net comes first" "$saccade" classify pictures/wide.png $net &&
        refuses 1 "wide.png is 8 x 9 pixels, the net takes 8 x 8" "$saccade" classify $net pictures/grey-000* pictures/wide.png &&
        refuses 1 "confusion.csv: PNG: " "$saccade" classify $net alone/confusion.csv &&
        refuses 2 "expected data.folder, data.format or data.limit, did you mean 'data.folder'?" \
            "$saccade" classify $net --set data.fodler=stripes &&
        refuses 2 "--set train.batch: expected data.folder, data.format or data.limit" \
            "$saccade" classify $net --set train.batch=5 &&
        refuses 2 "--set is for the test pictures" "$saccade" classify $net pictures/red.png --set data.limit=5 &&
        refuses 1 "pictures for testing have 32 x 32 x 3 numbers, those that the net is for 8 x 8 x 1" \
            "$saccade" classify $net --set data.folder=colours --set data.format=cifar-10 &&
        refuses 1 "nowhere: no such folder" "$saccade" classify $net --set data.folder=nowhere
}

convolution() # of a net: every error is within its bound, and falls with alpha; the same bytes twice
{
    "$saccade" convolution alone/net.safetensors --alpha 2,6,12 --json >as_heads &&
        "$saccade" convolution alone/net.safetensors --alpha 2,6,12 --json --layer convolution | diff as_heads - &&
        python3 - <<'PYTHON' || return 1
import json
rows = [json.loads(line) for line in open("as_heads")]
assert [row["alpha"] for row in rows] == [2, 6, 12]
for way in ("none", "zeros", "repeat", "back", "weights"):
    errors = [row[way]["error"] for row in rows]
    assert all(row[way]["error"] <= row[way]["bound"] for row in rows), way
    assert errors[0] > 10 * errors[1] > 100 * errors[2] > 0, (way, errors)
PYTHON
    # one with a stride is turned into heads as if it had none, which is said
    "$saccade" convolution alone/net.safetensors --alpha 12 | tee stride_1 && ! grep -q stride stride_1 &&
        "$saccade" convolution alone/net.safetensors --alpha 12 --layer stage1.block0.convolution1 | tee stride_2 &&
        grep -q "^taken with a stride of 1; the net's stride of 2 keeps fewer of these places$" stride_2 || return 1
    refuses 2 "has no convolution 'convolutio', did you mean 'convolution'?" \
        "$saccade" convolution alone/net.safetensors --layer convolutio &&
        refuses 2 "--size, --channels and --outputs are the net's own" "$saccade" convolution alone/net.safetensors --size 3 &&
        refuses 2 "--layer needs a net" "$saccade" convolution --layer convolution &&
        refuses 2 "--alpha '2,,3': expected up to 64 numbers of 0.001 to 1e6" "$saccade" convolution --alpha 2,,3 &&
        refuses 2 "--alpha '-1'" "$saccade" convolution --alpha=-1 &&
        refuses 2 "size" "$saccade" convolution --size 17 &&
        refuses 1 "none.safetensors: " "$saccade" convolution none.safetensors &&
        refuses 1 "net.safetensors has neither a convolution (a resnet) nor heads that are one" \
            "$saccade" convolution vit,attention=softmax/net.safetensors
}

write_filter() # FILE TENSOR...: NAME=SHAPE with 1, 2, ... as its numbers; NAME!SHAPE with one that is infinite
{
    python3 - "$@" <<'PYTHON'
import array, json, math, re, struct, sys
header, data = {}, b""
for word in sys.argv[2:]:
    name, mark, shape = re.match(r"(\w+)([=!])(.*)", word).groups()
    shape = [int(side) for side in shape.split(",")]
    numbers = array.array("f", [i / 10 for i in range(1, math.prod(shape) + 1)])
    if mark == "!":
        numbers[-1] = math.inf
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + 4 * len(numbers)]}
    data += numbers.tobytes()
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open(sys.argv[1], "wb").write(struct.pack("<Q", len(text)) + text + data)
PYTHON
}

own_convolution() # of weights that the user has: errors within their bounds, and one line for what is none
{
    write_filter own.safetensors weight=2,2,3,5 bias=5 && write_filter bare.safetensors weight=1,1,1,1 &&
        "$saccade" convolution --weights own.safetensors --alpha 2,6,12 | tee own_table &&
        grep -q "^convolution own.safetensors, 2 x 2, 3 channels to 5, as 4 heads" own_table &&
        "$saccade" convolution --weights own.safetensors --alpha 2,6,12 --json >own_json &&
        "$saccade" convolution --weights bare.safetensors --json >/dev/null && python3 - <<'PYTHON' || return 1
import json
rows = [json.loads(line) for line in open("own_json")]
for way in ("none", "zeros", "repeat", "back", "weights"):
    assert all(0 < row[way]["error"] <= row[way]["bound"] for row in rows), way
    assert rows[0][way]["error"] > 100 * rows[-1][way]["error"], way
PYTHON
    write_filter oblong.safetensors weight=2,3,1,1 && write_filter flat.safetensors weight=4,4,9 &&
        write_filter large.safetensors weight=17,17,1,1 && write_filter unlike.safetensors weight=2,2,3,5 bias=4 &&
        write_filter third.safetensors weight=1,1,1,1 more=1 && write_filter endless.safetensors weight!1,1,2,1 &&
        write_filter weightless.safetensors bias=4 || return 1
    local convolve=("$saccade" convolution --weights)
    refuses 1 "oblong.safetensors: weight is [2, 3, 1, 1], expected [K, K, channels, outputs] with K of 1 to 16" \
        "${convolve[@]}" oblong.safetensors &&
        refuses 1 "weight is [17, 17, 1, 1], expected" "${convolve[@]}" large.safetensors &&
        refuses 1 "weight" "${convolve[@]}" flat.safetensors && refuses 1 "weight" "${convolve[@]}" weightless.safetensors &&
        refuses 1 "bias" "${convolve[@]}" unlike.safetensors &&
        refuses 1 "third.safetensors has a tensor 'more', expected weight and bias alone" "${convolve[@]}" third.safetensors &&
        refuses 1 "endless.safetensors: weight holds numbers that are not finite" "${convolve[@]}" endless.safetensors &&
        refuses 1 "nowhere.safetensors: " "${convolve[@]}" nowhere.safetensors &&
        refuses 2 "--size, --channels and --outputs are those of --weights" "${convolve[@]}" own.safetensors --size 3 &&
        refuses 2 "--weights is a convolution of yours, without a net" \
            "$saccade" convolution alone/net.safetensors --weights own.safetensors &&
        refuses 2 "--out 'x.txt': expected a name that ends in .svg or .png" "$saccade" convolution --out x.txt &&
        refuses 1 "nowhere/x.svg" "$saccade" convolution --out nowhere/x.svg
}

spelled_out() # a task with every option, which trains the same net
{
    "$saccade" config "$task" --set train.epochs=1 >spelled.yaml && grep -q "^  checkpoint_every: 7$" spelled.yaml &&
        grep -q "^  momentum: 0.9$" spelled.yaml && "$saccade" fit spelled.yaml --run spelled --quiet &&
        fit --run short --set train.epochs=1 --quiet && cmp spelled/net.safetensors short/net.safetensors &&
        "$saccade" config spelled/task.yaml | diff spelled.yaml - &&
        refuses 2 "unknown option 'widht', did you mean 'width'?" "$saccade" config "$task" --set net.widht=3
}

attention() # ENCODING ARGUMENT...: a run whose nets are kept
{
    local encoding=$1
    shift
    "$saccade" fit "${task/pictures/attention}" --run "kept_$encoding" --quiet --set "net.encoding=$encoding" "$@"
}

kept() # nets before training and after every epoch, the last of which is the run's own; the same over a stop
{
    attention quadratic && [[ $(ls kept_quadratic/nets) == "$(printf '%06d.safetensors\n' 0 1 2 3)" ]] &&
        cmp kept_quadratic/nets/000003.safetensors kept_quadratic/net.safetensors || return 1
    mv kept_quadratic whole
    for _ in 1 2 3; do
        strike kept_quadratic "$saccade" fit "${task/pictures/attention}" --run kept_quadratic --quiet --resume \
            --set net.encoding=quadratic
    done
    attention quadratic --resume && diff <(cd whole && sha256sum nets/* heads.csv) <(cd kept_quadratic && sha256sum nets/* heads.csv) &&
        grep -q '"resumed"' kept_quadratic/events.jsonl
}

# of every encoding: a line a head, and a row a head of each kept net, as the run itself has written it; pictures are
# read where contents count
heads()
{
    local encoding
    for encoding in quadratic quadratic-isotropic relative relative-content transformer-xl; do
        [[ -d kept_$encoding ]] || attention "$encoding" || return 1
        "$saccade" heads "kept_$encoding" --csv kept.csv >/dev/null && diff kept.csv "kept_$encoding/heads.csv" || return 1
        "$saccade" heads "kept_$encoding" --json --csv "$encoding.csv" --pictures 5 >"$encoding.json" &&
            "$saccade" heads "kept_$encoding/net.safetensors" --json --pictures 5 | diff "$encoding.json" - || return 1
    done
    "$saccade" heads kept_relative-content --pictures 5 | tee table && grep -q 'mean over 5 pictures' table &&
        [[ $(grep -c ' of 4 degenerate$' table) == 2 ]] && python3 - <<'PYTHON'
import csv, json, math
for encoding in ("quadratic", "quadratic-isotropic", "relative", "relative-content", "transformer-xl"):
    heads = [json.loads(line) for line in open(f"{encoding}.json")]
    rows = list(csv.DictReader(open(f"{encoding}.csv")))
    assert len(heads) == 8 and len(rows) == 4 * 8, encoding
    assert [int(row["epoch"]) for row in rows] == [epoch for epoch in range(4) for _ in range(8)]
    for head, row in zip(heads, rows[-8:]):
        assert math.isclose(head["centre"][0], float(row["row"]), rel_tol=1e-8) and head["kind"] == row["kind"]
        assert head["shift"] == [round(place) for place in head["centre"]], head
        off = math.dist(head["centre"], head["shift"])
        assert abs(off - head["off"]) < 1e-9 and off <= 0.5**0.5
        assert 0 <= head["share"] <= 1 and head["degenerate"] == (head["kind"] in ("wide", "flat", "outside"))
    # contents hardly matter before training, so that attention is nearly alike to all
    assert encoding != "relative-content" or all(row["kind"] == "wide" for row in rows[:8]), rows[:8]
    # training moves them
    assert any(a["row"] != b["row"] for a, b in zip(rows[:8], rows[-8:])), encoding
PYTHON
}

heads_convolve() # learned heads are the convolution made of them, within its bound, which falls as it grows
{
    "$saccade" convolution kept_quadratic/net.safetensors --layer layer1 --json >of_heads && python3 - <<'PYTHON' || return 1
import json
rows = [json.loads(line) for line in open("of_heads")]
assert [row["size"] for row in rows] == list(range(1, 16, 2))
assert all(0 < row["error"] <= row["bound"] for row in rows) and rows[-1]["error"] < 1e-3 * rows[0]["error"]
outside = [row["outside"] for row in rows]
assert all(0 <= b <= a <= 1 for a, b in zip(outside, outside[1:])), outside
PYTHON
    "$saccade" convolution kept_quadratic/net.safetensors | tee table && grep -q '^layer0, 4 heads of 12 channels' table &&
        refuses 2 "has no layer of heads 'layer2', expected layer0 to layer1" \
            "$saccade" convolution kept_quadratic/net.safetensors --layer layer2 &&
        refuses 2 "--alpha and --out are for convolutions" "$saccade" convolution kept_quadratic/net.safetensors --alpha 3
}

film() # a frame a net; a picture of the last, and one of a layer over all
{
    "$saccade" heads kept_quadratic --frames heads_film --out heads.svg >/dev/null && grep -q '</svg>' heads.svg &&
        [[ $(ls heads_film) == "$(printf '%06d.png\n' 0 1 2 3)" ]] && ! cmp -s heads_film/000000.png heads_film/000003.png &&
        "$saccade" heads kept_quadratic --out layer.svg --layer 1 >/dev/null && grep -q '</svg>' layer.svg &&
        ! cmp -s layer.svg heads.svg &&
        refuses 2 "there is no layer 7: the net has layers 0 to 1" "$saccade" heads kept_quadratic --out layer.svg --layer 7 &&
        refuses 2 "--layer is for the picture of a layer" "$saccade" heads kept_quadratic --layer 1 &&
        refuses 2 "--fps is for a film" "$saccade" heads kept_quadratic --fps 9 --out heads.svg &&
        refuses 2 "--reach is for what is drawn" "$saccade" heads kept_quadratic --reach 3 &&
        refuses 1 "nowhere/x.svg: cannot be written: No such file or directory" \
            "$saccade" heads kept_quadratic --out nowhere/x.svg &&
        "$saccade" heads kept_quadratic --out near.svg --reach 1 >/dev/null && grep -q '</svg>' near.svg &&
        ! cmp -s near.svg heads.svg
}

heads_so_far() # of a run that has kept nets, and evaluated none yet
{
    local said="saccade: begun has no net.safetensors so far; this is the newest net that it kept, after epoch 2"
    cp -r kept_quadratic begun && rm begun/net.safetensors begun/nets/000003.safetensors &&
        "$saccade" heads begun --json >of_begun 2>log && [[ $(cat log) == "$said" ]] &&
        "$saccade" heads kept_quadratic/nets/000002.safetensors --json | diff of_begun - || return 1
    rm -r begun/nets
    refuses 1 "begun holds no net: net.safetensors comes with the first evaluation" "$saccade" heads begun
}

singular() # one layer, one head, one picture
{
    "$saccade" fit "${task/pictures/attention}" --run one --quiet --set net.encoding=relative-content \
        --set net.layers=1 --set net.heads=1 --set train.epochs=1 &&
        "$saccade" heads one --pictures 1 | tee table &&
        grep -q '^1 layer of 1 head over 4 x 4 tokens; attention is the mean over 1 picture$' table &&
        "$saccade" convolution --weights bare.safetensors | tee table &&
        grep -q '^convolution bare.safetensors, 1 x 1, 1 channel to 1, as 1 head; ' table
}

no_heads()
{
    refuses 1 "alone/net.safetensors is a resnet, expected an attention-net" "$saccade" heads alone &&
        refuses 1 "none/net.safetensors: " "$saccade" heads none/net.safetensors &&
        refuses 2 "a film needs a run whose nets were kept" "$saccade" heads attention-net,encoding=relative --frames no &&
        refuses 2 "expected data.folder, data.format or data.limit, did you mean 'data.folder'?" \
            "$saccade" heads kept_relative --set data.fodler=x &&
        refuses 1 "nowhere: no such folder" "$saccade" heads kept_relative-content --set data.folder=nowhere &&
        refuses 2 "pictures" "$saccade" heads kept_relative --pictures 0 &&
        refuses 2 "keep" "$saccade" fit "${task/pictures/attention}" --run no --set evaluation.keep=-1
}

drawn() # curves of one run by its folder, and of two by their files; runs of two kinds do not go together
{
    "$saccade" plot alone --out one.svg && grep -q "<svg" one.svg &&
        "$saccade" plot alone/metrics.csv colours_run/metrics.csv --out two.svg &&
        (($(stat -c %s two.svg) > $(stat -c %s one.svg))) &&
        mkdir other && echo "generation,steps,seconds" >other/metrics.csv &&
        refuses 2 "plot: alone and other do not go together" "$saccade" plot alone other --out none.svg
}

check "a run leaves its files" alone
check "stripes are learned, and the confusion table counts them" learns
check "any number of threads gives the same bytes" threads alone
check "a signal ends a run with a checkpoint, and another task is no continuation" stopped
check "a limit of time ends a run with a checkpoint, and without failure" timed
check "kills change nothing" kills alone
check "kills and threads change nothing where heads look at contents, with dropout" content_kills
check "kills and threads change nothing of a vision transformer" transformer_kills
check "a finished run is evaluated again" again
check "a run says what became of it" states
check "seconds go on after a resume" longer
check "a resume within the first epoch forgets neither time nor events" within
check "a run whose checkpoints are gone is left as it is" lost
check "the first pictures of one class are no task" few
check "gzip files of several members are read" members
check "JSON says the same" json
check "every kind of net learns" every_kind
check "a net begins with what another has learned" started
check "bad tasks and missing data get one line" refusals
check "damaged data get one line" damaged
check "CIFAR-10's form is read" cifar
check "the tasks for CIFAR-10 are carried out" cifar_tasks
check "a net classifies its test pictures as the fit did" classified
check "PNG files are classified one by one" pictures
check "runs are listed with their epochs and their accuracy" listed
[[ ! -e $(dirname "$saccade")/saccade-plot.so ]] || check "a run becomes a report" reported
check "a run goes on with its own data alone" other_data
check "a file that becomes shorter is named" shrunk
check "a fit that diverges is none, whenever it does" diverges
check "a net whose outputs are no numbers classifies nothing" too_large
check "a net whose attention is no number has no heads to see" no_attention
check "an older net is written again" older
check "a convolution of a net becomes heads, and back" convolution
check "a convolution of one's own becomes heads, and back" own_convolution
check "a task is spelled out" spelled_out
check "nets are kept, and a stop changes none" kept
check "heads of every encoding are measured" heads
check "learned heads become a convolution" heads_convolve
[[ ! -e $(dirname "$saccade")/saccade-plot.so ]] || check "heads over training become a film" film
check "heads of a run without an evaluation are those of its newest net" heads_so_far
check "one of a kind is said in the singular" singular
check "what has no heads gets one line" no_heads
check "what is no net, or does not fit it, gets one line" no_net
[[ ! -e $(dirname "$saccade")/saccade-plot.so ]] || check "curves are drawn" drawn
check "train says who carries out such a task" no_policy
finish
