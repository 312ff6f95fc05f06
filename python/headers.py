"""Reads the public C headers: what they declare becomes the binding, what they say becomes the docstrings.

The headers stay the only truth. The C preprocessor leaves plain declarations, which cffi compiles against the same
headers; comments (///) are collected by the name that they describe.
"""
import pathlib
import re
import subprocess
import tempfile

STANDARD = ("stdbool.h", "stddef.h", "stdint.h")  # cffi knows their types itself
FIELD = re.compile(r"\b(\w+)(?:\[\w+\])*\s*(?:,|;|$|= -?\w+,)")


def files(include):
    return sorted(pathlib.Path(include, "saccade").glob("*.h"))


def declarations(include, compiler="cc"):
    """Everything that the headers declare, in cffi's form of C."""
    source = "".join(f'#include "saccade/{path.name}"\n' for path in files(include))
    with tempfile.TemporaryDirectory() as empty:
        for name in STANDARD:
            pathlib.Path(empty, name).touch()
        text = subprocess.run([compiler, "-E", "-P", "-xc", "-nostdinc", f"-I{empty}", f"-I{include}",
                               "-D__attribute__(x)=", "-"], input=source, text=True, check=True,
                              stdout=subprocess.PIPE).stdout
    return "".join(f"#define {name} ...\n" for name in constants(include)) + text


def constants(include):
    """Names of macros that are whole numbers."""
    return [name for path in files(include)
            for name, value in re.findall(r"^#define (SAC_\w+) +(\S+)$", path.read_text(), re.M)
            if re.match(r"\d|U?INT\d", value)]


def _named(code):
    """The names that a piece of a header declares."""
    typedef = re.match(r"typedef (?:struct|enum) (sac_\w+)", code)
    if typedef:
        return [typedef[1]]
    return re.findall(r"\b(sac_\w+)\(", code)[:1]


def _paragraph(lines):
    return "\n".join(line.strip()[3:].removeprefix("<")[1:] for line in lines).strip()


def documentation(include):
    """What the headers say: {name of a function or a type: text}, fields as {type.field: text}."""
    docs = {}
    for path in files(include):
        comment, owner, last = [], None, None
        for line in path.read_text().splitlines():
            stripped = line.strip()
            if stripped.startswith("///<") and last:  # goes on from the line above
                docs[last] += " " + stripped[4:].strip()
                continue
            if stripped.startswith("///"):
                comment.append(stripped)
                continue
            code, _, trailing = line.partition("///<")
            names = _named(code)
            if names:
                last = names[0]
                text = " ".join(filter(None, [_paragraph(comment), trailing.strip()]))
                docs.setdefault(last, text) if text else None
                owner = last if code.startswith("typedef") else owner
                last = last if trailing else None
            elif owner and (trailing or comment) and FIELD.search(code):
                for field in FIELD.findall(code):
                    last = f"{owner}.{field}"
                    docs[last] = trailing.strip() or _paragraph(comment)
            else:
                last = None
            if line.startswith("}"):
                owner = None
            comment = []
    return docs
