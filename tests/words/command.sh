#!/usr/bin/env bash
# saccade words: scores of a file of embeddings, in words and as JSON, and what is wrong in one line: command.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"
file=$work/views.safetensors

told() # the JSON is formula (1), and the text says the same
{
    python3 examples/embeddings.py "$file" && "$saccade" words "$file" --text blue --json >"$work/json" &&
        "$saccade" words "$file" --text blue >"$work/text" && python3 - "$work" <<'END'
import json, math, struct, sys
work = sys.argv[1]
said, = json.load(open(f"{work}/json"))
file = open(f"{work}/views.safetensors", "rb").read()
size = struct.unpack("<Q", file[:8])[0]
head = json.loads(file[8:8 + size])
def numbers(name):
    begin, end = (8 + size + at for at in head[name]["data_offsets"])
    return struct.unpack(f"<{(end - begin) // 4}f", file[begin:end])
patches, texts = numbers("patches"), numbers("texts")
query = texts[6:9]
powers = [math.exp(sum(a * b for a, b in zip(query, patches[3 * i:3 * i + 3]))) for i in range(24)]
scores = [p / sum(powers) for p in powers]
assert said["text"] == "blue" and len(said["scores"]) == 24
assert all(abs(a - b) < 1e-6 for a, b in zip(scores, said["scores"]))
best = max(range(24), key=lambda i: scores[i])
top = said["kept"][0]
assert (top["row"], top["column"]) == (best // 6, best % 6) == (2, 4)
kept = sorted(scores, reverse=True)[:3]
assert abs(top["share"] - kept[0] / sum(kept)) < 1e-6
assert abs(said["mean"][0] - sum(s * (i // 6) for i, s in enumerate(scores))) < 1e-4
text = open(f"{work}/text").read().splitlines()
assert text[0].startswith(f"blue: (2, 4) {scores[best]:.6f}"), text[0]
assert text[3].split()[4] == "#" and len(text) == 5, text
END
}

refuses() # WORDS ARGUMENT...: one line that says so
{
    local words=$1
    shift
    ! "$saccade" words "$@" >"$work/out" 2>"$work/error" || return 1
    [[ $(wc -l <"$work/error") == 1 && ! -s $work/out ]] && grep -qF -- "$words" "$work/error"
}

check "scores are those of the formula" told
check "every kernel has scores that add up to one" bash -c "for k in softmax relu exp square; do
    '$saccade' words '$file' --text red --json --set kernel=\$k | python3 -c 'import json, sys
assert abs(sum(json.load(sys.stdin)[0][\"scores\"]) - 1) < 1e-5' || exit 1; done"
check "the seed decides what is drawn" bash -c "cmp <('$saccade' words '$file') <('$saccade' words '$file') &&
    for s in 2 3 4 5 6 7 8 9; do '$saccade' words '$file' --set seed=\$s; done | sort -u | grep -c red | grep -q 3"
check "a text that is not there" refuses "did you mean 'blue'?" "$file" --text blu
check "a picture that is not there" refuses "--picture 1, expected 0 to 0" "$file" --picture 1
check "a picture that is no number" refuses "expected a whole number" "$file" --picture x
check "features of softmax" refuses "softmax has none" "$file" --set features=8
check "a file that is not there" refuses "no.safetensors" "$work/no.safetensors"
check "a file without names" refuses "has no 'texts'" tests/fuzz/corpus/words/names_none
check "a number that is none" refuses "expected finite numbers" tests/fuzz/corpus/words/nan
for kernel in softmax relu square; do
    check "scores of $kernel beyond float32" refuses "scores of 'red ball' leave the range of float32" \
        tests/fuzz/corpus/words/huge --json --set kernel=$kernel
done
finish
