"""How Sphinx makes the site: scripts/docs.sh (make docs) calls it, docs/site/stage.py lays its pages out."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))

import docstrings  # noqa: E402

_base = (ROOT / "include/saccade/base.h").read_text()
version = release = ".".join(re.findall(r"^#define SAC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", _base, re.M))
project = "saccade"
author = copyright = "the authors of saccade"
html_title = f"saccade {version}"

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
needs_sphinx = "5.1"
smartquotes = False  # "--set" is what is typed

myst_heading_anchors = 4  # links to headings are those of the forge
myst_enable_extensions = ["colon_fence"]

breathe_projects = {"saccade": str(ROOT / "build/docs-xml")}
breathe_default_project = "saccade"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
breathe_default_members = ("members", "undoc-members")  # fields of structs
c_id_attributes = ["SAC_API", "SAC_CHECKED"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
# what some modules are made for; their pages need none of it
autodoc_mock_imports = ["gymnasium", "imageio", "matplotlib", "mujoco", "stable_baselines3", "torch"]

html_theme = "furo"
html_static_path = ["static", "../images/drive.mp4"]
html_css_files = ["site.css"]
html_show_sphinx = html_use_index = html_domain_indices = False  # the search finds names
html_copy_source = html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b5e9e", "color-brand-content": "#1b5e9e"},
    "dark_css_variables": {"color-brand-primary": "#7ab8f5", "color-brand-content": "#7ab8f5"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
highlight_language = "none"  # blocks without a language are formulas and output


def setup(app):
    app.connect("autodoc-process-docstring", docstrings.process)
