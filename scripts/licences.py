"""What a Debian package says of its licences, in SPDX's terms.

A machine-readable copyright file (debian.org/doc/packaging-manuals/copyright-format/1.0) names the licence of each
group of files. What its manual defines has a name of SPDX's own; every other name becomes a LicenseRef with the text
that stands in that file. A file in free text is one LicenseRef with all of it.
"""
import re

# names of the manual's, whatever their case, without a version
SHORT = {"apache": "Apache", "artistic": "Artistic", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause",
         "bsd-4-clause": "BSD-4-Clause", "isc": "ISC", "cc0": "CC0", "expat": "MIT", "mpl": "MPL", "zlib": "Zlib"}
GNU = re.compile(r"(A?L?GPL|GFDL)-(\d)(?:\.(\d))?(\+?)")


def identifier(words):
    return re.sub(r"[^A-Za-z0-9.-]+", "-", words).strip("-")


def atom(name, package):
    """One licence's name."""
    if gnu := GNU.fullmatch(name):
        family, major, minor, later = gnu.groups()
        return f"{family}-{major}.{minor or 0}-{'or-later' if later else 'only'}"
    short, _, number = re.fullmatch(r"(.*?)(-(\d[\d.]*))?", name).groups()
    if name.lower() in SHORT:
        return SHORT[name.lower()]
    if short.lower() in SHORT and number:
        return f"{SHORT[short.lower()]}-{number}"
    return f"LicenseRef-{identifier(package)}-{identifier(name)}"


def expression(words, package):
    """A synopsis such as "GPL-2+ or Expat, and Zlib": `and` binds closer than `or`, and a comma less than both."""
    for separator, operator in ((r",\s*and\s+", " AND "), (r",\s*or\s+", " OR "), (r"\s+or\s+", " OR "),
                                (r"\s+and\s+", " AND ")):
        parts = re.split(separator, words, flags=re.I)
        if len(parts) > 1:
            return operator.join(_within(operator, expression(part, package)) for part in parts)
    return atom(words.strip(), package)


def _within(operator, part):
    """In brackets where the other operator would take it apart."""
    other = " OR " if operator == " AND " else " AND "
    return f"({part})" if other in part and not re.fullmatch(r"\([^()]*\)", part) else part


def _fields(paragraph):
    """{name: value} of one paragraph; lines that go on begin with a space."""
    return {name: value for name, value in re.findall(r"^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph, re.M)}


def declared(text, package):
    """(expression, {LicenseRef: text}) of a copyright file. What holds for packaging alone, debian/*, is left out."""
    if not text.startswith("Format:"):
        reference = f"LicenseRef-{identifier(package)}"
        return reference, {reference: text}
    used, texts = set(), {}
    for fields in map(_fields, re.split(r"\n\s*\n(?=\S)", text)):
        synopsis, _, full = fields.get("License", "").partition("\n")
        if not synopsis.strip():
            continue
        of_files = fields.get("Files", "*" if "Format" in fields else "").split()
        if of_files and not all(pattern.startswith("debian/") for pattern in of_files):
            whole = expression(synopsis.strip(), package)
            used |= {_within(" AND ", whole)} if " OR " in whole else set(whole.split(" AND "))
        if full.strip():
            texts.setdefault(expression(synopsis.strip(), package), re.sub(r"^[ \t]\.?", "", full, flags=re.M))
    every = " AND ".join(sorted(used))
    references = set(re.findall(r"LicenseRef-[A-Za-z0-9.-]+", every))
    return every, {name: texts.get(name, f"as in /usr/share/doc/{package}/copyright") for name in sorted(references)}
