"""Configuration of Sphinx, which `build.py` runs."""

from __future__ import annotations

from importlib.metadata import version as version_of

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
