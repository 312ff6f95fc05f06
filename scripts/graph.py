#!/usr/bin/env python3
"""The structure of the sources as a graph, and what may not be in it.

    graph.py BUILD [--dot FILE]

A room is a folder that src/CMakeLists.txt declares with sac_room; its order there is the reading order, in which a room
uses only rooms above it. The folders of PROGRAMS follow: each is a room that uses all of src/ and the programs that are
named with it. Modules that are opened on demand belong to the room in whose folder they lie. Files are joined by
#include lines and by the symbols that the objects in BUILD define and want. It is an error
  - when files call each other in a circle (a .c file and the header of the same name are one file),
  - when a room includes or calls what it does not declare to use, or what does not stand before it,
  - when a folder of FOLDERS has more than 25 source files, but for those in LISTS,
  - when the table of rooms in docs/design.md says anything else.
Calls through tables of functions are not seen, which is their purpose.
"""
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_FILES = 25
PROGRAMS = {"theory": [], "bench": [], "cli": ["theory", "bench"]}
FOLDERS = ["src", *PROGRAMS, "include", "python", "examples", "scripts", "tests"]
LISTS = {"tests/unit": "each file is a program of its own, which no other calls; the build finds it by its name",
         "include/saccade": "its paths are those of the installed headers, which programs of others include"}
SOURCE = (".c", ".h", ".py", ".sh", ".js")
problems = []


def rooms_of_cmake():
    """{room: (folder, rooms that it uses)} in reading order."""
    text = re.sub(r"#.*", "", (ROOT / "src/CMakeLists.txt").read_text())
    rooms, worlds = {}, []
    for name, rest in re.findall(r"sac_room\((\w+)([^)]*)\)", text):
        folder = re.search(r"FOLDER (\S+)", rest)
        uses = re.search(r"USES ((?:[a-z_${}]+\s*)+)", rest)
        declared = uses.group(1).replace("${worlds}", " ".join(worlds)).split() if uses else []
        if name in rooms:  # a room that is built in two ways is declared twice
            continue
        if re.search(r"\bWORLD\b", rest):
            worlds.append(name)
            rooms[name] = (folder.group(1) if folder else f"env/{name}", ["env"] + declared)
        else:
            rooms[name] = (folder.group(1) if folder else name, declared)
    below = list(rooms)
    for name, others in PROGRAMS.items():
        if (ROOT / name).is_dir():
            rooms[name] = (name, below + [other for other in others if other in rooms])
    return rooms


def inside(path):
    """A file by its place in src/, or where it is none of those, in the repository."""
    try:
        return path.relative_to(ROOT / "src")
    except ValueError:
        return path.relative_to(ROOT)


def unit_of(path):
    """A .c file and its header are one unit: src/run/task.c and src/run/task.h are run/task."""
    return str(inside(path).with_suffix(""))


def room_of(path, rooms):
    """The room with the longest folder that holds a file."""
    name = str(inside(path))
    fitting = [(len(folder), room) for room, (folder, _) in rooms.items() if name.startswith(folder + "/")]
    return max(fitting)[1] if fitting else None


def names():
    """What git knows or would take in, or what a release's tarball lists."""
    if (ROOT / "FILES").exists():
        return [name for name in (ROOT / "FILES").read_text().split() if name.startswith(tuple(f + "/" for f in FOLDERS))]
    return subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *FOLDERS], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout.split()


def sources():
    tracked = names()
    return [ROOT / name for name in tracked if name.endswith(SOURCE) and (ROOT / name).exists()]


def includes_of(files):
    """{file: files that it includes}: beside it, in src/ or in a program's folder"""
    found = {}
    for file in files:
        names = re.findall(r'^\s*#\s*include "([^"]+)"', file.read_text(), re.M)
        places = [[p / n for p in (file.parent, ROOT / "src", *(ROOT / q for q in PROGRAMS))] for n in names]
        found[file] = [next(p for p in ps if p.exists()).resolve() for ps in places if any(p.exists() for p in ps)]
    return found


def symbols_of(objects):
    """Two maps: symbol -> the object that defines it, object -> symbols that it wants."""
    defines, wants = {}, defaultdict(set)
    for path in objects:
        for line in subprocess.run(["nm", "-g", str(path)], check=True, capture_output=True, text=True).stdout.splitlines():
            kind, name = line.split()[-2:]
            if kind == "U":
                wants[path].add(name)
            elif kind in "TDBRC":
                defines[name] = path
    return defines, wants


def source_of(path, build):
    """The source that an object was made from; a source that is compiled once a CPU level has a wrapper."""
    place = re.match(r"(.*)/CMakeFiles/[^/]+\.dir/(.*)\.o$", str(path.relative_to(build)))
    if place and (ROOT / place.group(1) / place.group(2)).exists():
        return (ROOT / place.group(1) / place.group(2)).resolve()
    level = re.search(r"/levels/(\w+\.c)\.o$", str(path))
    wrapper = build / "levels" / level.group(1) if level else None
    if wrapper and wrapper.exists():
        return Path(re.search(r'#include "(.*\.c)"', wrapper.read_text()).group(1))
    return None


def objects_of(build):
    """The objects of rooms, modules and programs; one whose source is gone is left from an earlier build."""
    places = [build / folder for folder in ("src", *PROGRAMS)]
    found = sorted(o for place in places for o in place.glob("**/CMakeFiles/*.dir/**/*.o"))
    return [o for o in found if source_of(o, build)]


def circles(graph):
    """Strongly connected components of more than one node (Tarjan 1972)."""
    index, low, stack, on, found, counter = {}, {}, [], set(), [], [0]

    def visit(node):
        index[node] = low[node] = counter[0]
        counter[0] += 1
        stack.append(node)
        on.add(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = []
            while True:
                part.append(stack.pop())
                on.discard(part[-1])
                if part[-1] == node:
                    break
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def check_folders(files):
    count = defaultdict(int)
    for file in files:
        count[file.parent] += 1
    for folder, number in sorted(count.items()):
        name = str(folder.relative_to(ROOT))
        if number > MOST_FILES and name not in LISTS:
            problems.append(f"{name}: {number} source files in one folder, at most {MOST_FILES}")


def check_rooms(edges, rooms):
    """edges: {(room, room): an example}"""
    order = list(rooms)

    def reach(room):
        seen, todo = set(), list(rooms[room][1])
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += rooms[one][1]
        return seen

    for (a, b), example in sorted(edges.items()):
        if order.index(b) > order.index(a):
            problems.append(f"room {a} uses {b}, which stands after it: {example}")
        elif b not in reach(a):
            problems.append(f"room {a} uses {b} without declaring it in src/CMakeLists.txt: {example}")


def check_design(rooms):
    """The table of rooms in docs/design.md against src/CMakeLists.txt."""
    text = (ROOT / "docs/design.md").read_text()
    table = dict(re.findall(r"^\| `([\w/]+)` \|.*\| ([^|]*) \|$", text, re.M))
    for room, (folder, uses) in rooms.items():
        if folder not in table:
            problems.append(f"docs/design.md: the table of rooms lacks `{folder}`")
            continue
        said = set(re.findall(r"[a-z_/]+", re.sub(r";.*", "", table[folder]))) & {f for f, _ in rooms.values()}
        meant = {rooms[u][0] for u in uses if room not in PROGRAMS or u in PROGRAMS}
        if said != meant:
            problems.append(f"docs/design.md: `{folder}` uses {', '.join(sorted(said)) or 'nothing'}; "
                            f"src/CMakeLists.txt says {', '.join(sorted(meant)) or 'nothing'}")


def write_dot(path, rooms, edges):
    lines = ["digraph rooms {", "  rankdir=BT; node [shape=box, fontname=sans];"]
    lines += [f'  "{rooms[a][0]}" -> "{rooms[b][0]}";' for a, b in sorted(edges) if a not in PROGRAMS]
    Path(path).write_text("\n".join(lines) + "\n}\n")


def main():
    build = Path(sys.argv[1]).resolve()
    rooms, files = rooms_of_cmake(), sources()
    units, room_edges = defaultdict(set), {}

    def join(a, b, what):
        if a == b:
            return
        ra, rb = room_of(a, rooms), room_of(b, rooms)
        if ra and rb and ra != rb:
            room_edges.setdefault((ra, rb), f"{a.relative_to(ROOT)} {what}")
        return ra, rb

    drawn = [f for f in files if f.suffix in (".c", ".h") and room_of(f, rooms)]
    for file, others in includes_of(drawn).items():
        for other in others:
            join(file, other, f"includes {inside(other)}")
    objects = objects_of(build)
    if not objects:
        sys.exit(f"graph.py: no objects in {build}: build first")
    defines, wants = symbols_of(objects)
    for path, names in wants.items():
        source = source_of(path, build)
        for name in names:
            target = source_of(defines[name], build) if name in defines else None
            if source and target and source != target:
                join(source, target, f"calls {name}")
                units[unit_of(source)].add(unit_of(target))

    for circle in circles(units):
        problems.append("files that call each other in a circle: " + ", ".join(circle))
    check_folders(files)
    check_rooms(room_edges, rooms)
    check_design(rooms)
    if "--dot" in sys.argv:
        write_dot(sys.argv[sys.argv.index("--dot") + 1], rooms, room_edges)
    print(f"{len(drawn)} files in {len(rooms)} rooms, {sum(map(len, units.values()))} calls between files")
    for problem in problems:
        print(problem)
    sys.exit(bool(problems))


main()
