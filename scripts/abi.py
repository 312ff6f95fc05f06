#!/usr/bin/env python3
"""What two descriptions of the C interface by abidw differ in: abi.py LAST.abi NOW.abi prints a name a line.

A name is that of a function that was taken away, or of a struct, an enum or a union that headers spell out and that
has other members, other places of them, or another size. abidiff leaves out some of these, because it reports what
functions can reach, and each type once.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree

HEADERS = pathlib.Path(__file__).resolve().parent.parent / "include" / "saccade"


def functions(root):
    return {symbol.get("name") for symbol in root.iterfind("elf-function-symbols/elf-symbol")}


def types(root):
    """{name: size and members} of all that are defined and not only declared"""
    found = {}
    for kind, member in (("class-decl", "data-member"), ("union-decl", "data-member"), ("enum-decl", "enumerator")):
        for one in root.iter(kind):
            if one.get("is-declaration-only") == "yes" or one.find(member) is None:
                continue
            members = [(part.get("layout-offset-in-bits"), item.get("name"), item.get("value"))
                       for part in one.iterfind(member)
                       for item in ([part] if kind == "enum-decl" else part.iterfind("var-decl"))]
            found[one.get("name")] = (one.get("size-in-bits"), members)
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: abi.py LAST.abi NOW.abi")
    last, now = (xml.etree.ElementTree.parse(path).getroot() for path in sys.argv[1:])
    headers = "\n".join(path.read_text() for path in sorted(HEADERS.glob("*.h")))
    spelt = set(re.findall(r"^(?:typedef )?(?:struct|enum|union) (sac_\w+)$", headers, re.M))
    opaque = set(re.findall(r"^typedef struct (sac_\w+) sac_\w+;", headers, re.M))
    gone = functions(last) - functions(now)
    before, after = types(last), types(now)
    # what an enum gained at its end changes nothing for those that do not know it
    changed = {name for name in before.keys() & after.keys() & spelt if before[name] != after[name] and not (
        before[name][1][0][0] is None and after[name][1][:len(before[name][1])] == before[name][1])}
    lost = {name for name in before.keys() - after.keys() - opaque if name and name.startswith("sac_")}
    print("\n".join(sorted(gone | changed | lost)))


if __name__ == "__main__":
    main()
