#!/usr/bin/env python3
"""What a release is made with, as SPDX 2.3 in JSON: sbom.py BUILD > saccade-VERSION.spdx.json

For each program and library that was built: the libraries of others that the loader opens for it, the Debian or Python
package that holds each of these, the package's version, its licences as the package itself states them, and the
library's SHA-256. Nothing is listed by hand, so nothing is forgotten. A library that no package holds is an error.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = ("saccade", "libsaccade.so.?.*.*", "saccade-*.so")  # what is installed and has libraries to link
LOADER = ("linux-vdso", "ld-linux")


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def needed(binary):
    """{name: path} of what the dynamic section of `binary` names, and not of what these need themselves."""
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", str(binary)))
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", run("ldd", str(binary)), re.M))
    return {name: pathlib.Path(found[name]).resolve() for name in names if not name.startswith(LOADER)}


def licences(copyright_file):
    """The short names of a machine-readable copyright file, or NOASSERTION for one in free text."""
    text = copyright_file.read_text(errors="replace") if copyright_file.exists() else ""
    names = sorted(set(re.findall(r"^License:\s*(\S.*)$", text, re.M))) if text.startswith("Format:") else []
    return "; ".join(names) or "NOASSERTION"


def purl(kind, name, version):
    """The package's URL: what scanners for vulnerabilities look up."""
    return f"pkg:{kind}/{name}@{urllib.parse.quote(version, safe='')}"


def debian(path):
    """The package that holds a file: its name, version, source and licences; None for a file of no package."""
    # packages may hold a file by its path from before /lib and /usr/lib became one
    for name in (str(path), str(path).removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(": ")[0].split(",")[0]
            name, version, source = run("dpkg-query", "-W", "-f", "${Package} ${Version} ${source:Package}", package).split()
            return {"name": name, "version": version, "from": f"Debian, source package {source}",
                    "purl": purl("deb/debian", name, version),
                    "licences": licences(pathlib.Path("/usr/share/doc", name, "copyright"))}
    return None


def python(path):
    """The Python package that holds a file in a site folder, from its metadata; None where there is none."""
    for folder in path.parents:
        for metadata in folder.glob("*.dist-info/METADATA"):
            record = metadata.with_name("RECORD")
            if not record.exists() or f"{path.relative_to(folder)}," not in record.read_text():
                continue
            text = metadata.read_text()
            name, version = (re.search(rf"^{key}: (.+)$", text, re.M)[1] for key in ("Name", "Version"))
            licence = re.search(r"^License(?:-Expression)?: (.+)$", text, re.M)
            return {"name": name, "version": version, "from": "Python package", "purl": purl("pypi", name, version),
                    "licences": licence[1] if licence else "NOASSERTION"}
    return None


def spdx_id(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def digest(path, kind):
    return hashlib.new(kind, path.read_bytes()).hexdigest()


def package_entry(package):
    """SPDX has fields for licences in its own short names; a package states its licences in its own words."""
    return {"SPDXID": spdx_id(package["name"], package["version"]), "name": package["name"],
            "versionInfo": package["version"], "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "sourceInfo": package["from"], "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
            "licenseComments": f"as the package states: {package['licences']}", "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": package["purl"]}]}


def document(build, version, date):
    """The whole document: the product, each of its binaries, each library of others, and which links which."""
    product = {"SPDXID": "SPDXRef-saccade", "name": "saccade", "versionInfo": version, "downloadLocation": "NOASSERTION",
               "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
               "licenseDeclared": re.search(r"^license: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)[1],
               "copyrightText": "NOASSERTION"}
    made = sorted(path for pattern in MADE for path in build.glob(pattern) if path.is_file())
    if not made:
        sys.exit(f"sbom.py: nothing was built in {build}")
    packages, files = {}, []
    links = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": product["SPDXID"]}]
    for binary in made:
        own = {"SPDXID": spdx_id("file", binary.name), "fileName": f"./{binary.name}", "copyrightText": "NOASSERTION",
               "licenseConcluded": "NOASSERTION",
               "checksums": [{"algorithm": kind.upper(), "checksumValue": digest(binary, kind)} for kind in ("sha1", "sha256")]}
        files.append(own)
        links.append({"spdxElementId": product["SPDXID"], "relationshipType": "GENERATES", "relatedSpdxElement": own["SPDXID"]})
        for name, path in needed(binary).items():
            if path.is_relative_to(build.resolve()):
                continue
            package = debian(path) or python(path)
            if not package:
                sys.exit(f"sbom.py: {binary.name} links {path}, which no package holds")
            entry = packages.setdefault(package["purl"], package_entry(package))
            links.append({"spdxElementId": own["SPDXID"], "relationshipType": "DYNAMIC_LINK",
                          "relatedSpdxElement": entry["SPDXID"], "comment": f"{name}, SHA-256 {digest(path, 'sha256')}"})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"saccade-{version}", "documentNamespace": f"urn:saccade:{version}:{date}",
            "creationInfo": {"created": date, "creators": ["Tool: saccade-sbom"]},
            "packages": [product, *sorted(packages.values(), key=lambda p: p["SPDXID"])],
            "files": files, "relationships": links}


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: sbom.py BUILD DATE, as 2026-11-26T12:00:00Z")
    version = re.search(r"^project\(saccade VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    json.dump(document(pathlib.Path(sys.argv[1]), version, sys.argv[2]), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
