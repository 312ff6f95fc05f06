#!/usr/bin/env python3
"""The site that make docs built, as a reader meets it.

    site.py SITE                     links, places in pages, pictures and films lead somewhere in SITE; nothing is loaded
                                     from elsewhere; pages have a name and say what their pictures show
    site.py SITE --look FOLDER [WORDS]   a picture of every page, or of those whose path holds WORDS, as Chromium shows it
                                     (light, dark, and on a phone), and sheets of many small ones; fails where a page is
                                     wider than the screen, or the search finds nothing
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("source", "src"), ("video", "src"), ("video", "poster"),
          ("iframe", "src"), ("object", "data"), ("embed", "src"), ("use", "href"), ("input", "src")}


class Page(html.parser.HTMLParser):
    """What a page holds: places that links lead to, its links, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.loads, self.unsaid, self.title = set(), [], [], [], ""
        self._in_title = False
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[key] for key in ("id", "name") if given.get(key)}
        self._in_title = tag == "title" or (self._in_title and tag != "svg")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") in ("canonical", "alternate"):
            return
        self.loads += [value for key, value in attributes if (tag, key) in LOADED and value]
        if tag == "img" and "alt" not in given:
            self.unsaid.append(given.get("src"))

    def handle_endtag(self, tag):
        self._in_title = self._in_title and tag != "title"

    def handle_data(self, data):
        self.title += data if self._in_title else ""


def foreign(address):
    return re.match(r"(?i)(\w+:)?//", address) is not None


def complaints(site):
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        if not page.title.strip():
            yield f"{name}: no title"
        for address in page.loads:
            if foreign(address):
                yield f"{name}: loads {address} from elsewhere"
        for picture in page.unsaid:
            yield f"{name}: {picture} does not say what it shows"
        for address in page.links + page.loads:
            if foreign(address) or re.match(r"(mailto|data|javascript):", address):
                continue
            target, _, place = urllib.parse.unquote(address).partition("#")
            file = (path.parent / target.partition("?")[0]).resolve() if target else path
            if not file.is_file():
                yield f"{name}: {address} leads nowhere"
            elif place and file in pages and place not in pages[file].places:
                yield f"{name}: {address} leads to no place of that page"
    for sheet in sorted(site.rglob("*.css")):
        for address in re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", sheet.read_text()):
            if foreign(address):
                yield f"{sheet.relative_to(site)}: loads {address} from elsewhere"
    if not pages:
        yield f"{site}: no pages"


def check(site):
    found = sorted(set(complaints(site)))
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    site = pathlib.Path(sys.argv[1])
    if "--look" in sys.argv:
        import look

        sys.exit(look.look(site, pathlib.Path(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else ""))
    sys.exit(check(site))
