"""Whole files as samples: `fn.readers.file`."""

from __future__ import annotations

from ...engine.errors import ArgumentError
from ...engine.graph.operator import Array, register
from ...engine.graph.params import ANY, BOOL, DTYPES, STR, STRS, param
from ...engine.tensors.dtypes import to_numpy_type
from ..listing.listing import KNOWN_EXTENSIONS, FileList, list_files
from ..listing.shares import SPLIT, SPLIT_BY, check_split
from ..listing.table_targets import COLUMNS, TableRule
from ..listing.targets import LABELS
from ..record_reader import RecordReader
from .source import FileSource


class WholeFileReader(RecordReader):
    """Base of the readers of whole files.

    To read a file takes the GIL for a shorter time than to parse records. So processes read beside
    a GPU, on any machine, or where worker processes share the memory of batches anyway.
    """

    source: FileSource

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        return uses_gpu and super().wants_shared_memory(uses_gpu=uses_gpu)

    def cores_suffice(self) -> bool:
        return True

    def reads_urls(self) -> bool:
        return self.source.some_are_urls


@register
class FileReader(WholeFileReader):
    """Reads whole files, such as encoded images, with a label each, or with targets of a table.

    The files come from folders of classes (`file_root`), from a list of paths (`files`), from a
    text file that lists them (`file_list`), or from a table (`table`, with or without the others).
    Each of these may be or hold URLs, such as "s3://bucket/train". Hidden folders, such as
    ".ipynb_checkpoints", are no classes, and hidden files are left out, unless a filter spells the
    dot. A warning tells what is left out of class folders.

    In pipelines that use the GPU or worker processes, one to four processes of the reader's own
    read local files, after a fifth of a second of reading: threads that read would wait for
    the GIL.

    >>> from pathlib import Path
    >>> from penstock import Pipeline, fn
    >>> for name in ("cat", "dog"):
    ...     Path("photos", name).mkdir(parents=True)
    ...     _ = Path("photos", name, "0.jpg").write_text(name)
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.readers.file(file_root="photos"))
    ...     for output in pipe.run():
    ...         print([row.tolist() for row in output.rows()])
    [[99, 97, 116], [100, 111, 103]]
    [[0], [1]]

    A table has a row for each file: its name, and values that become outputs.

    >>> _ = Path("ages.csv").write_text("file,age,sex\\ncat/0.jpg,3.5,f\\ndog/0.jpg,8,m\\n")
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(
    ...         *fn.readers.file(file_root="photos", table="ages.csv", columns=["age", "sex"])
    ...     )
    ...     _, ages, sexes = pipe.run()
    >>> ages.as_array().tolist(), sexes.as_array().tolist()
    ([[3.5], [8.0]], [[0], [1]])

    Outputs:
        the file's bytes: uint8, shape (size,).
        its label: int32, shape (1,); with `labels` of other numbers, see there.
        With `table`, in the place of the label, an output for each of `columns`. A number or a
        text has the shape (1,), a list or several columns the shape (k,). Whole numbers are int64,
        in Parquet of the column's type, and real numbers float32. Texts are class numbers, int32,
        in the order of their bytes; `Pipeline.class_names` has the texts.

    Raises:
        ArgumentError: the arguments contradict each other, or a column is not there.
        SourceError: a folder, list or table cannot be read or holds nothing that matches; a file
            has no row, a row no file, or a name comes twice in the table.
        OSError: a file cannot be read (see `on_error` of the pipeline).
    """

    name = "readers.file"
    aliases = ("file_reader",)

    file_root = param(
        STR,
        None,
        "Folder whose subfolders are the classes, numbered in the order of their names; also what "
        "relative paths in `files` or `file_list` are relative to.",
    )
    files = param(STRS, None, "Paths of the files.")
    labels = param(
        LABELS,
        None,
        "Their labels, of shape (files,) or (files, k); by default 0, 1, 2, ... A whole number a "
        "file becomes int32. Other arrays keep their dtype. Real numbers of Python become float32. "
        "Texts become class numbers.",
    )
    file_list = param(
        STR, None, "Text file with a path and a label on each line; paths may hold spaces."
    )
    table = param(
        STR,
        None,
        "Table of targets: a CSV file whose first line names the columns, separated by commas, "
        "semicolons or tabs (then without quotes); or a Parquet file. Without `files` and "
        "`file_list`, its rows name the files: paths below `file_root` (by default the table's "
        "folder), with or without their endings. With one of them, each listed file needs a row, "
        "and `file_list` has no labels.",
    )
    columns = param(
        COLUMNS,
        None,
        "Columns of `table`, one for each output. Names in an inner list become one output: "
        "[['x', 'y'], 'age'] gives (2,) and (1,).",
    )
    name_column = param(
        STR, None, "Column of `table` with the names of the files; by default the first."
    )
    dtypes = param(
        DTYPES,
        None,
        "Types of the outputs of `columns`, one each. Numbers are converted, and must fit. UINT8 "
        "gives texts as they are, in UTF-8, shape (size,).",
    )
    classes = param(
        ANY,
        None,
        "Texts that become the class numbers 0, 1, 2, ..., in `labels`, in columns of `table`, or "
        "as names of class folders; or a dict of them by column. Other texts are errors. By "
        "default all texts that come.",
        name="class_names",
    )
    split = SPLIT
    split_by = param(
        SPLIT_BY.type, None, f"{SPLIT_BY.doc} Or the column of `table` that names the parts."
    )
    file_filters = param(
        STRS,
        KNOWN_EXTENSIONS,
        "Patterns such as '*.jpg'; for files that lie in folders. By default all that decoders "
        "read. As in DALI, `file_filters`, `dir_filters` and `case_sensitive_filter` have no "
        "effect on `files` and `file_list`.",
    )
    dir_filters = param(
        STRS, None, "Patterns of the class folders' names; by default all but hidden ones."
    )
    case_sensitive_filter = param(BOOL, False, "Whether the patterns distinguish case.")

    def prepare(self) -> None:
        super().prepare()
        check_split(self.called, self.split, self.split_by)
        if (self.table is None) != (self.columns is None):
            self.refuse("table and columns belong together: give both, or none")
        if self.table is not None and self.labels is not None:
            self.refuse("labels and table are both targets of the files; give one of them")
        for name in ("name_column", "dtypes") if self.table is None else ():
            if getattr(self, name) is not None:
                self.refuse(f"{name} belongs to table, which is not given")
        for name in ("dir_filters", "case_sensitive_filter") if self.table is not None else ():
            if getattr(self, name):
                self.refuse(f"{name} finds class folders, but the rows of table name the files")
        if self.table is None and isinstance(self.split_by, str):
            self.refuse(f"split_by={self.split_by!r} is a column of table, which is not given")
        listed = self.files is not None or self.file_list is not None
        if self.classes is not None and self.table is None and self.labels is None and listed:
            self.refuse("class_names number texts of labels or table, or folders; none is given")

    def num_outputs(self) -> int:
        return 2 if self.columns is None else 1 + len(self.columns)

    def open_source(self) -> FileSource:
        return FileSource(self._listed(), self.storage_options, max(2, self.placement.threads))

    def _listed(self) -> FileList:
        places = {
            "file_root": self.file_root,
            "files": self.files,
            "file_list": self.file_list,
            "file_filters": self.file_filters,
            "storage_options": self.storage_options,
        }
        if self.table is not None:
            from ..listing.with_table import list_with_table  # only some programs need it

            dtypes = [to_numpy_type(dtype) for dtype in self.dtypes or ()]
            return list_with_table(
                self.table,
                TableRule(self.columns, dtypes, self.classes),
                name_column=self.name_column,
                split=self.split,
                split_by=self.split_by,
                **places,
            )
        if self.file_root is None and self.files is None and self.file_list is None:
            raise ArgumentError("fn.readers.file needs file_root, files, file_list or table")
        listed = list_files(
            labels=self.labels,
            class_names=self.classes,
            dir_filters=self.dir_filters,
            case_sensitive_filter=self.case_sensitive_filter,
            **places,
        )
        return listed.of_split(self.split, self.split_by)

    def placeholder(self) -> tuple[Array, ...]:
        return self.source.placeholder()
