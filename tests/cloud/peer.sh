#!/usr/bin/env bash
# Every step of saccade/cloud.h beside the Point Cloud Library's, on depth pictures that the renderer drew: those
# of tests/cloud/data, 120 x 160, and the same tables at 480 x 640: peer.sh CLOUD_STEPS CLOUD_RECORD
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
modules=(pcl_common pcl_filters pcl_segmentation pcl_search pcl_sample_consensus)
if ! command -v g++ pkg-config >/dev/null || ! flags=$(pkg-config --cflags --libs "${modules[@]}" 2>/dev/null); then
    echo "skip: needs a peer: the Point Cloud Library (Debian's libpcl-dev and g++)"
    exit 77
fi
source tests/check.sh

read -ra flags <<<"$flags"
check "the peer compiles" g++ -O1 -std=c++17 -w -Ibench/peers tests/cloud/peer.cc -o "$work/peer" "${flags[@]}"
check "larger pictures" "$2" "$work" 480 640
for picture in tests/cloud/data/*.safetensors "$work"/table_*.safetensors; do
    name=$(basename "$picture" .safetensors)
    [[ $picture == "$work"/* ]] && name+=" at 480 x 640"
    check "$name: our steps" "$1" "$picture" "$work/steps"
    for step in points bounds voxels plane beside clusters axes whole; do
        check "$name: $step" "$work/peer" "$work/steps" "$step"
    done
done
finish
