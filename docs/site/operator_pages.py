"""A page for each operator, made from its declaration, and their index.

The pages are Markdown. A docstring is plain text: paragraphs, lists of `*`, sections such as
"Inputs:" whose entries are indented, and examples behind `>>>`.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from penstock import fn  # noqa: F401  (the import registers all operators)
from penstock.engine.graph.declaration import annotation, arguments, signature
from penstock.engine.graph.operator import OPERATORS, Operator
from penstock.engine.graph.operator_base import COMMON
from penstock.engine.graph.params import NO_EFFECT, Param, Required, shown
from penstock.readers.reader import Reader

TOPICS = (
    (
        "Readers",
        r"readers|composite\.(coco|nemo_asr|sequence|video)|.*\.(external_source|video_input)$",
    ),
    ("Decoders", r"decoders\.|composite\."),
    ("Random numbers", r"operators\.random\."),
    ("Boxes, masks and segmentation", r"operators\.(boxes|masks)\."),
    ("Affine matrices", r"operators\.transforms\."),
    ("Signals and audio", r"operators\.audio\."),
    ("Reductions", r"operators\.reductions\."),
    ("Users' functions", r"operators\.user_code\."),
    ("Color and light", r"operators\.(color|normalizing)\.(?!crop)"),
    ("Noise, filters and cut-outs", r"operators\.(cutouts|filters|mixing|noise)\."),
    (
        "Size, position and shape of images",
        r"operators\.(optical_flow|pasting|resize|warp|normalizing|indexing\.(crop|flip|pad|slice)$)",
    ),
    ("Arrays", r""),
)
"""Topics of the index, each with the modules of its operators; the first that matches counts."""

INDEX_HEAD = """\
All operators by topic. The site that `make docs` builds has a page for each of them;
`help(fn.resize)` and editors show the same text."""

SITE_HEAD = """\
All operators by topic. `help(fn.resize)` and editors show the text of a page, too."""

COMMON_HEAD = """\
`device` and `name` are arguments of every operator, too. `device` is where the operator runs, by
default where its inputs are. `name` stands in statistics, checkpoints and errors."""


def public() -> dict[str, type[Operator]]:
    """Return the operators by their names in `fn`."""
    OPERATORS.complete()
    operators = {member.name: member for member in OPERATORS.values()}
    return {name: operators[name] for name in sorted(operators) if not name.startswith("_")}


def summary(operator_class: type[Operator]) -> str:
    """Return the first sentence of an operator's docstring."""
    first = inspect.cleandoc(operator_class.__doc__ or "").split("\n\n")[0]
    return re.split(r"(?<=\.) ", " ".join(first.split()))[0]


def page(name: str, operator_class: type[Operator], example: str) -> str:
    """Return the page of an operator.

    Args:
        name: in `fn`.
        operator_class: the operator.
        example: Markdown of its example: a picture, a program; "" for none.
    """
    devices = ", ".join(f"`{device}`" for device in operator_class.devices)
    facts = [f"Devices: {devices}."]
    if operator_class.aliases:
        facts.append(f"Older names: {', '.join(f'`fn.{a}`' for a in operator_class.aliases)}.")
    parts = [f"# fn.{name}", *blocks(inspect.cleandoc(operator_class.__doc__ or ""))]
    parts.insert(2, " ".join(facts))
    parts.insert(3, f"```python\n{call(name, operator_class)}\n```")
    if example:
        parts.insert(4, "## Example\n\n" + example)
    own, shared = split(operator_class)
    if own:
        parts.append("## Arguments\n\n" + "\n".join(map(entry, own.items())))
    ignored = [
        key for key, parameter in arguments(operator_class).items() if parameter.doc == NO_EFFECT
    ]
    if shared:
        listed = ", ".join(f"`{key}`" for key in shared)
        parts.append(f"Arguments of all readers: {listed}; see [these](readers_arguments).")
    parts.append(
        "Arguments of all operators: `device`, `name`, `preserve`, `seed`; see "
        "[these](common_arguments)."
    )
    if ignored:
        parts.append(
            "Accepted for programs written for DALI, without effect: "
            + ", ".join(f"`{key}`" for key in ignored)
            + "."
        )
    return "\n\n".join(parts) + "\n"


def call(name: str, operator_class: type[Operator]) -> str:
    """Return the call with its inputs and the arguments that must be given."""
    given = []
    for parameter in signature(operator_class).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            given.append(f"*{parameter.name}")
        elif parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            optional = parameter.default is None
            given.append(f"{parameter.name}=None" if optional else parameter.name)
        elif parameter.default is inspect.Parameter.empty:
            given.append(f"{parameter.name}=...")
    return f"fn.{name}({', '.join([*given, '**arguments'])})"


def split(operator_class: type[Operator]) -> tuple[dict[str, Param], list[str]]:
    """Return the operator's own arguments, and the names of those that all readers share."""
    shared = Reader.params if issubclass(operator_class, Reader) else {}
    own, common = {}, []
    for name, declared in arguments(operator_class).items():
        if declared.doc == NO_EFFECT or name in COMMON:
            continue
        if shared.get(name) == declared:
            common.append(name)
        else:
            own[name] = declared
    return own, common


def entry(item: tuple[str, Param]) -> str:
    """Return an argument as an entry of a definition list."""
    name, declared = item
    facts = [f"`{name}`", f"*{escaped(annotation(declared))}*"]
    if isinstance(declared.default, Required):
        facts.append("required")
    elif declared.default not in (None, ""):
        facts.append(f"default {escaped(shown(declared.default))}")
    text = escaped(declared.doc)
    if declared.aliases:
        text += f" Older name: {', '.join(f'`{a}`' for a in declared.aliases)}."
    if declared.deprecated:
        text += f" Deprecated: {escaped(declared.deprecated)}."
    return f"{facts[0]} ({', '.join(facts[1:])})\n: {text}\n"


def shared_page(title: str, text: str, declared: Iterable[tuple[str, Param]]) -> str:
    """Return the page of arguments that many operators have."""
    entries = "\n".join(entry(item) for item in declared if item[1].doc != NO_EFFECT)
    return f"# {title}\n\n{text}\n\n{entries}"


def blocks(text: str) -> Iterator[str]:
    """Yield the parts of a docstring as Markdown."""
    for block in re.split(r"\n\n(?! )", text):
        head, _, rest = block.partition("\n")
        if block.startswith(">>> "):
            yield f"```pycon\n{block}\n```"
        elif re.fullmatch(r"[A-Z]\w+:", head) and rest.startswith("    "):
            entries = re.split(r"\n(?=\S)", textwrap.dedent(rest))
            yield f"## {head[:-1]}\n\n" + "\n".join(map(_section_entry, entries))
        elif not block.startswith(("* ", "    ")) and "\n* " in block:
            lead, _, points = block.partition("\n* ")
            yield escaped(lead)
            yield _points("* " + points)
        elif block.startswith("* "):
            yield _points(block)
        else:
            lead, gap, code = block.partition("\n\n    ")
            yield escaped(lead)
            if gap:
                yield f"```python\n{textwrap.dedent('    ' + code)}\n```"


def _section_entry(text: str) -> str:
    name, colon, meaning = text.partition(":")
    if not colon or "\n" in name:
        return escaped(" ".join(text.split()))
    return f"{escaped(name)}\n: {escaped(' '.join(meaning.split()))}\n"


def _points(block: str) -> str:
    points = re.split(r"\n(?=\* )", block)
    return "\n".join(f"* {escaped(' '.join(point[2:].split()))}" for point in points)


def escaped(text: str) -> str:
    """Return plain text as Markdown; what stands between backticks is code in both."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([*<>\[\]$|\\]|(?<!\w)_|_(?!\w))", r"\\\1", part)
        for part in parts
    )


def index(operators: dict[str, type[Operator]], *, linked: bool) -> str:
    """Return the page that lists all operators by topic, with links to their pages or without."""
    groups: dict[str, list[str]] = {topic: [] for topic, _ in TOPICS}
    for name, operator in operators.items():
        module = operator.__module__.removeprefix("penstock.")
        groups[next(topic for topic, pattern in TOPICS if re.match(pattern, module))].append(name)
    lines = ["# Operators", "", SITE_HEAD if linked else INDEX_HEAD]
    for topic, names in groups.items():
        lines += ["", f"## {topic}", "", "| operator | devices | what it does |", "|---|---|---|"]
        for name in names:
            devices = ", ".join(operators[name].devices)
            text = escaped(summary(operators[name]))
            link = f"[`fn.{name}`]({name}.md)" if linked else f"`fn.{name}`"
            lines.append(f"| {link} | {devices} | {text} |")
    pages = "\n".join(["common_arguments", "readers_arguments", *operators])
    hidden = f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n" if linked else ""
    return "\n".join(lines) + "\n" + hidden


def write(folder: Path, examples: dict[str, str]) -> None:
    """Write all pages into a folder; leave files alone that are the same already."""
    operators = public()
    pages = {
        name: page(name, operator_class, examples.get(name, ""))
        for name, operator_class in operators.items()
    }
    pages["index"] = index(operators, linked=True)
    pages["common_arguments"] = shared_page(
        "Arguments of all operators", COMMON_HEAD, COMMON.items()
    )
    pages["readers_arguments"] = shared_page(
        "Arguments of all readers", "Each reader has these arguments.", Reader.params.items()
    )
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.stem not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
