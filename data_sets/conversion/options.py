"""The options of a conversion: the list from which `convert` and the command take theirs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, wraps
from inspect import signature
from typing import Annotated, Any, NamedTuple, ParamSpec, TypeVar, get_type_hints

from ...engine.errors import ArgumentError
from ..formats.table import format_named
from ..sample import Sample
from ..where import Where
from .progress import OnProgress
from .reencoding.reencoding import Reencoding

P = ParamSpec("P")
Options = TypeVar("Options")
Result = TypeVar("Result")


class CommandOption(NamedTuple):
    """What makes a field an option, or an argument, of `penstock convert`.

    Attributes:
        help: text of the help; `{data_set}` and `{formats}` stand for what the command knows.
        metavar: the value's name there; "" for a flag.
        flag: the option's name without dashes, if the field's is another one.
        minimum: of numbers.
        maximum: of numbers.
    """

    help: str
    metavar: str = ""
    flag: str = ""
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class ConvertOptions:
    """The arguments of `convert`.

    Attributes:
        source: path, pattern or URL of the data set: see `open_dataset`.
        destination: folder to write, or its URL in a store (`s3://`, `gs://`, `az://`); it must not
            exist, or be empty. Of a link to a folder, that folder is written. Or a data set on the
            Hub: `hf://user/name[@branch][/folder]`.
        to: format to write, a name in `datasets.FORMATS`.
        format: of the source; by default, the content of the files tells.
        split: of the source: see `open_dataset`.
        config: configuration of the source.
        storage_options: for a source behind URLs.
        destination_options: the same for a destination in a store.
        shard_count: number of shards.
        shard_size: bytes of a shard, about: the mean size of a few samples gives the number of
            shards. By default 256 MB.
        shuffle_seed: seed of a global shuffle; None keeps the order. LMDB databases of files are
            read in the order of their keys, whatever the seed.
        sample_fraction: fraction of the samples to take, more than 0 and at most 1.
        sample_seed: selects which samples these are.
        only: path of a list of samples, as `verify` writes it; these alone are taken.
        without: path of such a list, whose samples and files are left out.
        skip_bad: whether samples that cannot be read, and files that cannot be opened or are cut
            off, are left out. Otherwise the first one is an error.
        quarantine: file to write: what `skip_bad` leaves out, a JSON object a line.
        where: a filter: an expression such as "label in (1, 2) and image.size > 10000" (see
            `datasets.where`), or a function of a `Sample`. Expressions only compare, so they may
            come from anywhere.
        components: names of the components to write; by default all.
        classes: names of the values of "label" or "labels"; by default those of the source.
        jpeg_quality: 1 to 100; the component "image" is encoded anew as JPEG.
        longest_side: pixels; a larger "image" is made smaller and encoded anew as JPEG.
        audio: "flac" or "opus"; the component "audio" is encoded anew.
        video: "h264"; the component "video" is encoded anew.
        workers: number of shards that are written at a time; by default the number of cores, or
            what a cluster has. Local workers are threads. From 2,000 samples on that keep their
            bytes, three and more workers are processes, at most one a core.
        engine: "local", "ray" or "dask". The result is the same, byte for byte.
        overwrite: whether to replace a data set that an earlier conversion wrote. In a local
            folder, the old data set stays until the new one is whole.
        resume: whether to go on with a conversion that was cut off.
        progress: function that is called now and then, from several threads, one at a time.
    """

    source: Annotated[str | os.PathLike[str], CommandOption("{data_set}", "SRC")]
    destination: Annotated[
        str | os.PathLike[str],
        CommandOption("Folder or URL to write, which must not exist.", "DST"),
    ]
    _: KW_ONLY
    to: Annotated[str, CommandOption("Format to write: {formats}.", "FORMAT")]
    format: Annotated[
        str | None,
        CommandOption("Format of SRC; by default, the content of the files tells.", "FORMAT"),
    ] = None
    split: Annotated[str | None, CommandOption("Split of SRC, such as train.", "NAME")] = None
    config: Annotated[str | None, CommandOption("Configuration of SRC.", "NAME")] = None
    storage_options: Mapping[str, Any] | None = None
    destination_options: Mapping[str, object] | None = None
    shard_count: Annotated[int | None, CommandOption("Number of shards.", "N", minimum=1)] = None
    shard_size: Annotated[
        int | None,
        CommandOption("Size of a shard, about, such as 256MB, which is the default.", "SIZE"),
    ] = None
    shuffle_seed: Annotated[
        int | None, CommandOption("Shuffle all samples, with this seed.", "SEED", "shuffle")
    ] = None
    sample_fraction: Annotated[
        float, CommandOption("Fraction of the samples to take.", "FRACTION", "sample")
    ] = 1.0
    sample_seed: Annotated[int, CommandOption("Selects which samples are taken.", "SEED")] = 0
    only: Annotated[
        str | os.PathLike[str] | None,
        CommandOption("Take the samples alone that FILE lists; see verify --quarantine.", "FILE"),
    ] = None
    without: Annotated[
        str | os.PathLike[str] | None, CommandOption("Leave out what FILE lists.", "FILE")
    ] = None
    skip_bad: Annotated[bool, CommandOption("Leave out what is damaged, and go on.")] = False
    quarantine: Annotated[
        str | os.PathLike[str] | None,
        CommandOption("Write what --skip-bad leaves out to FILE, a JSON object a line.", "FILE"),
    ] = None
    where: Annotated[
        str | Callable[[Sample], bool] | None,
        CommandOption(
            "Take samples that fit, as in \"label == 'cat' and image.size > 10000\".", "CONDITION"
        ),
    ] = None
    components: Annotated[
        Sequence[str] | None,
        CommandOption("Components to write, as in image,label; else all.", "NAMES"),
    ] = None
    classes: Annotated[
        Sequence[str] | Mapping[int, str] | None,
        CommandOption("Text file with the name of a class on each line.", "FILE"),
    ] = None
    jpeg_quality: Annotated[
        int | None,
        CommandOption("Encode images anew as JPEG, 1 to 100.", "QUALITY", minimum=1, maximum=100),
    ] = None
    longest_side: Annotated[
        int | None, CommandOption("Make larger images smaller.", "PIXELS", minimum=1)
    ] = None
    audio: Annotated[str | None, CommandOption("Encode audio anew: flac or opus.", "CODEC")] = None
    video: Annotated[str | None, CommandOption("Encode video anew: h264.", "CODEC")] = None
    workers: Annotated[
        int | None, CommandOption("Shards that are written at once.", "N", minimum=1)
    ] = None
    engine: Annotated[str, CommandOption("local, ray or dask: where to work.", "ENGINE")] = "local"
    overwrite: Annotated[bool, CommandOption("Replace what an earlier conversion wrote.")] = False
    resume: Annotated[bool, CommandOption("Go on with a conversion that was cut off.")] = False
    progress: OnProgress | None = None

    def __post_init__(self) -> None:
        _ = self.filter, self.reencoding  # raise what is wrong with them
        format_named(self.to, written=True)
        if not 0 < self.sample_fraction <= 1:
            raise ArgumentError(
                f"sample_fraction is more than 0 and at most 1, not {self.sample_fraction}"
            )
        if self.shard_count is not None and self.shard_size is not None:
            raise ArgumentError("give either shard_count or shard_size, not both")
        if self.quarantine is not None and not self.skip_bad:
            raise ArgumentError("quarantine lists what skip_bad=True leaves out, so give both")
        for name in ("shard_count", "shard_size", "workers"):
            if (getattr(self, name) or 1) < 1 or getattr(self, name) == 0:
                raise ArgumentError(f"{name} must be positive, not {getattr(self, name)}")

    @property
    def leaves_out_damage(self) -> bool:
        """Whether the source is opened without what is damaged, so that lists fit its numbers."""
        return self.skip_bad or self.only is not None or self.without is not None

    @cached_property
    def filter(self) -> Where | None:
        """The filter `where`; None keeps all samples."""
        if self.where is None or isinstance(self.where, Where):
            return self.where
        return Where(self.where)

    @cached_property
    def reencoding(self) -> Reencoding:
        """What is encoded anew."""
        return Reencoding(self.jpeg_quality, self.longest_side, self.audio, self.video)


def taking(
    options: Callable[P, Options],
) -> Callable[[Callable[[Options], Result]], Callable[P, Result]]:
    """Return a decorator for a function of `options`, which lets it take their fields instead.

    In the docstring of the function, `{arguments}` stands for the attributes of `options`.

    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> @taking(Point)
    ... def total(point):
    ...     return point.x + point.y
    >>> total(3, y=4), str(signature(total))
    (7, '(x: int, y: int = 0)')
    """

    hints = get_type_hints(options)
    parameters = signature(options).parameters.values()
    named = [parameter.replace(annotation=hints[parameter.name]) for parameter in parameters]

    def decorated(function: Callable[[Options], Result]) -> Callable[P, Result]:
        form = signature(function, eval_str=True).replace(parameters=named)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Result:
            form.bind(*args, **kwargs)  # whose errors do not name the class of the options
            return function(options(*args, **kwargs))

        _, _, attributes = (options.__doc__ or "").partition("Attributes:\n")
        call.__doc__ = (function.__doc__ or "").replace("{arguments}", attributes.strip())
        vars(call)["__signature__"] = form
        return call

    return decorated
