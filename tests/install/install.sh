#!/usr/bin/env bash
# Installs into an empty folder, then builds and runs small programs against what is there, as a user would.
#   install.sh BUILD_DIR
set -uo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../check.sh"

prefix=$work/prefix
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib

# a prefix of our own, and libraries where the package files are, whatever the system's habit
install_it() { DESTDIR='' cmake --install "$build" --prefix "$prefix"; }

shared()
{
    gcc -Wall -Werror "$here/program.c" -o "$work/shared" $(pkg-config --cflags --libs saccade) &&
        ldd "$work/shared" | grep "$prefix/lib/libsaccade.so.0" && "$work/shared"
}

static()
{
    mkdir -p "$work/a" && cp "$prefix/lib/libsaccade.a" "$work/a" &&
        gcc -Wall -Werror "$here/program.c" -o "$work/static" $(pkg-config --cflags saccade) -L"$work/a" \
            $(pkg-config --static --libs saccade | sed 's/-lsaccade/-l:libsaccade.a/') &&
        ! ldd "$work/static" | grep libsaccade && "$work/static"
}

attention() # the small library stands on libc and libm alone
{
    gcc -Wall -Werror -DATTENTION_ONLY "$here/program.c" -o "$work/attention" \
        $(pkg-config --cflags --libs saccade-attention) &&
        "$work/attention" && ! ldd "$work/attention" | grep -vE 'linux-vdso|libc\.so|libm\.so|ld-linux'
}

cmake_package()
{
    cmake -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/cmake" &&
        "$work/cmake/shared" && "$work/cmake/static" && "$work/cmake/attention"
}

moved() # the package files find themselves in a tree that was moved
{
    mv "$prefix" "$work/elsewhere" &&
        PKG_CONFIG_PATH=$work/elsewhere/lib/pkgconfig pkg-config --variable=includedir saccade | grep elsewhere &&
        cmake -S "$here" -B "$work/cmake2" -DCMAKE_PREFIX_PATH="$work/elsewhere" && cmake --build "$work/cmake2" &&
        LD_LIBRARY_PATH='' "$work/cmake2/shared" && LD_LIBRARY_PATH='' "$work/elsewhere/bin/saccade" envs
}

# in another folder, README's paths are those of the installed share folder; a folder of that name here comes first
elsewhere()
{
    local there=$work/there saccade=$prefix/bin/saccade
    mkdir -p "$there" && cd "$there" || return 1
    "$saccade" tasks | grep "$prefix/share/saccade/tasks/toy.yaml  *toy " && "$saccade" zoo | grep "zoo/car-racing/linear" &&
        "$saccade" train tasks/toy.yaml --generations 2 --quiet && [[ -s runs/toy/mean.safetensors ]] &&
        "$saccade" eval zoo/car-racing/linear.safetensors --seeds 0 --set max_steps=9 &&
        "$saccade" compare zoo/car-racing/linear.safetensors zoo/car-racing/softmax.safetensors --seeds 0..1 --set max_steps=9 &&
        refuses 1 "zoo/nobody.safetensors" "$saccade" eval zoo/nobody.safetensors &&
        eval "$("$saccade" zoo --commands car-racing/trans | sed "s|^saccade|'$saccade'|; s/--generations [0-9]*/--generations 1 --quiet --set search.population=4 --set evaluation.every=0/")" &&
        [[ -s runs/car-racing-trans-3/mean.safetensors ]] &&
        mkdir tasks && sed 's/^  id: toy/  id: nowhere/' "$prefix/share/saccade/tasks/toy.yaml" >tasks/toy.yaml &&
        refuses 2 "unknown name 'nowhere'" "$saccade" config tasks/toy.yaml &&
        printf -- '- a\n- list\n' >tasks/foreign.yaml && "$saccade" tasks >listed 2>said && grep '^tasks/toy.yaml  *nowhere ' listed &&
        grep "$prefix/share/saccade/tasks/toy.yaml  *toy " listed && [[ $(wc -l <said) == 1 ]] && grep 'no task: tasks/foreign.yaml' said &&
        mkdir zoo && "$saccade" zoo | grep "zoo/car-racing/linear"
    local status=$?
    cd "$OLDPWD" && return $status
}

exports() # nothing but sac_ symbols leaves the shared library
{
    nm -D --defined-only "$prefix/lib/libsaccade.so" | awk '$3 !~ /^sac_/ {print; bad = 1} END {exit bad}'
}

completions() # where each shell looks for them
{
    local file
    for file in bash-completion/completions/saccade zsh/site-functions/_saccade fish/vendor_completions.d/saccade.fish; do
        [[ -s $prefix/share/$file ]] || { echo "$file"; return 1; }
    done
}

licences() # of saccade and of those whose numbers describe the robots, with their holders
{
    local folder=$prefix/share/saccade/licences
    cmp "$here/../../LICENSE" "$folder/saccade.txt" && grep -q "^Copyright .*Unitree Robotics" "$folder/go1.txt" && grep -q "Erwin Coumans" "$folder/laikago.txt"
}

uninstalls() # it counts what it removed, not what was there once, and leaves no folder of ours
{
    # a build folder of its own, so that the manifest of this one stays as it is
    local place=$work/manifest count
    mkdir "$place" && sed "s|^$prefix|$work/gone|" "$build/install_manifest.txt" >"$place/install_manifest.txt" &&
        cp -a "$prefix" "$work/gone" && mkdir "$work/gone/lib/other" || return 1
    remove() { DESTDIR='' cmake -D MANIFEST="$place/install_manifest.txt" -P cmake/uninstall.cmake; }
    count=$(grep -c . "$place/install_manifest.txt")
    rm "$work/gone/bin/saccade"
    (cd "$here/../.." && remove) | tee "$work/said" || return 1
    grep -qx -- "-- removed $((count - 1)) files; 1 that the last install listed were not there" "$work/said" || return 1
    [[ -z $(find "$work/gone" -type f -o -type l -o -name saccade) && -d $work/gone/lib/other ]] || return 1
    (cd "$here/../.." && remove) | grep -qx -- "-- removed 0 files; $count that the last install listed were not there"
}

check "install" install_it
check "uninstall" uninstalls
check "the installed command runs" "$prefix/bin/saccade" envs
check "the manual is installed" test -s "$prefix/share/man/man1/saccade.1"
check "completion is installed" completions
check "licences are installed" licences
check "pkg-config, shared" shared
check "pkg-config, static" static
check "pkg-config, attention alone" attention
check "CMake package" cmake_package
check "exported symbols" exports
check "paths of README elsewhere" elsewhere
check "a moved tree" moved
finish
