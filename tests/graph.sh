#!/usr/bin/env bash
# scripts/graph.py finds what it is there to find: in a small tree of two rooms that is in order, one thing at a time is
# spoilt, and the script must name it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
source tests/check.sh
for tool in python3 git cc nm; do
    command -v "$tool" >/dev/null || { echo "graph: $tool is missing"; exit 77; }
done
tree=$work/tree

plant() # a tree in order: upper uses lower, lower uses nothing, aside is used by nobody
{
    rm -rf "$tree"
    mkdir -p "$tree"/{scripts,docs,src/lower,src/env/upper,src/aside}
    git init -q "$tree"
    cp scripts/graph.py "$tree/scripts/"
    cat >"$tree/src/CMakeLists.txt" <<'TEXT'
sac_room(lower PUBLIC lower.h) # sac_room(ghost)
sac_room(aside USES lower)
sac_room(env USES lower)
sac_room(upper WORLD LEVELS fast.c)
get_property(worlds GLOBAL PROPERTY SAC_WORLDS)
sac_room(top FOLDER env/top USES ${worlds})
TEXT
    cat >"$tree/docs/design.md" <<'TEXT'
| room | holds | uses |
| --- | --- | --- |
| `lower` | one | libc |
| `aside` | two | lower |
| `env` | three | lower; libpng |
| `env/upper` | four | env |
| `env/top` | five | env/upper |
TEXT
    echo 'int first(void);' >"$tree/src/lower/first.h"
    echo 'int second(void); int first(void) { return second(); }' >"$tree/src/lower/first.c"
    echo 'int second(void) { return 2; }' >"$tree/src/lower/second.c"
    printf '#include "lower/first.h"\nint upper(void) { return first(); }\n' >"$tree/src/env/upper/upper.c"
    echo 'int aside(void) { return 3; }' >"$tree/src/aside/aside.c"
    touch "$tree/src/aside/aside.h"
}

graph() # compile the tree's sources as the build does, and look at them
{
    local source room object
    for source in $(cd "$tree/src" && find . -name '*.c' -not -path '*/modules/*' -printf '%P\n'); do
        room=$(basename "$(dirname "$source")")
        object=$tree/build/src/CMakeFiles/sac_$room.dir/$source.o
        mkdir -p "$(dirname "$object")"
        cc -w -I"$tree/src" -c "$tree/src/$source" -o "$object" || return 1
    done
    for source in $(cd "$tree" && find cli bench src/lower/modules -name '*.c' 2>/dev/null); do # targets of their own
        object=$tree/build/$(dirname "$source")/CMakeFiles/it.dir/$(basename "$source").o
        mkdir -p "$(dirname "$object")"
        cc -w -I"$tree/src" -c "$tree/$source" -o "$object" || return 1
    done
    python3 "$tree/scripts/graph.py" "$tree/build" >"$work/said" 2>&1
}

in_order()
{
    plant
    graph || { cat "$work/said"; return 1; }
    [[ $(cat "$work/said") == "6 files in 5 rooms, 2 calls between files" ]] || { cat "$work/said"; return 1; }
}

found() # SENTENCE...: the tree is refused, and for this reason alone
{
    if graph; then echo "accepted"; return 1; fi
    diff <(tail -n +2 "$work/said") <(printf '%s\n' "$@")
}

circle()
{
    plant
    echo 'int first(void); int second(void) { return first(); }' >"$tree/src/lower/second.c"
    found "files that call each other in a circle: lower/first, lower/second"
}

include_upwards()
{
    plant
    printf '#include "aside/aside.h"\n' >>"$tree/src/lower/first.c"
    found "room lower uses aside, which stands after it: src/lower/first.c includes aside/aside.h"
}

include_sideways()
{
    plant
    printf '#include "aside/aside.h"\n' >>"$tree/src/env/upper/upper.c"
    found "room upper uses aside without declaring it in src/CMakeLists.txt: src/env/upper/upper.c includes aside/aside.h"
}

call_upwards() # no include betrays it
{
    plant
    echo 'int upper(void); int second(void) { return upper(); }' >"$tree/src/lower/second.c"
    echo 'int upper(void) { return 1; }' >"$tree/src/env/upper/upper.c"
    found "room lower uses upper, which stands after it: src/lower/second.c calls upper"
}

large_folder() # 25 files are allowed, one more is not
{
    plant
    for i in {3..24}; do echo "int number_$i;" >"$tree/src/lower/number_$i.h"; done
    graph || { cat "$work/said"; return 1; }
    echo "int number_25;" >"$tree/src/lower/number_25.h"
    found "src/lower: 26 source files in one folder, at most 25"
}

large_folders_of_others() # scripts and programs count, a list of programs does not
{
    plant
    mkdir -p "$tree"/{scripts,tests/unit}
    for i in {1..26}; do echo "int main(void) { return 0; }" >"$tree/tests/unit/test_$i.c"; done
    for i in {1..25}; do echo "pass" >"$tree/scripts/number_$i.py"; done
    found "scripts: 26 source files in one folder, at most 25"
}

program() # SENTENCE...: with a command on top of the rooms
{
    sed -i '$a | `bench` | six | all of `src` |\n| `cli` | seven | all of `src`, bench |' "$tree/docs/design.md"
    found "$@"
}

circle_in_a_program()
{
    plant
    mkdir -p "$tree"/{cli,bench}
    echo 'int table(void); int main(void) { return table(); }' >"$tree/cli/main.c"
    echo 'int main(void); int table(void) { return main(); }' >"$tree/cli/table.c"
    program "files that call each other in a circle: cli/main, cli/table"
}

call_of_a_program()
{
    plant
    mkdir -p "$tree"/{cli,bench}
    echo 'int row(void); int main(void) { return row(); }' >"$tree/cli/main.c"
    echo 'int word(void) { return 1; }' >"$tree/cli/word.c"
    echo 'int word(void); int row(void) { return word(); }' >"$tree/bench/row.c"
    program "room bench uses cli, which stands after it: bench/row.c calls word"
}

call_of_a_module() # it belongs to the room in whose folder it lies
{
    plant
    mkdir -p "$tree/src/lower/modules"
    echo 'int aside(void); int module(void) { return aside(); }' >"$tree/src/lower/modules/module.c"
    found "room lower uses aside, which stands after it: src/lower/modules/module.c calls aside"
}

other_table()
{
    plant
    sed -i '/`aside`/d; s/| five | env.upper |/| five | lower |/' "$tree/docs/design.md"
    found "docs/design.md: the table of rooms lacks \`aside\`" \
        "docs/design.md: \`env/top\` uses lower; src/CMakeLists.txt says env/upper"
}

nothing_built()
{
    plant
    rm -rf "$tree/build"
    ! python3 "$tree/scripts/graph.py" "$tree/build" >"$work/said" 2>&1 && grep -q "build first" "$work/said"
}

check "a tree in order is accepted" in_order
check "files that call each other in a circle" circle
check "an include of a higher room" include_upwards
check "an include of a room that is not declared" include_sideways
check "a call of a higher room" call_upwards
check "a folder that is too large" large_folder
check "a large folder of scripts, and one of programs" large_folders_of_others
check "a circle in a program" circle_in_a_program
check "a call of a program that stands above" call_of_a_program
check "a call by a module" call_of_a_module
check "a table of rooms that says something else" other_table
check "a tree that was not built" nothing_built
finish
