#!/usr/bin/env python3
"""What a release is made with, as SPDX 2.3 in JSON: sbom.py BUILD > saccade-VERSION.spdx.json

For each program and library that was built, and for the Python wheel where it was: the libraries of others that the
loader opens for it, the archives that the wheel's extension took along, the Debian or Python package that holds each of
these, the package's version, its licences as the package itself states them (licences.py), and the library's SHA-256.
Nothing is listed by hand, so nothing is forgotten. A library that no package holds is an error.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "python")]
import archives  # noqa: E402
import licences  # noqa: E402

MADE = ("saccade", "libsaccade.so.{version}", "saccade-*.so")  # what is installed and has libraries to link
EXTENSION = "_saccade.abi3.so"  # of the wheel, which holds what archives.py names
LOADER = ("linux-vdso", "ld-linux")


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def needed(binary, twin=None):
    """{name: path} of what the dynamic section of `binary` names, and not of what these need themselves. `twin` needs
    the same and lies where the loader finds all of it."""
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", str(binary)))
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", run("ldd", str(twin or binary)), re.M))
    return {name: pathlib.Path(found[name]).resolve() for name in names if not name.startswith(LOADER)}


def purl(kind, name, version):
    """The package's URL: what scanners for vulnerabilities look up."""
    return f"pkg:{kind}/{name}@{urllib.parse.quote(version, safe='')}"


def of_debian(name):
    """(expression, texts) by the package's copyright file; it must have one by Debian's policy."""
    return licences.declared(pathlib.Path("/usr/share/doc", name, "copyright").read_text(errors="replace"), name)


def of_python(metadata, name):
    """(expression, texts): SPDX's where the package states one; otherwise its own words."""
    if stated := re.search(r"^License-Expression: (.+)$", metadata, re.M):
        return stated[1], {}
    words = re.search(r"^License: (.+)$", metadata, re.M)
    reference = f"LicenseRef-{licences.identifier(name)}"
    return reference, {reference: words[1] if words else "the package's metadata states none"}


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
                    "licences": of_debian(name)}
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
            return {"name": name, "version": version, "from": "Python package", "purl": purl("pypi", name, version),
                    "licences": of_python(text, name)}
    return None


def spdx_id(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def digest(path, kind):
    return hashlib.new(kind, path.read_bytes()).hexdigest()


def package_entry(package):
    return {"SPDXID": spdx_id(package["name"], package["version"]), "name": package["name"],
            "versionInfo": package["version"], "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "sourceInfo": package["from"], "licenseConcluded": "NOASSERTION", "licenseDeclared": package["licences"][0],
            "licenseComments": "what the package states for all of its sources, whether or not they are in this library",
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": package["purl"]}]}


def of_wheel(build, version):
    """(wheel, [(how, name, path)]): what is linked into and by its shared objects; None where there is no wheel."""
    wheels = sorted((build / "wheel").glob(f"saccade-{version}-*.whl"))
    if not wheels:
        return None
    linked = []
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheels[-1]) as archive:
        for name in sorted(name for name in archive.namelist() if name.endswith(".so")):
            inside = pathlib.Path(archive.extract(name, folder))
            twin = build / inside.name  # of a module, which finds MuJoCo beside itself once it is installed
            linked += [("DYNAMIC_LINK", *of) for of in needed(inside, twin if twin.exists() else None).items()]
            if inside.name == EXTENSION:
                linked += [("STATIC_LINK", path.name, path.resolve()) for path in archives.paths()]
    return wheels[-1], linked


def made_in(build, version):
    """[(file, [(how, name, path)])] of what was built."""
    files = sorted(path for pattern in MADE for path in build.glob(pattern.format(version=version)) if path.is_file())
    if not files:
        sys.exit(f"sbom.py: nothing was built in {build}")
    wheel = of_wheel(build, version)
    return [(path, [("DYNAMIC_LINK", *of) for of in needed(path).items()]) for path in files] + ([wheel] if wheel else [])


def file_entry(path):
    return {"SPDXID": spdx_id("file", path.name), "fileName": f"./{path.name}", "copyrightText": "NOASSERTION",
            "licenseConcluded": "NOASSERTION",
            "checksums": [{"algorithm": kind.upper(), "checksumValue": digest(path, kind)} for kind in ("sha1", "sha256")]}


def document(build, version, date):
    """The whole document: the product, each of its files, each library of others, and which links which."""
    own_licence = re.search(r"^license: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.M)[1]
    product = {"SPDXID": "SPDXRef-saccade", "name": "saccade", "versionInfo": version, "downloadLocation": "NOASSERTION",
               "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": own_licence,
               "copyrightText": "NOASSERTION"}
    packages, files, texts = {}, [], {}
    links = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": product["SPDXID"]}]
    for made, linked in made_in(build, version):
        own = file_entry(made)
        files.append(own)
        links.append({"spdxElementId": product["SPDXID"], "relationshipType": "GENERATES", "relatedSpdxElement": own["SPDXID"]})
        for how, name, path in linked:
            if path.is_relative_to(build.resolve()):
                continue
            package = debian(path) or python(path)
            if not package:
                sys.exit(f"sbom.py: {made.name} links {path}, which no package holds")
            entry = packages.setdefault(package["purl"], package_entry(package))
            texts.update(package["licences"][1])
            links.append({"spdxElementId": own["SPDXID"], "relationshipType": how,
                          "relatedSpdxElement": entry["SPDXID"], "comment": f"{name}, SHA-256 {digest(path, 'sha256')}"})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"saccade-{version}", "documentNamespace": f"urn:saccade:{version}:{date}",
            "creationInfo": {"created": date, "creators": ["Tool: saccade-sbom"]},
            "packages": [product, *sorted(packages.values(), key=lambda p: p["SPDXID"])],
            "files": files, "relationships": links,
            "hasExtractedLicensingInfos": [{"licenseId": name, "name": name, "extractedText": texts[name]}
                                           for name in sorted(texts)]}


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: sbom.py BUILD DATE, as 2026-11-26T12:00:00Z")
    version = re.search(r"^project\(saccade VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    json.dump(document(pathlib.Path(sys.argv[1]), version, sys.argv[2]), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
