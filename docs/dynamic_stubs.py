"""Stubs of `penstock.experimental.dynamic`, which generate.py writes."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from penstock.engine.graph.declaration import camel_case
from penstock.engine.graph.operator import Operator
from penstock.experimental import dynamic
from penstock.experimental.dynamic import generators
from penstock.experimental.dynamic.functions import docstring, is_here, is_reader, signature
from penstock.experimental.dynamic.reading import reader_class

MODULE = dynamic.__name__
HEAD = '''"""Signatures of dynamic mode; made by docs/generate.py from operators' declarations."""

# mypy: disable-error-code="overload-overlap"
import builtins as _builtins
import collections.abc as _abc
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike

from penstock.engine.tensors.dtypes import DALIDataType, DALIImageType, DALIInterpType
from penstock.experimental import dynamic as _dynamic
from penstock.experimental.dynamic.batch import Batch{public}
from penstock.experimental.dynamic.generators import RNG{public_too}
from penstock.experimental.dynamic.kinds import DeviceLike, DTypeLike, TensorLike
from penstock.experimental.dynamic.reading import Reader
from penstock.experimental.dynamic.tensor import Tensor{public_tensor}
'''

Overloads = Callable[[type[Operator]], list[tuple[dict[str, str], str]]]
Parameters = Callable[[inspect.Signature, Mapping[str, str]], str]


def stubs(
    tree: Mapping[str, list[tuple[str, type[Operator]]]],
    overloads: Overloads,
    parameters: Parameters,
    folder: Path,
) -> dict[Path, str]:
    """Return the stubs of the module and of its groups, which are modules.

    Args:
        tree: (name, operator) pairs by group; the top group is "".
        overloads: returns the forms of an operator's function in pipelines.
        parameters: returns the parameter list of a signature.
        folder: of the module.
    """
    here = {
        group: [
            (name, member)
            for name, member in members
            if is_here(member, ".".join(filter(None, (group, name))))
        ]
        for group, members in tree.items()
    }
    groups = {group for group, members in here.items() if members}
    groups |= {group.rpartition(".")[0] for group in groups}
    texts = {folder.joinpath("math", "__init__.pyi"): "\n".join([_head(""), *_math()])}
    for group in sorted(groups):
        inner = [
            group_inside
            for group_inside in sorted(groups)
            if group_inside and group_inside.rpartition(".")[0] == group
        ]
        parts = [_head(group)]
        names = [group_inside.rpartition(".")[2] for group_inside in inner]
        imports = [f"from . import {name} as {name}" for name in names]
        imports += [] if group else _public()
        imports += _random() if group == "random" else []
        parts.append("\n".join([*imports, ""]))
        for name, operator_class in here.get(group, []):
            spelled = camel_case(name) if is_reader(operator_class) else name
            *home, own = operator_class.name.split(".")
            if (group, name) != (".".join(home), own):
                own = camel_case(own) if is_reader(operator_class) else own
                parts.append(f"{spelled} = {'.'.join(('_dynamic', *home, own))}\n")
            elif is_reader(operator_class):
                parts.append(_class(operator_class, parameters))
            else:
                parts += _function(name, operator_class, overloads(operator_class), parameters)
        path = folder.joinpath(*filter(None, group.split(".")), "__init__.pyi")
        texts[path] = "\n".join(parts)
    return texts


def _head(group: str) -> str:
    names = (
        "RNG" if group == "random" else "",
        "" if group else "Batch",
        "" if group else "Tensor",
    )
    rng, batch, tensor = (f" as {name}" if name else "" for name in names)
    return HEAD.format(public=batch, public_too=rng, public_tensor=tensor)


def _public() -> Iterator[str]:
    """Yield the imports of what is no operator."""
    yield "from . import pytorch as pytorch"
    for name in sorted(dynamic.__all__):  # type: ignore[attr-defined]
        value = getattr(dynamic, name)
        if inspect.ismodule(value):
            yield f"from . import {name} as {name}"
        elif name not in ("Batch", "Tensor"):
            home = getattr(value, "__module__", "")
            home = home if hasattr(inspect.getmodule(value), name) else f"{MODULE}.element_types"
            yield f"from {home} import {name} as {name}"


def _random() -> Iterator[str]:
    for name in ("get_default_rng", "set_seed"):
        yield f"from {generators.__name__} import {name} as {name}"


def _math() -> Iterator[str]:
    for name in vars(dynamic.math)["__all__"]:
        function = getattr(dynamic.math, name)
        names = list(inspect.signature(function).parameters)
        for kind, returned in (("TensorLike", "Tensor"), ("TensorLike | Batch", "Batch")):
            operands = ", ".join(f"{name}: {kind}" for name in names)
            text = f"@overload\ndef {name}({operands}, /) -> {returned}:"
            yield text + (f'\n    """{function.__doc__}"""\n' if returned == "Tensor" else " ...\n")


def _function(
    name: str,
    operator_class: type[Operator],
    forms: list[tuple[dict[str, str], str]],
    parameters: Parameters,
) -> Iterator[str]:
    """Yield the overloads of a function: of each form, for tensors and for batches."""
    documented = f'\n    """{textwrap.indent(docstring(operator_class), "    ").strip()}\n    """\n'
    for kinds, returned in forms:
        kinds_of_results = {"Tensor": _of_tensors, "Batch": _of_batches}
        if name == "batch_permutation":  # of a batch alone
            del kinds_of_results["Tensor"]
        for result, given in kinds_of_results.items():
            form = given(signature(operator_class))
            further = {key: kind.replace("DataNode", result) for key, kind in kinds.items()}
            inside = textwrap.indent(_qualified(parameters(form, further)), "    ")
            kind = returned.replace("list[DataNode]", f"tuple[{result}, ...]")
            kind = kind.replace("DataNode", result)
            alone = len(forms) == len(kinds_of_results) == 1
            decorator = "" if alone else "@overload\n"
            yield f"{decorator}def {name}(\n{inside},\n) -> {kind}:{documented or ' ...'}"
            documented = ""


def _of_tensors(form: inspect.Signature) -> inspect.Signature:
    """Return a signature whose results are tensors: nothing is a batch."""
    return form.replace(
        parameters=[
            parameter.replace(annotation="None")
            if parameter.name == "batch_size"
            else parameter.replace(annotation=parameter.annotation.replace(" | Batch", ""))
            for parameter in form.parameters.values()
        ]
    )


def _of_batches(form: inspect.Signature) -> inspect.Signature:
    """Return a signature whose results are batches; operators without data need `batch_size`."""
    has_data = any("Batch" in parameter.annotation for parameter in form.parameters.values())
    return form.replace(
        parameters=[
            parameter.replace(annotation="int", default=parameter.empty)
            if parameter.name == "batch_size" and not has_data
            else parameter
            for parameter in form.parameters.values()
        ]
    )


def _class(operator_class: type[Operator], parameters: Parameters) -> str:
    kind = reader_class(operator_class)
    form: Any = kind.__signature__  # type: ignore[attr-defined]
    optional = form.replace(
        parameters=[
            parameter.replace(default=None, annotation=parameter.annotation.replace(" | Batch", ""))
            for parameter in form.parameters.values()
            if parameter.name != "self"
        ]
    )
    inside = textwrap.indent("self,\n" + _qualified(parameters(optional, {})), "        ")
    text = textwrap.indent(str(kind.__doc__), "    ").strip()
    return (
        f'class {kind.__name__}(Reader):\n    """{text}\n    """\n\n'
        f"    def __init__(\n{inside},\n    ) -> None: ...\n"
    )


def _qualified(text: str) -> str:
    """Return types that mean the same where the module has an element type `bool`."""
    return re.sub(r"(: .*)\bbool\b", r"\1_builtins.bool", text)
