"""Build the site out of the pages of the checkout: `python docs/site/build.py [folder]`.

The sources are gathered in a folder, where links lead to the places that files have on the site.
A link to a file that is not in the checkout ends the build, and so does any warning of Sphinx.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path, PurePosixPath

import name_pages  # type: ignore[import-not-found]  # beside this file
import notebook_pages  # type: ignore[import-not-found]
import operator_drawings  # type: ignore[import-not-found]
import operator_pages  # type: ignore[import-not-found]
import operator_pictures  # type: ignore[import-not-found]
import option_pages  # type: ignore[import-not-found]
import search  # type: ignore[import-not-found]
import start_picture  # type: ignore[import-not-found]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
FILE_NAME = re.compile(r"\[(?:docs/)?([a-z_]+\.md)\](?=\()")
CODE = re.compile(r"(```.*?```)", re.DOTALL)
SOURCE = re.compile(r"(?<!\[)`((?:benchmarks|docs|examples|tests)/[\w/.]+\.\w+)([^`\n]*)`(?!\])")

PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
    "docs/operators.md": "operators/index.md",
}
"""Pages by their paths in the checkout; each other page of docs/ keeps its name."""

PICTURES = "operators/pictures"
NOTEBOOKS = "examples/notebooks"
TABLE = '<div class="table-wrapper colwidths-auto docutils container">'

MENDS = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Site">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="Page">',
    '<th class="head"><p></p></th>': "<td></td>",
    TABLE: TABLE.replace(">", ' tabindex="0">'),
    "<pre>": '<pre tabindex="0">',
}
"""What Sphinx and the theme write, and what readers of screens and keyboards need instead."""


class DeadLinkError(ValueError):
    """A page links to a file that is not there."""


def place(path: str) -> str:
    """Return where a file of the checkout is on the site, by its path in the checkout.

    >>> place("docs/audio.md"), place("examples/asr.py")
    ('audio.md', 'files/examples/asr.py')
    """
    if path in PAGES:
        return PAGES[path]
    parts = PurePosixPath(path)
    if parts.is_relative_to(NOTEBOOKS) and parts.suffix == ".ipynb":
        return f"notebooks/{parts.stem}.md"
    if len(parts.parts) == 2 and parts.parts[0] == "docs" and parts.suffix == ".md":
        return parts.name
    return f"files/{path}"


def gather(sources: Path) -> None:
    """Write all pages and the files that they link to into the folder `sources`.

    Raises:
        DeadLinkError: a page links to a file that is not in the checkout.
    """
    docs = (f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))
    for path in {*docs, *PAGES} - {"docs/operators.md"}:
        text = (ROOT / path).read_text(encoding="utf-8")
        text = FILE_NAME.sub(lambda name: f"[{title(name[1])}]", text)
        text = with_sources(path, text)
        write(sources / place(path), LINK.sub(partial(moved, path, sources), text))
    notebook_pages.write(ROOT / NOTEBOOKS, sources / "notebooks")
    start = sources / "index.md"
    write(start, start_picture.placed(start.read_text(encoding="utf-8"), sources))
    pictures = sources / PICTURES
    shown = operator_pictures.write(pictures) | operator_drawings.write(pictures)
    write(sources / "gallery.md", operator_pictures.gallery_page(shown, PICTURES))
    operator_pages.write(sources / "operators", operator_pictures.by_operator(shown))
    name_pages.write(sources / "names")
    write(sources / "pipeline_arguments.md", option_pages.pipelines())
    write(sources / "iterator_arguments.md", option_pages.iterators())


def with_sources(page: str, text: str) -> str:
    """Return a page whose words for files of the checkout are links: the site has no such files.

    >>> with_sources("docs/audio.md", "Measured by `examples/demo.py --sheet x.png`.")
    'Measured by [`examples/demo.py --sheet x.png`](../examples/demo.py).'
    """

    def linked(code: re.Match[str]) -> str:
        if not (ROOT / code[1]).is_file():
            return code[0]
        return f"[{code[0]}]({os.path.relpath(code[1], os.path.dirname(page) or '.')})"

    parts = CODE.split(text)  # every other one is a block of code
    parts[::2] = [SOURCE.sub(linked, part) for part in parts[::2]]
    return "".join(parts)


def title(page: str) -> str:
    """Return the title of a page of docs/, up to a colon: the site has no names of files.

    >>> title("iterators.md")
    'Iterators'
    """
    with (ROOT / "docs" / page).open(encoding="utf-8") as lines:
        return next(lines).removeprefix("# ").strip().partition(":")[0]


def moved(page: str, sources: Path, link: re.Match[str]) -> str:
    """Return a link of a page as the site needs it; copy the file if it is no page."""
    opening, target, anchor, closing = link.groups()
    if re.match(r"[a-z]+:", target):
        return link[0]
    path = os.path.normpath(os.path.join(os.path.dirname(page), target))
    if not (ROOT / path).exists():
        raise DeadLinkError(f"{page}: there is no {target}")
    new = place(path)
    if new.startswith("files/") and not (sources / new).exists():
        if (ROOT / path).is_dir():
            raise DeadLinkError(f"{page}: {target} is a folder; link to a file in it")
        (sources / new).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, sources / new)
    relative = os.path.relpath(new, os.path.dirname(place(page)) or ".")
    return f"{opening}{relative}{anchor or ''}{closing}"


def list_of_pages(sources: Path) -> str:
    """Return the list of all pages for programs that read (llmstxt.org), in the site's order."""
    lines = ["# Penstock", "", "> Reads deep-learning data sets; start with skill.md.", ""]
    contents = (sources / "index.md").read_text(encoding="utf-8")
    for line in contents.splitlines():
        if line.startswith(":caption: "):
            lines += ["", f"## {line.removeprefix(':caption: ')}", ""]
        elif re.fullmatch(r"[\w/]+", line):
            text = (sources / f"{line}.md").read_text(encoding="utf-8")
            title = text.partition("\n")[0].removeprefix("# ")
            lines.append(f"- [{title}]({line}.html)")
    return "\n".join(lines) + "\n"


def accessible(html: str) -> str:
    """Return a page whose landmarks have names and whose code scrolls by the keyboard.

    >>> accessible("<pre>code</pre>")
    '<pre tabindex="0">code</pre>'
    """
    for made, mended in MENDS.items():
        html = html.replace(made, mended)
    return html


def write(path: Path, text: str) -> None:
    """Write a file, unless it has this text: Sphinx reads changed pages only."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main() -> int:
    """Build the site; return the exit status."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("folder", nargs="?", default=ROOT / "build" / "site", type=Path)
    folder: Path = parser.parse_args().folder
    sources = folder.with_name(folder.name + "-sources")
    try:
        gather(sources)
    except DeadLinkError as error:
        print(error, file=sys.stderr)
        return 1
    strict = ("--fail-on-warning", "--keep-going", "--nitpicky", "--quiet")
    status = subprocess.call([sys.executable, "-m", "sphinx", *strict, "-c", HERE, sources, folder])
    return status or finish(sources, folder)


def finish(sources: Path, folder: Path) -> int:
    """Write into the site what Sphinx does not write; return the exit status."""
    shutil.copyfile(ROOT / "SKILL.md", folder / "skill.md")
    write(folder / "llms.txt", list_of_pages(sources))
    for sound in (sources / PICTURES).glob("*.wav"):  # Sphinx copies images only
        (folder / PICTURES).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sound, folder / PICTURES / sound.name)
    applied = set()
    for page in folder.rglob("*.html"):
        text = accessible(page.read_text(encoding="utf-8"))
        name = page.relative_to(folder).with_suffix("").as_posix()
        write(page, search.searchable(name, text) if "data-ranking" not in text else text)
        applied |= {made for made, mended in MENDS.items() if mended in text}
    if len(applied) < len(MENDS):
        print(f"The theme writes other HTML than {sorted(MENDS.keys() - applied)}", file=sys.stderr)
        return 1
    search.write(folder)
    for line in (missed := search.wrong(folder)):
        print(line, file=sys.stderr)
    print(f"The site: {folder / 'index.html'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
