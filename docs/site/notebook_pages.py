"""Pages that show the notebooks of the examples: their text and their code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HEAD = """\
# Notebooks

The programs of the tutorials, in cells. Each notebook draws its data, trains, and prints what it
has learned."""


def write(notebooks: Path, folder: Path) -> None:
    """Write a page for each notebook of a folder, and the page that lists them, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    titles = {}
    for path in sorted(notebooks.glob("*.ipynb")):
        title, text = page(json.loads(path.read_text(encoding="utf-8"))["cells"], path.name)
        titles[path.stem] = title
        (folder / path.name).write_bytes(path.read_bytes())
        (folder / f"{path.stem}.md").write_text(text, encoding="utf-8")
    links = "\n".join(f"- [{title}]({name}.md)" for name, title in titles.items())
    contents = "```{toctree}\n:hidden:\n\n" + "\n".join(titles) + "\n```"
    (folder / "index.md").write_text(f"{HEAD}\n\n{links}\n\n{contents}\n", encoding="utf-8")


def page(cells: list[dict[str, Any]], file: str) -> tuple[str, str]:
    """Return the title and the Markdown of a notebook, which starts with its title."""
    title, _, first = "".join(cells[0]["source"]).partition("\n")
    link = f"[Download the notebook]({file})."
    texts = [title, first.strip(), link, *map(shown, cells[1:])]
    return title.removeprefix("# "), "\n\n".join(texts) + "\n"


def shown(cell: dict[str, Any]) -> str:
    """Return a cell as Markdown.

    >>> print(shown({"cell_type": "code", "source": ["1 + 1"]}))
    ```python
    1 + 1
    ```
    """
    text = "".join(cell["source"])
    return text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```"
