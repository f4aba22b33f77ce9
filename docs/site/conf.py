"""Configuration of Sphinx, which `build.py` runs."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import search  # type: ignore[import-not-found]  # beside this file

project = "Penstock"
copyright = "the authors of Penstock"
release = version = version_of("penstock")

extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # pages of operators have sections by need
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = "Penstock"
html_show_sphinx = False
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "static/favicon.svg"
html_copy_source = False
templates_path = ["templates"]

_PROJECT = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text("utf-8"))
ADDRESS = _PROJECT["project"].get("urls", {}).get("Repository", "")
"""Of the repository; "" as long as the project has none. Then no page has a link to edit it."""
GENERATED = ("operators/", "names/", "notebooks/", "gallery", "iterator_arg", "pipeline_arg")
PLACES = {
    "changelog": "CHANGELOG",
    "contributing": "CONTRIBUTING",
    "benchmarks": "benchmarks/README",
}


def edit_link(page: str) -> str:
    """Return where a page is edited; "" for pages that are made."""
    if not ADDRESS or page.startswith(GENERATED):
        return ""
    return f"{ADDRESS}/edit/main/{PLACES.get(page, f'docs/{page}')}.md"


def describe(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Give a page its description, and its link to edit it."""
    context["theme_source_edit_link"] = edit_link(page)
    if doctree is not None:
        source = Path(app.env.doc2path(page)).read_text(encoding="utf-8")
        text = search.description(source).replace("&", "&amp;").replace('"', "&quot;")
        context["metatags"] = f'{context["metatags"]}<meta name="description" content="{text}">'


def setup(app: Any) -> None:
    """Connect what this file adds to Sphinx."""
    app.connect("html-page-context", describe)
