#!/usr/bin/env bash
# make docs: the guides and the reference of the C interface as a site, build/docs/index.html. Fails on a warning, and on a
# link or a picture that leads nowhere.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh doxygen
mkdir -p build
rm -rf build/docs
doxygen docs/Doxyfile

# what a page links to and Doxygen has not made, such as a program in examples/, comes along
bad=0
cd build/docs
while IFS=: read -r page target; do
    [[ ! -e $target ]] || continue
    case $page in md_docs_*) from=docs ;; md_zoo_car_racing_*) from=zoo/car-racing ;; md_zoo_control_*) from=zoo/control ;; md_zoo_legs_*) from=zoo/legs ;; md_zoo_grasp_*) from=zoo/grasp ;; md_zoo_rooms_*) from=zoo/rooms ;; md_zoo_*) from=zoo ;; *) from=. ;; esac
    file=$(realpath -m --relative-to=../.. "../../$from/$target")
    if [[ ! -f ../../$file ]]; then
        echo "$page: $target leads nowhere" >&2
        bad=1
        continue
    fi
    place=md_$(tr '/-' '__' <<<"${file%.md}").html # what Doxygen calls a document
    if [[ ! -e $place ]]; then
        place=source/$file
        mkdir -p "$(dirname "$place")"
        cp "../../$file" "$place"
    fi
    sed -i "s|=\"$target\([\"#]\)|=\"$place\1|g" "$page"
done < <(grep -oE '(src|href)="[^"#]+' ./*.html | grep -vE '="(https?|javascript):' | sed -E 's/^\.\///; s/(src|href)="//' | sort -u)
[[ $bad == 0 ]] && echo "build/docs/index.html"
