"""Lays out what Sphinx makes the site of: stage.py OUT (scripts/docs.sh calls it).

The documents of the repository stay where they are. OUT gets them as they are, and pages made of other things: one for
each C header and Python module, a gallery of the zoo by its recipes and cards, the results of README as the landing
page shows them, and one for each source file that a document names. Links of documents to such files lead to their
pages; all other links stay.
"""
import os
import pathlib
import re
import shutil
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(\]\()([^)#: ]+)(?=[)#])")

WORLDS = {  # in the gallery's order; folders of zoo/
    "car-racing": "CarRacing: points for the road that is driven, 900 and more for a whole lap",
    "control": "MuJoCo's control suite from pixels: 0 to 1000 for an episode",
    "take-cover": "TakeCover in Doom's engine: tics survived",
    "legs": "Robots with four legs: metres on the way",
    "rooms": "A robot on wheels in floor plans: goals reached and the way to them",
    "grasp": "A gripper at a table: the share of grasps that hold",
}
MODULES = {  # of the Python package, in reading order
    "policy": "policies", "worlds": "worlds", "gym": "Gymnasium", "training": "training and evaluation",
    "search": "search methods", "learn": "gradients", "demonstrations": "demonstrations and distillation",
    "classifier": "nets of saccade fit", "attention": "attention on arrays", "readings": "readings of attention",
    "heads": "heads that are convolutions", "tokens": "from pixels to tokens", "theory": "the papers' theorems",
    "stable_baselines3": "worlds for Stable-Baselines3", "mujoco": "pictures of MuJoCo models",
    "show": "films and plots", "torch": "policies as PyTorch modules",
}


def documents():
    for pattern in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "zoo/TRAINING.md", "zoo/*/*.md"):
        yield from sorted(path.relative_to(ROOT) for path in ROOT.glob(pattern))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def copy(path, to):
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, to)


def page_of(target):
    """Where the site shows a file of the repository that is no document: a path in OUT, or None for a picture."""
    if target.suffix in (".md", ".png", ".svg", ".mp4"):
        return None
    if target.parent == pathlib.Path("include/saccade"):
        return pathlib.Path("api/c", target.stem + ".rst")
    return pathlib.Path("source", str(target) + ".rst")


def stage_document(out, document):
    """The document with its links to sources led to their pages. Returns those sources."""
    named = set()

    def lead(match):
        target = pathlib.Path(os.path.normpath(document.parent / match[2]))
        page = page_of(target)
        if page is None or not (ROOT / target).is_file():
            return match[0]  # Sphinx refuses what leads nowhere
        named.add(target)
        return match[1] + os.path.relpath(page, document.parent)

    text = LINK.sub(lead, (ROOT / document).read_text())
    if document.name == "README.md":
        text = text.replace("# saccade\n", "# Start here\n", 1)  # beside a page that has that name
    write(out / document, text)
    return named


def stage_source(out, source):
    """A page with the text of a file, coloured."""
    language = {".c": "c", ".h": "c", ".py": "python", ".yaml": "yaml", ".cff": "yaml", ".sbatch": "bash"}
    title = str(source)
    lines = "".join(f"   {line}\n" if line else "\n" for line in (ROOT / source).read_text().splitlines())
    write(out / page_of(source), f":orphan:\n\n{title}\n{'=' * len(title)}\n\n"
          f".. code-block:: {language.get(source.suffix, 'none')}\n\n{lines}")


# ----------------------------------------------------------------------------------------------------------------------
# reference


def toctree(names, hidden=False):
    return ".. toctree::\n   :maxdepth: 1\n" + ("   :hidden:\n" if hidden else "") + "\n" + \
        "".join(f"   {name}\n" for name in names) + "\n"


def stage_c(out):
    headers = sorted((ROOT / "include/saccade").glob("*.h"))
    for header in headers:
        title = f"saccade/{header.name}"
        write(out / f"api/c/{header.stem}.rst", f"{title}\n{'=' * len(title)}\n\n.. code-block:: c\n\n"
              f"   #include \"saccade/{header.name}\"\n\n.. doxygenfile:: saccade/{header.name}\n"
              "   :sections: briefdescription detaileddescription innerclass public-attrib define enum typedef func\n\n")
    rows = "".join(f"   * - :doc:`{header.name} <{header.stem}>`\n     - {first_sentence(header)}\n" for header in headers)
    write(out / "api/c/index.rst", "C reference\n===========\n\nOne page for each header. Its comments are all that is "
          "said here: shapes, units, who owns what, and errors.\n\n.. list-table::\n   :widths: auto\n\n" + rows + "\n" +
          toctree([header.stem for header in headers], hidden=True))


def first_sentence(header):
    """Of the comment that says what a header's module does."""
    text = header.read_text()
    match = re.search(r"(?:^///.*\n)+", text, re.M)
    words = " ".join(line[3:].strip() for line in match[0].splitlines()) if match else ""
    sentence = re.split(r"(?<=[.:])\s", words, 1)[0].rstrip(":")
    return re.sub(r"([*`|_\\])", r"\\\1", sentence)


def stage_python(out):
    public = {path.stem for path in (ROOT / "python/saccade").glob("[!_]*.py")}
    if public != set(MODULES):
        sys.exit(f"docs/site/stage.py: MODULES and python/saccade differ in {', '.join(sorted(public ^ set(MODULES)))}")
    for module, title in MODULES.items():
        heading = f"saccade.{module}"
        write(out / f"api/python/{module}.rst", f"{heading}\n{'=' * len(heading)}\n\n.. automodule:: saccade.{module}\n"
              "   :members:\n")
    errors = "ArgumentError OutOfMemoryError FileError FormatError UnavailableError WorldError InterruptedError DivergedError"
    write(out / "api/python/errors.rst", "Errors and logs\n===============\n\n.. currentmodule:: saccade\n\n"
          ".. autoexception:: saccade.Error\n   :members:\n\n" +
          "".join(f".. autoexception:: saccade.{name}\n   :show-inheritance:\n\n" for name in errors.split()) +
          ".. autofunction:: saccade.set_log\n\n.. autofunction:: saccade.load_plugin\n")
    rows = "".join(f"   * - :doc:`saccade.{module} <{module}>`\n     - {title}\n" for module, title in MODULES.items())
    write(out / "api/python/index.rst", "Python reference\n================\n\n.. automodule:: saccade\n   :no-members:\n\n"
          ":doc:`/docs/python` is a tour of the package.\n\n.. list-table::\n   :widths: auto\n\n" + rows +
          "   * - :doc:`errors`\n     - exceptions, and the library's log\n\n" +
          toctree([*MODULES, "errors"], hidden=True))


# ----------------------------------------------------------------------------------------------------------------------
# the zoo, and the results of README


def figure(value):
    return f"{value:,.3g}" if abs(value) < 100 else f"{value:,.0f}"


def stage_gallery(out):
    text = (ROOT / "docs/site/gallery.md").read_text()
    cards = []
    for world, title in WORLDS.items():
        recipes = sorted((ROOT / "zoo" / world).glob("*.yaml"))
        text += f"\n## {title.split(':')[0]}\n\n{title.split(': ', 1)[1].capitalize()}.\n\n:::::{{container}} cards\n"
        for recipe in recipes:
            text += gallery_card(recipe)
            cards.append(f"zoo/{world}/{recipe.stem}")
        text += ":::::\n"
    if missed := {path.parent.name for path in ROOT.glob("zoo/*/*.md")} - set(WORLDS):
        sys.exit(f"docs/site/stage.py: the gallery lacks zoo/{missed.pop()}")
    text += "\n```{toctree}\n:hidden:\n\n" + "\n".join(cards) + "\n```\n"
    write(out / "gallery.md", text)


def gallery_card(recipe):
    """Picture, what it is, and its return beside random actions and none, from the recipe that ships with it."""
    name = f"{recipe.parent.name}/{recipe.stem}"
    card = recipe.with_suffix(".md").read_text()
    what = re.split(r"(?<=\.)\s", card.split("\n\n")[1].replace("\n", " "), 1)[0]
    scores = {score["variant"]: score for score in yaml.safe_load(recipe.read_text())["scores"]}
    own = next(iter(scores.values()))
    beside = [f"{words} {figure(scores[key]['mean'])}" for key, words in (("random", "random actions"), ("idle", "doing nothing"))
              if key in scores]
    picture = f"docs/images/zoo/{recipe.parent.name}-{recipe.stem}.png"
    return (f"::::{{container}} card\n[![{name} at work]({picture})](zoo/{name}.md)\n\n[**{name}**](zoo/{name}.md)\n\n"
            f":::{{container}} score\n**{figure(own['mean'])}** +- {figure(own['std'])} ({own['variant']})\n:::\n\n"
            f"{'; '.join(beside)}\n\n{what}\n::::\n")


def stage_landing(out):
    text = (ROOT / "docs/site/index.md").read_text()
    readme = (ROOT / "README.md").read_text()
    table = readme.split("## Results")[1].split("\n\n")
    rows = next(part for part in table if part.startswith("|")).splitlines()[2:]
    cards = ""
    for row in rows:
        what, value, beside, _ = re.split(r"\s*\|\s*", row.strip("| "))
        figure_of, _, rest = value.partition(";")
        cards += (f"::::{{container}} card\n:::{{container}} score\n**{figure_of.strip()}**\n:::\n\n{what}\n\n" +
                  (f"{rest.strip()}\n\n" if rest else "") + (f"Beside it: {beside}\n\n" if beside else "") + "::::\n")
    write(out / "index.md", text.replace("RESULTS\n", ":::::{container} cards\n" + cards + ":::::\n"))


def main():
    out = pathlib.Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    sources = set()
    for document in documents():
        sources |= stage_document(out, document)
    for source in sources:
        if source.parent != pathlib.Path("include/saccade"):
            stage_source(out, source)
    for picture in (*ROOT.glob("docs/images/**/*.*"), *ROOT.glob("zoo/*/*.svg")):
        copy(picture, out / picture.relative_to(ROOT))
    stage_c(out)
    stage_python(out)
    stage_gallery(out)
    stage_landing(out)


main()
