"""Pictures of every page of the site, as site.py --look says."""
import html
import math
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "dash"))
import browser  # noqa: E402

WAYS = {"light": {"width": 1280, "height": 900}, "dark": {"width": 1280, "height": 900, "dark": True},
        "phone": {"width": 390, "height": 844, "phone": True}}
TALLEST = 2600  # of a page, as much as is taken of it
WIDER = """[...document.querySelectorAll("article *")].filter(e => e.getBoundingClientRect().right > WIDTH + 1 &&
    !e.closest(".table-wrapper, .highlight, pre, .sidebar-drawer, .toc-drawer")).slice(0, 3).map(e => e.tagName + " " + e.className)"""


def see(screen, page, file, width):
    """Takes the picture, as wide as the screen. Returns what is wrong with the page."""
    screen.said.clear()
    screen.go(page.resolve().as_uri())
    screen.wait("document.readyState === 'complete'")
    screen.evaluate("Promise.all([...document.images].map(i => { i.loading = 'eager'; return i.decode().catch(() => 0); }))")
    height = min(TALLEST, screen.evaluate("document.documentElement.scrollHeight"))
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 0.5 if width > 600 else 0.35}
    data = screen.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
    file.write_bytes(browser.base64.b64decode(data))
    wrong = [str(said) for said in screen.said]
    # a phone's own innerWidth grows with what it shows
    if screen.evaluate(f"document.documentElement.scrollWidth > {width + 1}"):
        wrong.append(f"wider than the screen: {screen.evaluate(WIDER.replace('WIDTH', str(width)))}")
    if broken := screen.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)"):
        wrong.append(f"pictures that are not shown: {broken}")
    return wrong


def sheets(screen, folder, way, files):
    """Many small pictures on one, 24 a sheet."""
    for number in range(math.ceil(len(files) / 24)):
        part = files[24 * number:24 * number + 24]
        cells = "".join(f"<figure><figcaption>{html.escape(file.stem)}</figcaption><img src='{file.name}'></figure>" for file in part)
        page = folder / "sheet.html"
        page.write_text("<style>body{margin:4px;display:grid;grid-template-columns:repeat(8,1fr);gap:4px;font:10px sans-serif;"
                        "background:#888}figure{margin:0;height:520px;overflow:hidden}img{width:100%}</style>" + cells)
        screen.go(page.resolve().as_uri())
        screen.wait("document.readyState === 'complete'")
        screen.picture(folder / f"sheet-{way}-{number + 1:02}.png", whole=True)
        page.unlink()


def find(screen, site):
    """The search, without a server."""
    screen.go((site / "search.html").resolve().as_uri() + "?q=softmax")
    try:
        screen.wait("document.querySelectorAll('#search-results li a').length > 3")
    except AssertionError:
        return ["the search finds nothing for softmax"]
    return []


def look(site, folder, words):
    os.makedirs(folder, exist_ok=True)
    pages = [page for page in sorted(site.rglob("*.html")) if words in str(page.relative_to(site))]
    if not pages:
        print(f"no page whose path holds {words!r}", file=sys.stderr)
        return 1
    bad = 0
    for way, how in WAYS.items():
        screen = browser.Browser(**how)
        try:
            files = []
            for page in pages:
                name = str(page.relative_to(site).with_suffix("")).replace("/", "-")
                files.append(folder / f"{way}-{name}.png")
                for wrong in see(screen, page, files[-1], how["width"]):
                    print(f"{way}: {page.relative_to(site)}: {wrong}", file=sys.stderr)
                    bad = 1
            for wrong in find(screen, site) if (site / "search.html").is_file() else ():
                print(f"{way}: {wrong}", file=sys.stderr)
                bad = 1
        finally:
            screen.close()
        screen = browser.Browser(width=2400, height=1600)
        try:
            sheets(screen, folder, way, files)
        finally:
            screen.close()
    return bad
