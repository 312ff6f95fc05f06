#!/usr/bin/env bash
# saccade cloud: recorded depth pictures give the objects that stood there, in words, as JSON and as a file: command.sh SACCADE
set -uo pipefail
saccade=$1
source "$(dirname "$0")/../check.sh"

seen() # PICTURE OBJECTS: the text and the JSON say the same
{
    local file=tests/cloud/data/table_$1.safetensors bounds=(--set least_x=-0.45 --set most_x=0.45 --set least_y=-0.3 --set most_y=0.3 --set least_z=-0.05)
    "$saccade" cloud "$file" "${bounds[@]}" >"$work/text" &&
        "$saccade" cloud "$file" "${bounds[@]}" --json --out "$work/objects.safetensors" >"$work/json" &&
        python3 - "$work" "$2" <<'END'
import json, struct, sys
work, count = sys.argv[1], int(sys.argv[2])
said, text = json.load(open(f"{work}/json")), open(f"{work}/text").read().splitlines()
assert len(said["objects"]) == said["clusters"] == count, said
assert text[0].endswith(f"; {count} objects"), text[0]
rows = [line.split() for line in text[3:]]
assert len(rows) == count
for row, one in zip(rows, said["objects"]):
    assert int(row[1]) == one["points"]
    assert all(abs(float(a) - b) <= 5e-5 for a, b in zip(row[2:], one["center"] + one["axis"])), (row, one)
file = open(f"{work}/objects.safetensors", "rb").read()
size = struct.unpack("<Q", file[:8])[0]
head = json.loads(file[8:8 + size])
for i, one in enumerate(said["objects"]):
    tensor = head[f"object_{i}"]
    assert tensor["shape"] == [one["points"], 3]
    begin, end = (8 + size + at for at in tensor["data_offsets"])
    numbers = struct.unpack(f"<{3 * one['points']}f", file[begin:end])
    for d in range(3):  # the mean of floats, which is rounded to one
        assert abs(sum(numbers[d::3]) / one["points"] - one["center"][d]) < 1e-6
END
}

file=tests/cloud/data/table_0.safetensors
check "picture 0" seen 0 5
check "picture 1" seen 1 6
check "picture 2" seen 2 6
head -c 3000 $file >"$work/cut.safetensors"
check "a cut file is refused" refuses 1 "cut.safetensors" "$saccade" cloud "$work/cut.safetensors"
check "another file is refused" refuses 1 "depth" "$saccade" cloud tests/golden/data/codec_a.safetensors
wrong=tests/fuzz/corpus/cloud
check "an infinite focal length is refused" refuses 1 "a focal length of intrinsics is inf" "$saccade" cloud $wrong/focal_infinite
check "a middle that is no number is refused" refuses 1 "the middle of intrinsics is at nan" "$saccade" cloud $wrong/middle_nan
check "a pose of zeros is refused" refuses 1 "rows 0 and 0 of the pose's rotation have the product 0, expected 1" "$saccade" cloud $wrong/pose_zero
check "an axis that is too long is refused" refuses 1 "have the product 9, expected 1" "$saccade" cloud $wrong/pose_long_axis
check "a skew pose is refused" refuses 1 "rows 0 and 1 of the pose's rotation" "$saccade" cloud $wrong/pose_skew
check "a pose of NaN is refused" refuses 1 "have the product nan" "$saccade" cloud $wrong/pose_nan
check "a pose that mirrors is refused" refuses 1 "mirrors" "$saccade" cloud $wrong/pose_mirrored
check "a place out of this world is refused" refuses 1 "has the position 1e+300" "$saccade" cloud $wrong/position_huge
check "an empty box is refused" refuses 2 "no point lies within the bounds" "$saccade" cloud $file --set least_z=0.9
check "bounds have an order" refuses 2 "bounds of axis 2" "$saccade" cloud $file --set least_z=2
check "options are named" refuses 2 "did you mean 'reach'" "$saccade" cloud $file --set reech=0.1
finish
